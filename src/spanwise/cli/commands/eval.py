"""spanwise eval: score runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanwise.cli.options import (
    Command,
    evaluation_options,
    measures_option,
    on_option,
    option,
    per_topic_option,
    printed_as,
    with_request,
    workers_option,
)

if TYPE_CHECKING:
    from spanwise.evaluation.request import Request

LAYOUTS = ("table", "trec", "json", "jsonl", "csv", "md", "latex", "parquet")


@click.command("eval", cls=Command)
@click.argument("judgements")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@measures_option
@per_topic_option
@printed_as(*LAYOUTS, kept=("jsonl", "parquet"))
@evaluation_options
@option("--cite", is_flag=True, section="Files", help="Print the references of the measures too.")
@on_option
@workers_option
@with_request
def command(
    request: Request,
    per_topic: bool,
    layout: str | None,
    output: str | None,
    cite: bool,
    on: str | None,
) -> None:
    """Score one or more runs against judgements.

    JUDGEMENTS and RUN are files (plain, gzip, xz, zstd), folders, or - for standard input (once).
    Without --task and --profile the measures depend on the contents of the files. If results or
    judgements name elements by their paths, --collection gives the documents that contain them.

    Each mean is printed with its number of topics. A signature below lists all choices.

    With -o FILE.jsonl and -o FILE.parquet, and without --format, the file keeps everything that
    `spanwise verify` needs: the values of every topic, all choices and the hashes of the inputs.

    \b
    Examples:
      spanwise eval qrels.txt run.txt -m AP,nDCG@10
      spanwise eval qrels.txt runs/*.gz -m nDCG@10 -m 'P(rel=2)@5' -o table.tex
      spanwise eval qrels.txt run.txt -m official --format trec
      spanwise eval qrels.txt run.txt -q --ties expected --format jsonl
      spanwise eval qrels.txt runs/*.gz -o results.jsonl
      spanwise eval inex.qrels passages.run -m 'MAiP,iP[0.01],gP(score=bep)@5'
      spanwise eval inex.qrels run.txt --task ric --profile inex2010
      spanwise eval inex.qrels elements.run --collection articles/ -m MAiP
      spanwise eval qrels.txt runs/*.txt --on dask:tcp://10.0.0.1:8786
    """
    from spanwise.cli.printing import report

    report(request, layout, per_topic, output, cite, on)
