"""spanwise pool: choose the documents to judge."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from spanwise.cli.command import DefaultGroup

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanwise.model.pools import Pool

METHODS = ("depth", "rounds", "fusion", "mtf", "mm", "ts", "sample")


def drawing(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how documents are drawn."""
    for option in reversed(
        (
            click.option("--method", type=click.Choice(METHODS), help="How to choose; see below."),
            click.option("--budget", type=click.IntRange(1), help="Documents per topic; 500."),
            click.option("--depth", type=click.IntRange(1), help="Ranks that `depth` takes."),
            click.option("--seed", type=int, default=1, help="Of everything drawn at random."),
            click.option(
                "--runs-per-team",
                type=click.IntRange(1),
                help="Only the first runs of each participant, as submissions state it.",
            ),
            click.option("--gamma", type=click.FloatRange(0, 1), default=1.0, hidden=True),
            click.option(
                "--judgements", metavar="FILE", help="What mtf, mm and ts may learn from."
            ),
            click.option(
                "--support",
                type=click.Choice(["on", "off"]),
                default="on",
                help="Whether to note what systems returned.",
            ),
            click.option(
                "--order",
                type=click.Choice(["shuffle", "pool", "id"]),
                help="In which order judges are shown documents: shuffle.",
            ),
            click.option(
                "--to",
                type=click.Choice(["pool", "xrai_pool"]),
                default="pool",
                help="JSON lines, or the XML of X-Rai (a folder, one file per topic).",
            ),
        )
    ):
        command = option(command)
    return command


@click.group("pool", cls=DefaultGroup, default="build")
def command() -> None:
    """Choose the documents that judges should read.

    \b
    Methods:
      rounds   (default) the first document of every run, then the second, up to the budget
      depth    all documents with a unit among the first ranks (100; 10 where parts are ranked)
      fusion   the documents on which runs agree most
      sample   all of ranks 1-10, 30 % of 11-50, 10 % of 51-200, each with its probability
      mtf, mm, ts   learn from judgements which run to ask next: from --judgements, or live,
               while `spanwise judge` runs; scores cannot be estimated from them without bias

    \b
    Examples:
      spanwise pool runs/*.run -o pool.jsonl
      spanwise pool runs/ -o pool.jsonl --method sample --budget 100 --seed 7
      spanwise pool check pool.jsonl runs/
      spanwise pool extend pool.jsonl new.run -o more.jsonl
      spanwise pool estimate pool.jsonl judged.jsonl new.run
    """


@command.command("build")
@click.argument("runs", nargs=-1, required=True)
@click.option("-o", "--output", required=True, metavar="POOL", help="The file to write.")
@drawing
@click.option("--add", metavar="FILE", help="Also take what these judgements have judged.")
@click.option("--without", "leave", metavar="FILE", help="Leave out what these have judged.")
@click.option("--topics", metavar="FILE", help="Only the topics of this file.")
def build_command(
    runs: tuple[str, ...],
    output: str,
    add: str | None,
    leave: str | None,
    topics: str | None,
    **words: Any,
) -> None:
    """Make a pool of runs.

    \b
    Example:
      spanwise pool build runs/ -o pool.jsonl --budget 200
    """
    from spanwise.judge.pooling import pool

    found = pool(runs, add=add, without=leave, topics=topics, **_drawn(words))
    _write(found, output, words["to"])


def _drawn(words: dict[str, Any]) -> dict[str, Any]:
    """How documents are drawn, as far as it was stated."""
    names = (
        *("method", "budget", "depth", "seed", "runs_per_team"),
        *("gamma", "judgements", "order"),
    )
    stated = {name: words[name] for name in names if words[name] is not None}
    return {**stated, "support": words["support"] == "on"}


def _write(pool: Pool, output: str, to: str) -> None:
    from spanwise.console import tell
    from spanwise.errors import InputError
    from spanwise.workflows.convert import write_pool

    if not len(pool):
        raise InputError("nothing is left to judge: the pool would be empty")
    write_pool(pool, output, to)
    sizes = sorted(len(documents) for documents in pool.topics.values())
    tell(
        f"{output}: {len(sizes)} topics, {len(pool)} documents to judge"
        f" ({sizes[0]} to {sizes[-1]} for a topic), about {len(pool) * 2 / 60:.1f} hours\n",
        output,
    )


@command.command("extend")
@click.argument("pool")
@click.argument("runs", nargs=-1, required=True)
@click.option("-o", "--output", required=True, metavar="POOL", help="The file to write.")
@drawing
def extend_command(pool: str, runs: tuple[str, ...], output: str, **words: Any) -> None:
    """A second pool: what new runs add to POOL, and nothing that is in it already.

    \b
    Example:
      spanwise pool extend pool.jsonl new.run -o more.jsonl
    """
    from spanwise.judge.pooling import extend_pool

    _write(extend_pool(pool, runs, **_drawn(words)), output, words["to"])


@command.command("check")
@click.argument("pool")
@click.argument("runs", nargs=-1, required=True)
@click.option("--judgements", metavar="FILE", help="What has been judged by now.")
@click.option("-m", "--measure", help="With --judgements: score each run without its own finds.")
@click.option("--minutes", type=float, default=2.0, help="That a document takes; 2.")
@click.option(
    "--format",
    "layout",
    type=click.Choice(["table", "json"]),
    default="table",
    help="How to print.",
)
def check_command(
    pool: str,
    runs: tuple[str, ...],
    judgements: str | None,
    measure: str | None,
    minutes: float,
    layout: str,
) -> None:
    """How well a pool covers runs, what each run alone brought in, and what judging will cost.

    \b
    Example:
      spanwise pool check pool.jsonl runs/ --minutes 3
    """
    import json

    from spanwise.console import emit
    from spanwise.report.studies import check_tables
    from spanwise.workflows.pool_checks import checked

    found = checked(pool, runs, judgements, measure, minutes)
    emit(json.dumps(found, indent=1) + "\n" if layout == "json" else check_tables(found))


@command.command("estimate")
@click.argument("pool")
@click.argument("judgements")
@click.argument("runs", nargs=-1)
@click.option("--collection", metavar="PATH", help="The documents, for runs of elements.")
@click.option("-m", "--measure", "measures", multiple=True, help="Also estimate this measure.")
@click.option("-q", "--per-topic", is_flag=True, help="Also print every topic.")
@click.option(
    "--format",
    "layout",
    type=click.Choice(["table", "json"]),
    default="table",
    help="How to print.",
)
def estimate_command(
    pool: str,
    judgements: str,
    runs: tuple[str, ...],
    collection: str | None,
    measures: tuple[str, ...],
    per_topic: bool,
    layout: str,
) -> None:
    """Scores from a sampled pool, with intervals: each document stands for 1/p of its kind.

    \b
    Examples:
      spanwise pool estimate pool.jsonl judged.jsonl runs/
      spanwise pool estimate pool.jsonl judged.jsonl runs/ -m MAiP -m iP[0.01]
    """
    import json

    from spanwise.console import emit
    from spanwise.report.studies import estimate_tables
    from spanwise.workflows.estimate import estimated

    found = estimated(pool, judgements, runs, collection, measures=measures, per_topic=per_topic)
    emit(json.dumps(found, indent=1) + "\n" if layout == "json" else estimate_tables(found))
