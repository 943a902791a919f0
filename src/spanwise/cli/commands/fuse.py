"""spanwise fuse: one run from several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from spanwise.cli.options import (
    Command,
    option,
    reported,
    run_format_option,
    run_output_option,
    top_option,
    written_format_option,
)

if TYPE_CHECKING:
    from spanwise.workflows.fuse import Method


@click.command("fuse", cls=Command)
@click.argument("runs", nargs=-1, required=True)
@run_output_option
@option(
    "--method",
    type=click.Choice(["rrf", "combsum", "combmnz", "interpolate"]),
    default="rrf",
    metavar="NAME",
    help="Method: rrf, combsum, combmnz, interpolate. [default: rrf]",
)
@option(
    *("--weight", "weights"),
    type=float,
    multiple=True,
    metavar="W",
    help="Weight of a run, once for each run in order. [default: equal weights]",
)
@option(
    "--k",
    type=click.FloatRange(0),
    metavar="K",
    help="Constant of rrf, which is added to ranks. [default: 60]",
)
@top_option
@option("--name", metavar="NAME", help="Name of the run. [default: the method]")
@run_format_option
@written_format_option
@reported
def command(
    runs: tuple[str, ...],
    method: Method,
    weights: tuple[float, ...],
    k: float | None,
    top: int,
    run_format: str | None,
    to: str | None,
    name: str | None,
    output: str,
) -> tuple[dict[str, Any], str]:
    """Fuse runs: reciprocal rank, CombSUM, CombMNZ, interpolation.

    The default is reciprocal rank fusion (rrf). The other methods add scores, which are first
    normalised to 0 ... 1 within each topic. Weights of interpolate are scaled to a sum of 1.

    \b
    Examples:
      spanwise fuse bm25.run lsi.run -o both.run
      spanwise fuse bm25.run lsi.run --method interpolate --weight 0.7 --weight 0.3 -o mixed.run
    """
    from spanwise.workflows.convert import saved_run
    from spanwise.workflows.fuse import fuse

    run = fuse(runs, method=method, weights=weights, k=k, top=top, name=name, run_format=run_format)
    return saved_run(run, output, to).to_dict(), ""
