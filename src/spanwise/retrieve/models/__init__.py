"""Retrieval models written in NumPy."""
