"""Measures: pure functions of a block of rankings, one module per family."""

from spanwise.measure import (
    context,
    gains,
    highlight,
    incomplete,
    navigation,
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
    "context",
    "gains",
    "highlight",
    "incomplete",
    "measure",
    "navigation",
    "older",
    "older_bpref",
    "older_time",
    "preferences",
    "ranks",
    "sets",
    "users",
]
