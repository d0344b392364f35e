# work.awk - a lab's golden/work.txt, of what check/lab_checks.c prints with each setting: a line of
# all settings with which it prints the same.
#
#   awk -f work.awk OUT
#
# A line `setting TEXT` of OUT begins a setting. Variants of the first one are told first, each with
# its kernel. A setting's line has parameters, inputs, a sum
# of what is refused by blocks, the work, and which kernels are others than the first one's. Then, of
# each group of variants, the tolerance, what is expected in six places (? where check() does not tell)
# and within which bounds; where all must be exact, a sum of the whole output. `others` are those of
# the first setting's variants that stand in no group before.

/^setting / { end_setting(); setting = substr($0, 9) }
/^refused / { facts = $0 }
/^refusals / { refusals = $2 == 4294967295 ? "" : " | refusals " $2 } # of nothing the sum is this
/^parameters / { facts = $2 " | inputs " $4 refusals }
/^work / { take_work() }
END {
    end_setting()
    print "variants" of_first
    for (i = 1; i <= texts; i++)
        print settings[text[i]] " | " text[i]
}

# `work bytes 8 flops 0 int_ops 0 tolerance 0 sum 0 VALUE+-BOUND ... NAME=KERNEL`
function take_work(    figures, kernel, i)
{
    work = ""
    for (i = 2; i < 8; i += 2)
        if ($(i + 1) != 0)
            work = work (work == "" ? "" : " ") $i " " $(i + 1)
    figures = expected()
    for (i = 1; i < 18; i++)
        $i = ""
    sub(/^ +/, "")
    kernel = $0
    sub(/=/, " = ", kernel)
    sub(/=.*/, "")
    all = all " " $0
    if (!texts)
        of_first = of_first " | " (kernel_of[$0] = kernel)
    else if (kernel_of[$0] != kernel)
        kernels = kernels (kernels == "" ? "" : ", ") kernel
    if (!(figures in members))
        group[++groups] = figures
    members[figures] = members[figures] " " $0
    size[figures]++
}

# Places 12 to 17, and one bound where all are the same.
function expected(    i, pair, values, bounds, first, differ, inexact)
{
    for (i = 12; i < 18; i++) {
        split($i, pair, /[+]-/)
        values = values " " (pair[1] ~ /nan/ ? "?" : pair[1])
        sub(/.*nan/, "?", pair[2])
        bounds = bounds " " pair[2]
        first = i == 12 ? pair[2] : first
        differ += pair[2] != first
        inexact += pair[2] != "0" && pair[2] != "?"
    }
    if ($9 == 0 && !inexact)
        return " exactly" values ($11 == 0 ? "" : ", sum " $11)
    return " tolerance " $9 "," values " within" (differ ? bounds : " " first)
}

# A setting for which this build has nothing to run has no line.
function end_setting(    g, most)
{
    if (facts == "")
        return
    if (work != "")
        facts = facts " | " work
    if (kernels != "")
        facts = facts " | kernels " kernels
    if (!texts)
        all_of_first = all
    for (g = 1; g <= groups; g++)
        if (all == all_of_first && size[group[g]] > size[most])
            most = group[g]
    for (g = 1; g <= groups; g++)
        if (group[g] != most)
            facts = facts " |" members[group[g]] ":" group[g]
    if (most != "")
        facts = facts " | others:" most
    keep()
    setting = all = work = kernels = facts = ""
    groups = 0
    split("", members)
    split("", size)
}

# Settings of which the same is true stand side by side, without the size again.
function keep()
{
    if (facts in settings) {
        sub(/^[^ ]+ /, "", setting)
        settings[facts] = settings[facts] ", " setting
    } else {
        text[++texts] = facts
        settings[facts] = setting
    }
}
