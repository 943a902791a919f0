"""What was returned, turned into what it is worth: order, ties, grades, preferences."""

from spanwise.matching.documents import Aligned, align, refuse_duplicate_judgements

__all__ = ["Aligned", "align", "refuse_duplicate_judgements"]
