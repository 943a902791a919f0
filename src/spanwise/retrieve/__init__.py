"""Retrieval: from documents and topics to runs, with real engines."""
