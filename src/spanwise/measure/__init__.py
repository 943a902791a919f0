"""Measures: pure functions of a block of rankings, one module per family."""
