"""frequencies.py - how often each basic block of the machine code runs, from what the lens counted.

The lens knows how often a thread of the CPU's build came to each line of the source, and what it moved there; the
machine code knows which of its instructions came of which line. A linear program finds the flow through the
control-flow graph (one unit enters; into a block flows what leaves it) that is nearest to the lens's counts:
the sum of the relative differences, weighted, is least. The weights were chosen by the counters of labs 1 to 7.
"""
import collections

from scipy.optimize import linprog
from scipy.sparse import csr_matrix

import sass

BYTES_OF_LINE, BYTES_OF_KIND, BYTES_OF_WIDTH, BARRIERS, LINE_RAN, SHORTEST = 10, 3, 1, 10, 0.05, 0.01


class Program:
    """A linear program, put together row by row; variables are not negative."""

    def __init__(self):
        self.cost, self.equal, self.most, self.apart = [], [], [], []

    def variable(self, cost=0.0):
        self.cost.append(cost)
        return len(self.cost) - 1

    def near(self, terms, target, weight, over_weight=None):
        """Adds weight * |terms / target - 1| to what is made least; more than the target may weigh otherwise."""
        over, under = self.variable(weight if over_weight is None else over_weight), self.variable(weight)
        self.apart += [over, under]
        nearness = {v: x / target for v, x in terms.items()}
        self.equal.append(({**nearness, over: -1.0, under: 1.0}, 1.0))

    def solve(self):
        def matrix(rows):
            cells = [(i, v, x) for i, (terms, _) in enumerate(rows) for v, x in terms.items()]
            r, c, x = zip(*cells)
            return csr_matrix((x, (r, c)), shape=(len(rows), len(self.cost))), [b for _, b in rows]
        a_equal, b_equal = matrix(self.equal)
        a_most, b_most = matrix(self.most) if self.most else (None, None)
        return linprog(self.cost, A_ub=a_most, b_ub=b_most, A_eq=a_equal, b_eq=b_equal, method="highs")


class Counts:
    """What the lens counted of a kernel's launch, a thread's share of it: keys name a line (file, number)."""

    def __init__(self, rows, threads):
        self.bytes = collections.Counter()   # (line, kind)
        self.widths = collections.Counter()  # (line, kind, bytes a lane)
        self.runs = collections.Counter()    # line: its block that ran most
        self.all_runs = collections.Counter()  # line: all of its blocks
        self.barriers = 0.0
        for row in rows:
            line = self.line_of(row)
            if row["access"] == "barrier":
                self.barriers += row["requests"] / row["blocks"]
            elif row["space"] == "code":
                self.runs[line] = max(self.runs[line], row["same_address"] / threads)
                self.all_runs[line] += row["lanes"] / threads
            elif row["space"] in ("global", "shared"):
                kind = row["space"] + " " + row["access"]
                moved = row["lanes"] * row["bytes_each"] / threads
                self.bytes[line, kind] += moved
                self.widths[line, kind, int(row["bytes_each"])] += moved
        for (line, _, size), moved in self.widths.items():  # code of a header's may have no line of its own
            self.runs[line] = max(self.runs[line], moved / size)

    @staticmethod
    def line_of(row):
        return row["file"].rsplit("/", 1)[-1], int(row["line"] or 0)


def frequencies(blocks, counts):
    """(how often a thread runs each block, the sum of what differs from the counts); (None, None) without one"""
    program = Program()
    runs = [program.variable() for _ in blocks]
    edges = {(i, n): program.variable() for i, block in enumerate(blocks) for n in set(block.next)}
    ends = {i: program.variable() for i, block in enumerate(blocks) if block.ends or not block.next}
    for i in range(len(blocks)):
        program.equal.append(({runs[i]: 1.0, **{v: -1.0 for (a, b), v in edges.items() if b == i}},
                              1.0 if i == 0 else 0.0))
        out = {v: -1.0 for (a, b), v in edges.items() if a == i}
        if i in ends:
            out[ends[i]] = -1.0
        program.equal.append(({runs[i]: 1.0, **out}, 0.0))
    follow_accesses(program, blocks, counts, runs)
    apart = list(program.apart)
    follow_lines(program, blocks, counts, runs)
    loops = natural_loops(blocks)
    fewest = min([x for x in counts.runs.values() if x > 1.5], default=1.0)  # of a line in a loop
    limit_loops(program, blocks, counts, edges, loops, fewest)
    follow_unrolled(program, blocks, counts, runs, loops, fewest)
    largest = max([1.0, *counts.runs.values(), *counts.bytes.values()]) * sum(len(b.code) + 1 for b in blocks)
    for block, v in zip(blocks, runs):
        program.cost[v] = SHORTEST * (len(block.code) + 1) / largest
    found = program.solve()
    if found.x is None:
        return None, None
    return found.x[:len(blocks)], sum(found.x[v] for v in apart)


def follow_accesses(program, blocks, counts, runs):
    """Bytes by line and kind, by kind alone (lines may differ), by width, and barriers."""
    of_line, of_kind, of_width, of_any_line, barriers = (collections.defaultdict(collections.Counter) for _ in range(5))
    for block, whole in zip(blocks, runs):
        for i in block.code:
            v = whole
            if i.predicate and sass.kinds(i.opcode):  # some of the threads that come to it
                v = program.variable()
                program.most.append(({v: 1.0, whole: -1.0}, 0.0))
            for kind in sass.kinds(i.opcode):
                size = sass.width(i.opcode)
                of_kind[kind][v] += size
                of_line[i.line, kind][v] += size
                of_width[i.line, kind, size][v] += size
                of_any_line[kind, size][v] += size
            if i.opcode.startswith("BAR."):
                barriers[None][v] += 1
    of_kinds, of_kinds_widths = collections.Counter(), collections.Counter()
    for (_, kind, size), moved in counts.widths.items():
        of_kinds[kind] += moved
        of_kinds_widths[kind, size] += moved
    # What the lens has at lines without such an access must be at others: these may have more then.
    elsewhere = collections.Counter()
    for (line, kind), moved in counts.bytes.items():
        elsewhere[kind] += moved if (line, kind) not in of_line else 0.0
    misplaced = {kind for kind, moved in elsewhere.items() if moved > 0.1 * of_kinds[kind]}
    for there, wanted, weight, kind_of in ((of_line, counts.bytes, BYTES_OF_LINE, lambda key: key[1]),
                                           (of_width, counts.widths, BYTES_OF_WIDTH, lambda key: key[1]),
                                           (of_any_line, of_kinds_widths, BYTES_OF_WIDTH, lambda key: key[0]),
                                           (of_kind, of_kinds, BYTES_OF_KIND, lambda key: None),
                                           (barriers, {None: counts.barriers}, BARRIERS, lambda key: None)):
        for key, terms in there.items():
            if wanted.get(key):
                program.near(terms, wanted[key], weight, 0.0 if kind_of(key) in misplaced else None)


def follow_lines(program, blocks, counts, runs):
    """A line that ran has code that ran: else a branch around what has no access is taken for always passed."""
    before = sass.before(blocks)
    whole, bodies, in_loop = collections.defaultdict(set), collections.defaultdict(set), set()
    for i, block in enumerate(blocks):
        body = is_body(blocks, before, i)
        share = collections.Counter(x.line for x in block.code if x.line and not x.opcode.startswith("BRA"))
        for line, n in share.items():
            if i in block.next:
                in_loop.add(line)  # perhaps unrolled: runs less often than the line
            elif n >= 3 or 4 * n >= len(block.code):
                (bodies if body else whole)[line].add(i)
    for lines, ran in ((whole, counts.runs), (bodies, counts.all_runs)):
        for line, here in lines.items():
            if ran.get(line, 0) > 0.001 and (line not in in_loop or lines is bodies):
                program.near({runs[i]: 1.0 for i in here}, ran[line], LINE_RAN, 0.0)


def is_body(blocks, before, i):
    """An if's body without an access: one way in, one out, and a way around it."""
    block = blocks[i]
    if len(block.next) != 1 or len(before[i]) != 1 or any(sass.kinds(x.opcode) for x in block.code):
        return False
    here, there = before[i][0], block.next[0]
    return here < i < there and there in blocks[here].next


def limit_loops(program, blocks, counts, edges, loops, fewest):
    """A loop turns only for those who come to it, at most as often as a line of its head ran: those within may be of loops
    that nvcc unrolled."""
    for head, body in loops.items():
        code = [x for i in body for x in blocks[i].code]
        passes = most_runs(blocks[head].code, counts) or most_runs(code, counts)
        if body == {head}:
            passes = turns(code, counts, around(head, blocks, counts, loops, fewest))
        if passes:
            back = {v: 1.0 for (a, b), v in edges.items() if b == head and a in body}
            ways_in = {v: -max(0.0, passes - 1) for (a, b), v in edges.items() if b == head and a not in body}
            program.most.append(({**back, **ways_in}, 0.0))


def follow_unrolled(program, blocks, counts, runs, loops, fewest):
    """A loop unrolled in several forms, for 16 turns at a time, for 8, for 4: those of more turns than it has do not run, and
    one that is left runs as often as it fits in. How many turns it has its accesses tell, for each that a loop around it has."""
    forms = collections.defaultdict(list)
    for i, block in enumerate(blocks):
        comes = around(i, blocks, counts, loops, fewest)
        for (line, kind, size), copies in copies_of(block.code).items():
            moved = counts.bytes.get((line, kind), 0.0) / size
            entered = comes if comes <= 0.6 * moved else 1.0
            if copies > 1 and moved:
                forms[line, kind, size, entered, moved / entered].append((copies, i))
    for (_, _, _, entered, each), found in forms.items():
        whole = is_whole(each)
        fit = []
        for copies, i in found:
            if copies <= (round(each) if whole else each):
                fit.append((copies, i))
            else:
                program.most.append(({runs[i]: 1.0, program.variable(LINE_RAN / entered): -1.0}, 0.0))
        if whole and len(fit) == 1:
            copies, i = fit[0]
            if i in blocks[i].next:
                program.near({runs[i]: 1.0}, entered * (round(each) // copies), BYTES_OF_WIDTH)


def is_whole(number):
    return abs(number - round(number)) < 0.02 * number


def copies_of(code):
    """{(line, kind of access, bytes of a lane): how many instructions that all threads execute}"""
    return collections.Counter((x.line, kind, sass.width(x.opcode)) for x in code
                               if not x.predicate for kind in sass.kinds(x.opcode))


def most_runs(code, counts):
    return max([counts.runs[x.line] for x in code if x.line in counts.runs], default=0)


def around(i, blocks, counts, loops, fewest):
    """How often the loop around a block, or around a loop of one block, turns: as often as a line ran that is in its head
    alone; where the head has several, one of a loop within may be among them, and the fewest turns count."""
    heads = [(len(body), head) for head, body in loops.items() if i in body and body != {i}]
    if not heads:
        return 1.0
    mine = {x.line for x in blocks[i].code}
    ran = {counts.runs[x.line] for x in blocks[min(heads)[1]].code if x.line not in mine}
    return min([n for n in ran if n > 1.5], default=fewest)


def turns(code, counts, around):
    """How often a loop's code runs at most, each time that a line around it runs."""
    lines = [x for x in code if x.line in counts.runs]
    mine = most_runs(lines, counts) or 1.0
    if around > 0.6 * mine:
        around = 1.0
    least = max(1.0, mine / around)
    for (line, kind, size), n in copies_of(lines).items():
        if moved := counts.bytes.get((line, kind)):
            each = moved / size / around
            least = min(least, max(1, round(each) // n) if is_whole(each) else each / n)
    return least


def natural_loops(blocks):
    """{head: the blocks of its loop}: those that lead back to the head, which each way to them passes."""
    above, before = immediate_dominators(blocks), sass.before(blocks)
    loops = {}
    for i, block in enumerate(blocks):
        for head in block.next:
            up = i
            while up is not None and up != head:
                up = above[up]
            if up != head:
                continue
            body, left = loops.setdefault(head, {head}), [i]
            while left:
                n = left.pop()
                if n not in body:
                    body.add(n)
                    left += before[n]
    return loops


def immediate_dominators(blocks):
    """of each block the last one that each way from the entry to it passes; None for the entry"""
    before = sass.before(blocks)
    every = set(range(len(blocks)))
    dominators = [{0}] + [every] * (len(blocks) - 1)
    changed = True
    while changed:
        changed = False
        for i in range(1, len(blocks)):
            new = set.intersection(*(dominators[b] for b in before[i])) | {i}
            changed |= new != dominators[i]
            dominators[i] = new
    return [max(d - {i}, key=lambda x: len(dominators[x]), default=None) for i, d in enumerate(dominators)]


def warp_runs(blocks, runs, lanes_together):
    """How often a warp runs each block, for each of its threads' runs: 1, or more where lanes part.

    lanes_together: {line: the share of a warp's lanes that came to it at a time}. What runs as often as a block before it that it
    cannot do without runs with the same lanes. Behind a branch the lens's lanes count (where the CPU's code lets them
    meet later than the GPU's they are too few: so only there), but a warp comes no more often than to the branch.
    """
    above = immediate_dominators(blocks)
    factor = [1.0] * len(blocks)
    order, seen = [], {None}
    while len(order) < len(blocks):
        order += [i for i in range(len(blocks)) if i not in seen and above[i] in seen]
        seen.update(order)
    for i in order[1:]:
        branch = above[i]
        same, up = None, branch
        while up is not None and same is None:
            same = up if abs(runs[up] - runs[i]) <= 0.02 * runs[i] else None
            up = above[up]
        if same is not None or runs[i] >= runs[branch] or not runs[i]:
            factor[i] = factor[branch if same is None else same]
            continue
        together = [lanes_together[x.line] for x in blocks[i].code if x.line in lanes_together]
        parted = 1 / max(together) if together else 1.0
        factor[i] = max(factor[branch], min(parted, factor[branch] * runs[branch] / runs[i]))
    return factor
