"""Margins: differences too small to matter, and what an interval decides about a difference.

A margin is stated before the results are seen. A difference is equivalent if its whole interval
lies inside the margin. Otherwise it is better or worse if its interval excludes 0, and not known if
it does not. To lie inside with a 95 % interval is to pass two one-sided tests at 2.5 % each.

Reference: Schuirmann: A comparison of the two one-sided tests procedure and the power approach for
assessing the equivalence of average bioavailability. Journal of Pharmacokinetics and
Biopharmaceutics 15, 1987.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite, nan
from typing import TYPE_CHECKING

from spanwise.errors import UsageError
from spanwise.stats.resampling import SAME

if TYPE_CHECKING:
    from spanwise.model.comparison import Difference, Mean

BETTER, WORSE, EQUIVALENT, NOT_KNOWN = "better", "worse", "equivalent", "not known"


@dataclass(frozen=True, slots=True)
class Margin:
    """A margin: absolute, or relative to the mean of the baseline."""

    size: float
    relative: bool = False

    def __post_init__(self) -> None:
        if not (isfinite(self.size) and self.size > 0):
            raise UsageError(f"the margin is {self}; expected a number above 0, such as 0.01 or 1%")

    def around(self, mean: float) -> float:
        """Return the absolute margin beside a baseline with this mean."""
        return self.size * abs(mean) if self.relative else self.size

    def __str__(self) -> str:
        return f"{100 * self.size:g}%" if self.relative else f"{self.size:g}"


def margin_of(given: Margin | float | str | None) -> Margin | None:
    """Return a margin from a number, or from text such as `0.01` or `1%`.

    >>> margin_of("1%"), margin_of(0.01)
    (Margin(size=0.01, relative=True), Margin(size=0.01, relative=False))
    """
    if given is None or isinstance(given, Margin):
        return given
    text = str(given).strip()
    relative = text.endswith("%")
    try:
        size = float(text.removesuffix("%"))
    except ValueError:
        raise UsageError(f"margin {text!r}; expected a number, such as 0.01 or 1%") from None
    return Margin(size / 100 if relative else size, relative)


def decision(low: float, high: float, margin: float, *, less_is_better: bool = False) -> str:
    """Return what the interval of a difference decides, given the absolute margin.

    >>> decision(-0.004, 0.006, 0.01), decision(-0.004, 0.02, 0.01), decision(0.004, 0.02, 0.01)
    ('equivalent', 'not known', 'better')
    """
    if not (isfinite(low) and isfinite(high) and isfinite(margin)):
        return NOT_KNOWN
    if -margin - SAME <= low and high <= margin + SAME:
        return EQUIVALENT
    if less_is_better:
        low, high = -high, -low
    return BETTER if low > 0 else WORSE if high < 0 else NOT_KNOWN


def decided(
    differences: Sequence[Difference],
    means: Sequence[Mean],
    margin: Margin,
    lowest: frozenset[str] = frozenset(),
    unreached: frozenset[str] = frozenset(),
) -> Iterator[Difference]:
    """Yield the differences with their margins and decisions.

    A relative margin is a share of the mean of each baseline. Measures at a budget that no run
    reaches are not decided.
    """
    values = {(one.run, one.measure): one.value for one in means}
    for one in differences:
        absolute = margin.around(values[one.baseline, one.measure])
        high = nan if one.measure in unreached else one.high
        found = decision(one.low, high, absolute, less_is_better=one.measure in lowest)
        yield replace(one, margin=absolute, decision=found)
