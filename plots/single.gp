# single.gp - one panel of curves: every figure against size or block size but the combined one.
#
# Time against size by block: figures 4 (matrix product), 6 (bilateral filter) and 8 (template
# matching) of the 2012 lab report. Speedup against size and against block size: figure 10 a to f.
# Time and rates of all variants: the report has no such figure. README.md lists them all.
#
#   gnuplot -c single.gp OUTPUT DATA WHAT MACHINE X_TITLE Y_TITLE KEY_HEADING PAST
#
# WHAT and MACHINE are the two lines of the heading; PAST names the dashed curves, "" for none.
output = ARG1
data = ARG2
what = ARG3
machine = ARG4
key_heading = ARG7
past = ARG8

load "style.gp"
eval heading
set xlabel ARG5
set ylabel ARG6
load "curves.gp"
