"""spanwise pool: choose the documents to judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from spanwise.cli.options import (
    FILES,
    DefaultGroup,
    all_of,
    collection_option,
    measures_option,
    option,
    per_topic_option,
    printed_as,
    reported,
    seed_option,
)

if TYPE_CHECKING:
    from spanwise.model.pools import Pool

PAGE = "Judging page"
GAMMA = "Share of the past that counts for mm and ts. [default: 1]"
MINUTES = 2.0
"""Minutes that judging a document takes, unless a user states it."""
Report = tuple[dict[str, Any], str]
METHODS = ("depth", "rounds", "fusion", "mtf", "mm", "ts", "sample")


drawing = all_of(
    option(
        "--method",
        type=click.Choice(METHODS),
        metavar="NAME",
        help=f"Method: {', '.join(METHODS)}. [default: rounds]",
    ),
    option(
        "--budget",
        type=click.IntRange(1),
        metavar="N",
        help="Number of documents per topic. [default: 500]",
    ),
    option(
        "--depth",
        type=click.IntRange(1),
        metavar="N",
        help="Results considered per topic by method depth. [default: 100, or 10 for parts]",
    ),
    option(
        "--runs-per-team",
        type=click.IntRange(1),
        metavar="N",
        help="Number of first runs of each participant. [default: all]",
    ),
    option(
        "--judgements",
        metavar="FILE",
        help="Judgements from which mtf, mm and ts learn. [default: live]",
    ),
    option("--gamma", type=click.FloatRange(0, 1), default=1.0, hidden=True, help=GAMMA),
    option(
        "--support",
        type=click.Choice(["on", "off"]),
        default="on",
        section=PAGE,
        help="Note what systems returned. [default: on]",
    ),
    option(
        "--order",
        type=click.Choice(["shuffle", "pool", "id"]),
        section=PAGE,
        help="Order in which assessors see documents. [default: shuffle]",
    ),
    option(
        "--to",
        type=click.Choice(["pool", "xrai_pool"]),
        default="pool",
        metavar="FORMAT",
        section=FILES,
        help="Format: pool, or xrai_pool, which is a folder. [default: pool]",
    ),
    seed_option,
)
"""The options that say how documents are drawn."""
pool_output_option = option(
    *("-o", "--output"),
    required=True,
    metavar="POOL",
    help="File or folder of the pool that is written.",
)


@click.group("pool", cls=DefaultGroup, default="build")
def command() -> None:
    """Choose the documents that assessors should judge.

    \b
    Methods:
      rounds   (default) the first document of every run, then the second, up to the budget
      depth    all documents with a result among the first ranks
      fusion   the documents on which runs agree most
      sample   all of ranks 1-10, 30 % of 11-50, 10 % of 51-200, each with its probability
      mtf, mm, ts   learn which run to take from next, from --judgements or while
               `spanwise judge` runs; scores estimated from these pools are biased

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
@pool_output_option
@option("--add", metavar="FILE", help="Add the documents of these judgements.")
@option("--without", "leave", metavar="FILE", help="Leave out the documents of these judgements.")
@option("--topics", metavar="FILE", help="Topics of the pool. [default: those of the runs]")
@drawing
@reported
def build_command(
    runs: tuple[str, ...],
    output: str,
    add: str | None,
    leave: str | None,
    topics: str | None,
    **words: Any,
) -> Report:
    """Make a pool from runs.

    \b
    Example:
      spanwise pool build runs/ -o pool.jsonl --budget 200
    """
    from spanwise.judge.pooling import pool

    found = pool(runs, add=add, without=leave, topics=topics, **_drawn(words))
    return _written(found, output, words["to"])


def _drawn(words: dict[str, Any]) -> dict[str, Any]:
    """Return the stated options that say how documents are drawn."""
    names = (
        *("method", "budget", "depth", "seed", "runs_per_team"),
        *("gamma", "judgements", "order"),
    )
    stated = {name: words[name] for name in names if words[name] is not None}
    return {**stated, "support": words["support"] == "on"}


def _written(pool: Pool, output: str, to: str) -> Report:
    """Write a pool and return a report: the documents to judge, and the hours that this takes."""
    from spanwise.errors import InputError
    from spanwise.workflows.convert import saved_pool

    if not len(pool):
        raise InputError("nothing is left to judge: the pool would be empty")
    made = saved_pool(pool, output, to)
    sizes = sorted(len(documents) for documents in pool.topics.values())
    hours = len(pool) * MINUTES / 60
    text = (
        f"{output}: {len(sizes)} topics, {len(pool)} documents to judge"
        f" ({sizes[0]} to {sizes[-1]} for a topic), about {hours:.1f} hours\n"
    )
    about = {name: pool.about[name] for name in ("method", "seed") if name in pool.about}
    counts = {"fewest": sizes[0], "most": sizes[-1], "hours": round(hours, 2)}
    return {**made.to_dict(), **about, **counts}, text


@command.command("extend")
@click.argument("pool")
@click.argument("runs", nargs=-1, required=True)
@pool_output_option
@drawing
@reported
def extend_command(pool: str, runs: tuple[str, ...], output: str, **words: Any) -> Report:
    """Make a second pool of the documents that new runs add to POOL.

    What is not stated of method, budget, depth and order is as it was for POOL.

    \b
    Example:
      spanwise pool extend pool.jsonl new.run -o more.jsonl
    """
    from spanwise.judge.pooling import extend_pool

    return _written(extend_pool(pool, runs, **_drawn(words)), output, words["to"])


@command.command("check")
@click.argument("pool")
@click.argument("runs", nargs=-1, required=True)
@option("--judgements", metavar="FILE", help="Judgements made so far.")
@measures_option
@option(
    "--minutes",
    type=float,
    default=MINUTES,
    metavar="N",
    help=f"Minutes needed to judge a document. [default: {MINUTES:g}]",
)
@printed_as("table", "json")
def check_command(
    pool: str,
    runs: tuple[str, ...],
    judgements: str | None,
    measures: tuple[str, ...],
    minutes: float,
    layout: str,
    output: str | None,
) -> None:
    """Report how well a pool covers runs, what each run adds, and the hours of judging.

    With -m each run is also scored without the documents that only it found.

    \b
    Example:
      spanwise pool check pool.jsonl runs/ --minutes 3
    """
    import json

    from spanwise.console import emit
    from spanwise.report.studies import check_tables
    from spanwise.workflows.pool_checks import checked

    found = checked(pool, runs, judgements, measures, minutes)
    emit(json.dumps(found, indent=1) + "\n" if layout == "json" else check_tables(found), output)


@command.command("estimate")
@click.argument("pool")
@click.argument("judgements")
@click.argument("runs", nargs=-1)
@measures_option
@per_topic_option
@printed_as("table", "json")
@collection_option
def estimate_command(
    pool: str,
    judgements: str,
    runs: tuple[str, ...],
    collection: str | None,
    measures: tuple[str, ...],
    per_topic: bool,
    layout: str,
    output: str | None,
) -> None:
    """Estimate scores from a sampled pool, with intervals.

    A document that was drawn with probability p stands for 1/p documents.

    \b
    Examples:
      spanwise pool estimate pool.jsonl judged.jsonl runs/
      spanwise pool estimate pool.jsonl judged.jsonl runs/ -m 'MAiP,iP[0.01]'
    """
    import json

    from spanwise.console import emit
    from spanwise.report.studies import estimate_tables
    from spanwise.workflows.estimate import estimated

    found = estimated(pool, judgements, runs, collection, measures=measures, per_topic=per_topic)
    text = json.dumps(found, indent=1) + "\n" if layout == "json" else estimate_tables(found)
    emit(text, output)
