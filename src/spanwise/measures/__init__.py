"""Measures: pure functions of a block of rankings, one module per family."""

from spanwise.measures import (
    chunks,
    context,
    cumulated,
    gains,
    genomics,
    highlight,
    incomplete,
    navigation,
    next_generation,
    older,
    older_time,
    precall,
    preferences,
    ranks,
    sets,
    users,
)
from spanwise.measures import highlight as hixeval
from spanwise.measures import older as older_bpref
from spanwise.measures.registry import MEASURES, measure

__all__ = [
    "MEASURES",
    "chunks",
    "context",
    "cumulated",
    "gains",
    "genomics",
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
