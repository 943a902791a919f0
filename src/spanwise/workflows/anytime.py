"""Gates that look again and again: verdicts that hold at every look.

The topics are taken in a random order, and bets are placed on the drop of each
(`stats/betting.py`). A run fails as soon as it is surely worse by more than is allowed, and passes
as soon as it surely is not; the other topics need not be run. What was seen is kept in a file of
JSON lines, one for each look at a run and a measure, to which lines are only added.

A sequence of looks at a run and a measure goes on with topics not yet seen, also if the run has
changed meanwhile: a run that is never worse than allowed fails with probability alpha at most,
however often it changes. After a decision, or when all topics have been seen, a changed run begins
a new sequence. Sequence r has the share 1 / (r(r + 1)) of alpha, so that all together have alpha.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spanwise.console import say, write_atomically
from spanwise.errors import FormatError, InputError, UnknownName, UsageError
from spanwise.measures.names import parse
from spanwise.model.comparison import Rule, Verdict
from spanwise.stats.betting import anytime_p, confidence_sequence, crossings

if TYPE_CHECKING:
    from spanwise.model.scores import Scores

OPEN, PASSED, FAILED = "open", "pass", "fail"
DECISIONS = (OPEN, PASSED, FAILED)


@dataclass(frozen=True, slots=True)
class Look:
    """A line of a state: the topics that one look at a run and a measure added."""

    run: str
    measure: str
    sequence: int  # from 1
    look: int  # from 1, within the sequence
    alpha: float  # of all sequences together
    max_drop: float
    seed: int
    run_hash: str  # of the values by topic at this look
    baseline_hash: str
    topics: tuple[str, ...]  # in the order in which they were seen
    drops: tuple[float, ...]  # positive if the run is worse
    low: float  # interval of the drop after this look
    high: float
    decision: str


def share_of_alpha(alpha: float, sequence: int) -> float:
    """Return the share of alpha of a sequence; the shares of all sequences add up to alpha."""
    return alpha / (sequence * (sequence + 1))


def in_random_order(topics: Sequence[str], seed: int = 0) -> list[str]:
    """Return topics in a random order that does not depend on which others there are."""

    def place(topic: str) -> bytes:
        return sha256(f"{seed}:{topic}".encode("utf-8", "surrogateescape")).digest()

    return sorted(topics, key=place)


def looked(
    state: Path, pairs: Sequence[tuple[Scores, Scores]], rules: Sequence[Rule], seed: int
) -> list[Verdict]:
    """Return a verdict for each run with its baseline and each rule; add the looks to a state."""
    before = read_state(state)
    added: list[Look] = []
    found = []
    for run, baseline in pairs:
        for rule in rules:
            mine = [one for one in before if (one.run, one.measure) == (run.run, rule.measure)]
            verdict, look = _looked_once(state, mine, run, baseline, rule, seed)
            found.append(verdict)
            added += [] if look is None else [look]
    if added:
        write_atomically(state, b"".join(map(_line, [*before, *added])))
    return found


# One look ---------------------------------------------------------------------------------------


def _looked_once(
    state: Path, before: Sequence[Look], run: Scores, baseline: Scores, rule: Rule, seed: int
) -> tuple[Verdict, Look | None]:
    """Return a verdict, and the look that led to it unless it has no new topic."""
    if rule.floor is not None:
        raise UsageError("a floor has no effect on a gate that looks at any time; expected none")
    width = _width(rule)
    drops = _drops(run, baseline, rule, width)
    every = [topic for topic, value in _values(baseline, rule.measure).items() if isfinite(value)]
    _refuse_other_choices(state, before, rule, seed)
    number = before[-1].sequence if before else 1
    mine = [one for one in before if one.sequence == number]
    if mine and _changed(mine, drops):
        seen = {topic for one in mine for topic in one.topics}
        whole = set(baseline.topics) <= set(run.topics)
        if mine[-1].decision != OPEN or (whole and seen >= set(drops)):
            number, mine = number + 1, []
    seen = {topic for one in mine for topic in one.topics}
    new = [topic for topic in in_random_order(list(drops), seed) if topic not in seen]
    if mine and mine[-1].decision != OPEN:
        new = []
    old = [value for one in mine for value in one.drops]
    values = np.array([*old, *(drops[topic] for topic in new)])
    alpha = share_of_alpha(rule.alpha, number)
    limit, scaled = (rule.max_drop + width) / (2 * width), (values + width) / (2 * width)
    worse, better = crossings(scaled, limit, alpha) if len(scaled) else (None, None)
    decided = min((one for one in (worse, better) if one is not None), default=None)
    kept = len(values) if decided is None else max(decided, len(old))
    decision = OPEN if decided is None else FAILED if decided == worse else PASSED
    _, low, high = (2 * width * one - width for one in confidence_sequence(scaled[:kept], alpha))
    drop = float(values[:kept].mean()) if kept else float("nan")
    verdict = Verdict(
        run.run,
        rule,
        float(run.means[rule.measure]),
        float(baseline.means[rule.measure]),
        drop,
        low,
        high,
        anytime_p(scaled[:kept], limit, alpha),
        kept,
        (_reason(rule, drop, low, kept),) if decision == FAILED else (),
        decision=decision,
        of=max(len(every), kept),
    )
    chosen = new[: kept - len(old)]
    if not chosen:
        return verdict, None
    return verdict, Look(
        run.run,
        rule.measure,
        number,
        len(mine) + 1,
        rule.alpha,
        rule.max_drop,
        seed,
        _hash(run, rule.measure),
        _hash(baseline, rule.measure),
        tuple(chosen),
        tuple(drops[topic] for topic in chosen),
        low,
        high,
        decision,
    )


def _reason(rule: Rule, drop: float, low: float, topics: int) -> str:
    return (
        f"worse by {drop:.4f}, at least {low:.4f}, after {topics} topics;"
        f" the maximum is {rule.max_drop:g}"
    )


def _width(rule: Rule) -> float:
    """Return the largest possible difference of two values of a measure."""
    measure = parse(rule.measure).measure
    low, high = measure.bounds
    if measure.aggregate != "mean" or not isfinite(high - low):
        raise UsageError(
            f"{rule.measure} is not a mean of values between fixed bounds, which a gate that looks"
            " at any time needs; expected a measure such as nDCG@10"
        )
    if not 0 <= rule.max_drop < high - low:
        raise UsageError(
            f"the allowed drop is {rule.max_drop:g}; {rule.measure} cannot drop by more than"
            f" {high - low:g}, so expected less than that"
        )
    return high - low


def _values(scores: Scores, measure: str) -> dict[str, float]:
    if measure not in scores.values:
        raise UnknownName(f"measure of {scores.source}", measure, list(scores.values))
    return dict(zip(scores.topics, scores.values[measure].tolist(), strict=True))


def _comparable(scores: Scores, measure: str) -> dict[str, float]:
    """Return the values of a measure, undefined where its budget is not reached."""
    values, reached = _values(scores, measure), scores.reached(measure)
    if reached is None:
        return values
    pairs = zip(values.items(), reached.tolist(), strict=True)
    return {topic: value if far else float("nan") for (topic, value), far in pairs}


def _drops(run: Scores, baseline: Scores, rule: Rule, width: float) -> dict[str, float]:
    """Return by how much the run is worse, for each topic of both in which budgets are reached."""
    new, old = _comparable(run, rule.measure), _comparable(baseline, rule.measure)
    sign = 1 if rule.less_is_better else -1
    drops = {topic: sign * (new[topic] - old[topic]) for topic in old if topic in new}
    found = {topic: drop + 0.0 for topic, drop in drops.items() if isfinite(drop)}
    if not found:
        raise InputError(
            f"{run.source} and {baseline.source} have no topic in common; expected one"
        )
    for topic, drop in found.items():
        if abs(drop) > width * (1 + 1e-9):
            raise InputError(
                f"{run.source}: topic {topic!r} differs by {abs(drop):g} in {rule.measure};"
                f" expected {width:g} at most, the range of the measure"
            )
    return found


def _changed(before: Sequence[Look], drops: dict[str, float]) -> bool:
    """Tell whether a topic that was seen has another value now."""
    return any(
        drops.get(topic, drop) != drop
        for one in before
        for topic, drop in zip(one.topics, one.drops, strict=True)
    )


def _refuse_other_choices(state: Path, before: Sequence[Look], rule: Rule, seed: int) -> None:
    """Refuse choices that differ from those of earlier looks, which would undo the guarantee."""
    for one in before[:1]:
        for what, was, now in (
            ("alpha", one.alpha, rule.alpha),
            ("max-drop", one.max_drop, rule.max_drop),
            ("seed", one.seed, seed),
        ):
            if was != now:
                raise UsageError(
                    f"{state}: found {what} {was:g} of earlier looks at {one.run} in"
                    f" {one.measure}, and {now:g} now; expected the same, or another state"
                )


def _hash(scores: Scores, measure: str) -> str:
    """Return a hash of the values of a measure by topic."""
    lines = (f"{topic}\t{value!r}\n" for topic, value in sorted(_values(scores, measure).items()))
    return sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


# The state --------------------------------------------------------------------------------------


def read_state(file: Path) -> list[Look]:
    """Read the looks of a state, which need not exist yet.

    The last line is ignored, with a warning, if writing it was interrupted.
    """
    if not file.exists():
        return []
    if not file.is_file():
        raise FormatError(str(file), None, "not a file", "a state of gate --anytime")
    *lines, rest = file.read_bytes().split(b"\n")
    if rest:
        if _read_line(rest) is None:
            say("warning", f"{file}: the last line is incomplete; this look is taken again")
        else:
            lines.append(rest)
    found = []
    for number, line in enumerate(lines, start=1):
        look = _read_line(line)
        if look is None:
            text = line[:60].decode("utf-8", "replace")
            raise FormatError(str(file), number, f"found {text!r}", "a look of gate --anytime")
        found.append(look)
    return found


def _read_line(line: bytes) -> Look | None:
    """Return the look in a line, or None if it is none."""
    try:
        made = json.loads(line)
        look = Look(**{**made, "topics": tuple(made["topics"]), "drops": tuple(made["drops"])})
        numbers = [look.alpha, look.max_drop, look.low, look.high, *look.drops]
        sound = (
            len(look.topics) == len(look.drops)
            and all(isinstance(one, int | float) and isfinite(one) for one in numbers)
            and all(isinstance(one, str) for one in (look.run, look.measure, *look.topics))
            and isinstance(look.sequence, int)
            and look.decision in DECISIONS
        )
    except (ValueError, TypeError, KeyError):
        return None
    return look if sound else None


def _line(look: Look) -> bytes:
    made = {one.name: asdict(look)[one.name] for one in fields(look)}
    return json.dumps(made).encode() + b"\n"
