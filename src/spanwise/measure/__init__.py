"""Measures: pure functions of a block of rankings, one module per family."""

from spanwise.measure import (
    context,
    cumulated,
    gains,
    highlight,
    hixeval,
    incomplete,
    navigation,
    next_generation,
    older,
    older_bpref,
    older_time,
    precall,
    preferences,
    ranks,
    sets,
    users,
)
from spanwise.measure.registry import MEASURES, measure

__all__ = [
    "MEASURES",
    "context",
    "cumulated",
    "gains",
    "highlight",
    "hixeval",
    "incomplete",
    "measure",
    "navigation",
    "next_generation",
    "older",
    "older_bpref",
    "older_time",
    "precall",
    "preferences",
    "ranks",
    "sets",
    "users",
]
