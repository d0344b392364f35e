"""score.py - how far the estimates are from what was measured.

usage: score.py ESTIMATES.csv PROFILE.csv      ESTIMATES.csv is of estimate.py --score, of all labs

Of each lab and of all: rows; those that the model cannot tell, in percent; the factors between estimate and time that half, four of
five and 19 of 20 rows keep within; of groups that differ in the block alone the percent in which the block that it
would choose loses at most 10 %; of the kernels that were profiled the percent whose fullest unit it names.
"""
import collections
import csv
import math
import sys

UNITS = {"DRAM": "dram", "L2": "l2", "atomics": "l2", "L1 and shared memory": "l1", "load and store units": "l1",
         "constants": "l1", "waiting": "", "block starts": ""}  # what is not named here is arithmetic
SHARES = {"dram_share": "dram", "l2_share": "l2", "load_share": "l1", "l1_share": "l1", "issue_share": "arithmetic",
          "fp32_share": "arithmetic", "int32_share": "arithmetic", "special_share": "arithmetic"}
CASE = "lab variant parameters width height depth block_x block_y".split()
FULL = 0.6  # a unit of which less is used is not what a kernel waits for


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def fullest(row):
    share, unit = max((float(row[c] or 0), unit) for c, unit in SHARES.items())
    return unit if share >= FULL else ""


def line(name, rows, profile):
    told = [r for r in rows if r["estimate_s"]]
    off = sorted(abs(math.log(float(r["estimate_s"]) / float(r["time_s"]))) for r in told)
    groups, bounds = collections.defaultdict(list), []
    for r in told:
        groups[tuple(r[c] for c in CASE[:6]) + (r["cache"],)].append((float(r["estimate_s"]), float(r["time_s"])))
        if (unit := profile.get(tuple(r[c] for c in CASE))) is not None:
            bounds.append(UNITS.get(r["bound"], "arithmetic") == unit)
    chosen = [min(g)[1] <= 1.1 * min(t for _, t in g) for g in groups.values() if len(g) > 2]

    def percent(found):
        return f"{100 * sum(found) / len(found):.0f}" if found else "-"

    factors = [f"{math.exp(off[min(len(off) - 1, int(q * len(off)))]):.2f}" if off else "-" for q in (0.5, 0.8, 0.95)]
    missing = f"{100 * (1 - len(told) / len(rows)):.0f}"
    print(f"{name:<17}{len(rows):>6}{missing:>8}" + "".join(f"{f:>8}" for f in factors) +
          f"{percent(chosen):>8}{percent(bounds):>8}")


def main():
    rows = collections.defaultdict(list)
    for row in rows_of(sys.argv[1]):
        rows[row["lab"]].append(row)
    profile = {tuple(r[c] for c in CASE): fullest(r) for r in rows_of(sys.argv[2]) if r["status"] == "ok"}
    print(f"{'lab':<17}{'rows':>6}{'untold':>8}{'half':>8}{'4 of 5':>8}{'19/20':>8}{'block':>8}{'unit':>8}")
    for lab in sorted(rows, key=lambda name: int(name[3:].split("_")[0])):
        line(lab, rows[lab], profile)
    line("all", [r for of_lab in rows.values() for r in of_lab], profile)


if __name__ == "__main__":
    main()
