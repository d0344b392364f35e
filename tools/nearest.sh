#!/bin/sh
# nearest.sh - prints " (did you mean NAME?)" for the name that WORD was mistyped from, if one is
# near: the fewest letters to put in, take out, replace, or exchange with the next, capitals or not,
# and less than half of the word; 1 where the name begins with it. usage: tools/nearest.sh WORD NAME...
word=$1
shift
printf '%s\n' "$@" | awk -v word="$word" '
function least(a, b) { return a < b ? a : b }
# The usual table of edit distances.
function distance(a, b,    i, j, d, changed) {
    for (i = 0; i <= length(a); i++)
        for (j = 0; j <= length(b); j++) {
            if (!i || !j) {
                d[i, j] = i + j
                continue
            }
            changed = d[i - 1, j - 1] + (substr(a, i, 1) != substr(b, j, 1))
            d[i, j] = least(changed, 1 + least(d[i - 1, j], d[i, j - 1]))
            if (i > 1 && j > 1 && substr(a, i, 1) == substr(b, j - 1, 1) && substr(a, i - 1, 1) == substr(b, j, 1))
                d[i, j] = least(d[i, j], d[i - 2, j - 2] + 1)
        }
    return d[length(a), length(b)]
}
{ name_now = tolower($0) }
{ d = index(name_now, tolower(word)) == 1 ? name_now != tolower(word) : distance(tolower(word), name_now) }
NR == 1 || d < nearest { nearest = d; name = $0 }
END { if (nearest < length(word) / 2) printf " (did you mean %s?)\n", name }'
