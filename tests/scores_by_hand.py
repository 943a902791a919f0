"""Scores of a run from its values by topic, without judgements."""

from collections.abc import Mapping, Sequence

import numpy as np

from spanwise.model.scores import Scores


def scores_of_values(run: str, values: Mapping[str, Sequence[float]]) -> Scores:
    """Scores of topics that are numbered from 1."""
    columns = {name: np.array(column, np.float64) for name, column in values.items()}
    topics = tuple(str(n + 1) for n in range(len(next(iter(columns.values())))))
    return Scores(
        run,
        topics,
        columns,
        {name: float(column.mean()) for name, column in columns.items()},
        {name: len(topics) for name in columns},
        "",
    )
