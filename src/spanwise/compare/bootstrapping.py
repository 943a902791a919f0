"""An interval that assumes nothing about the shape of the differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spanwise.compare.intervals import CONFIDENCE, Interval, checked
from spanwise.compare.tests import bootstrap_ts

if TYPE_CHECKING:
    from spanwise.compare.resampling import Draws
    from spanwise.model.arrays import FloatArray


def bootstrap_intervals(
    differences: FloatArray, draws: Draws, confidence: float = CONFIDENCE
) -> list[Interval]:
    """Symmetric bootstrap-t intervals of the means, one for each column.

    They leave out 0 when the bootstrap test rejects it, but for the observed draw that the test
    adds.
    """
    topics, means = len(differences), differences.mean(0)
    if topics < 2:
        return [Interval(mean, float("nan"), float("nan")) for mean in means.tolist()]
    errors = differences.std(0, ddof=1) / np.sqrt(topics)
    drawn = np.abs(np.concatenate(list(bootstrap_ts(differences, draws))))
    reach = np.quantile(drawn, checked(confidence), axis=0, method="higher") * errors
    return [
        Interval(mean, mean - width, mean + width)
        for mean, width in zip(means.tolist(), reach.tolist(), strict=True)
    ]
