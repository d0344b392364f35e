"""model.py - a launch's time on a card, from what it asks of each unit.

Each unit is busy for some time: a multiprocessor's pipes, L1 with shared memory, L2, DRAM, the start of blocks; and
warps wait, where too few of them hide it. Times of units are work over lab 0's rate of that card. They overlap, but not wholly:
the time is their power mean, and a launch's own.
"""
import math
import types

from counters import MEMORY, SHARED

CONSTANTS = {  # chosen by an H100's rows of labs 1 to 7
    "power": 4.1,           # of the mean of the units' times
    "start_s": 2.1e-6,      # of a kernel whose inputs are cold, beside lab 0's time of an empty one in a graph
    "dram": 0.94,           # of lab 0's best rate
    "fill": 0.6,            # cycles of L1 that a sector takes which comes from the L2
    "block_cycles": 1000.0,  # before a block's first instruction and behind its last
    "filled": 0.58,         # of DRAM's time the L2 is busy with what it is sent, by an H100's and an H200's counters
}
SECTOR = 32.0
# As in report/diagnosis.sql: a unit that is busy for less of a launch's time does not bound it; of L2's time from which
# DRAM, whose bytes all pass L2, is named in its place.
FULL, DRAM_FIRST = 0.6, 0.9
UNSEEN = "waiting", "block starts", "atomics on one place", "constants"  # by a profiler's counters: no unit is busy then


class Card(types.SimpleNamespace):
    """What tools/cards.tsv and lab 0's rows say of a card: rates in bytes or operations a second, latencies in cycles."""

    def resident(self, a):
        """blocks of the launch that a multiprocessor holds (CUDA C++ Programming Guide, "Compute Capabilities")"""
        warps = math.ceil(a.threads_per_block / 32)
        registers = warps * 256 * math.ceil(a.registers / 8)  # a warp's are given out by 256
        return max(1, min(self.blocks, self.threads // (32 * warps), 65536 // registers,
                          self.shared_bytes // (a.shared_bytes + 1024)))


def kept(a, kind):
    """the share of what g++'s code moves that nvcc's does, too: the rest it keeps in registers"""
    return min(1.0, a.words[kind] * 128 / a.counted[kind, "bytes"]) if a.counted[kind, "bytes"] else 1.0


def multiprocessor_cycles(a, card):
    """{unit: cycles that the launch keeps it busy, were there one multiprocessor}, as a profiler counts them"""
    p = a.pipe
    units = {
        "issue": p["all"] / 4, "FP32": (p["fma"] + p["imad"]) / 4, "integers": p["alu"] / 2,
        "multiply-adds": p["imad"] / 2, "special functions": p["special"] * 2, "FP64": p["fp64"] / 2,
        "load and store units": p["memory"] + p["shuffle"] + p["registers"] / 2,
    }
    sent = a.counted["constant load", "requests"]
    words = max(1.0, a.counted["constant load", "sectors"] / sent) if sent else 1.0
    units["constants"] = p["constant"] * words * card.constant_cycles
    l1 = p["shuffle"] + p["registers"] / 2
    for kind in MEMORY:
        asked, sent = a.asked[kind], a.counted[kind, "requests"]
        turns = max(1.0, a.counted[kind, "wavefronts"] / sent) if sent else 1.0
        l1 += max(asked * turns, sum(words * a.wide[kind, words] for words in (1, 2, 4)) if kind.endswith("load") else 0.0)
    shared = 0.0
    for kind in SHARED:
        asked, sent, least = a.asked[kind], a.counted[kind, "requests"], a.counted[kind, "least_sectors"]
        if asked:
            passes = max(a.counted[kind, "sectors"], a.counted[kind, "same_address"])
            shared += asked + kept(a, kind) * max(0.0, passes - least)
            for each in (2, 4):  # words
                shared += a.wide[kind, each] * (a.counted[kind, f"passes of {each}"] / sent - 1 if sent else each - 1)
    units["L1 and shared memory"] = l1 + shared
    return units


def unit_times(a, cold, card, k=CONSTANTS):
    """{unit: seconds}; cold: its inputs are not in the L2"""
    sms, clock = card.sms, card.clock
    cycles = multiprocessor_cycles(a, card)
    cycles["L1 and shared memory"] += k["fill"] * a.counted["global load", "l2_sectors"]
    each = a.blocks / sms
    resident = card.resident(a)
    most = math.ceil(each - 1e-9) if each <= resident else each  # blocks that the busiest multiprocessor has
    times = {unit: c / a.blocks * most / clock for unit, c in cycles.items()}
    loads = a.counted["global load", "l2_sectors"] * SECTOR * kept(a, "global load")
    stores = a.counted["global store", "l2_sectors"] * SECTOR * kept(a, "global store")
    local = a.words["local store"] * 128
    whole = min(1.0, a.counted["global store", "bytes"] / max(1.0, a.counted["global store", "sectors"] * SECTOR))
    times["L2"] = loads / card.l2 + stores * (whole / card.l2_stores + (1 - whole) / card.l2_parts) + local / card.l2_stores
    times.update(atomics_times(a, card))
    fresh, written = dram_bytes(a, cold, card)
    times["DRAM"] = (fresh + written) / card.dram / k["dram"]
    missed = min(1.0, a.counted["global load", "l2_sectors"] / max(1.0, a.counted["global load", "sectors"]))
    hits = (1.0 - missed) ** max(1.0, a.loads_at_a_time)
    far = min(1.0, fresh / loads) if loads else 0.0
    together = min(1.0, sms * resident / a.blocks)
    far = max(far, together) if fresh else 0.0
    (near, fast), (distant, slow) = a.chains
    latency = near * hits + (1 - hits) * (card.l2_cycles * (1 - far) + card.dram_cycles * far)
    alone = fast + (slow - fast) * (latency - near) / (distant - near)
    waves = 1.0 if each <= resident else each / resident
    own = max(cycles.values()) / a.blocks  # a block's work on its fullest unit, which none of its warps outruns
    times["waiting"] = waves * (alone + own + k["block_cycles"]) / clock
    times["block starts"] = a.blocks / card.block_starts
    return times


def dram_bytes(a, cold, card):
    """(read, written back)"""
    fresh = a.counted["global load", "dram_sectors"] * SECTOR * kept(a, "global load")
    written = a.counted["global store", "dram_sectors"] * SECTOR
    if fresh + written < 0.75 * card.l2_bytes and not cold:
        return 0.0, 0.0
    return fresh, max(0.0, written - 0.35 * card.l2_bytes)


def atomics_times(a, card):
    """Atomics of the L2: a sector's words at once, lanes that meet one after the other. The longer of the two.

    What lies within 512 bytes takes turns: an H100's histogram in 256 words takes as long as if it were in two.
    """
    sectors = a.counted["global atomic", "l2_sectors"]
    turns = max(sectors, a.counted["global atomic", "same_address"])
    places = math.ceil(max(1.0, a.counted["global atomic", "dram_sectors"]) / 16)
    both, one = turns / card.atomics, turns / places / card.atomics_of_one
    return {"atomics": both} if both >= one else {"atomics on one place": one}


def bound(times, once, cold, a, card, k):
    """What holds the launch up, as a profiler's counters say it: the unit that is busiest on the average
    multiprocessor, if it is for FULL of the kernel's time, its start too; else the longest of what they do not see, or
    "waiting". They count as L2's what DRAM fills it with; DRAM comes first where L2 is hardly busier."""
    average = {unit: c / card.sms / card.clock for unit, c in multiprocessor_cycles(a, card).items()}
    busy = {unit: average.get(unit, t) for unit, t in times.items() if unit not in UNSEEN}
    busy["L2"] += k["filled"] * dram_bytes(a, cold, card)[0] / card.dram
    busiest, longest = max(busy, key=lambda unit: busy[unit] / (DRAM_FIRST if unit == "DRAM" else 1)), max(times, key=times.get)
    return busiest if busy[busiest] >= FULL * (once + k["start_s"]) else longest if longest in UNSEEN else "waiting"


def seconds(launches, cold, card, k=CONSTANTS):
    """(time of the case, what bounds its longest launch)"""
    total, longest = card.launch_s, (0.0, "")
    for a in launches:
        times = unit_times(a, cold, card, k)
        once = sum(t ** k["power"] for t in times.values()) ** (1 / k["power"])
        total += once + k["start_s"]
        longest = max(longest, (once, bound(times, once, cold, a, card, k)))
    return total, longest[1]
