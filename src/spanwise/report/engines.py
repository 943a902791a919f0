"""The table of engines as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Described(Protocol):
    """What is said of an engine."""

    @property
    def name(self) -> str:
        """How it is asked for."""

    @property
    def title(self) -> str:
        """What it is."""

    @property
    def install(self) -> str:
        """How it is installed; empty if nothing has to be."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Names and default values."""

    @property
    def description(self) -> str:
        """What it does."""


def settings(entry: Described) -> str:
    """The parameters with their values.

    >>> from types import SimpleNamespace
    >>> settings(SimpleNamespace(parameters={"k1": 0.9, "b": 0.4}))
    'k1=0.9 b=0.4'
    """
    return " ".join(f"{name}={value}" for name, value in entry.parameters.items())


def listed(entries: Sequence[Described]) -> str:
    """Each engine with its parameters, and what has to be installed."""
    width = max(len(entry.name) for entry in entries)
    lines = []
    for entry in entries:
        lines.append(f"{entry.name:<{width}}  {entry.title}")
        more = filter(None, (settings(entry), entry.install))
        lines += [f"{'':<{width}}  {text}" for text in more]
    return "\n".join(lines) + "\n"
