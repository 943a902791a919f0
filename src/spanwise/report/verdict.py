"""The verdict of a comparison: sentences that say which run is best, or that none is.

A run is called best only where every other run is clearly behind it. Every number in a sentence
stands in the tables too. The first measure decides; the others are said to agree or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

from spanwise.model.comparison import Answer, listed
from spanwise.model.scores import number
from spanwise.report.comparison import at, base_of, fitting, worded

if TYPE_CHECKING:
    from spanwise.model.comparison import Comparison, Contest, Difference

HINT = 25
"""Number of topics below which a result is called a hint."""


def verdict(c: Comparison, unit: str = "characters") -> tuple[Answer, ...]:
    """Return the answer of each measure; that of the first mentions the others.

    Of measures at reading budgets there is an answer for each budget, in this unit.
    """
    if len(c.runs) < 2:
        return ()
    if c.budgeted:
        base = base_of(c.measures[0])
        measures = [m for m in c.measures if base_of(m) == base and at(m) is not None]
        at_budgets = [_at_budget(c, measure, unit) for measure in measures]
        return tuple(one.followed_by(_equivalent(c, one.measure)) for one in at_budgets)
    answers = [
        _answer(c, measure, contest).followed_by(_equivalent(c, measure))
        for measure, contest in c.contests.items()
    ]
    if not answers:
        return ()
    first, *others = answers
    more = [*_agreement(c, first, others), *_hint(c.contests[first.measure])]
    return (first.followed_by(more), *others)


def _answer(c: Comparison, measure: str, contest: Contest) -> Answer:
    best = contest.winner(c.confidence)
    contenders = [contest.runs[run] for run in contest.contenders]
    out = tuple(run for run in contest.runs if run not in contenders)
    if best is not None:
        name = contest.runs[best]
        return Answer(measure, _settled(c, measure, contest, name), (name,), out, ())
    return Answer(measure, _open(c, measure, contest, contenders, out), (), out, tuple(contenders))


def _settled(c: Comparison, measure: str, contest: Contest, best: str) -> str:
    value = number(c.mean(best, measure).value)
    sentence = f"{best} is best on {measure}: {value}"
    second = c.baseline if c.baseline not in (None, best) else _following(contest)
    found = _difference(c, measure, best, second)
    if found is None:
        return f"{sentence}; {_are(_others(contest, best))} clearly behind."
    if found.run != best:  # the table compares the other one with the best
        return f"{sentence}; {found.run} has {found.difference:+.4f} {_surely(c, found)}."
    return f"{sentence}, {found.difference:+.4f} over {found.baseline} {_surely(c, found)}."


def _open(
    c: Comparison, measure: str, contest: Contest, contenders: Sequence[str], out: Sequence[str]
) -> str:
    leader = contest.runs[contest.leader]
    value = number(c.mean(leader, measure).value)
    equal = [run for run, gap in zip(contest.runs, contest.gap, strict=True) if gap == 0]
    others = [run for run in contenders if run not in (leader, *equal)]
    sentence = f"No run is best on {measure}: {listed(equal or [leader])} "
    sentence += f"have {value}" if len(equal) > 1 else f"leads with {value}"
    if others:
        sentence += f", but {listed(others)} cannot be told from it"
        found = _difference(c, measure, leader, others[0])
        if found is not None and len(others) == 1:
            sentence += f" ({_uncertain(found)})"
    elif len(equal) < 2:
        sentence += ", but not surely enough"
    return f"{sentence}; {_are(out)} clearly behind." if out else f"{sentence}."


def _difference(c: Comparison, measure: str, one: str, other: str | None) -> Difference | None:
    """Return the tested difference of two runs, in the direction in which the table has it."""
    found = c.select(measure=measure, test=c.tests[0])
    return next((d for d in found if {d.run, d.baseline} == {one, other}), None)


def _surely(c: Comparison, d: Difference) -> str:
    better = d.wins if d.difference * (-1 if d.measure in c.lowest else 1) >= 0 else d.losses
    word = "better" if better == d.wins else "worse"
    bounds = f"{c.confidence:.0%} interval {d.low:+.4f} to {d.high:+.4f}, "
    bounds = bounds if isfinite(d.low) else ""
    p = _p(d)
    if d.p_adjusted >= c.alpha > d.p:  # the search for the best allows for several runs already
        p = f"p = {d.p:.4f} before correction"
    return f"({bounds}{p}; {word} on {better} of {d.topics} topics)"


def _uncertain(d: Difference) -> str:
    needed = ""
    if isfinite(d.topics_needed) and d.topics_needed > d.topics:
        needed = f"; about {d.topics_needed:,.0f} topics would be needed"
    return f"{d.difference:+.4f}, {_p(d)}{needed}"


def _p(d: Difference) -> str:
    return "p < 0.0001" if d.p_adjusted < 0.0001 else f"p = {d.p_adjusted:.4f}"


def _equivalent(c: Comparison, measure: str) -> list[str]:
    """Say which runs are equivalent within the margin."""
    found: dict[str, list[str]] = {}
    for one in c.select(measure=measure, test=c.tests[0]):
        if one.decision == "equivalent":
            found.setdefault(one.baseline, []).append(one.run)
    return [f"{_are(runs)} equivalent to {base} within {c.margin}." for base, runs in found.items()]


def _following(contest: Contest) -> str | None:
    """Return the run with the second-best mean."""
    others = [run for run in range(len(contest.runs)) if run != contest.leader]
    return contest.runs[min(others, key=lambda run: contest.gap[run])] if others else None


def _others(contest: Contest, best: str) -> list[str]:
    return [run for run in contest.runs if run != best]


def _agreement(c: Comparison, first: Answer, others: Sequence[Answer]) -> list[str]:
    """Say which other measures contradict the first, and which only point its way."""
    against: dict[str, list[str]] = {}
    agreeing, unsettled = [], []
    leader = _leader(c, first)
    for one in others:
        if one.best and one.best != (leader,):
            against.setdefault(one.best[0], []).append(one.measure)
        elif one.best:
            agreeing.append(one.measure)
        elif first.best and _leader(c, one) == leader:
            unsettled.append(one.measure)
    found = [
        f"{listed(measures)} {_say(measures)} otherwise: there {run} is best."
        for run, measures in against.items()
    ]
    if first.best and agreeing:
        found.append(f"{listed(agreeing)} {'agrees' if len(agreeing) == 1 else 'agree'}.")
    if unsettled:
        some = "agrees" if len(unsettled) == 1 else "agree"
        found.append(f"{listed(unsettled)} {some} in direction but {_do(unsettled)} not settle it.")
    return found


def _leader(c: Comparison, answer: Answer) -> str:
    contest = c.contests[answer.measure]
    return contest.runs[contest.leader]


def _say(names: Sequence[str]) -> str:
    return "says" if len(names) == 1 else "say"


def _do(names: Sequence[str]) -> str:
    return "does" if len(names) == 1 else "do"


def _hint(contest: Contest) -> list[str]:
    if contest.clusters is not None:
        few = contest.clusters < HINT
        return [f"With {contest.clusters} clusters this is a hint, not a proof."] if few else []
    if contest.topics >= HINT:
        return []
    return [f"With {contest.topics} topics this is a hint, not a proof."]


def _are(names: Sequence[str]) -> str:
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'}"


# Reading budgets --------------------------------------------------------------------------------


def _at_budget(c: Comparison, measure: str, unit: str) -> Answer:
    """Answer which system is best at a budget, among those that return as much."""
    budget, contest = at(measure), c.contests.get(measure)
    begin = f"At {budget:,g} {unit}: "
    far = [run for run, scores in zip(c.runs, c.scores, strict=True) if scores.far(measure)]
    if contest is None:
        if not far:
            begin += "no system returns as much in half of the topics, so nothing can be said."
            return Answer(measure, begin, (), (), c.runs, budget)
        value = _valued(c, measure, far[0])
        return Answer(
            measure,
            f"{begin}only {far[0]} returns as much in half of the topics, {value}.",
            *((), (), tuple(far)),
            budget,
        )
    best = contest.winner(c.confidence)
    out = tuple(run for run, better in zip(contest.runs, contest.behind, strict=True) if better)
    leader = contest.runs[contest.leader]
    begin += f"{leader}{' is best' if best is not None else ''}, {_valued(c, measure, leader)}"
    others = [run for run in contest.runs if run not in (leader, *out)]
    if best is not None:
        begin += f", {_ahead(contest)}"
    elif others:
        verb = "is" if len(others) == 1 else "are"
        begin += f"; {listed(others)} {verb} not distinguishable from it"
    else:
        begin += "; it leads, but not surely enough"
    if out and best is None:
        begin += f"; {_are(out)} clearly behind"
    left = len(c.runs) - len(far)
    if left:
        begin += f"; {left} of {len(c.runs)} systems do not return as much"
    most = max(c.mean(run, measure).topics for run in far)
    if contest.topics < most:
        begin += f" (compared on the {contest.topics} of {most} topics in which all return as much)"
    named = (leader,) if best is not None else ()
    return Answer(measure, f"{begin}.", named, out, () if named else (leader, *others), budget)


def _valued(c: Comparison, measure: str, run: str) -> str:
    """Return a mean with its interval, in as many digits as the interval justifies."""
    mean = c.mean(run, measure)
    value, low, high = fitting(mean.value, mean.low, mean.high)
    bounds = f" [{low}, {high}]" if isfinite(mean.low) else ""
    return f"{worded(base_of(measure))} {value}{bounds}"


def _ahead(contest: Contest) -> str:
    """Return by how much the leader is ahead of the next one."""
    second = _following(contest)
    place = contest.runs.index(second) if second is not None else contest.leader
    bounds = contest.gap[place], contest.gap_low[place], contest.gap_high[place]
    gap, low, high = fitting(*bounds)
    if bounds[1] > 0 and not float(low.replace(",", "")):  # rounding must not reach 0
        gap, low, high = (number(bound) for bound in bounds)
    return f"{gap} [{low}, {high}] ahead of {second}"
