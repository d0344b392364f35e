"""counters.py - what a kernel's launch asks of each unit of a GPU: the lens's counts with the machine code's instructions.

A launch is what the lens's rows call so (tools/lens.sh); numbers are of the whole launch, by warps.
"""
import collections
import math
import re

import chain
import frequencies
import sass

MEMORY = ("global load", "global store", "global atomic", "local load", "local store")
SHARED = ("shared load", "shared store", "shared atomic")


class Launch:
    """
    kernel, threads_per_block, blocks, registers (of a thread), shared_bytes (of a block)
    pipe         {pipe: instructions of warps}, "all" those of all pipes
    asked        {kind: instructions of warps, from the machine code}
    words        {kind: those, times the words of 4 bytes that one moves for a lane}
    wide         {(kind, words): those of so many; of an asynchronous copy one, as its data takes another way}
    counted      {(kind, column of the lens): sum}
    chains       [(a load's cycles, those of a warp that has the multiprocessor for itself)]
    loads_at_a_time  that a block of code has, on average over loads
    apart        how far the linear program is from the counts
    parted       how often a warp issues an instruction on average, as its lanes part
    is_tensor    has code for tensor cores, which the lens does not see run
    """

    LATENCIES = 40, 700  # of L1 and beyond DRAM: what lies between is a part of each

    def __init__(self, rows, functions):
        first = rows[0]
        self.kernel, self.blocks = first["kernel"], int(first["blocks"])
        self.threads_per_block = math.prod(int(n) for n in first["block"].split("x"))
        self.warps = self.blocks * math.ceil(self.threads_per_block / 32)
        self.shared_bytes = int(first["shared_bytes"])
        self.counted = collections.Counter()
        for row in rows:
            for column in ("requests", "sectors", "least_sectors", "tags", "same_address", "l2_sectors", "dram_sectors"):
                self.counted[row["space"] + " " + row["access"], column] += row[column]
            self.counted[row["space"] + " " + row["access"], "bytes"] += row["lanes"] * row["bytes_each"]
            self.add_example(row, [int(a) for a in row["addresses"].split()])
        self.follow(rows, functions)

    def add_example(self, row, addresses):
        """The lens keeps one request's addresses of a row. L1 looks four lines of 128 bytes up at a time, and of these reads a
        word of each bank; the bank with most words decides."""
        kind, words = row["space"] + " " + row["access"], dict.fromkeys(a // 4 for a in addresses)
        lines = list(dict.fromkeys(w // 32 for w in words))
        fours = [set(lines[i:i + 4]) for i in range(0, len(lines), 4)]
        for each, half in ((2, addresses), (4, addresses[:16]), (4, addresses[16:])):
            self.counted[kind, f"passes of {each}"] += row["requests"] * max(bool(half), math.ceil(len(set(half)) * each / 32))
        self.counted[kind, "wavefronts"] += row["requests"] * sum(
            max(collections.Counter(w % 32 for w in words if w // 32 in four).values()) for four in fours)

    def follow(self, rows, functions):
        """Takes that of the kernel's functions (a template's instances) which fits the counts best."""
        threads = self.blocks * self.threads_per_block
        counts = frequencies.Counts(rows, threads)
        together = {counts.line_of(r): r["lanes"] / r["requests"] for r in rows if r["access"] == "block" and r["requests"]}
        fits = []
        for code in functions:
            blocks = sass.blocks(code)
            runs, apart = frequencies.frequencies(blocks, counts)
            if runs is not None:
                fits.append((apart, len(fits), blocks, runs))
        if not fits:
            raise ValueError(f"{self.kernel}: no machine code")
        self.apart, _, blocks, runs = min(fits)
        lanes = threads / self.warps
        factors = frequencies.warp_runs(blocks, runs, {line: n / lanes for line, n in together.items()})
        used = [int(n) for b in blocks for i in b.code for n in re.findall(r"\bR(\d+)", i.operands)]
        self.registers = max([15, *used]) + 1
        self.add_up(blocks, [x * f * self.warps for x, f in zip(runs, factors)])
        self.parted = sum(x * f for x, f in zip(runs, factors)) / max(1e-9, sum(runs))
        self.chains = [(memory, self.parted * sum(x * c for x, c in zip(runs, chain.cycles(blocks, memory))))
                       for memory in self.LATENCIES]
        loads = [(x, sum("global load" in sass.kinds(i.opcode) for i in b.code)) for x, b in zip(runs, blocks)]
        self.loads_at_a_time = sum(x * n * n for x, n in loads) / max(1e-9, sum(x * n for x, n in loads))

    def add_lanes_first(self, kind):
        """Lanes that add to one word are added up before: by nvcc's code (REDUX), or where 1 is added (ATOMS.POPC)."""
        requests = self.counted[kind, "requests"]
        again = self.counted[kind, "same_address"] - requests
        self.counted[kind, "same_address"] = requests
        self.counted[kind, "sectors"] = (self.counted[kind, "tags"] if kind == "shared atomic" else
                                         max(requests, self.counted[kind, "sectors"] - again))

    def add_up(self, blocks, warp_runs):
        self.pipe, self.asked, self.words, self.wide = (collections.Counter() for _ in range(4))
        code = [i for block in blocks for i in block.code]
        self.is_tensor = any(sass.pipe(i.opcode) == "tensor" for i in code)
        if any(sass.base(i.opcode) == "REDUX" for i in code) and all(
                i.predicate for i in code if "global atomic" in sass.kinds(i.opcode)):
            self.add_lanes_first("global atomic")
        if any(".POPC" in i.opcode for i in code if "shared atomic" in sass.kinds(i.opcode)):
            self.add_lanes_first("shared atomic")
        for block, n in zip(blocks, warp_runs):
            for i in block.code:
                pipe = sass.pipe(i.opcode)
                self.pipe[pipe] += n * (2 if i.opcode.startswith("IMAD.WIDE") else 1)
                self.pipe["all"] += 0 if i.opcode.startswith("NOP") else n
                if i.opcode.startswith("LDC") and "R" in i.operands.split(",", 1)[1]:
                    self.pipe["constant"] += n
                for kind in sass.kinds(i.opcode):
                    words = max(1, sass.width(i.opcode) // 4)
                    self.asked[kind] += n
                    self.words[kind] += n * words
                    self.wide[kind, 1 if i.opcode.startswith("LDGSTS") else words] += n
