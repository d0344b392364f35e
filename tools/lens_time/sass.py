"""sass.py - a kernel's machine code as basic blocks (nvdisasm of a cubin with -lineinfo).

An instruction is named by its opcode; which pipe takes it is what Nsight Compute's metrics of sm_90 show
(Kernel Profiling Guide, "Pipelines"), its width in bytes a lane is in the opcode's suffix.
"""
import collections
import os
import re
import subprocess

Instruction = collections.namedtuple("Instruction", "predicate opcode operands line")


class Block:
    """Instructions that run one after the other; `next` are the numbers of the blocks that may follow."""

    def __init__(self):
        self.code, self.next, self.targets, self.falls_through, self.ends = [], [], [], True, False


KINDS = {"LDG": "global load", "LD": "global load", "STG": "global store", "ST": "global store",
         "ATOM": "global atomic", "ATOMG": "global atomic", "RED": "global atomic", "REDG": "global atomic",
         "LDS": "shared load", "STS": "shared store", "ATOMS": "shared atomic",
         "LDL": "local load", "STL": "local store", "LDGSTS": "global load,shared store"}
PIPES = {
    "fma": "FFMA FMUL FADD HFMA2 HADD2 HMUL2 FFMA2",
    "imad": "IMAD IDP",
    "alu": "IADD3 IADD LOP3 SHF ISETP FSETP SEL FSEL FMNMX IMNMX VIMNMX PRMT LEA MOV VIADD PLOP3 IABS SGXT BMSK "
           "I2FP F2FP VABSDIFF VABSDIFF4 FCHK FSWZADD R2P P2R VOTE HSETP2 HMNMX2 VHMNMX CSEL",
    "special": "MUFU I2F F2I F2F FRND POPC FLO BREV MATCH",
    "fp64": "DADD DMUL DFMA DSETP DMNMX",
    "tensor": "HMMA IMMA BMMA DMMA HGMMA IGMMA QGMMA",
    "memory": "LDG STG LDS STS LDL STL ATOM ATOMG RED REDG ATOMS LD ST LDGSTS LDSM STSM REDUX",
    "shuffle": "SHFL",
    "registers": "S2R S2UR",
    "branch": "BRA EXIT BSSY BSYNC CALL RET WARPSYNC BRX JMP BREAK YIELD",
    "barrier": "BAR",
}
PIPE = {name: pipe for pipe, names in PIPES.items() for name in names.split()}
WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}


def base(opcode):
    return opcode.split(".")[0]


def width(opcode):
    return next((WIDTHS[p] for p in opcode.split(".")[1:] if p in WIDTHS), 4)


def kinds(opcode):
    """what the lens would call its accesses: none, one, or the two of an asynchronous copy"""
    return [k for k in KINDS.get(base(opcode), "").split(",") if k]


def pipe(opcode):
    name = base(opcode)
    return PIPE.get(name) or ("uniform" if name.startswith("U") or name == "R2UR" else "other")


def disassemble(cubin, nvdisasm="nvdisasm"):
    """Each function of the file: its mangled name, then labels (str) and instructions in their order."""
    text = subprocess.run([nvdisasm, "-g", "-c", cubin], capture_output=True, text=True, check=True).stdout
    functions, code, line = {}, None, None
    for row in text.split("\n"):
        if m := re.match(r"^\.text\.(\S+):", row):
            code, line = functions.setdefault(m.group(1), []), None
        elif row.startswith("\t.section") and ".text." not in row:
            code = None
        elif code is None:
            continue
        elif m := re.match(r'\s*//## File "([^"]*)", line (\d+)', row):
            line = os.path.basename(m.group(1)), int(m.group(2))
        elif m := re.match(r"^(\.L_x_\d+):\s*$", row):
            code.append(m.group(1))
        elif m := re.match(r"\s*/\*[0-9a-f]+\*/\s+(@!?U?P\w+ )?\s*([A-Z0-9_.]+)(.*?);", row):
            code.append(Instruction((m.group(1) or "").strip(), m.group(2), m.group(3), line))
    return functions


def short_names(mangled):
    """{mangled: the name as the source has it, without arguments and blanks}"""
    plain = subprocess.run(["c++filt"], input="\n".join(mangled), capture_output=True, text=True, check=True).stdout
    return dict(zip(mangled, map(short_name, plain.split("\n"))))


def short_name(name):
    depth = 0
    for i, c in enumerate(name):
        depth += (c == "<") - (c == ">")
        if c == "(" and depth == 0 and not name[i:].startswith("(anonymous"):
            name = name[:i]
            break
    head, angle, arguments = name.partition("<")
    return (head.split(" ")[-1] + angle + arguments).replace("(anonymous namespace)::", "").replace(" ", "")


def blocks(code):
    """The basic blocks that the function's entry leads to, the entry first."""
    found, labels, current = [], {}, None
    for item in code:
        if isinstance(item, str) or current is None:
            if current is None or current.code:
                current = Block()
                found.append(current)
        if isinstance(item, str):
            labels[item] = len(found) - 1
            continue
        current.code.append(item)
        name = base(item.opcode)
        if name in ("BRA", "JMP", "EXIT", "RET", "BREAK", "BRX"):
            if target := re.search(r"`\((\.L_x_\d+)\)", item.operands):
                current.targets.append(target.group(1))
            current.ends |= name in ("EXIT", "RET")
            conditional = item.predicate or (name == "BRA" and "P" in item.operands.split("`")[0])
            current.falls_through = bool(conditional)
            current = None
    for i, block in enumerate(found):
        block.next = [labels[t] for t in block.targets if t in labels]
        if block.falls_through and i + 1 < len(found):
            block.next.append(i + 1)
    return reachable(found)


def before(blocks):
    """of each block the numbers of those that it may follow"""
    found = [[] for _ in blocks]
    for i, block in enumerate(blocks):
        for n in block.next:
            found[n].append(i)
    return found


def reachable(found):
    seen, left = set(), [0]
    while left:
        i = left.pop()
        if i not in seen:
            seen.add(i)
            left += found[i].next
    kept = sorted(seen)
    number = {old: new for new, old in enumerate(kept)}
    for i in kept:
        found[i].next = [number[n] for n in found[i].next]
    return [found[i] for i in kept]
