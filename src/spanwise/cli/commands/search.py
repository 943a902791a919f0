"""spanwise search: make a run with an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from spanwise.cli.options import (
    FILES,
    XML,
    Command,
    engine_names,
    option,
    reported,
    run_output_option,
    top_option,
    topics_format_option,
    written_format_option,
)

if TYPE_CHECKING:
    from spanwise.retrieve.queries import Task

ENGINE = "Engine and queries"


@click.command("search", cls=Command)
@click.argument("collection")
@click.argument("topics")
@run_output_option
@option(
    "--engine",
    default="fts5",
    names=engine_names,
    listed=True,
    metavar="NAME",
    help="Engine; see: spanwise engines. [default: fts5]",
)
@option(
    "--grain",
    default="document",
    metavar="GRAIN",
    help="Units returned: document, element[:TAG,...], chunk:SIZE[/OVERLAP]. [default: document]",
)
@top_option
@option("--name", metavar="NAME", help="Name of the run. [default: that of the engine]")
@option(
    *("--set", "settings"),
    multiple=True,
    metavar="NAME=VALUE",
    section=ENGINE,
    help="Parameter of the engine; repeatable.",
)
@option(
    "--query",
    default="title",
    metavar="FIELD+...",
    section=ENGINE,
    help="Fields of topics to search for; castitle is NEXI. [default: title]",
)
@option(
    "--expand",
    type=click.Choice(["rocchio", "rm3", "wordnet"]),
    metavar="HOW",
    section=ENGINE,
    help="Add words to queries by rocchio, rm3 or wordnet.",
)
@option(
    "--structure",
    type=click.Choice(["vague", "strict"]),
    section=XML,
    help="Conditions of --query castitle: raise scores, or required. [default: vague]",
)
@option(
    "--task",
    type=click.Choice(["thorough", "focused", "ric", "bic"]),
    default="thorough",
    metavar="NAME",
    section=XML,
    help="Task whose rules the run keeps: thorough, focused, ric, bic. [default: thorough]",
)
@option(
    "--propagate",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="DECAY",
    section=XML,
    help="Share of a score that goes to the element around it. [default: 0]",
)
@option("--index", metavar="FOLDER", section=FILES, help="Folder that keeps the index.")
@topics_format_option
@written_format_option
@reported
def command(
    collection: str,
    topics: str,
    engine: str,
    grain: str,
    top: int,
    index: str | None,
    query: str,
    structure: Literal["vague", "strict"] | None,
    task: Task,
    propagate: float,
    expand: Literal["rocchio", "rm3", "wordnet"] | None,
    settings: tuple[str, ...],
    topics_format: str | None,
    to: str | None,
    name: str | None,
    output: str,
) -> tuple[dict[str, Any], str]:
    """Search a collection for topics and write a run.

    COLLECTION is a store (see: spanwise collection build) or a folder of documents. TOPICS is a
    file of queries in any known format. The default engine needs no installation.

    \b
    Examples:
      spanwise search cran.store cran/cran.qry -o cran.run
      spanwise search articles/ topics.xml --grain element --task focused -o focused.run
      spanwise search articles/ topics.xml --grain element --query castitle --structure strict
      spanwise search wiki.store topics.tsv --grain chunk:800/200 --engine bm25s --set b=0.75
    """
    from spanwise.workflows.convert import saved_run
    from spanwise.workflows.search import search

    run = search(
        collection,
        topics,
        engine=engine,
        grain=grain,
        top=top,
        index=index,
        query=query,
        structure=structure,
        task=task,
        propagate=propagate,
        expand=expand,
        settings=dict(_pair(one) for one in settings),
        topics_format=topics_format,
        name=name,
    )
    return saved_run(run, output, to).to_dict(), ""


def _pair(text: str) -> tuple[str, str]:
    from spanwise.errors import UsageError

    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--set {text!r}; expected NAME=VALUE")
    return name, value
