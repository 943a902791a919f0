"""trec_eval 8.1 once more, written down line by line from its description and nothing else.

One topic at a time, one document at a time, 32-bit numbers spelled out. It shares no code with
the package, so that the two can be held against each other.
"""

from dataclasses import dataclass
from math import ceil, exp, log, nan

import numpy as np

f32 = np.float32
CUTOFFS = [5, 10, 15, 20, 30, 100, 200, 500, 1000]
X = [0, 15, 29, 43, 57, 71, 86, 100, 114, 128, 142]
LABELS = [0, 14, 28, 42, 56, 71, 85, 99, 113, 127, 142]


@dataclass
class MeasureRequest:
    level: int = 1
    depth: int | None = None
    judged_only: bool = False
    complete: bool = False
    times: bool = False
    documents: int = 0
    weights: tuple = (1.0, -1.0, 0.0, 0.0)


def div(part, whole):
    return f32(part) / f32(whole) if whole else f32(0)


def narrow(score):
    return f32(score) if abs(score) < 1e38 else f32("inf")


def add(numbers):
    total = f32(0)
    for number in numbers:
        total = f32(float(total) + float(number))
    return total


def vector(grades, results, asked):
    """Codes and scores of a topic's results, in order."""
    sign = 1 if asked.times else -1
    by_id = sorted(results, key=lambda result: result[0].encode(), reverse=True)
    ranked = sorted(by_id, key=lambda result: sign * float(narrow(result[1])))
    if asked.depth is not None:
        ranked = ranked[: asked.depth]
    codes = []
    for doc, score in ranked:
        code = grades.get(doc)
        code = -1 if code is None else -2 if code == -1 else code
        if code == -1 and asked.judged_only:
            continue
        codes.append((code, narrow(score)))
    return codes


class Topic:
    """The quantities that the descriptions of the lines speak of."""

    def __init__(self, grades, results, asked):
        pairs = vector(grades, results, asked)
        self.c, self.score = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        self.L, self.asked = asked.level, asked
        self.n = len(self.c)
        self.R = len([grade for grade in grades.values() if grade >= self.L])
        self.B = len(grades) - self.R
        self.hits = [k for k in range(1, self.n + 1) if self.c[k - 1] >= self.L]
        self.ok = len(self.hits)
        self.b_ret = len([c for c in self.c if 0 <= c < self.L])

    def rel(self, k):
        return len([hit for hit in self.hits if hit <= k])

    def P(self, k):
        return div(self.rel(k), k)

    def rc(self, k):
        return div(self.rel(k), self.R)

    def iP(self, k):
        return max([self.P(j) for j in range(max(k, 1), self.n + 1)], default=f32(0))

    def rp(self, k):
        return self.rc(k) if k > self.R else self.P(k)

    def above(self, hit):
        return len([c for c in self.c[: hit - 1] if 0 <= c < self.L])


def bpref(t, cap_b, cap_whole, whole, *, except_none=True):
    """The sum of the terms, and nothing divided yet."""
    terms = []
    for hit in t.hits:
        b = t.above(hit)
        if b == 0 and except_none:
            terms.append(1.0)
        elif min(whole, cap_whole) == 0:
            terms.append(nan)
        else:
            terms.append(1.0 - float(div(min(b, cap_b), min(whole, cap_whole))))
    return add(terms)


def inferred(t):
    terms = []
    for hit in t.hits:
        j = hit - 1
        r = t.rel(j)
        b = t.above(hit)
        u = len([c for c in t.c[:j] if c == -2])
        e = 0.00001
        if j == 0:
            terms.append(1.0)
        else:
            pool = float(div(r + b + u, j))
            terms.append(1.0 / (j + 1) + (j / (j + 1)) * pool * ((r + e) / (r + b + 2 * e)))
    return div(add(terms), t.R)


def at_r(t, precision):
    ranks = [precision(k) for k in range(min(t.n, t.R - 1), 0, -1)]
    return div(add(ranks + [div(t.ok, i) for i in range(t.n, t.R)]), t.R)


def interpolated(t, tenths):
    if tenths == 0:
        return t.iP(1)
    m = ceil(tenths * t.R / 10) if t.R < 1000 else None
    return f32(0) if m == 0 or m > t.ok else t.iP(t.hits[m - 1])


def first_bprefs(t, k):
    terms = []
    for hit in t.hits[:k]:
        b = t.above(hit)
        if b < k:
            terms.append(1.0 if b == 0 else 1.0 - float(div(b, min(t.B, k))))
    return div(add(terms), min(t.ok, k))


def fallout(t, x_t):
    wrong = [k for k in range(1, t.n + 1) if t.c[k - 1] < t.L]
    x = len(wrong)
    if x in X and x_t <= x:
        return f32(0)
    return t.rc(wrong[x_t]) if x > x_t else div(t.ok, t.R)


def average_fallout(t):
    wrong = [k for k in range(1, t.n + 1) if t.c[k - 1] < t.L]
    total = add([t.rc(k) for k in reversed(wrong[:141])])
    if len(wrong) < 142:
        total = f32(total + f32(142 - len(wrong)) * div(t.ok, t.R))
    return div(total, 142)


def utility(t, shown):
    a, b, c, d = t.asked.weights
    neither = t.asked.documents + t.ok - shown - t.R
    return f32(a * t.ok + b * (shown - t.ok) + c * (t.R - t.ok) + d * neither)


def head(t):
    yield "num_ret", t.n, "sum"
    yield "num_rel", t.R, "sum"
    yield "num_rel_ret", t.ok, "sum"
    average = div(add([t.P(k) for k in reversed(t.hits)]), t.R)
    yield "map", average, "mean"
    yield "gm_ap", average, "geometric"
    yield "R-prec", div(t.rel(t.R), t.R), "mean"
    yield "bpref", div(bpref(t, t.R, t.R, t.B), t.R), "mean"
    yield "recip_rank", f32(1.0 / t.hits[0]) if t.hits else f32(0), "mean"


def lists(t):
    exact_prec, exact_recall = div(t.ok, t.n), div(t.ok, t.R)
    points = [interpolated(t, tenths) for tenths in range(11)]
    yield "num_nonrel_judged_ret", t.b_ret, "sum"
    yield "exact_prec", exact_prec, "mean"
    yield "exact_recall", exact_recall, "mean"
    yield "11-pt_avg", div(add(reversed(points)), 11), "mean"
    yield "3-pt_avg", f32(float(add([points[2], points[5], points[8]])) / 3), "mean"
    sums = add([t.P(k) for k in reversed(t.hits)])
    yield "avg_doc_prec", (div(sums, t.R), sums, t.R), "pooled"
    yield "exact_relative_prec", exact_prec if t.n < t.R else exact_recall, "mean"
    ranks = range(t.n, 0, -1)
    yield "avg_relative_prec", div(add([t.rp(k) for k in ranks]), t.n), "mean"
    yield "exact_unranked_avg_prec", exact_prec * exact_recall, "mean"
    yield "exact_relative_unranked_avg_prec", exact_prec * exact_prec, "mean"
    yield "map_at_R", at_r(t, t.P), "mean"
    yield "int_map", div(add([t.iP(k) for k in reversed(t.hits)]), t.R), "mean"
    yield "exact_int_R_rcl_prec", int_r(t, t.R), "mean"
    yield "int_map_at_R", at_r(t, t.iP), "mean"


def int_r(t, k):
    if k == 0:
        return f32(0)
    return div(t.ok, k) if k > t.n else t.iP(k)


def incomplete(t):
    whole = 10**9
    yield "bpref_allnonrel", div(bpref(t, whole, whole, t.B), t.R), "mean"
    retrieved = bpref(t, whole, whole, t.b_ret)
    yield "bpref_retnonrel", div(retrieved, t.R), "mean"
    yield "bpref_topnonrel", div(bpref(t, 100, 100, t.B), t.R), "mean"
    five = bpref(t, 5 * t.R, 5 * t.R, t.B, except_none=False)
    yield "bpref_top5Rnonrel", div(five, t.R), "mean"
    ten = bpref(t, 5 * t.R, 10 * t.R, t.B, except_none=False)
    yield "bpref_top10Rnonrel", div(ten, t.R), "mean"
    for name, cap in (
        ("10pR", 10 + t.R),
        ("25pR", 25 + t.R),
        ("50pR", 50 + t.R),
        ("25p2R", 25 + 2 * t.R),
    ):
        yield f"bpref_top{name}nonrel", div(bpref(t, cap, cap, t.B), t.R), "mean"
    yield "bpref_retall", div(retrieved, t.ok), "mean"
    yield "bpref_5", first_bprefs(t, 5), "mean"
    yield "bpref_10", first_bprefs(t, 10), "mean"
    yield "bpref_num_all", f32(sum(t.B - t.above(hit) for hit in t.hits)), "mean"
    yield "bpref_num_ret", f32(sum(t.b_ret - t.above(hit) for hit in t.hits)), "mean"
    correct, possible = pairs(t)
    yield "bpref_num_correct", correct, "sum"
    yield "bpref_num_possible", possible, "sum"
    yield "old_bpref", div(bpref(t, t.R, t.R, t.b_ret), t.R), "mean"
    old = bpref(t, 10 + t.R, 10 + t.R, t.b_ret)
    yield "old_bpref_top10pRnonrel", div(old, t.R), "mean"
    yield "infAP", inferred(t), "mean"
    yield "gm_bpref", div(bpref(t, t.R, t.R, t.B), t.R), "geometric"
    yield "rank_first_rel", t.hits[0] if t.hits else 0, "topics only"


def pairs(t):
    counts = [t.above(hit) for hit in t.hits]
    correct = sum(min(t.B, t.R) - min(b, t.R) for b in counts if b > 0)
    return correct, t.R * min(t.B, t.R)


def points(t):
    for tenths in range(11):
        yield f"ircl_prn.{tenths / 10:.2f}", interpolated(t, tenths), "mean"
    for k in CUTOFFS:
        yield f"P{k}", t.P(k), "mean"
    for k in CUTOFFS:
        yield f"recall{k}", t.rc(k), "mean"
    multiples = [(step, -(-2 * step * t.R // 10)) for step in range(1, 11)]
    for step, k in multiples:
        value = f32(0) if k == 0 else div(t.ok, k) if k > t.n else t.P(k)
        yield f"{step / 5:.2f}R-prec", value, "mean"
    for k in CUTOFFS:
        value = t.rp(k) if k <= t.n else t.P(k) if k < t.R else t.rc(k)
        yield f"relative_prec{k}", value, "mean"
    for k in CUTOFFS:
        yield f"unranked_avg_prec{k}", t.P(k) * t.rc(k), "mean"
    for k in CUTOFFS:
        value = t.rp(k) if k <= t.n else t.P(k)
        yield f"relative_unranked_avg_prec{k}", value * value, "mean"
    weights = "_".join(f"{weight:.1f}" for weight in t.asked.weights)
    yield f"utility_{weights}", utility(t, t.n) if t.R else f32(0), "mean"
    yield "rcl_at_142_nonrel", average_fallout(t), "mean"
    for label, x_t in zip(LABELS, X, strict=True):
        yield f"fallout_recall_{label}", fallout(t, x_t), "mean"
    for step, k in multiples:
        yield f"int_{step / 5:.2f}R-prec", int_r(t, k), "mean"


def micro(t):
    yield "micro_prec", (0, t.ok, t.n), "pooled all"
    yield "micro_recall", (0, t.ok, t.R), "pooled all"
    yield "micro_bpref", (0, *pairs(t)), "pooled all"


class Clock:
    """What came in which of the 60 buckets."""

    def __init__(self, t):
        self.rel, self.nonrel, first = [0] * 60, [0] * 60, {}
        for rank, (code, score) in enumerate(zip(t.c, t.score, strict=True), start=1):
            place = int(min(max(0.2 * float(score), 0), 59))
            first.setdefault(place, rank)
            (self.rel if code >= t.L else self.nonrel)[place] += 1
        m = min(t.R, t.n)
        self.cum = [f32(sum(self.rel[: place + 1])) for place in range(60)]
        self.prec = self.held(first, lambda _: div(t.ok, t.n))
        self.relative = self.held(first, lambda _: div(t.ok, m))
        self.uap = self.held(first, lambda _: div(t.ok * t.ok, t.n * m))
        self.relative_uap = self.held(first, lambda _: div(t.ok * t.ok, m * m))
        self.utility = self.held(first, lambda rank: utility(t, rank))

    def held(self, first, value):
        values, last = [], f32(0)
        for place in range(60):
            last = value(first[place]) if place in first else last
            values.append(last)
        return values


def integrals(t):
    clock = Clock(t)
    yield "time_integral_prec", div(add(clock.prec[1:]), 60), "mean"
    yield "time_integral_relative_prec", div(add(clock.relative[1:]), 60), "mean"
    yield "time_integral_uap", div(add(clock.uap[1:]), 60), "mean"
    yield "time_integral_relative_uap", div(add(clock.relative_uap[1:]), 60), "mean"
    yield "time_integral_cum_rel", div(add(clock.cum), 60), "mean"


def seconds(t):
    clock = Clock(t)
    weights = "_".join(f"{weight:.1f}" for weight in t.asked.weights)
    yield f"time_integral_utility_{weights}", div(add(clock.utility[1:]), 60), "mean"
    for name, values, kind in (
        ("num_rel", clock.rel, "mean"),
        ("num_nonrel", clock.nonrel, "mean"),
        ("cum_rel", clock.cum, "mean"),
        ("precis", clock.prec, "twice"),
        ("precis", clock.prec, "twice"),
        ("relative_precis", clock.relative, "mean"),
        ("uap", clock.uap, "mean"),
        ("relative_uap", clock.relative_uap, "mean"),
    ):
        for place in range(60):
            yield f"time_{name}_{5 * place}", f32(values[place]), kind
    for place in range(60):
        yield f"time_utility_{weights}-{5 * place}", clock.utility[place], "mean"


def everything(t):
    """All lines of a topic with -a, in order: name, value, kind of summary."""
    timed = t.asked.times
    yield from head(t)
    yield from lists(t)
    if timed:
        yield from integrals(t)
    yield from incomplete(t)
    yield from points(t)
    if timed:
        yield from seconds(t)
    yield from micro(t)


def overall(column, kind, topics):
    if kind == "sum":
        return sum(column)
    if kind.startswith("pooled"):
        return div(add([part for _, part, _ in column]), sum(whole for _, _, whole in column))
    if kind == "geometric":
        logs = add([f32(log(max(float(value), 0.00001))) for value in column])
        corrected = f32(float(logs) + (topics - len(column)) * log(0.00001))
        return f32(exp(float(div(corrected, topics))))
    if kind == "twice":
        column = [value for value in column for _ in range(2)]
    return div(add(column), topics)


def text(name, topic, value):
    if isinstance(value, tuple):
        value = value[0]
    if isinstance(value, int):
        return f"{name:<15}\t{topic}\t{value}"
    number = "  -nan" if np.isnan(value) else f"{float(value):6.4f}"
    return f"{name:<15}\t{topic}\t{number}"


def output(qrels, run, asked):
    """What `-q -a` prints, and the exit status. Files are {topic: {document: grade or score}}."""
    shown, evaluated = [], []
    for topic, results in run.items():
        if topic not in qrels:
            continue
        lines = list(everything(Topic(qrels[topic], list(results.items()), asked)))
        empty = lines[0][1] == 0
        for name, value, kind in lines:
            if kind not in ("geometric", "pooled all"):
                first = value[0] if isinstance(value, tuple) else value
                shown.append(text(name, topic, type(first)(0) if empty else first))
        if not empty:
            evaluated.append(lines)
    if not evaluated:
        return shown, 255
    topics = len(qrels) if asked.complete else len(evaluated)
    shown.append(text("num_q", "all", topics))
    for column in zip(*evaluated, strict=True):
        name, _, kind = column[0]
        if kind != "topics only":
            shown.append(
                text(name, "all", overall([value for _, value, _ in column], kind, topics))
            )
    return shown, 0
