# occupancy.awk - occupancy and time by block: the naive kernel, the fastest variant, and 2012.
#
#   awk -v folder=DIR -v lab=lab2 [-v program=matprod] -f text.awk -f occupancy.awk OCCUPANCY OCCUPANCY_2012
#
# OCCUPANCY: variant, block, occupancy_percent, time_ms. OCCUPANCY_2012: program, row and the values at
# 1x1, 2x2, .. 32x32; may be an empty file. The fastest variant is that with the shortest time at any
# block. Out, separated by tabs:
#
#   DIR/blocks.txt  the blocks, by their threads and then their width
#   DIR/series.tsv  what is drawn: variants, and one marked `past`
#   DIR/points.tsv  number of the series, of the block, occupancy in %, time in ms (or NaN)
#   DIR/range.tsv   the least and the greatest time drawn, if there is any
#
# and on stdout what the lab is about. Exit status 1: no points.

FILENAME == ARGV[1] && $2 != "" && (positive($3) || positive($4)) {
    n++
    variant[n] = $1
    block[n] = $2
    occupancy[n] = positive($3) ? $3 : "NaN"
    time[n] = positive($4) ? $4 : "NaN"
    add_block($2)
    if (positive($4) && (fastest == "" || $4 + 0 < least)) {
        fastest = $1
        least = $4 + 0
    }
    if ($1 == "naive")
        naive = $1
    else if (other == "")
        other = $1
}

FILENAME == ARGV[2] && program != "" && index($1, program) == 1 && $2 == "occupancy_percent" {
    for (i = 0; i < 6; i++)
        if (positive($(i + 3))) {
            past[2^i "x" 2^i] = $(i + 3)
            add_block(2^i "x" 2^i)
            n_past++
        }
}

function threads_of(text,    side)
{
    return split(text, side, "x") == 2 ? side[1] * side[2] : text + 0
}

# Keeps block_name[1..n_blocks] in order.
function add_block(text,    i)
{
    if (text in seen)
        return
    seen[text] = 1
    for (i = ++n_blocks; i > 1 && (threads_of(block_name[i - 1]) > threads_of(text) ||
        (threads_of(block_name[i - 1]) == threads_of(text) && block_name[i - 1] + 0 > text + 0)); i--)
        block_name[i] = block_name[i - 1]
    block_name[i] = text
}

function draw(name,    i, k)
{
    print shortened(name, 28) > (folder "/series.tsv")
    series++
    for (k = 1; k <= n_blocks; k++)
        for (i = 1; i <= n; i++)
            if (variant[i] == name && block[i] == block_name[k]) {
                if (time[i] != "NaN" && (!t_min || time[i] + 0 < t_min))
                    t_min = time[i] + 0
                if (time[i] != "NaN" && time[i] + 0 > t_max)
                    t_max = time[i] + 0
                print series, k, occupancy[i], time[i] > (folder "/points.tsv")
            }
}

END {
    if (!n)
        exit 1
    for (k = 1; k <= n_blocks; k++)
        print crossed(block_name[k]) > (folder "/blocks.txt")
    if (fastest == "")
        fastest = naive == "" ? other : naive
    if (naive != "")
        draw(naive)
    if (fastest != naive)
        draw(fastest)
    if (n_past)
        print "", "past" > (folder "/series.tsv")
    series++
    for (k = 1; k <= n_blocks; k++)
        if (block_name[k] in past)
            print series, k, past[block_name[k]], "NaN" > (folder "/points.tsv")
    printf "%s", t_max ? t_min OFS t_max "\n" : "" > (folder "/range.tsv")
    print lab_title(lab)
}
