"""Statements to something to look at."""
