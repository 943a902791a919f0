"""spanwise reliability: measure the measures."""

from __future__ import annotations

import click


@click.command("reliability")
@click.argument("judgements")
@click.argument("runs", nargs=-1)
@click.option("-m", "--measure", "measures", multiple=True, help="A measure; may be repeated.")
@click.option("--quant", help="A quantisation by name or file; spec or gen by default.")
@click.option(
    "--ideal",
    type=click.Choice(["higher", "deeper"]),
    default="higher",
    help="Which of two elements of equal value on one path is ideal.",
)
@click.option("--collection", help="The documents: a store or a folder.")
@click.option("--seed", type=int, default=0, help="Of the splits of topics into halves.")
@click.option(
    "--format",
    "layout",
    type=click.Choice(["table", "md", "latex", "csv", "json"]),
    default="table",
    help="How to print; table by default. csv has the scores of runs alone.",
)
@click.option("-o", "--output", help="Write to this file instead of standard output.")
def command(
    judgements: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    quant: str | None,
    ideal: str,
    collection: str | None,
    seed: int,
    layout: str,
    output: str | None,
) -> None:
    """Test what measures make of runs whose merits are known.

    Six runs are made of the judgements (see: spanwise simulate) and scored. Nothing should beat
    the ideal recall base, and more overlap should not score higher; whatever does is named. RUNS
    are scored besides, and it is seen how far the measures agree on their order.

    \b
    Examples:
      spanwise reliability assessments/ --quant sog --ideal deeper
      spanwise reliability assessments/ runs/*.xml -m inex_eval -m nxCG@10 --format md
    """
    from spanwise.console import emit, page_width, say
    from spanwise.report.studies import rendered_study
    from spanwise.workflows.reliability import StudySetting, study

    setting = StudySetting.of(judgements, quant, ideal, collection)
    found = study(setting, measures, runs, seed)
    emit(rendered_study(found, layout, page_width(output)), output)
    if layout == "csv":  # which has no room for them
        for note in found.notes:
            say("warning", note)
