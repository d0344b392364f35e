# cells.gp - reads what the awk programs wrote: tab-separated lines in files of `folder`. Names are
# fetched from there one by one and not through gnuplot's own reader, to which quotes mean something.
set encoding utf8
file(name) = folder . "/" . name
lines(name) = int(system("wc -l <'" . file(name) . "'"))
cell(name, i, j) = system(sprintf("sed -n %dp '%s' | cut -f %d", i, file(name), j))
# (gnuplot 5.4 takes 1.0e-05 for a number, but not 1e-05.)
dotted(text, e) = e == 0 || strstrt(text, ".") ? text : text[1:e - 1] . ".0" . text[e:*]
number(name, i, j) = real(dotted(cell(name, i, j), strstrt(cell(name, i, j), "e")))
# The greatest length, in characters, of column j in the first i lines.
greater(a, b) = a > b ? a : b
longest(name, i, j) = i == 0 ? 0 : greater(strlen(cell(name, i, j)), longest(name, i - 1, j))
# A name as the text of a tick, where % would begin a format.
tick(text) = strstrt(text, "%") == 0 ? text : \
    text[1:strstrt(text, "%")] . "%" . tick(text[strstrt(text, "%") + 1:*])
