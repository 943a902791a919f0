"""What `spanwise gate` does: hold results to a baseline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from spanwise.console import say, watched
from spanwise.errors import FormatError, UsageError
from spanwise.evaluation.gather import less_is_better
from spanwise.evaluation.request import names_of
from spanwise.formats.results import read_results
from spanwise.model.comparison import Rule, Verdict
from spanwise.model.scores import Scores
from spanwise.report.comparison import as_md
from spanwise.stats.gates import judged
from spanwise.stats.question import Question
from spanwise.stats.resampling import Draws


@dataclass(frozen=True, slots=True)
class Gate:
    """The verdicts of a gate: every run under every rule."""

    verdicts: tuple[Verdict, ...]

    @property
    def passed(self) -> bool:
        """Tell whether no run got worse by more than is allowed."""
        return all(one.passed for one in self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        """Return the verdicts as plain data."""
        return {"passed": self.passed, "verdicts": [asdict(one) for one in self.verdicts]}

    def __str__(self) -> str:
        return as_md(self.verdicts)

    def __repr__(self) -> str:
        failed = sum(not one.passed for one in self.verdicts)
        return f"<Gate: {len(self.verdicts)} verdicts, {failed} failed>"


def gate(
    results: Any,
    baseline: Any,
    measures: Iterable[object] | str,
    *,
    floor: float | None = None,
    max_drop: float = 0.0,
    alpha: float = 0.05,
    test: str = "randomisation",
    seed: int = 0,
) -> Gate:
    """Hold results to a baseline: a run fails if it got worse by more than is allowed.

    `results` and `baseline` are files of results, or scores. A drop counts if it is larger than
    `max_drop` and a paired test over topics gives p below `alpha`; a mean below `floor` fails too.

    >>> import spanwise
    >>> scores = spanwise.evaluate({"q1": {"a": 1}}, {"q1": {"a": 1.0}}, "AP")
    >>> gate(scores, scores, "AP").passed
    True
    """
    rules = [
        Rule(name, floor, max_drop, alpha, less_is_better(name)) for name in names_of(measures)
    ]
    question = Question((test,), draws=Draws(seed))
    return Gate(tuple(verdicts(results, baseline, rules, question)))


def verdicts(
    results: Any, baseline: Any, rules: Sequence[Rule], question: Question
) -> list[Verdict]:
    """Every run of the results against its baseline, rule by rule."""
    before, found = _read(baseline), []
    now = _read(results)
    for scores in watched(now, len(now), "judging"):
        old = _counterpart(scores, before, baseline)
        _warn_of_other_topics(scores, old)
        found += [judged(scores, old, rule, question) for rule in rules]
    return found


def _warn_of_other_topics(new: Scores, old: Scores) -> None:
    """A drop is over the topics that both have: what only one has is not held to anything."""
    lacking, added = (len(set(a.topics) - set(b.topics)) for a, b in ((old, new), (new, old)))
    if lacking or added:
        shared = len(old.topics) - lacking
        say(
            "warning",
            f"{new.run}: {lacking} topics of the baseline are missing and {added} are new;"
            f" the drop is over the {shared} that both have",
        )


def _read(file: Any) -> tuple[Scores, ...]:
    if isinstance(file, Scores):
        return (file,)
    if not isinstance(file, str | PathLike):
        return tuple(file.values()) if isinstance(file, Mapping) else tuple(file)
    file = fspath(file)
    if not Path(file).is_file():
        raise FormatError(file, None, "there is no such file", "a file made with eval -o")
    return read_results(file).scores


def _counterpart(scores: Scores, before: Sequence[Scores], file: Any) -> Scores:
    """The baseline of a run: the one of its name, or the only one."""
    same = [one for one in before if one.run == scores.run]
    if same:
        return same[0]
    if len(before) == 1:
        return before[0]
    name = file if isinstance(file, str) else "the baseline"
    raise UsageError(f"{name} holds {len(before)} runs, none of them called {scores.run!r}")
