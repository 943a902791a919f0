"""spanwise measures: list or define measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanwise.cli.names import NamesArgument, measure_names

if TYPE_CHECKING:
    from spanwise.model.measure import Measure


@click.command("measures")
@click.argument("name", required=False, cls=NamesArgument, names=measure_names)
@click.option("--properties", is_flag=True, help="What measures do for the retrieval of elements.")
def command(name: str | None, properties: bool) -> None:
    """List all measures, or define one of them.

    With --properties: whether what was missed and what is not relevant is of consequence, whether
    near misses are credited, what becomes of results that lie in each other, whether there are
    ideal elements, in grades, whether a user model is explicit, and for which tasks a measure is.

    \b
    Examples:
      spanwise measures
      spanwise measures nDCG
      spanwise measures ndcg_cut_10
      spanwise measures --properties
    """
    from spanwise.console import emit
    from spanwise.report.catalogue import defined, listed

    if properties:
        from spanwise.measures import MEASURES
        from spanwise.report.catalogue import properties_table

        emit(properties_table([_found(name)] if name else MEASURES.values()))
    elif name is None:
        from spanwise.measures import MEASURES

        emit(listed(MEASURES.values(), _width()))
    else:
        emit(defined(_found(name)))


def _found(name: str) -> Measure:
    """The measure that a name means, with or without its parameters."""
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
