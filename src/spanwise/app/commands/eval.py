"""spanwise eval: score runs."""

from __future__ import annotations

import click

FORMATS = ("table", "trec", "json", "jsonl", "csv", "md", "latex", "parquet")
TASKS = ("documents", "thorough", "focused", "ric", "bic", "passages")


@click.command("eval")
@click.argument("judgements")
@click.argument("runs", nargs=-1, required=True)
@click.option("-m", "--measure", "measures", multiple=True, help="A measure; may be repeated.")
@click.option("-q", "--per-topic", is_flag=True, help="Also print every topic.")
@click.option(
    "--format",
    "layout",
    type=click.Choice(FORMATS),
    help="How to print; table by default.",
)
@click.option(
    "-o",
    "--output",
    help="Write to this file instead of standard output. Without --format, FILE.jsonl and"
    " FILE.parquet are results to keep: every topic, the choices, hashes of the inputs.",
)
@click.option("--cite", is_flag=True, help="Also print what a paper cites for these measures.")
@click.option("--profile", help="A named policy with its measures.")
@click.option("--task", type=click.Choice(TASKS), help="What the runs are for.")
@click.option("--collection", help="Where the documents are: a store, or a folder of files.")
@click.option("--queries", help="The topics, where structure counts.")
@click.option(
    "--structure",
    type=click.Choice(["strict", "vague"]),
    help="Only elements count that the topic's query asks for.",
)
@click.option("--topics", type=click.Choice(["judged", "both", "run"]), help="Topics that count.")
@click.option(
    "--ties",
    type=click.Choice(["docno", "file", "rank", "expected"]),
    help="Order of equal scores; `expected` is the mean over all orders.",
)
@click.option("--depth", type=int, help="Look only at so many results of each topic.")
@click.option("--judged-only", is_flag=True, help="Take unjudged results out of the rankings.")
@click.option("--unit", help="What reading budgets count: chars, tokens:NAME, or cost.")
@click.option(
    "--annotators",
    type=click.Choice(["union", "intersection", "mean"]),
    help="Relevant text of several annotators; union by default.",
)
@click.option("--judgements-format", help="See: spanwise formats.")
@click.option("--run-format", help="See: spanwise formats.")
def command(
    judgements: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_topic: bool,
    layout: str | None,
    output: str | None,
    cite: bool,
    profile: str | None,
    task: str | None,
    collection: str | None,
    queries: str | None,
    structure: str | None,
    topics: str | None,
    ties: str | None,
    depth: int | None,
    judged_only: bool,
    unit: str | None,
    annotators: str | None,
    judgements_format: str | None,
    run_format: str | None,
) -> None:
    """Score one or more runs against judgements.

    JUDGEMENTS and RUNS are files (plain, gzip, xz, zstd), folders, or - for standard input (once).
    Without --task and --profile the measures are those that fit the files. Where results or
    judgements name elements by their paths, --collection says where these lie. Means are
    printed with the number of topics behind them and a signature of all choices made.

    \b
    Examples:
      spanwise eval qrels.txt run.txt
      spanwise eval qrels.txt runs/*.gz -m nDCG@10 -m 'P(rel=2)@5' --format latex
      spanwise eval qrels.txt run.txt -m official --format trec
      spanwise eval qrels.txt run.txt -q --ties expected --format jsonl
      spanwise eval qrels.txt runs/*.gz -o results.jsonl
      spanwise eval inex.qrels passages.run -m MAiP -m 'iP[0.01]' -m 'gP(score=bep)@5'
      spanwise eval inex.qrels run.txt --task ric --profile inex2010
      spanwise eval inex.qrels elements.run --collection articles/ -m MAiP
    """
    from spanwise.app.evaluation import Request, report

    policy = {
        "topics": topics,
        "ties": ties,
        "depth": depth,
        "unjudged": "drop" if judged_only else None,
        "structure": structure,
        "unit": "characters" if unit in ("char", "chars") else unit,
        "annotators": annotators,
    }
    report(
        Request(
            judgements,
            runs,
            measures,
            profile,
            task,
            {name: value for name, value in policy.items() if value is not None},
            judgements_format,
            run_format,
            collection,
            queries,
        ),
        layout,
        per_topic,
        output,
        cite,
    )
