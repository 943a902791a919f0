"""A measure: how far a reader gets before the first miss."""

import numpy as np

from spanwise.plugins import Law, Rankings, measure

FAMILY = "Misses (spanwise-example)"
"""The heading of the measures of this module in `spanwise measures`."""


@measure(
    "FirstMiss",
    Law.BLIND_BELOW_CUTOFF,
    reference="spanwise-example 1.0",
    bounds=(1, np.inf),
    aliases=("first_miss", "first_miss_{cutoff}"),
    ranges={"rel": (0, 1000)},
)
def first_miss(r: Rankings, *, rel: float = 1, cutoff: int = 10):
    """How far a reader gets before a result that is known not to be relevant.

    The rank of the first result whose grade is below `rel`; k + 1 if the first k have none.
    Unjudged results do not count. Undefined for a topic with nothing relevant.

    Beware: it ignores what was found on the way.
    """
    misses = r.misses(rel)[:, :cutoff]
    return np.where(misses.any(axis=-1), misses.argmax(axis=-1) + 1, cutoff + 1)
