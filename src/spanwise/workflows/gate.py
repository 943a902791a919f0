"""What `spanwise gate` does: hold results to a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from spanwise.console import say, watched
from spanwise.errors import FormatError, UsageError
from spanwise.formats.results import read_results
from spanwise.stats.gates import judged

if TYPE_CHECKING:
    from spanwise.model.comparison import Rule, Verdict
    from spanwise.model.scores import Scores
    from spanwise.stats.statements import Question


def verdicts(
    results: str, baseline: str, rules: Sequence[Rule], question: Question
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


def _read(file: str) -> tuple[Scores, ...]:
    if not Path(file).is_file():
        raise FormatError(file, None, "there is no such file", "a file made with eval -o")
    return read_results(file).scores


def _counterpart(scores: Scores, before: Sequence[Scores], file: str) -> Scores:
    """The baseline of a run: the one of its name, or the only one."""
    same = [one for one in before if one.run == scores.run]
    if same:
        return same[0]
    if len(before) == 1:
        return before[0]
    raise UsageError(f"{file} holds {len(before)} runs, none of them called {scores.run!r}")
