# row_bars.gp - bars straight from a lab's rows, at one size: that which most machines measured, of
# equals the largest. In, from figures.tsv:
#
#   curve  variant    each kernel at its best block, and at 32x32; with two columns in y a panel
#          each transfer   naive from end to end by way of transfer, the kernel's own time in it
#          KEY        any parameter, `type` say: the first kernel and the fastest for each of its
#   values y      time_s, or "time_s end_to_end_s"
#
# Bars of other recorded machines, as far as they measured the same work, are hatched: in a panel of
# their own, or, where y has two columns, among the others.
load "style.gp"
load "rows.gp"
load "bars.gp"
x_title = "time / ms"
two_columns = words(y) == 2
by_key = curve ne "variant" && curve ne "transfer"
value_of(i, ends) = ends ? END[i] : TIME[i]
ms(seconds) = digits3(seconds * 1e3) . " ms"
at_block(i) = strlen(BLOCK[i]) ? ", " . crossed(BLOCK[i]) : ""
by_end = curve eq "transfer"

# The size: a machine is counted once for each size that it has kernels at.
best_size = ""
best_count = 0
best_area = 0
do for [i = 1 : n] {
    if (!IS_LEFT_OUT[i] && !IS_CPU[i] && (TIME[i] > 0 || END[i] > 0) && SOURCE[i] eq "now" \
        && SIZE[i] ne best_size) {
        count = 0
        do for [other in others] {
            found = 0
            do for [j = n_now + 1 : n] {
                found = found || (SOURCE[j] eq other && SIZE[j] eq SIZE[i] && !IS_LEFT_OUT[j])
            }
            count = count + found
        }
        has_way = 0
        if (curve eq "transfer") {
            do for [j = 1 : n_now] { has_way = has_way || (SIZE[j] eq SIZE[i] \
                && strlen(TRANSFER[j])) }
        }
        count = count + 100 * has_way
        if (best_size eq "" || count > best_count || (count == best_count && AREA[i] > best_area)) {
            best_size = SIZE[i]
            best_count = count
            best_area = AREA[i]
        }
    }
}

# fastest(): the row of the least time of a machine, or 0. "" stands for any variant, value or
# block.
is_one(i, from, variant, key, block) = SOURCE[i] eq from && SIZE[i] eq best_size \
    && !IS_LEFT_OUT[i] \
    && (variant eq "" ? !IS_CPU[i] : VARIANT[i] eq variant) && (block eq "" || BLOCK[i] eq block) \
    && (key eq "" || (by_end ? (TRANSFER[i] eq "" ? "pageable" : TRANSFER[i]) eq key \
        : parameter(curve, PARAMETERS[i]) eq key)) && value_of(i, by_end) > 0
fastest = 'best = 0; do for [i = 1 : n] {' \
    . ' if (is_one(i, from, variant, key, block)) {' \
    . ' if (best == 0) { best = i } else {' \
    . ' if (value_of(i, by_end) < value_of(best, by_end)) { best = i } } } }'

# The values of the key, in the order of their first rows.
array KEY[40]
n_values = 0
value_at_row(i) = by_end ? (TRANSFER[i] eq "" ? "pageable" : TRANSFER[i]) \
    : parameter(curve, PARAMETERS[i])
is_value(text, k) = k > n_values ? 0 : KEY[k] eq text || is_value(text, k + 1)
if (curve ne "variant") {
    do for [i = 1 : n_now] {
        if (!IS_CPU[i] && n_values < 40 && is_value(value_at_row(i), 1) == 0) {
            n_values = n_values + 1
            KEY[n_values] = value_at_row(i)
        }
    }
} else {
    do for [v = 1 : n_names] {
        if (!NAME_IS_CPU[v] && n_values < 40) { n_values = n_values + 1; KEY[n_values] = NAME[v] }
    }
}
first_kernel = ""
do for [v = n_names : 1 : -1] { first_kernel = NAME_IS_CPU[v] ? first_kernel : NAME[v] }
# All ways of transfer at the block that they were measured at.
way_block = ""
do for [i = 1 : n_now] {
    if (strlen(TRANSFER[i]) && SIZE[i] eq best_size) { way_block = BLOCK[i] }
}

# The machines: this one, and of the others those that have something at that size.
n_machines = 1
array MACHINE[20]
MACHINE[1] = "now"
do for [from in others] {
    found = 0
    do for [j = n_now + 1 : n] {
        found = found || (SOURCE[j] eq from && SIZE[j] eq best_size && !IS_LEFT_OUT[j] \
            && !IS_CPU[j])
    }
    if (found && n_machines < 10) { n_machines = n_machines + 1; MACHINE[n_machines] = from }
}
if (two_columns) {
    dummy = panel("kernel") + panel("end to end, copies counted")
} else {
    do for [k = 1 : n_machines] {
        dummy = panel(n_machines == 1 ? "" : k == 1 ? gpu_words : MACHINE[k])
    }
}

do for [r = 1 : n_values] {
    dummy = row(KEY[r])
    do for [k = 1 : n_machines] {
        from = MACHINE[k]
        is_now = k == 1
        prefix = is_now ? "" : two_columns ? from . ": " : ""
        variant = curve eq "variant" ? KEY[r] : by_end ? first_kernel : ""
        key = curve eq "variant" ? "" : KEY[r]
        block = by_end && is_now ? way_block : ""
        if (by_key) {
            variant = first_kernel
            eval fastest
            first = best
            variant = ""
            eval fastest
            style = is_now ? "full" : "hatched"
            if (first) { dummy = bar(k, r, style, TIME[first] * 1e3, \
                first_kernel . " " . ms(TIME[first]) . at_block(first), variant_ink(first_kernel)) }
            if (best && best != first) { dummy = bar(k, r, style, TIME[best] * 1e3, \
                VARIANT[best] . " " . ms(TIME[best]) . at_block(best), variant_ink(VARIANT[best])) }
            if (best) { dummy = entry(style, is_now \
                ? first_kernel . " and the fastest, each at its best block" : "recorded", grey) }
        } else { if (by_end) {
            eval fastest
            if (best) {
                dummy = bar(k, r, is_now ? "light" : "hatched", END[best] * 1e3, \
                    ms(END[best]) . (TIME[best] > 0 ? ", kernel " . digits3(TIME[best] * 1e3) \
                        : ""), \
                    variant_ink(variant))
                dummy = entry(is_now ? "light" : "hatched", is_now ? "end to end" : "recorded", \
                    grey)
                if (TIME[best] > 0) {
                    dummy = inner(TIME[best] * 1e3) + entry("full", \
                        "kernel alone, in device memory", grey)
                }
            }
        } else {
            eval fastest
            style = is_now ? "full" : "hatched"
            if (best) {
                dummy = bar(two_columns ? 1 : k, r, style, TIME[best] * 1e3, \
                    prefix . ms(TIME[best]) . at_block(best), variant_ink(variant))
                dummy = entry(style, is_now ? "each at its best block" : "recorded", grey)
            }
            if (best && is_now && !two_columns && BLOCK[best] ne "32x32") {
                block = "32x32"
                eval fastest
                if (best) {
                    dummy = bar(k, r, "light", TIME[best] * 1e3, ms(TIME[best]) . at_block(best), \
                        variant_ink(variant)) + entry("light", "at 32×32", grey)
                }
            }
            if (two_columns) {
                by_end = 1
                key = ""
                eval fastest
                by_end = 0
                if (best) {
                    dummy = bar(2, r, style, END[best] * 1e3, prefix . ms(END[best]), \
                        variant_ink(variant))
                    dummy = entry(style, is_now ? "each at its best block" : "recorded", grey)
                }
            }
        } }
    }
}

# The CPU's times at that size, for the heading.
key = ""
block = ""
by_end = 0
from = "now"
cpu_words = ""
do for [v = 1 : n_names] {
    if (NAME_IS_CPU[v] && curve eq "variant") {
        variant = NAME[v]
        eval fastest
        if (best) { cpu_words = cpu_words . (strlen(cpu_words) ? ", " : "; ") \
            . variant . " " . ms(TIME[best]) }
    }
}
most = curve eq "transfer" ? 4 : 6 # so that the kernel's share is seen
if (curve eq "transfer") { cpu_words = "; " . first_kernel . " kernel, blocks of " \
    . crossed(way_block) }
machines = machines . cpu_words
title = title . ", " . crossed(best_size)
load "draw_bars.gp"
