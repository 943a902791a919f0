"""What `spanwise gate` does: hold results to a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from spanwise.compare.gate import judged
from spanwise.errors import FormatError, UsageError
from spanwise.formats.results import read_results

if TYPE_CHECKING:
    from spanwise.compare.statements import Question
    from spanwise.model.gate import Rule, Verdict
    from spanwise.model.scores import Scores


def verdicts(
    results: str, baseline: str, rules: Sequence[Rule], question: Question
) -> list[Verdict]:
    """Every run of the results against its baseline, rule by rule."""
    before = _read(baseline)
    return [
        judged(scores, _counterpart(scores, before, baseline), rule, question)
        for scores in _read(results)
        for rule in rules
    ]


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
