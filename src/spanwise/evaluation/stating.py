"""From scores to a comparison: which measures want low values, which run is the baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os.path import realpath
from pathlib import PurePath
from typing import TYPE_CHECKING

from spanwise.errors import UnknownName, UsageError
from spanwise.measures.names import parse
from spanwise.model.scores import run_names
from spanwise.stats.statements import Question, compared

if TYPE_CHECKING:
    from spanwise.model.comparison import Comparison
    from spanwise.model.scores import Scores


def stated(
    results: Sequence[Scores], baseline: str | None = None, question: Question | None = None
) -> Comparison:
    """A comparison of runs that have been scored; of some measures less is better."""
    if not results:
        raise UsageError("no run was given; expected at least one")
    question = question or Question()
    lowest = frozenset(name for name in results[0].means if less_is_better(name))
    return compared(results, place_of(baseline, results), replace(question, lowest=lowest))


def less_is_better(name: str) -> bool:
    """Whether a low value of a measure is a good one; an unknown measure has a high one."""
    try:
        return parse(name).measure.less_is_better
    except UsageError:
        return False


def place_of(baseline: str | None, results: Sequence[Scores]) -> int:
    """Which of the runs is the baseline: by its name, its file, or its file's name."""
    if baseline is None:
        return 0
    names = run_names(results)
    files = [scores.source for scores in results]
    ways = (
        (baseline, names),
        (baseline, [scores.run for scores in results]),
        (baseline, files),
        (baseline, [PurePath(file).name for file in files]),
        (realpath(baseline), [realpath(file) for file in files]),
    )
    for wanted, known in ways:
        if known.count(wanted) == 1:
            return known.index(wanted)
    if any(wanted in known for wanted, known in ways):
        raise UsageError(f"several runs are called {baseline!r}; name the file of one of them")
    raise UnknownName("baseline", baseline, names)
