# words.awk - parameters, "radius=3;type=f32", by the words that tell a lab's rows apart.

# Counts a row, or a set of rows that have the same parameters.
function count_words(lab, parameters,    n, word) {
    counted[lab]++
    for (n = split(parameters, word, ";"); n > 0; n--)
        counted_with[lab, word[n]]++
}

# Returns the words that not all that were counted of the lab have, with blanks between them.
function differing(lab, parameters,    n, i, word, text) {
    n = split(parameters, word, ";")
    for (i = 1; i <= n; i++)
        if (counted_with[lab, word[i]] < counted[lab])
            text = text (text == "" ? "" : " ") word[i]
    return text
}
