"""spanwise formats: list or describe file formats."""

from __future__ import annotations

import click

from spanwise.cli.names import NamesArgument, format_names


@click.command("formats")
@click.argument("name", required=False, cls=NamesArgument, names=format_names())
def command(name: str | None) -> None:
    """List all file formats, or describe one of them.

    All are read plain or packed with gzip, xz or zstd, whatever the file is called.

    \b
    Examples:
      spanwise formats
      spanwise formats qrels
    """
    from spanwise.console import emit
    from spanwise.errors import UnknownName
    from spanwise.formats import FORMATS
    from spanwise.report.catalogue import format_described, formats_listed

    if name is None:
        emit(formats_listed(FORMATS.values()))
    elif name in FORMATS:
        emit(format_described(FORMATS[name]))
    else:
        raise UnknownName("format", name, sorted(FORMATS))
