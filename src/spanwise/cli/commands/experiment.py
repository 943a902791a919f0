"""spanwise experiment: collections x engines x grains x parameters, in one report."""

from __future__ import annotations

from typing import Any

import click

from spanwise.cli.options import Command, option, reported


@click.command("experiment", cls=Command)
@click.argument("file")
@option("-o", "--output", required=True, metavar="FOLDER", help="Folder for runs and report.")
@option("--data", metavar="FOLDER", help="Folder of the paths in FILE. [default: that of FILE]")
@reported
def command(file: str, output: str, data: str | None) -> tuple[dict[str, Any], str]:
    """Run an experiment: search, evaluate, compare, report.

    FILE is TOML, or the name of an experiment that is part of the package: smart, granularity, lsi.
    Parts in FOLDER that were made from the same inputs are used again; after an interruption, the
    same command continues.

    \b
    Examples:
      spanwise experiment granularity -o out/granularity
      spanwise experiment smart --data collections/ -o out/smart
      spanwise experiment mine.toml -o out/mine
    """
    from pathlib import Path

    from spanwise.errors import UsageError
    from spanwise.workflows.experiment import (
        conducted,
        read_experiment,
        record,
        summary,
        write_report,
    )

    shipped = Path(__file__).parents[2] / "data" / "experiments" / f"{file}.toml"
    experiment = read_experiment(str(shipped) if shipped.is_file() else file, data)
    folder = Path(output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written ({error.strerror})") from error
    found = conducted(experiment, folder)
    write_report(experiment, found, folder)
    return record(experiment, found, folder), summary(experiment, found)
