"""TEMPORARY module docstring to replace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FloatArray
    from spanwise.model.scores import Scores


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The values of one measure: a row per topic, a column per run."""

    measure: str
    topics: tuple[str, ...]
    values: FloatArray  # not-a-number: the run has no such topic, or the measure is undefined

    def differences(self, run: int, baseline: int) -> FloatArray:
        """Return the differences on the topics for which both runs have a value."""
        both = self.values[:, run] - self.values[:, baseline]
        return both[~np.isnan(both)]

    def complete(self) -> FloatArray:
        """Return the rows of the topics for which every run has a value."""
        return self.values[~np.isnan(self.values).any(axis=1)]


def grid(results: Sequence[Scores], measure: str) -> Grid:
    """Align the runs by topic.

    Topics are sorted in byte order of their ids and include those of any run.
    """
    every = {topic for scores in results for topic in scores.topics}
    topics = tuple(sorted(every, key=lambda topic: topic.encode("utf-8", "surrogateescape")))
    rows = {topic: row for row, topic in enumerate(topics)}
    values = np.full((len(topics), len(results)), np.nan)
    for column, scores in enumerate(results):
        if measure in scores.values:
            mine = [rows[topic] for topic in scores.topics]
            values[mine, column] = scores.values[measure]
    return Grid(measure, topics, values)


def alike(columns: Sequence[FloatArray]) -> list[tuple[list[int], FloatArray]]:
    """Group columns of equal length so that they can be resampled together.

    Each group has the numbers of its columns and the columns as an array.
    """
    lengths: dict[int, list[int]] = {}
    for number, column in enumerate(columns):
        lengths.setdefault(len(column), []).append(number)
    return [(some, np.column_stack([columns[i] for i in some])) for some in lengths.values()]


def wins_ties_losses(differences: FloatArray) -> tuple[int, int, int]:
    """Count the topics on which a run is better, equal and worse.

    >>> wins_ties_losses(np.array([0.1, 0.0, -0.2, 0.3]))
    (2, 1, 1)
    """
    better: BoolArray = differences > 0
    worse: BoolArray = differences < 0
    wins, losses = int(better.sum()), int(worse.sum())
    return wins, len(differences) - wins - losses, losses
