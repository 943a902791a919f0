"""spanwise experiment: collections x engines x grains x parameters, in one report."""

from __future__ import annotations

import click


@click.command("experiment")
@click.argument("file")
@click.option("-o", "--output", required=True, metavar="FOLDER", help="Where everything goes.")
@click.option("--data", metavar="FOLDER", help="Where the paths of the file begin.")
def command(file: str, output: str, data: str | None) -> None:
    """Run an experiment: search, evaluate, compare, report.

    FILE is TOML, or the name of an experiment that comes with the package: smart, granularity,
    lsi. What is in FOLDER already and was made from the same things is not made again; after an
    interruption the same command goes on.

    \b
    Examples:
      spanwise experiment granularity -o out/granularity
      spanwise experiment smart --data collections/ -o out/smart
      spanwise experiment mine.toml -o out/mine
    """
    from pathlib import Path

    from spanwise.console import emit
    from spanwise.errors import UsageError
    from spanwise.workflows.experiment import conducted, read_experiment, summary, write_report

    shipped = Path(__file__).parents[2] / "data" / "experiments" / f"{file}.toml"
    experiment = read_experiment(str(shipped) if shipped.is_file() else file, data)
    folder = Path(output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written ({error.strerror})") from error
    found = conducted(experiment, folder)
    write_report(experiment, found, folder)
    emit(summary(experiment, found))
