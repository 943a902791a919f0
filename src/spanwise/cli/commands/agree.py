"""spanwise agree: do judges agree, and does it matter?"""

from __future__ import annotations

import click

UNITS = ("char", "token", "sentence", "element", "document")
RUNS = "--runs"


class RunsBehind(click.Command):
    """Where judgements come first, all words between `--runs` and the next option are runs."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `--runs` before each of them."""
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
@click.argument("judgements", nargs=-1, required=True)
@click.option("--unit", type=click.Choice(UNITS), default="char", help="What is compared.")
@click.option(RUNS, multiple=True, metavar="RUN...", help="Runs (files, folders) to rank.")
@click.option("-m", "--measure", "measures", multiple=True, help="What to rank the runs by.")
@click.option("--collection", metavar="PATH", help="The documents; a store or a folder.")
@click.option("-q", "--per-topic", is_flag=True, help="Also print every topic.")
@click.option("--seed", type=int, default=1, help="Of everything that is drawn at random.")
@click.option(
    "--format",
    "layout",
    type=click.Choice(["table", "json"]),
    default="table",
    help="How to print.",
)
@click.option("--judgements-format", help="See: spanwise formats.")
def command(
    judgements: tuple[str, ...],
    unit: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    collection: str | None,
    per_topic: bool,
    seed: int,
    layout: str,
    judgements_format: str | None,
) -> None:
    """Compare judges on the documents that they have in common.

    Each of JUDGEMENTS is what one judge said, in any format of judgements; one file with several
    judges, or a store of `spanwise judge`, stands for all of its judges. Coefficients are computed
    for each topic and averaged over topics; with 5 topics or more there are intervals.

    With --runs the runs are scored under each judge: if their order changes, the disagreement
    matters, and the pairs of runs that change places are listed.

    \b
    Examples:
      spanwise agree anna.jsonl ben.jsonl
      spanwise agree anna.jsonl ben.jsonl cleo.jsonl --unit char --format json
      spanwise agree judged.sqlite --runs runs/ -m MAiP -m 'iP[0.01]'
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
    emit(json.dumps(found.to_dict(), indent=1) + "\n" if layout == "json" else str(found))
