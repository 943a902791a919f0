"""Preferences counted the slow way: every pair written down, every rule as it is worded."""

from fractions import Fraction
from itertools import combinations
from typing import NamedTuple


class Line(NamedTuple):
    group: str
    subgroup: str
    document: str
    level: float


class Contradiction(Exception):
    pass


def values(lines: list[Line], results: list[tuple[str, float]], depth: int | None = None):
    """The 14 values of one topic by their trec_eval names."""
    ranking = sorted(results, key=lambda result: (-result[1], result[0]))
    ranking = [document for document, _ in ranking][:depth]
    named = {line.document for line in lines}
    shown = [document for document in ranking if document in named]
    order = shown + sorted(named - set(shown))
    t = len(shown)
    groups = [
        Group([line for line in lines if line.group == name], order, t)
        for name in sorted({line.group for line in lines})
    ]
    found = {
        "prefs_num_prefs_poss": sum(len(g.pairs) for g in groups),
        "prefs_num_prefs_ful": sum(len(g.fulfilled) for g in groups),
        "prefs_num_prefs_ful_ret": sum(len(g.both(g.fulfilled)) for g in groups),
    }
    for suffix in ("", "_ret", "_imp"):
        good = [len(g.counting(g.fulfilled, suffix)) for g in groups]
        every = [len(g.counting(g.pairs, suffix)) for g in groups]
        found["prefs_simp" + suffix] = share(sum(good), sum(every))
        shares = [share(part, whole) for part, whole in zip(good, every, strict=True)]
        found["prefs_avgjg" + suffix] = share(sum(shares), len(groups))
        found["prefs_pair" + suffix] = pair_mean(groups, len(order), t, suffix)
    for suffix in ("", "_ret"):
        ratios = [g.balanced(suffix) for g in groups]
        mean = 0 if None in ratios else share(sum(ratios), len(groups))
        found["prefs_avgjg_Rnonrel" + suffix] = mean
    return found


def share(part, whole):
    return Fraction(part) / whole if whole else Fraction(0)


def pair_mean(groups, documents, t, suffix):
    shares = []
    for i, j in combinations(range(documents), 2):
        forth = sum(g.pairs.count((i, j)) for g in groups)
        back = sum(g.pairs.count((j, i)) for g in groups)
        if forth + back == 0 or (suffix == "_ret" and j >= t) or (suffix == "_imp" and i >= t):
            continue
        shares.append(share(forth, forth + back) if i < t else 0)
    return share(sum(shares), len(shares))


class Group:
    """One group, with its pairs (a over b) in a list."""

    def __init__(self, lines, order, t):
        self.t = t
        self.lines = [(line.subgroup, line.level, order.index(line.document)) for line in lines]
        self.is_table = len({subgroup for subgroup, _, _ in self.lines}) > 1
        self.documents = self.table_documents() if self.is_table else self.class_documents()
        self.pairs = self.table_pairs() if self.is_table else self.class_pairs()
        self.fulfilled = [(a, b) for a, b in self.pairs if a < b and a < t]

    def both(self, pairs):
        return [(a, b) for a, b in pairs if a < self.t and b < self.t]

    def counting(self, pairs, suffix):
        if suffix == "_ret":
            return self.both(pairs)
        if suffix == "_imp":
            return [(a, b) for a, b in pairs if a < self.t or b < self.t]
        return pairs

    # (number, level) of each document; in the class form once for each line

    def class_documents(self):
        for _, level, document in self.lines:
            if any(d == document and other != level for _, other, d in self.lines):
                raise Contradiction
        return sorted((document, level) for _, level, document in self.lines)

    def table_documents(self):
        last = sorted(self.lines, key=lambda line: (line[0], -line[1], line[2]))
        levels = {document: level for _, level, document in last}
        for document in levels:
            mine = {level for _, level, d in self.lines if d == document}
            if 0 in mine and max(mine) > 0:
                raise Contradiction
        return sorted(levels.items())

    def class_pairs(self):
        return [
            (a, b) for a, above in self.documents for b, below in self.documents if above > below
        ]

    def table_pairs(self):
        pairs = {
            (a, b)
            for one, above, a in self.lines
            for two, below, b in self.lines
            if one == two and above > below and a != b
        }
        while True:
            more = {(a, d) for a, b in pairs for c, d in pairs if b == c and a != d}
            if more <= pairs:
                break
            pairs |= more
        if any((b, a) in pairs for a, b in pairs):
            raise Contradiction
        return sorted(pairs)

    # Balanced ratio, None for 0/0

    def balanced(self, suffix):
        relevant = [d for d, level in self.documents if level > 0]
        if self.is_table:
            others = [d for d, level in self.documents if level == 0]
        else:
            others = [d for d, level in self.documents if level <= 0]
        seen = [d for d in relevant if d < self.t]
        r, z = len(relevant), len(others)
        if suffix:
            r, z = len(seen), len([d for d in others if d < self.t])
        if r >= z:
            part = len(self.counting(self.fulfilled, suffix)) + len(seen) * (r - z)
            whole = len(self.counting(self.pairs, suffix)) + len(relevant) * (r - z)
            return Fraction(part, whole) if whole else None
        pairs = self.kept_of_table(len(relevant)) if self.is_table else self.kept_of_classes(r)
        pairs = self.counting(pairs, suffix)
        good = [(a, b) for a, b in pairs if a < b and a < self.t]
        return Fraction(len(good), len(pairs)) if pairs else None

    def kept_of_classes(self, r):
        bottom = min(level for _, level in self.documents)
        lowest = [d for d, level in self.documents if level == bottom]
        upper = [
            (a, b)
            for a, above in self.documents
            for b, below in self.documents
            if above > below > bottom
        ]
        return upper + [(a, b) for a, _ in self.documents for b in lowest[:r]]

    def kept_of_table(self, rel):
        zero = [d for d, level in self.documents if level == 0]
        dropped = set(zero[rel:])
        return [(a, b) for a, b in self.pairs if a not in dropped and b not in dropped]
