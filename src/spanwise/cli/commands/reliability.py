"""spanwise reliability: measure the measures."""

from __future__ import annotations

import click

from spanwise.cli.options import (
    Command,
    collection_option,
    ideal_option,
    measures_option,
    printed_as,
    quant_option,
    seed_option,
)


@click.command("reliability", cls=Command)
@click.argument("judgements")
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@measures_option
@printed_as("table", "md", "latex", "csv", "json")
@quant_option
@ideal_option
@collection_option
@seed_option
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
    """Test what measures make of runs whose quality is known.

    Six runs are made from the judgements (see: spanwise simulate) and scored. No run should score
    higher than the ideal recall base, and more overlap should not raise a score. Measures that
    violate this are listed. With RUN, runs are scored too, and the output shows how far the
    measures agree on their order. In csv only the scores are written.

    \b
    Examples:
      spanwise reliability assessments/ --quant sog --ideal deeper
      spanwise reliability assessments/ runs/*.xml -m inex_eval,nxCG@10 --format md
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
