"""spanwise simulate: runs whose merits are known beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanwise.cli.command import Command
from spanwise.cli.options import paths_option

if TYPE_CHECKING:
    from spanwise.model.elements import Paths, Ties
    from spanwise.workflows.simulate import Kind

RUNS = ("irb", "frb", "ia", "id", "lo", "ao")


@click.command("simulate", cls=Command)
@click.argument("kind", type=click.Choice(RUNS))
@click.argument("judgements")
@click.option("-o", "--output", required=True, help="Write the run to this file; - prints it.")
@click.option("--quant", help="A quantisation by name or file; spec or gen by default.")
@click.option(
    "--ideal",
    type=click.Choice(["higher", "deeper"]),
    default="higher",
    help="Which of two elements of equal value on one path is ideal.",
)
@paths_option
@click.option("--collection", help="The documents: a store or a folder.")
def command(
    kind: Kind,
    judgements: str,
    output: str,
    quant: str | None,
    ideal: Ties,
    paths: Paths | None,
    collection: str | None,
) -> None:
    """Make a run of what was judged relevant.

    irb is the ideal recall base, frb the full one, ia and id have the ideal elements with all
    relevant ones around or in them, lo has the last elements of relevant paths, ao the relevant
    roots. The relevant paths of irb, ia, id and lo end at elements with a value; with --paths
    assessed also at elements that assessors found relevant and that have no value.

    \b
    Examples:
      spanwise simulate irb assessments/ -o irb.xml --quant sog --ideal deeper
      spanwise simulate frb inex.qrels -o frb.xml --collection documents/
    """
    from spanwise.workflows.convert import write_run
    from spanwise.workflows.simulate import FORM, simulate

    run = simulate(kind, judgements, quant=quant, ideal=ideal, paths=paths, collection=collection)
    write_run(run, output, FORM)
