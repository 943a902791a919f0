"""A gate for continuous integration: what is still good enough, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from spanwise.errors import UsageError


@dataclass(frozen=True, slots=True)
class Rule:
    """What is still good enough in one measure."""

    measure: str
    floor: float | None = None  # a mean below it fails
    max_drop: float = 0.0  # how much worse than the baseline is allowed
    alpha: float = 0.05  # a drop counts if p is below
    less_is_better: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise UsageError(f"alpha is {self.alpha:g}; it must be between 0 and 1")
        if not self.max_drop >= 0:
            raise UsageError(f"the allowed drop is {self.max_drop:g}; it must be 0 or more")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a rule says of one run."""

    run: str
    rule: Rule
    value: float
    before: float
    drop: float  # positive if the run is worse
    low: float  # interval of the drop
    high: float
    p: float
    topics: int
    reasons: tuple[str, ...]  # why it fails; none if it passes

    @property
    def passed(self) -> bool:
        """Whether the gate is open."""
        return not self.reasons
