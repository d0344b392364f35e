# bilateral_pictures.gp - figure 5 of the 2012 lab report: a picture and what one, two and three
# passes of the bilateral filter make of it, with a part of each magnified, where the smoothing and
# the edges it keeps can be seen.
#
#   gnuplot -c bilateral_pictures.gp OUTPUT FOLDER NAMES FACTS CROP MACHINE
#
# NAMES lists the pictures there are (`bilateral_0 bilateral_1`), the number of passes last in each.
# The rest is as pictures.gp wants it.
output = ARG1
folder = ARG2
names = ARG3
facts = ARG4
crop = ARG5
what = "Bilateral filter: the picture, and the framed part magnified"
machine = ARG6
pass(i) = word(names, i)[strlen(word(names, i)):]
caption(i) = pass(i) eq "0" ? "original" : pass(i) eq "1" ? "1 pass" : pass(i) . " passes"
load "pictures.gp"
