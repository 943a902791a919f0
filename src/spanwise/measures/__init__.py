"""Measures: pure functions of a block of rankings, one module per family."""

from importlib import import_module

from spanwise.measures.registry import MEASURES, measure

FAMILIES = (
    *("ranks", "gains", "users", "incomplete", "sets", "preferences"),
    *("chunks", "genomics", "highlight", "context"),
    *("cumulated", "precall", "next_generation", "navigation"),
    *("older", "older_time"),
)
"""The modules that define our measures, in the order of the listing."""

__all__ = ["FAMILIES", "MEASURES", "measure"]

for _family in FAMILIES:
    import_module(f"{__name__}.{_family}")
MEASURES.arrange(lambda entry: FAMILIES.index(entry.family))
