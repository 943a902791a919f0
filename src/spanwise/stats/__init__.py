"""Statistics: means over topics, intervals, tests, agreement and correlation."""

from spanwise.stats.aggregation import overall, pooled, running_sum

__all__ = ["overall", "pooled", "running_sum"]
