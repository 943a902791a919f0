"""Names of registries, as the help lists them and shells complete them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


Names = Callable[[], Iterable[str]]
"""Returns the names of a registry."""


class NamesArgument(click.Argument):
    """An argument that is a name of a registry."""

    def __init__(self, *args: Any, names: Names, **more: Any) -> None:
        super().__init__(*args, **more)
        self.names = names

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """Return the names that begin with what was typed."""
        return completions(self.names, incomplete)


def completions(names: Names, incomplete: str) -> list[CompletionItem]:
    """Return the names that complete what follows the last comma."""
    from click.shell_completion import CompletionItem

    before, comma, last = incomplete.rpartition(",")
    known = (name for name in names() if name.startswith(last))
    return [CompletionItem(before + comma + name) for name in known]


def measure_names() -> list[str]:
    """Return the names of all measures, and their aliases without parameters."""
    from spanwise.measures import MEASURES
    from spanwise.measures.names import plain_names

    return [*dict.fromkeys([*MEASURES, *plain_names()])]


def format_names(*holds: str) -> Callable[[], list[str]]:
    """Return a function that lists the formats of files that hold one of these, or all formats."""

    def names() -> list[str]:
        from spanwise.formats import FORMATS

        return [entry.name for entry in FORMATS.values() if not holds or entry.holds in holds]

    return names


def profile_names() -> list[str]:
    """Return the names of all profiles."""
    from spanwise.evaluation.profiles import PROFILES

    return list(PROFILES)


def task_names() -> list[str]:
    """Return the names of all tasks."""
    from spanwise.evaluation.profiles import TASKS

    return list(TASKS)


def engine_names() -> list[str]:
    """Return the names of all engines and models."""
    from spanwise.retrieve.registry import ENGINES

    return list(ENGINES)


def chunker_names() -> list[str]:
    """Return the names of all chunkers."""
    from spanwise.retrieve.chunkers import CHUNKERS

    return list(CHUNKERS)
