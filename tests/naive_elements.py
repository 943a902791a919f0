"""Measures of elements, written out plainly and slowly from their definitions, in fractions.

Everything is a set of characters; every result is compared with all earlier ones.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

GEN = {
    (3, 3): Fraction(1),
    (2, 3): Fraction(3, 4),
    (1, 3): Fraction(1, 2),
    (3, 2): Fraction(3, 4),
    (2, 2): Fraction(1, 2),
    (1, 2): Fraction(1, 4),
    (3, 1): Fraction(3, 4),
    (2, 1): Fraction(1, 2),
    (1, 1): Fraction(1, 4),
}
SOG = {
    (3, 3): Fraction(1),
    (2, 3): Fraction(9, 10),
    (1, 3): Fraction(3, 4),
    (3, 2): Fraction(3, 4),
    (2, 2): Fraction(1, 2),
    (1, 2): Fraction(1, 4),
    (3, 1): Fraction(1, 4),
    (2, 1): Fraction(1, 10),
    (1, 1): Fraction(1, 10),
}


@dataclass(eq=False)
class Node:
    """An element: where it lies, and what was said of it."""

    document: str
    path: str
    parent: "Node | None"
    start: int = 0
    end: int = 0
    children: list["Node"] = field(default_factory=list)
    exhaustivity: int = 0  # -1 is `?`
    specificity: int = 0
    lit: int = 0

    @property
    def size(self):
        return self.end - self.start

    def characters(self):
        return {(self.document, place) for place in range(self.start, self.end)}

    def chain(self):
        """Itself and all around it."""
        return [self] + (self.parent.chain() if self.parent else [])

    def inside(self, other):
        return other in self.chain()


@dataclass(eq=False)
class Passage:
    """A span of a document."""

    document: str
    start: int
    end: int
    path = ""
    parent = None
    children = ()

    @property
    def size(self):
        return self.end - self.start

    def characters(self):
        return {(self.document, place) for place in range(self.start, self.end)}

    def inside(self, other):
        same = self.document == other.document
        return same and other.start <= self.start and self.end <= other.end


def quantised(node, quant, highlighted):
    """The value of an element or passage."""
    if node.size == 0:
        return Fraction(0)
    s = Fraction(len(node.characters() & highlighted), node.size)
    if quant == "spec":
        return s
    e = node.exhaustivity
    pair = (e, node.specificity)
    return {
        "strict": lambda: Fraction(int(pair == (3, 3))),
        "gen": lambda: GEN.get(pair, Fraction(0)),
        "sog": lambda: SOG.get(pair, Fraction(0)),
        "strict5": lambda: Fraction(int(e == 2 and s == 1)),
        "gen5": lambda: max(e, 0) * s,
        "genLifted": lambda: (max(e, 0) + 1) * s,
        "exhspe": lambda: Fraction(e, 3) * Fraction(node.specificity, 3),
    }[quant]()


@dataclass(eq=False)
class Topic:
    """Elements of all documents, highlighted characters, a ranking, and a quantisation."""

    nodes: list[Node]
    highlighted: set
    results: list
    quant: str

    def __post_init__(self):
        every = [*self.nodes, *self.results]
        self.q = {id(n): quantised(n, self.quant, self.highlighted) for n in every}

    def value(self, node):
        return self.q[id(node)]

    def full(self):
        return [node for node in self.nodes if self.value(node) > 0]

    def assessed(self, node):
        """Whether assessors found it exhaustive and specific to some degree."""
        if self.quant in ("strict", "gen", "sog", "exhspe"):
            return node.exhaustivity > 0 and node.specificity > 0
        return node.exhaustivity > 0 and bool(node.characters() & self.highlighted)

    def relevant(self, paths):
        if paths == "valued":
            return self.full()
        return [node for node in self.nodes if self.value(node) > 0 or self.assessed(node)]

    def last(self, paths):
        """The ends of the relevant paths."""
        relevant = self.relevant(paths)
        return [n for n in relevant if not any(m is not n and m.inside(n) for m in relevant)]

    def ideal(self, ties, paths="valued"):
        relevant = self.full()
        chosen = []
        for leaf in self.last(paths):
            path = [n for n in leaf.chain() if n in relevant]  # deepest first
            if not path:
                continue
            best = max(self.value(n) for n in path)
            equal = [n for n in path if self.value(n) == best]
            one = equal[0] if ties == "deeper" else equal[-1]
            if one not in chosen:
                chosen.append(one)
        return [n for n in chosen if not any(m is not n and n.inside(m) for m in chosen)]

    def overlaps(self):
        """The share of each result that was seen before."""
        seen, shares = set(), []
        for result in self.results:
            text = result.characters()
            shares.append(Fraction(len(text & seen), len(text)) if text else Fraction(0))
            seen |= text
        return shares

    def gains(self, alpha, ties, cap, paths="valued"):
        if alpha == 0:
            return [self.value(result) for result in self.results]
        ideal = self.ideal(ties, paths)
        budget = {id(d): self.value(d) for d in ideal}
        seen, gains = set(), []

        def home(c):
            return next((d for d in ideal if c.inside(d)), None)

        def rv(c):
            text = c.characters()
            old = text & seen
            if not old:
                return self.value(c)
            if old == text:
                return (1 - alpha) * self.value(c)
            if isinstance(c, Passage):
                fresh = Fraction(len((text - seen) & self.highlighted), len(text))
            else:
                fresh = Fraction(0)
                for kid in c.children:
                    if self.value(kid) > 0:
                        fresh += present(kid) * kid.size / c.size
            return alpha * fresh + (1 - alpha) * self.value(c)

        def present(c):
            value, d = rv(c), home(c)
            return min(value, budget[id(d)]) if d is not None and cap == "full" else value

        def same(result, d):
            equal = isinstance(result, Passage) and result.characters() == d.characters()
            return result is d or equal

        for result in self.results:
            gain, d = rv(result), home(result)
            if d is not None and not (cap == "descendants" and same(result, d)):
                gain = min(gain, budget[id(d)])
                budget[id(d)] -= gain
            gains.append(gain)
            seen |= result.characters()
        return gains

    def vectors(self, overlap, recallbase, alpha, ties, cap, paths="valued"):
        gains = self.gains(alpha if overlap == "on" else 0, ties, cap, paths)
        which = recallbase or ("ideal" if overlap == "on" else "full")
        base = self.ideal(ties, paths) if which == "ideal" else self.full()
        return gains, sorted((self.value(n) for n in base), reverse=True)


def cumulated(values, rank):
    return sum(values[:rank], Fraction(0))


def nxcg(gains, best, rank):
    return cumulated(gains, rank) / cumulated(best, rank) if rank else Fraction(0)


def reach(values, wanted, whole=False):
    """The rank at which the cumulated values reach a gain; None if never."""
    for rank in range(1, len(values) + 1):
        now, before = cumulated(values, rank), cumulated(values, rank - 1)
        if now >= wanted:
            return Fraction(rank) if whole else rank - 1 + (wanted - before) / (now - before)
    return None


def ep(gains, best, share, whole=False):
    wanted = share * sum(best)
    run = reach(gains, wanted, whole)
    return Fraction(0) if run is None else reach(best, wanted, whole) / run


def maep(gains, best, whole=False):
    total, ranks = Fraction(0), 0
    for rank, gain in enumerate(gains, start=1):
        if gain > 0:
            ideal = reach(best, cumulated(gains, rank), whole)
            total += (len(best) if ideal is None else ideal) / Fraction(rank)
            ranks += 1
    return total / max(len(best), ranks)


def mancg(gains, best, base):
    return (
        sum((nxcg(gains, best, ceil(Fraction(t * base, 10))) for t in range(1, 11)), Fraction(0))
        / 10
    )


def precall(levels, total, share):
    """`levels` are lists of chances of relevance."""
    wanted, found, passed = share * total, Fraction(0), Fraction(0)
    for level in levels:
        relevant, other = sum(level, Fraction(0)), sum((1 - q for q in level), Fraction(0))
        if found + relevant >= wanted:
            esl = passed + (wanted - found) * other / (relevant + 1)
            return wanted / (wanted + esl)
        found, passed = found + relevant, passed + other
    return Fraction(0)


def hixeval(topic, cutoff, alpha, base):
    """Precision and recall."""
    seen, found, read = set(), Fraction(0), 0
    for result in topic.results[:cutoff]:
        text = result.characters()
        found += len(text & topic.highlighted) - alpha * len(text & seen & topic.highlighted)
        read += len(text)
        seen |= text
    thorough = sum(len(node.characters() & topic.highlighted) for node in topic.nodes)
    total = len(topic.highlighted) if base == "focused" else thorough
    return (found / read if read else Fraction(0)), found / total


def next_generation(topic, cutoff, overlap, exh, spe):
    """Precision and recall; `exh` and `spe` give a node's grades from 0 to 1."""
    shares = topic.overlaps() if overlap == "on" else [Fraction(0)] * len(topic.results)
    pairs = list(zip(topic.results, shares, strict=True))[:cutoff]
    good = sum((spe(n) * n.size * (1 - o) for n, o in pairs), Fraction(0))
    read = sum((n.size * (1 - o) for n, o in pairs), Fraction(0))
    found = sum((exh(n) * (1 - o) for n, o in pairs), Fraction(0))
    return (good / read if read else Fraction(0)), found / sum(
        (exh(n) for n in topic.nodes), Fraction(0)
    )


def overlap_of(results):
    """The share of results that lie inside another one."""

    def held(c):
        for other in results:
            if other is c or other.document != c.document:
                continue
            if isinstance(c, Passage) or isinstance(other, Passage):
                proper = (c.start, c.end) != (other.start, other.end)
                if proper and other.start <= c.start and c.end <= other.end:
                    return True
            elif c.inside(other):
                return True
        return False

    return Fraction(sum(map(held, results)), len(results))
