"""What was returned, turned into what it is worth: order, ties, grades, preferences."""

from spanwise.ground.align import Aligned, align, refuse_duplicate_judgements

__all__ = ["Aligned", "align", "refuse_duplicate_judgements"]
