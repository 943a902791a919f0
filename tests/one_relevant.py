"""Runs whose value in a topic is known: one document is relevant, at a given rank."""

import numpy as np

from spanwise.model.scores import Scores


def reciprocal(ranks):
    """Return judgements and runs, given for each run the rank of the document in each topic."""
    topics = [f"q{n}" for n in range(len(next(iter(ranks.values()))))]
    runs = {
        name: {
            topic: {
                "hit" if place == rank else f"other{place}": 10.0 - place for place in range(1, 8)
            }
            for topic, rank in zip(topics, some, strict=True)
        }
        for name, some in ranks.items()
    }
    return {topic: {"hit": 1} for topic in topics}, runs


def scored(run, values, measure="AP"):
    """Return scores of a run in one measure, with a topic for each value."""
    column = np.array(values, float)
    topics = tuple(f"q{n}" for n in range(len(values)))
    mean, count = float(np.nanmean(column)), int(np.count_nonzero(~np.isnan(column)))
    return Scores(run, topics, {measure: column}, {measure: mean}, {measure: count}, "by hand")
