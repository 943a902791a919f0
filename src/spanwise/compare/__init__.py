"""Scores to statements: aggregation, and later significance and intervals."""
