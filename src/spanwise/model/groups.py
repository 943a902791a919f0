"""Groups of topics: means per group and run, the worst group, and whether groups differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

FEW = 10
"""Number of topics below which a group is too small to say anything."""

Groupings = Mapping[str, Callable[[str], str | None]]
"""Functions from the id of a topic to its group, by the name of the grouping."""


@dataclass(frozen=True, slots=True)
class GroupMean:
    """The mean of a run over the topics of a group, and its difference to the baseline."""

    grouping: str
    group: str
    run: str
    measure: str
    topics: int  # with a value
    value: float
    low: float  # the interval is undefined if the value is not a mean over topics
    high: float
    difference: float  # undefined for the baseline, and without one
    difference_low: float
    difference_high: float


@dataclass(frozen=True, slots=True)
class WorstGroup:
    """The group in which a run has its worst value."""

    run: str
    measure: str
    grouping: str
    group: str
    value: float


@dataclass(frozen=True, slots=True)
class GroupTest:
    """A permutation test of whether the groups of a run differ more than by chance."""

    run: str
    measure: str
    grouping: str
    p: float  # of the values; undefined for fewer than two groups
    p_difference: float  # of the differences to the baseline


@dataclass(frozen=True, slots=True)
class GroupedMeans:
    """Everything that a comparison says about groups of topics."""

    means: tuple[GroupMean, ...]  # grouping by grouping, measure by measure, group by group
    worst: tuple[WorstGroup, ...]
    tests: tuple[GroupTest, ...]

    @property
    def groupings(self) -> tuple[str, ...]:
        """The names of the groupings."""
        return tuple(dict.fromkeys(one.grouping for one in self.means))

    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """Return the lists that a comparison has as JSON."""
        return {
            "groups": [
                {
                    **_named(one, "grouping", "group", "run", "measure", "topics"),
                    **_defined(one, "value", "low", "high", "difference"),
                }
                for one in self.means
            ],
            "worst_groups": [
                _named(one, "run", "measure", "grouping", "group") for one in self.worst
            ],
            "group_tests": [
                {
                    **_named(one, "run", "measure", "grouping"),
                    **_defined(one, "p", "p_difference"),
                }
                for one in self.tests
            ],
        }


def _named(one: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(one, name) for name in names}


def _defined(one: Any, *names: str) -> dict[str, float | None]:
    """Return numbers as JSON has them: None where they are undefined."""
    values = {name: float(getattr(one, name)) for name in names}
    return {name: value if isfinite(value) else None for name, value in values.items()}
