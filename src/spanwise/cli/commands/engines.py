"""spanwise engines: list or describe search engines."""

from __future__ import annotations

import click

from spanwise.cli.options import Command, printed_as


@click.command("engines", cls=Command)
@click.argument("name", required=False)
@printed_as("text", "json", output=False)
def command(name: str | None, layout: str) -> None:
    """List all search engines and models, or describe one of them.

    The names are values of `spanwise search --engine`. The parameters, shown with their defaults,
    are set with `spanwise search --set NAME=VALUE`.

    \b
    Examples:
      spanwise engines
      spanwise engines fts5
    """
    from spanwise.console import emit
    from spanwise.errors import UnknownName
    from spanwise.report.catalogue import engine_described, engines_as_json, listed_engines
    from spanwise.retrieve.engines import load
    from spanwise.retrieve.registry import ENGINES

    load()
    if name is not None and name not in ENGINES:
        raise UnknownName("engine", name, list(ENGINES))
    chosen = list(ENGINES.values()) if name is None else [ENGINES[name]]
    if layout == "json":
        emit(engines_as_json(chosen))
    elif name is None:
        emit(listed_engines(chosen))
    else:
        emit(engine_described(chosen[0]))
