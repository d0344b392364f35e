# amdahl.awk - measured scaling and fitted shares to curves.
#
#   awk -v folder=DIR -f text.awk -f amdahl.awk AMDAHL SCALING
#
# AMDAHL: lab, size, parallel_percent. SCALING: lab, cpu_threads, speedup. Out, separated by tabs:
#
#   DIR/labs.tsv    text of the key, parallel share (empty: not fitted)
#   DIR/points.tsv  number of the lab, threads, speedup
#
# Exit status 1: no points.

FILENAME == ARGV[1] {
    share[$1] = $3
    size[$1] = $2
    next
}

positive($2) && positive($3) {
    if (!($1 in number)) {
        number[$1] = ++n
        p = share[$1]
        print shortened(lab_title($1), 30) (size[$1] == "" ? "" : ", " crossed(size[$1])) \
            (p == "" ? "" : ": P = " digits_of_share(p) " %"), p == "" ? "" : p / 100 > (folder "/labs.tsv")
    }
    print number[$1], $2, $3 > (folder "/points.tsv")
}

# Two decimals where the limit 1/(1-P) hangs on them.
function digits_of_share(p)
{
    return sprintf(p >= 99 && p < 100 ? "%.2f" : "%.1f", p)
}

END { exit !n }
