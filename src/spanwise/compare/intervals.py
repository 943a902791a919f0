"""Between which bounds a mean lies, at a stated confidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spanwise.compare.aggregate import running_sum
from spanwise.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray

CONFIDENCE = 0.95


class Interval(NamedTuple):
    """A mean with its bounds; not-a-number where they are undefined."""

    mean: float
    low: float
    high: float


def student(values: FloatArray, confidence: float = CONFIDENCE) -> Interval:
    """Student's interval for the mean of defined values; undefined for fewer than two."""
    defined = values[~np.isnan(values)]
    topics = len(defined)
    mean = running_sum(defined) / topics if topics else float("nan")
    if topics < 2:
        return Interval(mean, float("nan"), float("nan"))
    error = float(defined.std(ddof=1)) / np.sqrt(topics)
    reach = float(special().stdtrit(topics - 1, (1 + checked(confidence)) / 2)) * float(error)
    return Interval(mean, mean - reach, mean + reach)


def checked(confidence: float) -> float:
    """A confidence that makes sense."""
    if not 0 < confidence < 1:
        raise UsageError(f"confidence is {confidence!r}; expected a number between 0 and 1")
    return confidence


def student_tail(values: FloatArray, freedom: int) -> FloatArray:
    """How probable a t of at least these values is; infinity has none."""
    tail: FloatArray = special().stdtr(freedom, -np.minimum(values, 1e300))
    return tail


def special() -> Any:
    """SciPy's distribution functions, imported when they are needed."""
    try:
        from scipy import special
    except ImportError:
        raise MissingExtra("SciPy", "stats", "an interval or a test") from None
    return special
