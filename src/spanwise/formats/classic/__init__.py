"""Judgements of the classic test collections: SMART and Reuters."""
