"""Every engine's module, imported so that it enters itself in the table."""

from __future__ import annotations

from importlib import import_module

MODULES = (
    *("fts5", "bm25s", "tantivy", "xapian", "lucene", "zebra"),
    *("vectors", "lsi", "plsi"),
)


def load() -> None:
    """Fill the table; the libraries behind the engines are not imported yet."""
    for name in MODULES:
        import_module(f"spanwise.retrieve.{name}")
