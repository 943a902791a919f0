"""Measures: pure functions of a block of rankings, one module per family."""

from spanwise.measure import (
    gains,
    incomplete,
    older,
    older_bpref,
    older_time,
    preferences,
    ranks,
    sets,
    users,
)
from spanwise.measure.registry import MEASURES, measure

__all__ = [
    "MEASURES",
    "gains",
    "incomplete",
    "measure",
    "older",
    "older_bpref",
    "older_time",
    "preferences",
    "ranks",
    "sets",
    "users",
]
