# nearest.awk - the last line of what a program said; where it is "PROGRAM: --variants: 'WORD' is none of A,
# B, ..", which may be long, the one of these that is nearest to the word in its stead, if one is near.
# usage: awk -v word=WORD -f tools/nearest.awk SAID
{ line = $0 }
END {
    at = index(line, "'" word "' is none of ")
    if (!at) {
        print line
        exit
    }
    head = substr(line, 1, at + length(word) + 1)
    n = split(substr(line, length(head) + length(" is none of ") + 1), name, ", ")
    least = int(length(word) / 2) + 1
    for (i = 1; i <= n; i++) {
        steps = index(name[i], word) == 1 ? 1 : distance(word, name[i])
        if (steps < least) {
            least = steps
            nearest = name[i]
        }
    }
    print head " is none of the " n " variants" (nearest != "" ? "; did you mean '" nearest "'?" : ", which --list names")
}

# The letters to put in, take out, change, or exchange with the next, to make one word of the other.
function distance(a, b,    i, j, d, change)
{
    for (i = 0; i <= length(a); i++)
        for (j = 0; j <= length(b); j++) {
            if (!i || !j) {
                d[i, j] = i + j
                continue
            }
            change = d[i - 1, j - 1] + (substr(a, i, 1) != substr(b, j, 1))
            d[i, j] = least_of(change, 1 + least_of(d[i - 1, j], d[i, j - 1]))
            if (i > 1 && j > 1 && substr(a, i, 1) == substr(b, j - 1, 1) &&
                substr(a, i - 1, 1) == substr(b, j, 1))
                d[i, j] = least_of(d[i, j], d[i - 2, j - 2] + 1)
        }
    return d[length(a), length(b)]
}

function least_of(a, b) { return a < b ? a : b }
