"""Measures: pure functions of a block of rankings, one module per family."""

from spanwise.measure import (
    chunks,
    context,
    gains,
    genomics,
    highlight,
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
    "chunks",
    "context",
    "gains",
    "genomics",
    "highlight",
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
