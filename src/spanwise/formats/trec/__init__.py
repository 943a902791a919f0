"""Formats of TREC: runs, judgements, BEIR folders, Genomics passages."""
