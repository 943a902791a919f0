"""The words that several commands share, and what they come to: one request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from spanwise.cli.names import NamesOption, format_names, measure_names
from spanwise.errors import UsageError

if TYPE_CHECKING:
    from spanwise.evaluation.request import Request

TASKS = ("documents", "thorough", "focused", "ric", "bic", "passages")

measures_option = click.option(
    *("-m", "--measure", "measures"),
    multiple=True,
    cls=NamesOption,
    names=measure_names,
    help="A measure; may be repeated.",
)
profile_option = click.option("--profile", help="A named policy with its measures.")
task_option = click.option("--task", type=click.Choice(TASKS), help="What the runs are for.")
queries_option = click.option("--queries", help="The topics, where structure counts.")
structure_option = click.option(
    "--structure",
    type=click.Choice(["strict", "vague"]),
    help="Only elements count that the topic's query asks for.",
)
topics_option = click.option(
    "--topics", type=click.Choice(["judged", "both", "run"]), help="Topics that count."
)
ties_option = click.option(
    "--ties",
    type=click.Choice(["docno", "file", "rank", "expected"]),
    help="Order of equal scores; `expected` is the mean over all orders.",
)
paths_option = click.option(
    "--paths",
    type=click.Choice(["valued", "assessed"]),
    help="Relevant paths end at elements with a value, or at all that assessors found relevant."
    " [default: valued]",
)
judgements_format_option = click.option(
    "--judgements-format",
    cls=NamesOption,
    names=format_names("judgements", "preferences"),
    help="See: spanwise formats.",
)
run_format_option = click.option(
    "--run-format", cls=NamesOption, names=format_names("run"), help="See: spanwise formats."
)
on_option = click.option(
    "--on",
    metavar="ENGINE[:ADDRESS]",
    help="Run on dask, spark or ray: on the cluster at an address, else on two local workers.",
)
workers_option = click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="So many processes; by default several where that pays.",
)


def with_request(*choices: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Hand a command its words as one request; `choices` are those that belong to the policy."""

    def handed(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def called(**words: Any) -> Any:
            workers = words.pop("workers", None)
            if workers is not None:
                words["on"] = _processes(words["on"], workers)
            return command(_request(words, choices), **words)

        return called

    return handed


def _processes(engine: str | None, count: int) -> str:
    if engine is not None:
        raise UsageError(f"--workers is for this machine; {engine} has workers of its own")
    return f"processes:{count}"


def _request(words: dict[str, Any], choices: tuple[str, ...]) -> Request:
    """Take out of the words what a request is made of; a choice that nobody made is left to it."""
    from spanwise.evaluation.request import Request

    made = {name: words.pop(name) for name in choices}
    if "topics" in made:
        made["average_over"] = made.pop("topics")
    if "queries" in words:
        words["topics"] = words.pop("queries")
    if made.pop("judged_only", False):
        made["unjudged"] = "drop"
    if made.get("unit") in ("char", "chars"):
        made["unit"] = "characters"
    for single, several in (("run", "runs"), ("measure", "measures")):
        if single in words:
            words[several] = (words.pop(single),)
    given = {field.name: words.pop(field.name) for field in fields(Request) if field.name in words}
    policy = {name: value for name, value in made.items() if value is not None}
    return Request(**given, policy=policy)
