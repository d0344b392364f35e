#!/bin/sh
# nearest.sh - prints " (did you mean NAME?)" for the name that WORD was mistyped from, if one is
# near: the fewest letters to put in, take out or replace, capitals or not, and less than half of
# the word. usage: tools/nearest.sh WORD NAME...
word=$1
shift
printf '%s\n' "$@" | awk -v word="$word" '
function least(a, b) { return a < b ? a : b }
# The rows of the usual table of edit distances, one after the other.
function distance(a, b,    i, j, above, left, corner) {
    for (j = 0; j <= length(b); j++)
        row[j] = j
    for (i = 1; i <= length(a); i++) {
        corner = row[0]
        row[0] = i
        for (j = 1; j <= length(b); j++) {
            above = row[j]
            left = row[j - 1]
            corner += substr(a, i, 1) != substr(b, j, 1)
            row[j] = least(corner, least(above, left) + 1)
            corner = above
        }
    }
    return row[length(b)]
}
{ d = distance(tolower(word), tolower($0)) }
NR == 1 || d < nearest { nearest = d; name = $0 }
END { if (nearest < length(word) / 2) printf " (did you mean %s?)\n", name }'
