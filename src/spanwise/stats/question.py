"""Choices of a comparison: tests, correction, confidence, resampling."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from spanwise.errors import UnknownName, UsageError
from spanwise.stats.anova import Family, randomised_tukey, tukey
from spanwise.stats.intervals import CONFIDENCE, checked
from spanwise.stats.resampling import Draws
from spanwise.stats.tests import TESTS, corrected

FAMILIES: dict[str, Callable[..., Family]] = {"tukey": tukey, "randomised_tukey": randomised_tukey}
"""Tests of all pairs at once, whose p-values allow for the number of runs."""

T = TypeVar("T")
Watching = Callable[[Iterable[Any], int], Iterable[Any]]
"""A function that passes items on one by one and may report progress."""


def unwatched(things: Iterable[T], count: int) -> Iterable[T]:  # noqa: ARG001
    """Return the items unchanged, without reporting progress."""
    return things


@dataclass(frozen=True, slots=True)
class Question:
    """The choices of a comparison of runs."""

    tests: tuple[str, ...] = ("randomisation",)
    correction: str = "holm"
    confidence: float = CONFIDENCE
    draws: Draws = field(default_factory=Draws)
    all_pairs: bool = False
    watching: Watching = unwatched  # sees how far it has come
    lowest: frozenset[str] = frozenset()  # the measures of which less is better

    def __post_init__(self) -> None:
        for test in self.tests:
            if test not in (*TESTS, *FAMILIES):
                raise UnknownName("test", test, [*TESTS, *FAMILIES])
        corrected([], self.correction)
        checked(self.confidence)
        if not self.tests:
            raise UsageError("no test was named; expected at least one")
