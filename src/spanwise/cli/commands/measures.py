"""spanwise measures: list or define measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanwise.cli.options import Command, NamesArgument, measure_names, option, printed_as

if TYPE_CHECKING:
    from spanwise.model.measure import Measure


@click.command("measures", cls=Command)
@click.argument("name", required=False, cls=NamesArgument, names=measure_names)
@option("--properties", is_flag=True, help="Show what the measures do for element retrieval.")
@printed_as("text", "json", output=False)
def command(name: str | None, properties: bool, layout: str) -> None:
    """List all measures, or define one of them.

    With --properties the output is a table: whether a measure depends on recall and precision,
    credits near misses, treats results inside other results in a special way, has ideal elements
    and grades of them, has an explicit user model, and which tasks it is for.

    \b
    Examples:
      spanwise measures
      spanwise measures nDCG
      spanwise measures ndcg_cut_10
      spanwise measures --properties
    """
    from spanwise.console import emit
    from spanwise.measures import MEASURES
    from spanwise.report.catalogue import (
        defined,
        listed,
        measures_as_json,
        properties_table,
    )

    chosen = [_found(name)] if name else list(MEASURES.values())
    if layout == "json":
        emit(measures_as_json(chosen, properties=properties))
    elif properties:
        emit(properties_table(chosen))
    elif name is None:
        emit(listed(chosen, _width()))
    else:
        emit(defined(chosen[0]))


def _found(name: str) -> Measure:
    """Return the measure that a name means, with or without its parameters."""
    from spanwise.errors import UsageError
    from spanwise.measures.names import by_stem, parse, plain_names

    if name in plain_names():
        return plain_names()[name]
    try:
        return parse(name).measure
    except UsageError:
        return by_stem(name)[0]


def _width() -> int:
    import shutil

    return max(shutil.get_terminal_size((100, 24)).columns, 60)
