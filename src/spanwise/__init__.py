"""Evaluate retrieval at any grain: documents, XML elements, passages, chunks."""

from spanwise.version import __version__

__all__ = ["__version__"]
