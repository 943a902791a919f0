"""The table of measures. Nothing else in the package lists them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spanwise.model.measures import Aggregate, Function, Law, Measure, Properties, Reads

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
    """Enter the decorated function in the table; hand it back unchanged."""

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
