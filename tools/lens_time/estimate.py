"""estimate.py - the time that a kernel would take on a card, from the lens's rows and the kernel's machine code.

usage: estimate.py CARD ROWS.csv CUBIN...           prints a line for each case of the rows
       estimate.py --score CARD ROWS.csv CUBIN...   the estimates of the cases that the card has recorded rows of, as CSV

CARD is one that data/reference has lab 0's rows of. ROWS.csv is tools/lens.sh's; the cubins are those of the rows' files,
compiled with -lineinfo for the card. NVDISASM names nvdisasm. docs/lens.md has the model.
Exit status: 0; 1 no case can be told, or the card has no rates.
"""
import collections
import csv
import os
import sys

import counters
import model
import sass

NUMBERS = "requests lanes sectors least_sectors tags same_address l2_sectors dram_sectors bytes_each blocks shared_bytes".split()
CASE = "lab variant parameters width height depth block_x block_y".split()
CHASED = 65248  # loads of lab 0's `chase`
LOW, HIGH = 0.80, 1.24  # of the estimate: nine of ten recorded rows lie between
FAR_FROM_COUNTS = 5.0  # of the linear program: beyond it the machine code is not what the lens ran
PARTED = 1.4  # so often a warp issues an instruction: beyond it the time is that of where lanes meet again


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def card_of(name):
    """lab 0's rates of the card; None where it has not been there"""
    path = f"data/reference/{name}/lab0_ceilings.csv"
    known = next((r.split("\t") for r in open("tools/cards.tsv") if r.startswith(name + "\t")), None)
    if not known or not os.path.exists(path):
        return None
    rows = [r for r in read(path) if r["status"] == "ok" and r["kind"] == "gpu" and r["gpus"] in ("", "1")]
    sms, clock, l2_bytes = int(known[1]), float(known[7]) * 1e6, float(known[3]) * 1024

    def best(column, *variants, a_clock=None):
        """the highest rate of these variants; where lab 0 has not measured them on this card, so much a clock"""
        rates = [1e9 * float(r[column]) for r in rows if r["variant"] in variants and r[column]]
        return max(rates) if rates else a_clock * clock

    loads = sorted((int(r["width"]) * 4, float(r["time_s"]) / CHASED * clock) for r in rows if r["variant"] == "chase")
    in_l2 = [cycles for size, cycles in loads if 2 * float(known[2]) * 1024 < size < 0.2 * l2_bytes]
    return model.Card(
        sms=sms, clock=clock, l2_bytes=l2_bytes, shared_bytes=int(known[4]) * 1024, threads=int(known[5]),
        blocks=int(known[6]), dram=best("gb_per_s", "copy", "read"), l2=best("gb_per_s", "l2"),
        l2_stores=best("gb_per_s", "store_whole", a_clock=1840), l2_parts=best("gb_per_s", "store_part", a_clock=1480),
        constant_cycles=128 * clock * sms / best("gb_per_s", "constant_1", a_clock=64 * sms),
        atomics=best("gop_per_s", "red_sectors", a_clock=35.6), atomics_of_one=best("gop_per_s", "red_one", a_clock=0.69),
        block_starts=best("gop_per_s", "start", a_clock=0.82),
        launch_s=min(float(r["time_s"]) for r in rows if r["variant"] == "graph"),
        l2_cycles=sum(in_l2) / len(in_l2), dram_cycles=loads[-1][1])


def functions_of(cubins):
    """{name as in the source: the codes of that name}"""
    found = collections.defaultdict(list)
    for cubin in cubins:
        codes = sass.disassemble(cubin, os.environ.get("NVDISASM", "nvdisasm"))
        for mangled, name in sass.short_names(list(codes)).items():
            found[name].append(codes[mangled])
    return found


def code_of(kernel, functions):
    name = sass.short_name(kernel)
    plain = name.split("<")[0]
    return functions.get(name) or [c for n, codes in functions.items() if n.split("<")[0] == plain for c in codes]


def cases_of(path):
    """[(case as a dict, rows of each launch)]"""
    cases = {}
    for row in read(path):
        for column in NUMBERS:
            row[column] = float(row[column] or 0)
        case = tuple(row[c] for c in CASE)
        launch = row["kernel"], row["grid"], row["block"], row["launched_at"]
        cases.setdefault(case, {}).setdefault(launch, []).append(row)
    return [(dict(zip(CASE, case)), list(launches.values())) for case, launches in cases.items()]


def launches_of(launches, functions):
    """(what the case's launches ask of the units, ""), or (None, why it cannot be told)"""
    asked = []
    for rows in launches:
        try:
            a = counters.Launch(rows, code_of(rows[0]["kernel"], functions))
        except ValueError as reason:
            return None, str(reason)
        if a.is_tensor:
            return None, f"{a.kernel} is for tensor cores, whose accesses the CPU's code does not have"
        if a.apart > FAR_FROM_COUNTS:
            return None, f"{a.kernel}: the machine code does not fit the counts"
        if a.parted > PARTED:
            return None, f"{a.kernel}: its lanes part, and nvcc may let them meet elsewhere than the CPU's compiler"
        asked.append(a)
    return asked, ""


def score(cases, functions, card, recorded):
    """Rows of what was measured, and what the model says."""
    measured = collections.defaultdict(list)
    for row in read(recorded):
        if row["status"] == "ok" and row["kind"] == "gpu" and row["gpus"] in ("", "1") and row["nodes"] in ("", "1"):
            measured[tuple(row[c] for c in CASE)].append(row)
    for case, launches in cases:
        asked, why = launches_of(launches, functions)
        for row in measured[tuple(case.values())]:
            time, bound = model.seconds(asked, row["cache"] == "cold", card) if asked else (None, why)
            told = [""] * 3 if time is None else [f"{float(f'{time:.6g}') * of:.6g}" for of in (1, LOW, HIGH)]
            yield {**case, "cache": row["cache"], "time_s": row["time_s"],
                   "estimate_s": told[0], "low_s": told[1], "high_s": told[2], "bound": bound}


def micro(seconds):
    """microseconds by three digits"""
    return f"{float(f'{1e6 * seconds:.3g}'):g}"


def main(arguments):
    scores = arguments[0] == "--score"
    name, path, *cubins = arguments[scores:]
    card = card_of(name)
    if card is None:
        sys.exit(f"estimate: lab 0 has no rows of {name}")
    functions, cases, told = functions_of(cubins), cases_of(path), 0
    if scores:
        lab = cases[0][0]["lab"]
        table = list(score(cases, functions, card, f"data/reference/{name}/{lab}.csv"))
        written = csv.DictWriter(sys.stdout, table[0])
        written.writeheader()
        written.writerows(table)
        return 0
    for case, launches in cases:
        asked, why = launches_of(launches, functions)
        time, bound = model.seconds(asked, True, card) if asked else (None, why)
        size = "x".join(n for n in (case["width"], case["height"], case["depth"]) if n)
        told += time is not None
        print(f"time  {case['variant']} {size}: " + (f"cannot tell: {bound}" if time is None else
              f"{micro(time * LOW)} to {micro(time * HIGH)} us on {name} with cold caches; bound: {bound}"))
    return 0 if told else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
