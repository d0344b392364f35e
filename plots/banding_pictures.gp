# banding_pictures.gp - a frame before and after the banding filter, with a part of its sky magnified,
# the contrast stretched, where the steps can be seen.
#
#   gnuplot -c banding_pictures.gp OUTPUT FOLDER NAMES FACTS CROP MACHINE CONTRAST
#
# NAMES are the picture before and the one after. CONTRAST is by how much that of the magnified parts,
# both alike, is stretched. The rest is as pictures.gp wants it.
output = ARG1
folder = ARG2
names = ARG3
facts = ARG4
crop = ARG5
what = "Banding reduction: a frame, and the framed part in gray, contrast × " . ARG7
machine = ARG6
caption(i) = i == 1 ? "before" : "after"
load "pictures.gp"
