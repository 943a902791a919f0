"""Scores to statements: aggregation, and later significance and intervals."""

from spanwise.stats.aggregation import overall, pooled, running_sum

__all__ = ["overall", "pooled", "running_sum"]
