"""Matching of runs with judgements: order, ties, places in documents, gains, preferences."""

from spanwise.matching.documents import Aligned, align, refuse_duplicate_judgements

__all__ = ["Aligned", "align", "refuse_duplicate_judgements"]
