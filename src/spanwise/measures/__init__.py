"""Measures: pure functions of a block of rankings, one module per family."""

from spanwise.measures.registry import FAMILIES, MEASURES, measure

__all__ = ["FAMILIES", "MEASURES", "measure"]
