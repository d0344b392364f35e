# texts.awk - what figures say, as gnuplot wrote them as SVG: a line of each one's name and texts, in
# the order in which they are drawn.
#
#   LC_ALL=C awk -v sums=FILE -f sum.awk -f texts.awk FIGURE.svg...
#
# Numbers alone are left out: at axes they are the choice of a gnuplot. Of four texts and more that
# differ in nothing but numbers stand how many they are, a sum of them in their order, and those with
# the least and the greatest number in front; of kernels that are named with their lab the first
# and the last.

FNR == 1 {
    end_figure()
    name = FILENAME
    gsub(/.*\/|[.]svg$/, "", name)
}
match($0, /translate[(][^)]*/) { place = substr($0, RSTART, RLENGTH) }
/<text/ { is_text = 1 }
is_text {
    ends = /<\/text>/
    gsub(/<[^>]*>|^[ \t]+/, "")
    if ($0 !~ /^[-0-9. ]*$/ && !seen[place $0]++) # one in a box is there twice
        take($0, $0 ~ /^lab[0-9]+ / ? "lab" : form_of($0))
    is_text = !ends
}
END { end_figure() }

function take(text, form)
{
    if (!(form in count)) {
        forms[++n_forms] = form
        first[form] = least[form] = most[form] = text
    }
    count[form]++
    is_other[form] += text != first[form]
    all[form] = all[form] " | " text
    if (form == "lab" || number_in(text) > number_in(most[form]))
        most[form] = text
    else if (number_in(text) < number_in(least[form]))
        least[form] = text
}

# The text with # for each word that is a number or a size.
function form_of(text,    word, n, i, form)
{
    n = split(text, word, " ")
    for (i = 1; i <= n; i++) {
        sub(/^[0-9.]+(×[0-9.]+)*/, "#", word[i])
        form = form " " word[i]
    }
    return form
}

function number_in(text)
{
    return match(text, /(^| )[0-9]/) ? substr(text, RSTART) + 0 : 0
}

function end_figure(    i)
{
    line = name
    for (i = 1; i <= n_forms; i++)
        tell(forms[i])
    if (n_forms)
        print line
    n_forms = 0
    split("", count)
    split("", is_other)
    split("", all)
    split("", seen)
}

function tell(form)
{
    if (!is_other[form])
        line = line " | " first[form] (count[form] > 1 ? " (" count[form] " times)" : "")
    else if (count[form] < 4)
        line = line all[form]
    else
        line = line " | " count[form] " " sum_of(all[form]) ": " least[form] " .. " most[form]
}
