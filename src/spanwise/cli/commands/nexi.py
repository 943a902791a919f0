"""spanwise nexi: show what a query on content and structure means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanwise.cli.options import Command, option, printed_as

if TYPE_CHECKING:
    from spanwise.model.topics import Query


@click.command("nexi", cls=Command)
@click.argument("query")
@option("--legacy", is_flag=True, help="Allow the syntax of titles of 2003.")
@printed_as("tree", "canonical", "json", output=False)
def command(query: str, legacy: bool, layout: str) -> None:
    """Show the tree of a NEXI query, the language of castitles.

    A query that begins with // asks for elements; any other query is a list of terms. Write --
    before a query that begins with a minus sign. The layout `canonical` is the query in its
    simplest spelling.

    \b
    Examples:
      spanwise nexi '//article[about(., solar panels)]//sec[about(.//p, "building code")]'
      spanwise nexi --format canonical '//(sec|p)[about(.,wind)AND .//yr>=1999]'
      spanwise nexi --legacy "//article[./fm//yr = '1999']//sec[about(., 'tidal power')]"
    """
    from spanwise.console import emit
    from spanwise.report.outlines import as_json, outlined

    tree = _parsed(query, legacy)
    if layout == "canonical":
        emit(f"{tree}\n")
    else:
        emit(as_json(tree) if layout == "json" else outlined(tree))


def _parsed(query: str, legacy: bool) -> Query:
    """Return the tree; if only the older syntax fits, the error names --legacy."""
    from spanwise.errors import QueryError, UsageError
    from spanwise.formats.topics.nexi import parse

    try:
        return parse(query, legacy=legacy)
    except QueryError as error:
        if legacy:
            raise
        try:
            parse(query, legacy=True)
        except QueryError:
            raise error from None
        raise UsageError(f"{error}; to read it as a title of 2003, add --legacy") from None
