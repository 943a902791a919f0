"""Search engines behind one interface, each in a module that registers it."""

from __future__ import annotations

from importlib import import_module

MODULES = (
    *("engines.fts5", "engines.bm25s", "engines.tantivy", "engines.xapian"),
    *("engines.lucene", "engines.zebra", "models.vectors", "models.latent"),
)


def load() -> None:
    """Register every engine and model without importing the libraries behind them."""
    for name in MODULES:
        import_module(f"spanwise.retrieve.{name}")
