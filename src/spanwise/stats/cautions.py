"""Sentences about what makes a comparison of chunks unfair: reading, duplicates, chunk size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from spanwise.model.notes import UNPLACED

MORE = 1.25
"""Ratio of read text from which two runs are reported as unequal."""
OFTEN = 0.05
"""Share from which duplicate text is reported, and unjudged text likewise."""
SOME = 0.01
"""Share of white space in unread relevant text above which it is reported."""
CLEAR = 0.005
"""Minimum difference of two values that is reported as a contradiction."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts about one run of chunks that decide whether a comparison is fair."""

    run: str
    read: float  # characters after k results, mean over topics
    waste: float  # share of duplicate text among all returned text
    placements: Mapping[str, int] = field(default_factory=dict)
    invalid: int = 0  # chunks without a place or with another text there
    missing: int = 0  # results that name unknown documents
    results: int = 0
    judged: float = 1.0  # judged share of the text that is read
    touching: Mapping[str, float] = field(
        default_factory=dict
    )  # measures that depend on chunk size
    recall: Mapping[float, float] = field(default_factory=dict)  # at each budget
    blank: float = 0.0  # share of white space in the relevant text that is not read


def sentences(facts: Sequence[Facts], k: int, unit: str) -> list[str]:
    """Describe everything that makes a comparison of chunks unfair.

    Sentences about single runs come first, then those about pairs.
    """
    found: list[str] = []
    for one in facts:
        found += _of_run(one)
    found += _unequal_reading(facts, k)
    for one in facts:
        found += _reversals(one, facts, unit)
    return found


def nothing_placed(run: str, results: int, placements: Mapping[str, int]) -> str:
    """Return a warning if no result of a run could be placed; else an empty text."""
    if not results or placements.get("lost", 0) < results:
        return ""
    return (
        f"{run}: found none of the {results} chunks in the documents; expected texts from these"
        f" documents, others hold no evidence; {UNPLACED}"
    )


def not_found(quotes: int, lost: int) -> str:
    """Return a warning if quotes of the judgements are in no document; else an empty text."""
    if not lost:
        return ""
    found = f"only {quotes - lost:,}" if lost < quotes else "none"
    return (
        f"judgements: found {found} of the {quotes:,} quotes in the documents; expected all,"
        f" because a topic of which no quote is found is left out; {UNPLACED}"
    )


def _of_run(one: Facts) -> Iterator[str]:
    if one.waste >= OFTEN:
        yield f"{_share(one.waste)} of the text that {one.run} returns is duplicate."
    lost = one.placements.get("lost", 0)
    partial = one.placements.get("partial", 0)
    if partial:
        yield (
            f"{partial} of {one.results} chunks of {one.run} {'is' if partial == 1 else 'are'} only"
            " partly in the documents: the rest of their text is read and holds nothing."
        )
    if nothing := nothing_placed(one.run, one.results, one.placements):
        yield f"{nothing}."
    elif one.invalid:
        placed = one.invalid - lost
        yield (
            f"{_share(one.invalid / one.results)} of the chunks of {one.run} had no valid offset;"
            f" {_share(placed / one.results)} were re-placed by their text"
            + (f", {lost} {'is' if lost == 1 else 'are'} unplaced." if lost else ".")
        )
    elif lost:
        yield (
            f"{lost} of {one.results} chunks of {one.run} {'is' if lost == 1 else 'are'} unplaced:"
            " the documents do not contain the text."
        )
    if one.missing:
        yield (
            f"{one.missing} of {one.results} results of {one.run} name documents that the"
            " collection does not have: check whether it belongs to this run, and whether both name"
            " documents in the same way."
        )
    if one.judged < 1 - OFTEN:
        yield (
            f"Only {_share(one.judged)} of the text that {one.run} reads was judged; unjudged text"
            " counts as not relevant."
        )
    if one.blank > SOME:
        yield (
            f"{_share(one.blank)} of the relevant text that {one.run} does not read is white space;"
            " recall counts it, complete evidence does not."
        )


def _unequal_reading(facts: Sequence[Facts], k: int) -> Iterator[str]:
    """Report runs that read much more than the run that reads least."""
    reading = [one for one in facts if one.read > 0]
    if len(reading) < 2:
        return
    least = min(reading, key=lambda one: one.read)
    for one in reading:
        if one.read >= MORE * least.read:
            yield (
                f"{one.run} reads {one.read / least.read:.1f} times more than {least.run} at k={k}"
                f" ({one.read:,.0f} against {least.read:,.0f} characters): compare at a budget."
            )


def _reversals(worse: Facts, facts: Sequence[Facts], unit: str) -> Iterator[str]:
    """Report measures that depend on chunk size and contradict recall at a budget.

    The largest budget with a contradiction is reported.
    """
    for budget in sorted(worse.recall, reverse=True):
        better = max(facts, key=lambda one: _or_least(one.recall[budget]))
        if not better.recall[budget] - worse.recall[budget] >= CLEAR:
            continue
        names = [
            name
            for name in better.touching
            if worse.touching.get(name, 0) - better.touching[name] >= CLEAR
        ]
        if names:
            yield (
                f"{' and '.join(names)} depend{'s' if len(names) == 1 else ''} on chunk size and"
                f" point{'s' if len(names) == 1 else ''} the other way: better for {worse.run}, but"
                f" within {budget:,.0f} {unit} {better.run} finds {better.recall[budget]:.3f} of"
                f" the relevant text and {worse.run} {worse.recall[budget]:.3f}."
            )
            return


def _or_least(value: float) -> float:
    return value if value == value else -1.0


def _share(value: float) -> str:
    """Format a share in percent, with a decimal if it is not whole.

    >>> _share(0.41), _share(0.379)
    ('41 %', '37.9 %')
    """
    percent = round(100 * value, 1)
    return f"{percent:.0f} %" if percent.is_integer() else f"{percent:.1f} %"
