"""spanwise simulate: runs of known quality."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from spanwise.cli.options import (
    FILES,
    Command,
    collection_option,
    format_names,
    ideal_if_any_option,
    option,
    paths_if_any_option,
    quant_option,
    reported,
    run_output_option,
)

if TYPE_CHECKING:
    from spanwise.model.elements import Paths, Ties
    from spanwise.workflows.simulate import Kind

RUNS = ("irb", "frb", "ia", "id", "lo", "ao")
FORM = "inex_submission_2006"


@click.command("simulate", cls=Command)
@click.argument("kind", type=click.Choice(RUNS))
@click.argument("judgements")
@run_output_option
@quant_option
@ideal_if_any_option
@paths_if_any_option
@collection_option
@option(
    "--to",
    default=FORM,
    metavar="FORMAT",
    section=FILES,
    names=format_names("run"),
    help=f"Format of the run that is written. [default: {FORM}]",
)
@reported
def command(
    kind: Kind,
    judgements: str,
    output: str,
    to: str,
    quant: str | None,
    ideal: Ties | None,
    paths: Paths | None,
    collection: str | None,
) -> tuple[dict[str, Any], str]:
    """Make a run of what was judged relevant.

    irb is the ideal recall base and frb the full one. ia contains the ideal elements and all
    relevant ones around them, id the ideal elements and all relevant ones in them. lo contains the
    last elements of relevant paths, ao the relevant roots.

    The relevant paths of irb, ia, id and lo end at elements with a value. With --paths assessed
    they also end at elements without a value that assessors found relevant. --ideal is for irb, ia
    and id.

    \b
    Examples:
      spanwise simulate irb assessments/ -o irb.xml --quant sog --ideal deeper
      spanwise simulate frb inex.qrels -o frb.xml --collection documents/
    """
    from spanwise.workflows.convert import saved_run
    from spanwise.workflows.simulate import simulate

    run = simulate(kind, judgements, quant=quant, ideal=ideal, paths=paths, collection=collection)
    return saved_run(run, output, to).to_dict(), ""
