"""Nouns: what is retrieved, what is relevant, what a measure sees, what a score is."""
