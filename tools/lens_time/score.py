"""score.py - how far the estimates are from what was measured.

usage: score.py ESTIMATES.csv DIAGNOSIS.csv      ESTIMATES.csv is of estimate.py --score, of all labs; DIAGNOSIS.csv has
                                                the case and what bounds it by the profiler's counters

Of each lab and of all: rows; those that the model cannot tell, in percent; the factors between estimate and time that half, four of
five and 19 of 20 rows keep within; of groups that differ in the block alone the percent in which the block that it
would choose loses at most 10 %; of the kernels that were profiled the percent of whose bound it names the kind: DRAM, L2, L1
and shared memory, arithmetic with the issue of instructions, or none.
"""
import collections
import csv
import math
import sys

CLASSES = {  # units by the names of model.py and of report/diagnosis.sql; what is not named here is arithmetic
    "DRAM": "dram", "L2": "l2", "atomics": "l2", "L1 and shared memory": "l1", "load and store units": "l1",
    "L1": "l1", "shared memory": "l1", "load issue": "l1", "waiting": "none", "block starts": "none",
    "atomics on one place": "none", "constants": "none", "latency": "none", "launch": "none"}
CASE = "lab variant parameters width height depth block_x block_y".split()


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def class_of(unit):
    return CLASSES.get(unit, "arithmetic")


def line(name, rows, diagnosed):
    told = [r for r in rows if r["estimate_s"]]
    off = sorted(abs(math.log(float(r["estimate_s"]) / float(r["time_s"]))) for r in told)
    groups, named = collections.defaultdict(list), {}
    for r in told:
        groups[tuple(r[c] for c in CASE[:6]) + (r["cache"],)].append((float(r["estimate_s"]), float(r["time_s"])))
        if (unit := diagnosed.get(case := tuple(r[c] for c in CASE))) and r["cache"] != "hot":  # the profiler's are cold
            named[case] = class_of(r["bound"]) == class_of(unit)
    chosen = [min(g)[1] <= 1.1 * min(t for _, t in g) for g in groups.values() if len(g) > 2]

    def percent(found):
        return f"{100 * sum(found) / len(found):.0f}" if found else "-"

    factors = [f"{math.exp(off[min(len(off) - 1, int(q * len(off)))]):.2f}" if off else "-" for q in (0.5, 0.8, 0.95)]
    missing = f"{100 * (1 - len(told) / len(rows)):.0f}"
    print(f"{name:<17}{len(rows):>6}{missing:>8}" + "".join(f"{f:>8}" for f in factors) +
          f"{percent(chosen):>8}{percent(list(named.values())):>8}")


def main():
    rows = collections.defaultdict(list)
    for row in rows_of(sys.argv[1]):
        rows[row["lab"]].append(row)
    diagnosed = {tuple(r[c] for c in CASE): r["bound"] for r in rows_of(sys.argv[2])}
    print(f"{'lab':<17}{'rows':>6}{'untold':>8}{'half':>8}{'4 of 5':>8}{'19/20':>8}{'block':>8}{'unit':>8}")
    for lab in sorted(rows, key=lambda name: int(name[3:].split("_")[0])):
        line(lab, rows[lab], diagnosed)
    line("all", [r for of_lab in rows.values() for r in of_lab], diagnosed)


if __name__ == "__main__":
    main()
