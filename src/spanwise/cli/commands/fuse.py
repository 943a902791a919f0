"""spanwise fuse: one run from several."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanwise.cli.command import Command

if TYPE_CHECKING:
    from spanwise.workflows.fuse import Method


@click.command("fuse", cls=Command)
@click.argument("runs", nargs=-1, required=True)
@click.option(
    "--method",
    type=click.Choice(["rrf", "combsum", "combmnz", "interpolate"]),
    default="rrf",
    show_default=True,
    help="Reciprocal rank fusion, or a sum of normalised scores.",
)
@click.option("--weight", "weights", type=float, multiple=True, help="Of each run, in order.")
@click.option("--k", type=click.FloatRange(0), default=60.0, show_default=True, help="Of rrf.")
@click.option("--top", type=click.IntRange(1), default=1000, show_default=True, help="Results.")
@click.option("--run-format", help="Read the runs in this format; see: spanwise formats.")
@click.option("--format", "layout", help="Format of the run that is written.")
@click.option("--name", help="What the run is called; by default as the method.")
@click.option("-o", "--output", metavar="RUN", help="The file to write; standard output if none.")
def command(
    runs: tuple[str, ...],
    method: Method,
    weights: tuple[float, ...],
    k: float,
    top: int,
    run_format: str | None,
    layout: str | None,
    name: str | None,
    output: str | None,
) -> None:
    """Fuse runs: reciprocal rank, CombSUM, CombMNZ, interpolation.

    Scores are brought to 0 ... 1 within each topic first. With interpolate the weights are made to
    add up to 1.

    \b
    Examples:
      spanwise fuse bm25.run lsi.run -o both.run
      spanwise fuse bm25.run lsi.run --method interpolate --weight 0.7 --weight 0.3 -o mixed.run
    """
    from spanwise.workflows.convert import write_run
    from spanwise.workflows.fuse import fuse

    run = fuse(runs, method=method, weights=weights, k=k, top=top, name=name, run_format=run_format)
    write_run(run, output or "-", layout)
