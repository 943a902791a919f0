"""spanwise search: make a run with an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from spanwise.cli.command import Command, option
from spanwise.cli.names import engine_names

if TYPE_CHECKING:
    from spanwise.retrieve.queries import Task


@click.command("search", cls=Command)
@click.argument("collection")
@click.argument("topics")
@option(
    "--engine",
    default="fts5",
    names=engine_names,
    listed=True,
    metavar="NAME",
    help="Engine; see: spanwise engines. [default: fts5]",
)
@click.option(
    "--grain",
    default="document",
    show_default=True,
    help="What is returned: document, element, element:TAG,TAG, chunk:SIZE, chunk:SIZE/OVERLAP.",
)
@click.option("--top", type=click.IntRange(1), default=1000, show_default=True, help="Results.")
@click.option("--index", metavar="FOLDER", help="Keep the index here, and use it again.")
@click.option(
    "--query",
    default="title",
    show_default=True,
    help="Which fields of topics to ask for, such as title+description; castitle is NEXI.",
)
@click.option(
    "--structure",
    type=click.Choice(["vague", "strict"]),
    default="vague",
    help="What NEXI demands of structure raises scores, or is a condition.",
)
@click.option(
    "--task",
    type=click.Choice(["thorough", "focused", "ric", "bic"]),
    default="thorough",
    help="Which task the run is to keep the rules of.",
)
@click.option(
    "--propagate",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="DECAY",
    help="Hand scores on to the elements around, times DECAY for each step.",
)
@click.option(
    "--expand",
    type=click.Choice(["rocchio", "rm3", "wordnet"]),
    help="Add words to the queries.",
)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Of the engine.")
@click.option("--topics-format", help="Read TOPICS in this format; see: spanwise formats.")
@click.option(
    "--format", "layout", help="Format of the run; by default the plainest that holds it."
)
@click.option("--name", help="What the run is called; by default as the engine.")
@click.option("-o", "--output", metavar="RUN", help="The file to write; standard output if none.")
def command(
    collection: str,
    topics: str,
    engine: str,
    grain: str,
    top: int,
    index: str | None,
    query: str,
    structure: Literal["vague", "strict"],
    task: Task,
    propagate: float,
    expand: Literal["rocchio", "rm3", "wordnet"] | None,
    settings: tuple[str, ...],
    topics_format: str | None,
    layout: str | None,
    name: str | None,
    output: str | None,
) -> None:
    """Search a collection for topics and write a run.

    COLLECTION is a store (see: spanwise collection build) or a folder of documents. TOPICS is a
    file of queries in any format that is known. The default engine needs nothing installed.

    \b
    Examples:
      spanwise search cran.store cran/cran.qry -o cran.run
      spanwise search articles/ topics.xml --grain element --task focused -o focused.run
      spanwise search articles/ topics.xml --grain element --query castitle --structure strict
      spanwise search wiki.store topics.tsv --grain chunk:800/200 --engine bm25s --set b=0.75
    """
    from spanwise.workflows.convert import write_run
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
    write_run(run, output or "-", layout)


def _pair(text: str) -> tuple[str, str]:
    from spanwise.errors import UsageError

    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--set {text!r}; expected NAME=VALUE")
    return name, value
