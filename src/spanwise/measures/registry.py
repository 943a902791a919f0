"""The registry of measures; the package has no second list of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from spanwise.model.measure import Aggregate, Function, Law, Measure, Properties, Reads

PLAIN = Properties()
MEASURES: dict[str, Measure] = {}
"""Every measure by its own name, in the order of the family modules."""


def measure(
    name: str,
    *laws: Law,
    reference: str,
    bounds: tuple[float, float] = (0.0, 1.0),
    aliases: tuple[str, ...] = (),
    aggregate: Aggregate = "mean",
    reads: Reads = "rankings",
    of: Function | None = None,
    expected: Function | None = None,
    parts: tuple[Function, Function] | None = None,
    scores: bool = False,
    less_is_better: bool = False,
    grades: bool = False,
    properties: Properties = PLAIN,
) -> Callable[[Any], Any]:
    """Register the decorated function as a measure, and return it unchanged."""

    def enter(function: Any) -> Any:
        if name in MEASURES:
            raise ValueError(f"two measures are called {name!r}")
        MEASURES[name] = Measure(
            name=name,
            function=function,
            family=function.__module__.rpartition(".")[2],
            reference=reference,
            laws=frozenset(laws),
            bounds=bounds,
            aliases=aliases,
            aggregate=aggregate,
            reads=reads,
            of=of,
            expected=expected,
            parts=parts,
            scores=scores,
            less_is_better=less_is_better,
            grades=grades,
            properties=properties,
        )
        return function

    return enter


# Properties shared by several measures ------------------------------------------------------------

BY_GAIN = Properties(
    recall="yes",
    precision="yes",
    near_misses="yes",
    overlap="neutral",
    ideality="yes",
    graded_ideality="yes",
    user_model="no",
    thorough="yes",
    focused="yes",
    relevant_in_context="indirect",
    best_in_context="indirect",
)
"""Effort-precision and gain-recall; HiXEval and the measures derived from it, whose ideal units are
the highlighted passages."""
BY_RANK = replace(BY_GAIN, precision="no")
"""Cumulated gain at a rank."""
BY_CHANCE = replace(
    BY_GAIN,
    near_misses="indirect",
    overlap="rewarded",
    ideality="no",
    graded_ideality="-",
    focused="unclear",
)
"""inex_eval: near misses count only if the quantisation gives them a value."""
BY_SIZE = replace(BY_CHANCE, overlap="penalised")
"""inex_eval_ng."""
BY_DOCUMENT = replace(
    BY_GAIN,
    thorough="no",
    focused="no",
    relevant_in_context="yes",
    best_in_context="yes",
)
"""The measures of the tasks in context."""
BY_READER = replace(BY_GAIN, user_model="yes", relevant_in_context="yes", best_in_context="yes")
"""GR and EPRUM."""
BY_READER_BINARY = replace(BY_READER, graded_ideality="no")
"""PRUM."""
BY_TOLERANCE = replace(
    BY_READER_BINARY,
    thorough="unclear",
    relevant_in_context="indirect",
    best_in_context="indirect",
)
"""Tolerance to irrelevance."""
BY_ENTRY_POINT = replace(
    BY_READER_BINARY, precision="no", thorough="no", focused="no", relevant_in_context="no"
)
"""The distance to the best entry point."""
