"""spanwise formats: list or describe file formats."""

from __future__ import annotations

import click

from spanwise.cli.options import Command, NamesArgument, format_names, printed_as


@click.command("formats", cls=Command)
@click.argument("name", required=False, cls=NamesArgument, names=format_names())
@printed_as("text", "json", output=False)
def command(name: str | None, layout: str) -> None:
    """List all file formats, or describe one of them.

    All formats are read plain or compressed with gzip, xz or zstd, whatever the file is called.

    \b
    Examples:
      spanwise formats
      spanwise formats qrels
    """
    from spanwise.console import emit
    from spanwise.errors import UnknownName
    from spanwise.formats import FORMATS
    from spanwise.report.catalogue import format_described, formats_as_json, formats_listed

    if name is not None and name not in FORMATS:
        raise UnknownName("format", name, sorted(FORMATS))
    chosen = list(FORMATS.values()) if name is None else [FORMATS[name]]
    if layout == "json":
        emit(formats_as_json(chosen))
    elif name is None:
        emit(formats_listed(chosen))
    else:
        emit(format_described(chosen[0]))
