"""spanwise simulate: runs whose merits are known beforehand."""

from __future__ import annotations

import click

RUNS = ("irb", "frb", "ia", "id", "lo", "ao")


@click.command("simulate")
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
@click.option("--collection", help="The documents: a store or a folder.")
def command(
    kind: str, judgements: str, output: str, quant: str | None, ideal: str, collection: str | None
) -> None:
    """Make a run of what was judged relevant.

    irb is the ideal recall base, frb the full one, ia and id have the ideal elements with all
    relevant ones around or in them, lo has the last elements of relevant paths, ao the relevant
    roots.

    \b
    Examples:
      spanwise simulate irb assessments/ -o irb.xml --quant sog --ideal deeper
      spanwise simulate frb inex.qrels -o frb.xml --collection documents/
    """
    from spanwise.workflows.reliability import StudySetting, simulate

    simulate(StudySetting.of(judgements, quant, ideal, collection), kind, output)
