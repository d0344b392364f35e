# bars.awk - rows to bars.
#
#   now=LABEL awk -v figure=variants -v folder=DIR -f text.awk -f layout.awk -f bars.awk ROWS
#
#   figure    `variants`    time of each variant at its best block, and at 32x32
#             `types`       time by type of pixel: `naive`, and the fastest variant
#             `transfers`   end-to-end time by way of transfer, the kernel's own in it
#             `cpu_gpu`     time on the CPU and on the GPU
#             `algorithms`  MPixel/s of each algorithm, and what its memory accesses let expect
#             `banding`     kernel time and end-to-end time of each variant
#   now       what the measuring machine is called
#
# The figures are of one size: the largest that has what is compared (`banding`: 1920x1080, or the
# largest below 4K). Other machines' rows of that size get panels of their own, with an axis of their
# own; where the axis is logarithmic or the rows are few, lines of their own among the measured ones.
#
# In: the rows of conditions.awk. Out: the files of layout.awk, and on stdout the size and, in words,
# what stands in no bar. Exit status 1: no bars.

positive($10) || positive($14) {
    n++
    source[n] = $1
    variant[n] = $2
    is_cpu[n] = $3 == "cpu"
    parameters[n] = $4
    size[n] = $6 times $7
    width[n] = $6
    area[n] = $6 * $7
    block[n] = $8 * $9 > 0 ? $8 times $9 : ""
    time[n] = positive($10) ? $10 + 0 : 0
    end_to_end[n] = positive($14) ? $14 + 0 : 0
    type[n] = $15
    transfer[n] = $16 == "" ? "pageable" : $16
    if (!($1 in known)) {
        known[$1] = 1
        if ($1 != "now")
            reference[++n_references] = $1
    }
    if (!($2 in rank)) {
        rank[$2] = ++n_variants
        list[n_variants] = $2
    }
}

# ---- choosing rows -------------------------------------------------------------------------------

# The fastest row of a source, end to end if `ends`; "" stands for any kernel, any type, any block, the
# chosen size. 0 where there is none.
function fastest(from, what, of_type, by, at_block, ends, at_size,    i, best, value, least)
{
    if (at_size == "")
        at_size = chosen
    for (i = 1; i <= n; i++) {
        value = ends ? end_to_end[i] : time[i]
        if (source[i] == from && size[i] == at_size && value && transfer[i] == by &&
            (what == "" ? !is_cpu[i] : variant[i] == what) &&
            (of_type == "" || type[i] == of_type) && (at_block == "" || block[i] == at_block) &&
            (!best || value < least)) {
            best = i
            least = value
        }
    }
    return best
}

# Chooses the size that has most of what is compared, of equals the largest; for `transfers` the size
# and the block, of equals the fastest block. Fails where there is nothing to compare.
function choose(what,    i, key, place, best, part)
{
    for (i = 1; i <= n; i++) {
        if (source[i] != "now" || (is_cpu[i] && what != "cpu_gpu") ||
            (what == "banding" && width[i] >= 3840) || (what == "transfers" && !end_to_end[i]))
            continue
        place = size[i] SUBSEP (what == "transfers" ? block[i] : "")
        key = what == "types" ? type[i] : what == "transfers" ? transfer[i] : \
            what == "algorithms" ? variant[i] : what == "cpu_gpu" ? is_cpu[i] : "any"
        if (!((place, key) in seen)) {
            seen[place, key] = 1
            count[place]++
        }
        if (what == "banding" && size[i] == 1920 times 1080)
            count[place] = 2
        if (!(place in shortest) || time[i] < shortest[place])
            shortest[place] = time[i]
        area_of[place] = area[i]
    }
    for (place in count)
        if (best == "" || count[place] > count[best] ||
            (count[place] == count[best] && (area_of[place] > area_of[best] ||
            (area_of[place] == area_of[best] && shortest[place] < shortest[best]))))
            best = place
    if (best == "" || (what ~ /^(cpu_gpu|transfers)$/ && count[best] < 2))
        return 0
    split(best, part, SUBSEP)
    chosen = part[1]
    chosen_block = part[2]
    return 1
}

# ---- figures -------------------------------------------------------------------------------------

function with_block(i)
{
    return block[i] == "" ? "" : ", " block[i]
}

# The CPU's times at the chosen size, for the heading.
function cpu_words(    i, name, text, row)
{
    for (i = 1; i <= n_variants; i++) {
        name = list[i]
        if (name ~ /^cpu/ && (row = fastest("now", name, "", "pageable", "", 0)))
            text = text (text == "" ? "" : ", ") name " " ms(time[row])
    }
    return text
}

function draw_variants(    i, k, row, square, name)
{
    square = 32 times 32
    for (i = 1; i <= n_variants; i++) {
        name = list[i]
        if (name ~ /^cpu/)
            continue
        if (row = fastest("now", name, "", "pageable", "", 0)) {
            bar(now, name, "full", time[row] * 1e3, ms(time[row]) with_block(row), name)
            legend("full", "each at its best block")
            if (block[row] != square && (row = fastest("now", name, "", "pageable", square, 0))) {
                bar(now, name, "light", time[row] * 1e3, ms(time[row]) with_block(row), name)
                legend("light", "at " square)
            }
        }
    }
    for (k = 1; k <= n_references; k++)
        for (i = 1; i <= n_variants; i++)
            if (list[i] !~ /^cpu/ &&
                (row = fastest(reference[k], list[i], "", "pageable", "", 0))) {
                bar(reference[k], list[i], "hatched", time[row] * 1e3,
                    ms(time[row]) with_block(row), list[i])
                legend("hatched", "recorded")
            }
}

function draw_types(    i, k, t, names, from, row, best)
{
    t = split("gray rgb24 rgba32", names, " ")
    for (k = 0; k <= n_references; k++) {
        from = k ? reference[k] : "now"
        for (i = 1; i <= t; i++) {
            row = fastest(from, "naive", names[i], "pageable", "", 0)
            best = fastest(from, "", names[i], "pageable", "", 0)
            if (row)
                bar(k ? from : now, names[i], k ? "hatched" : "full", time[row] * 1e3,
                    "naive " ms(time[row]) with_block(row), variant[row])
            if (best && best != row)
                bar(k ? from : now, names[i], k ? "hatched" : "full", time[best] * 1e3,
                    variant[best] " " ms(time[best]) with_block(best), variant[best])
            if (best)
                legend(k ? "hatched" : "full",
                    k ? "recorded" : "naive and the fastest, each at its best block")
        }
    }
}

function draw_transfers(    i, k, t, names, from, row)
{
    t = split("pageable pinned mapped mapped_output unified unified_prefetch", names, " ")
    for (k = 0; k <= n_references; k++) {
        from = k ? reference[k] : "now"
        for (i = 1; i <= t; i++) {
            row = fastest(from, "naive", "", names[i], k ? "" : chosen_block, 1)
            if (!row)
                continue
            bar(k ? from : now, names[i], k ? "hatched" : "light", end_to_end[row] * 1e3,
                ms(end_to_end[row]) (time[row] ? ", kernel " digits3(time[row] * 1e3) : ""), "naive",
                time[row] * 1e3)
            legend(k ? "hatched" : "light", k ? "recorded" : "end to end")
            if (time[row])
                legend("full", "kernel alone, in device memory")
        }
    }
}

function dot(from, row, value, text, colour)
{
    bar(now, row, from == "now" ? "dot" : "square", value, (from == "now" ? "" : from ": ") text, colour)
    legend(from == "now" ? "dot" : "square", from == "now" ? "measured" : "recorded")
}

function draw_cpu_gpu(    i, k, from, row, best)
{
    for (k = 0; k <= n_references; k++) {
        from = k ? reference[k] : "now"
        for (i = 1; i <= n_variants; i++)
            if (list[i] ~ /^cpu/ && (row = fastest(from, list[i], "", "pageable", "", 0)))
                dot(from, list[i], time[row] * 1e3, ms(time[row]), list[i])
        row = fastest(from, "naive", "", "pageable", "", 0)
        best = fastest(from, "", "", "pageable", "", 0)
        if (row)
            dot(from, "naive", time[row] * 1e3, ms(time[row]) with_block(row), "naive")
        if (best && best != row && from == "now")
            dot(from, variant[best], time[best] * 1e3,
                ms(time[best]) with_block(best) ", the fastest", variant[best])
        if (row = fastest(from, "naive", "", "pageable", "", 1))
            dot(from, "naive, with copies", end_to_end[row] * 1e3,
                ms(end_to_end[row]) with_block(row), "naive")
    }
}

# Floats read and written a pixel, as table 1 counts them.
function accesses(name, text,    side)
{
    side = match(text, /(^|;)radius=[0-9]+/) ? substr(text, RSTART, RLENGTH) : ""
    sub(/.*=/, "", side)
    side = 2 * (side == "" ? 15 : side) + 1
    return name == "copy" ? 2 : name == "conv2d" ? side * side + 1 : \
        name == "separable" ? 2 * (side + 1) : name == "recursive" ? 10 : 0
}

# A source's measured rates, and those that the rate of its copy lets expect. Another machine's count
# at whatever size it has.
function draw_algorithms(    i, k, t, names, row, copied, radii, rate, floats, from, there)
{
    t = split("copy conv2d separable recursive", names, " ")
    for (k = 0; k <= n_references; k++) {
        from = k ? reference[k] : "now"
        for (i = 1; k && i <= n; i++)
            if (source[i] == from)
                there = size[i]
        row = fastest(from, "copy", "", "pageable", "", 0, k ? there : chosen)
        copied = row ? area[row] / time[row] / 1e6 : 0
        radii = row ? parameters[row] : ""
        for (i = 1; i <= t; i++) {
            row = fastest(from, names[i], "", "pageable", "", 0, k ? there : chosen)
            if (row) {
                rate = area[row] / time[row] / 1e6
                dot(from, names[i], rate, digits3(rate) " MPixel/s" with_block(row), names[i])
            }
            if (copied && names[i] != "copy") {
                floats = accesses(names[i], radii)
                rate = copied * 2 / floats
                bar(now, names[i], k ? "frame" : "ring", rate,
                    (k ? from ": " : "") digits3(rate) " estimated, " floats " floats a pixel", names[i])
                legend(k ? "frame" : "ring",
                    k ? "recorded estimate" : "estimate: copy's rate " times " 2 / floats")
            }
        }
    }
}

function draw_banding(    i, k, name, row, ends, from)
{
    for (i = 1; i <= n_variants; i++) {
        name = list[i]
        for (k = 0; k <= n_references; k++) {
            from = k ? reference[k] : "now"
            if (name ~ /^cpu/)
                continue
            if (row = fastest(from, name, "", "pageable", "", 0))
                bar("kernel", name, k ? "hatched" : "full", time[row] * 1e3,
                    (k ? from ": " : "") ms(time[row]) with_block(row), name)
            if (ends = fastest(from, name, "", "pageable", "", 1))
                bar("end to end, copies counted", name, k ? "hatched" : "full",
                    end_to_end[ends] * 1e3, (k ? from ": " : "") ms(end_to_end[ends]), name)
            if (row || ends)
                legend(k ? "hatched" : "full", k ? "recorded" : "measured, each at its best block")
        }
    }
}

END {
    now = ENVIRON["now"]
    if (!choose(figure))
        exit 1
    if (figure == "variants")
        draw_variants()
    else if (figure == "types")
        draw_types()
    else if (figure == "transfers")
        draw_transfers()
    else if (figure == "cpu_gpu")
        draw_cpu_gpu()
    else if (figure == "algorithms")
        draw_algorithms()
    else
        draw_banding()
    if (!b)
        exit 1
    most = figure == "transfers" ? 4 : 6 # so that the kernel's share is seen
    write_layout()
    print chosen, figure == "variants" || figure == "banding" ? cpu_words() : \
        figure == "transfers" ? "naive kernel" (chosen_block == "" ? "" : ", blocks of " chosen_block) : ""
}
