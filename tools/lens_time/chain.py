"""chain.py - how many cycles one warp alone takes for each basic block: issue in order, operands when they are ready.

Latencies of arithmetic are those of Hopper and Ampere by microbenchmarks (Luo et al., arXiv 2402.13499; Abdelkhalik
et al., arXiv 2208.11174); those of memory are lab 0's.
"""
import re

import sass

LATENCY = {"fma": 4, "imad": 4, "alu": 4, "special": 20, "fp64": 8, "uniform": 8, "barrier": 20, "branch": 5,
           "tensor": 33, "other": 10}
OF_OPCODE = {"SHFL": 24, "LDC": 35, "S2R": 30, "S2UR": 30, "CS2R": 8, "LDL": 45, "REDUX": 24}
SHARED = 30
ATOMIC = 100  # beyond a load's
HALF_RATE = ("imad", "alu", "special", "memory", "shuffle", "registers")  # a warp's next instruction of the pipe comes two cycles later
NO_RESULT = set("ST STG STS STL BRA EXIT BAR RED REDG BSSY BSYNC LDGSTS NOP CALL RET WARPSYNC MEMBAR ERRBAR CCTL DEPBAR "
                "LDGDEPBAR".split())
TWO_RESULTS = set("ISETP FSETP PLOP3 UISETP HSETP2 DSETP".split())
CARRY = set("IADD3 UIADD3 LEA VIADD SHFL".split())
REGISTER = re.compile(r"\b(U?R\d+|U?P\d)\b")


def operands(i):
    """(registers written, registers read)"""
    name, parts = sass.base(i.opcode), i.operands.split(",")
    results = 0
    if name not in NO_RESULT:
        carries = name in CARRY and len(parts) > 1 and re.match(r"\s*U?P\d", parts[1])
        results = 2 if name in TWO_RESULTS or carries else 1
    written = [r for p in parts[:results] for r in REGISTER.findall(p)]
    if written and (m := re.match(r"(U?R)(\d+)", written[0])):
        wide = name in ("LDG", "LDS", "LDL", "LDC", "LD", "ULDC")
        words = max(1, sass.width(i.opcode) // 4) if wide else 2 if ".WIDE" in i.opcode else 1
        written[:1] = [m.group(1) + str(int(m.group(2)) + n) for n in range(words)]
    read = REGISTER.findall(i.predicate)
    for p in parts[results:]:
        for r in REGISTER.findall(p):
            read.append(r)
            if ".64" in p and r[0] == "R":
                read.append("R" + str(int(r[1:]) + 1))
    return written, read


def latency(i, memory):
    name = sass.base(i.opcode)
    if name in ("LDG", "LD"):
        return memory
    if name in ("ATOM", "ATOMG"):
        return memory + ATOMIC
    if name in ("LDS", "ATOMS", "LDSM"):
        return SHARED
    return OF_OPCODE.get(name) or LATENCY.get(sass.pipe(i.opcode), 10)


def run(decoded, ready, clock, memory):
    for i, written, read in decoded:
        start = max([clock] + [ready.get(r, 0) for r in read])
        for r in written:
            ready[r] = start + latency(i, memory)
        clock = start + (2 if sass.pipe(i.opcode) in HALF_RATE else 1)
    return clock


def cycles(blocks, memory):
    """of each block, where a load from global memory takes `memory` cycles; of a loop its second turn"""
    ready, clock, found = {}, 0, []
    for n, block in enumerate(blocks):
        decoded = [(i, *operands(i)) for i in block.code]
        for _ in range(2 if n in block.next else 1):
            start = clock
            clock = run(decoded, ready, clock, memory)
        found.append(clock - start)
    return found
