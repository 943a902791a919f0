"""spanwise agree: agreement of assessors, and its effect on the order of runs."""

from __future__ import annotations

import click

from spanwise.cli.options import (
    Command,
    collection_option,
    judgements_format_option,
    measures_option,
    option,
    per_topic_option,
    printed_as,
    seed_option,
)

UNITS = ("char", "token", "sentence", "element", "document")
RUNS = "--runs"


class RunsBehind(Command):
    """A command whose option `--runs` takes all words up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `--runs` before each of these words."""
        options = [one for one in self.params if isinstance(one, click.Option)]
        valued = {name for one in options if not one.is_flag for name in one.opts}
        said: list[str] = []
        judged = behind = False
        for word in args:
            value = bool(said) and said[-1] in valued
            option = not value and word.startswith("-") and word != "-"
            if option:
                behind = judged and word == RUNS
            elif not value:
                judged = True
                said += [RUNS] if behind else []
            said.append(word)
        return super().parse_args(ctx, said)


@click.command("agree", cls=RunsBehind)
@click.argument("judgements", nargs=-1, required=True, metavar="JUDGEMENTS...")
@option(
    "--unit",
    type=click.Choice(UNITS),
    default="char",
    metavar="UNIT",
    help="Unit compared: char, token, sentence, element, document. [default: char]",
)
@option(RUNS, multiple=True, metavar="RUN...", help="Runs to rank: files or folders.")
@measures_option
@per_topic_option
@printed_as("table", "json")
@collection_option
@judgements_format_option
@seed_option
def command(
    judgements: tuple[str, ...],
    unit: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    collection: str | None,
    per_topic: bool,
    seed: int,
    layout: str,
    output: str | None,
    judgements_format: str | None,
) -> None:
    """Compare assessors on the documents that they have in common.

    Each of JUDGEMENTS contains the judgements of one assessor, in any format of judgements. A file
    with several assessors, or a store of `spanwise judge`, stands for all of them. Coefficients are
    computed for each topic and averaged over topics; with 5 topics or more they have intervals.

    With --runs the runs are scored with the judgements of each assessor. The output lists the pairs
    of runs that change places, which shows whether the disagreement matters.

    \b
    Examples:
      spanwise agree anna.jsonl ben.jsonl
      spanwise agree anna.jsonl ben.jsonl cleo.jsonl --unit char --json
      spanwise agree judged.sqlite --runs runs/ -m 'MAiP,iP[0.01]'
      spanwise agree a.qrels b.qrels --unit document --runs bm25.run dense.run -m nDCG@10
    """
    import json

    from spanwise.console import emit
    from spanwise.workflows.agree import agree

    found = agree(
        judgements,
        unit=unit,
        runs=runs,
        measures=measures,
        collection=collection,
        per_topic=per_topic,
        seed=seed,
        judgements_format=judgements_format,
    )
    text = json.dumps(found.to_dict(), indent=1) + "\n" if layout == "json" else str(found)
    emit(text, output)
