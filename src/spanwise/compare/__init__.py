"""Scores to statements: aggregation, and later significance and intervals."""

from spanwise.compare.aggregate import overall, running_sum

__all__ = ["overall", "running_sum"]
