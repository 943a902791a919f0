"""Sentences about what makes a comparison of chunks unfair: reading, duplicates, chunk size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from spanwise.model.comparison import Caution, share
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
    quoted: bool = False  # the judgements are evidence: text beside it was not to be judged


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
        yield Caution(
            f"{share(one.waste)} of the text that {one.run} returns is duplicate.",
            one.run,
            "{amount} of the text that {runs} return is duplicate.",
            one.waste,
        )
    lost = one.placements.get("lost", 0)
    partial = one.placements.get("partial", 0)
    if partial:
        yield Caution(
            f"{partial} of {one.results} chunks of {one.run} {'is' if partial == 1 else 'are'} only"
            " partly in the documents: the rest of their text is read and holds nothing.",
            one.run,
            "{amount} of the chunks of {runs} are only partly in the documents: the rest of their"
            " text is read and holds nothing.",
            partial / one.results,
        )
    if nothing := nothing_placed(one.run, one.results, one.placements):
        yield Caution(
            f"{nothing}.",
            one.run,
            "{runs}: found none of their chunks in the documents; expected texts from these"
            f" documents, others hold no evidence; {UNPLACED}.",
        )
    elif one.invalid:
        placed = one.invalid - lost
        yield Caution(
            f"{share(one.invalid / one.results)} of the chunks of {one.run} had no valid offset;"
            f" {share(placed / one.results)} were re-placed by their text"
            + (f", {lost} {'is' if lost == 1 else 'are'} unplaced." if lost else "."),
            one.run,
            "{amount} of the chunks of {runs} had no valid offset, and were re-placed by their text"
            " where possible.",
            one.invalid / one.results,
        )
    elif lost:
        yield Caution(
            f"{lost} of {one.results} chunks of {one.run} {'is' if lost == 1 else 'are'} unplaced:"
            " the documents do not contain the text.",
            one.run,
            "{amount} of the chunks of {runs} are unplaced: the documents do not contain the text.",
            lost / one.results,
        )
    if one.missing:
        yield Caution(
            f"{one.missing} of {one.results} results of {one.run} name documents that the"
            " collection does not have: check whether it belongs to this run, and whether both name"
            " documents in the same way.",
            one.run,
            "{amount} of the results of {runs} name documents that the collection does not have:"
            " check whether it belongs to these runs, and whether both name documents in the same"
            " way.",
            one.missing / one.results,
        )
    if one.judged < 1 - OFTEN and not one.quoted:
        yield Caution(
            f"Only {share(one.judged)} of the text that {one.run} reads was judged; unjudged text"
            " counts as not relevant.",
            one.run,
            "Only {amount} of the text that {runs} read was judged; unjudged text counts as not"
            " relevant.",
            one.judged,
        )
    if one.blank > SOME:
        yield Caution(
            f"{share(one.blank)} of the relevant text that {one.run} does not read is white space;"
            " recall counts it, complete evidence does not.",
            one.run,
            "{amount} of the relevant text that {runs} do not read is white space; recall counts"
            " it, complete evidence does not.",
            one.blank,
        )


def _unequal_reading(facts: Sequence[Facts], k: int) -> Iterator[str]:
    """Report runs that read much more than the run that reads least."""
    reading = [one for one in facts if one.read > 0]
    if len(reading) < 2:
        return
    reading.sort(key=lambda one: one.read)
    least = reading[0]
    for one in facts:
        if one.read >= MORE * least.read:
            yield Caution(
                f"{one.run} reads {one.read / least.read:.1f} times more than {least.run} at k={k}"
                f" ({one.read:,.0f} against {least.read:,.0f} characters): compare at a budget.",
                one.run,
                f"{{runs}} read more than {least.run} at k={k}, up to"
                f" {reading[-1].read / least.read:.1f} times as much: compare at a budget.",
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
            one = len(names) == 1
            depending = f"{' and '.join(names)} depend{'s' if one else ''} on chunk size and"
            yield Caution(
                f"{depending} point{'s' if one else ''} the other way: better for {worse.run}, but"
                f" within {budget:,.0f} {unit} {better.run} finds {better.recall[budget]:.3f} of"
                f" the relevant text and {worse.run} {worse.recall[budget]:.3f}.",
                worse.run,
                "Measures that depend on chunk size (hit rate, nDCG) point the other way: better"
                " for {runs}, which find less of the relevant text than others within a budget.",
            )
            return


def _or_least(value: float) -> float:
    return value if value == value else -1.0
