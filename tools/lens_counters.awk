# lens_counters.awk - what the lens counted beside a profile's rows.
# usage: awk -f csv.awk -f lens_counters.awk PROFILE.csv LENS.csv...
#
# Columns, the lens's first: sectors a request of global loads and of stores, loads from shared memory,
# conflicts of its loads and stores (thousands), megabytes between L1 and L2 (of an older profile those that
# L2 was asked for, behind the unit that merges reads). Behind them what differs:
# by more than 1 %, of L2's bytes 10 %; conflicts are few where they are under 5 % of the loads. Tensor cores'
# operands are local arrays on the CPU: such kernels are shown, and counted nowhere.

function case_of()
{
    return csv("lab") " " csv("variant")
}

function ratio(a, b)
{
    return b > 0 ? a / b : ""
}

function short(x)
{
    return x == "" ? "-" : sprintf("%.4g", x)
}

function differs(a, b, by)
{
    return a + 0 > (1 + by) * b || (1 + by) * a + 0 < b + 0
}

function beside(what, a, b, by)
{
    if (c ~ /tensor/)
        return
    counted[what]++
    if (differs(a, b, by))
        odd = odd " " what
    else
        equal[what]++
}

FILENAME == ARGV[1] && record > 0 && csv("status") == "ok" && csv("block_x") != "" && case_of() !~ /^lab0/ {
    cases[++n] = case_of()
    ld[case_of()] = csv("global_load_sectors_per_request")
    st[case_of()] = csv("global_store_sectors_per_request")
    shared[case_of()] = csv("shared_loads")
    conflicts[case_of()] = csv("shared_load_conflicts") + csv("shared_store_conflicts")
    l2[case_of()] = csv("l1_fetched_bytes") == "" ? csv("l2_asked_bytes") \
        : csv("l1_fetched_bytes") + csv("l1_written_bytes")
}
FILENAME != ARGV[1] && record > 0 {
    seen[case_of()]
    key = case_of() SUBSEP csv("space") SUBSEP csv("access")
    requests[key] += csv("requests")
    sectors[key] += csv("sectors")
    least[key] += csv("least_sectors")
    lens_l2[case_of()] += 32 * csv("l2_sectors")
}
END {
    printf "%-33s %15s %15s %17s %17s %17s\n", "lab and variant", "sectors/load", "sectors/store", "shared loads k", "conflicts k", "L2 MB"
    for (i = 1; i <= n; i++) {
        c = cases[i]
        if (!(c in seen)) {
            missing++
            continue
        }
        odd = ""
        a = ratio(sectors[c, "global", "load"], requests[c, "global", "load"])
        b = ratio(sectors[c, "global", "store"], requests[c, "global", "store"])
        s = requests[c, "shared", "load"]
        k = sectors[c, "shared", "load"] - least[c, "shared", "load"] + sectors[c, "shared", "store"] - least[c, "shared", "store"]
        beside("load", a, ld[c], 0.01)
        beside("store", b, st[c], 0.01)
        beside("shared", s, shared[c], 0.01)
        beside("conflicts", k > 0.05 * s ? k : 0, conflicts[c] > 0.05 * shared[c] ? conflicts[c] : 0, 0.1)
        beside("L2", lens_l2[c], l2[c], 0.1)
        printf "%-33s %7s %7s %7s %7s %8.0f %8.0f %8.0f %8.0f %8.4g %8.4g %s\n", c, short(a), short(ld[c]), short(b), short(st[c]), \
            s / 1e3, shared[c] / 1e3, k / 1e3, conflicts[c] / 1e3, lens_l2[c] / 1e6, l2[c] / 1e6, odd
    }
    printf "of %d cases, not run on the CPU: %d; equal:", n, missing
    for (what in counted)
        printf " %s %d of %d", what, equal[what], counted[what]
    print ""
}
