"""spanwise check: validate files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanwise.cli.options import (
    Command,
    collection_option,
    option,
    printed_as,
    source_format_option,
)

if TYPE_CHECKING:
    from spanwise.workflows.check import Checked

TASKS = "Tasks"
MOST = 100
"""Number of problems that are shown for each file, unless a user chooses it."""


@click.command("check", cls=Command)
@click.argument("files", nargs=-1, required=True)
@printed_as("text", "json")
@option(
    "--most",
    type=click.IntRange(1),
    metavar="N",
    help=f"Maximum number of problems shown per file. [default: {MOST}]",
)
@option("--task", metavar="NAME", section=TASKS, help="Task whose rules the runs must keep.")
@option(
    "--limit",
    type=click.IntRange(1),
    metavar="N",
    section=TASKS,
    help="Maximum number of results per topic, instead of the task's.",
)
@option(
    "--fix",
    metavar="[OUT]",
    is_flag=False,
    flag_value="-",
    section=TASKS,
    help="Write the run, repaired for its task, to OUT or to standard output.",
)
@collection_option
@source_format_option
def command(
    files: tuple[str, ...],
    layout: str,
    output: str | None,
    source_format: str | None,
    most: int | None,
    task: str | None,
    limit: int | None,
    collection: str | None,
    fix: str | None,
) -> int:
    """Validate runs, judgements and topics: report every problem.

    The exit status is 1 if there is a problem. Harmless oddities are reported as remarks. With
    --collection, every document, element and text is looked up.

    Tasks are thorough, focused, fetch-browse, all-in-context, ric, bic, restricted-focused,
    restricted-ric and efficiency. The names in submissions to INEX are recognised too.

    \b
    Examples:
      spanwise check run.txt qrels.txt
      spanwise check runs/ --json
      spanwise check topics.xml
      spanwise check --task focused passages.run --fix repaired.run
      spanwise check --task efficiency --limit 15 passages.run
      spanwise check --task restricted-ric --collection articles/ elements.run
    """
    import json

    from spanwise.console import emit
    from spanwise.errors import UsageError
    from spanwise.formats.io.files import STDIN
    from spanwise.workflows.check import check

    if task is None and (fix is not None or limit is not None):
        raise UsageError("--fix and --limit need --task, whose rules they are about")
    if most is not None and layout == "json":
        raise UsageError("--most has no effect with --format json, which contains every problem")
    found = check(files, task=task, limit=limit, collection=collection, source_format=source_format)
    if layout == "json":
        shown = json.dumps(found.to_dict(), indent=2) + "\n"
    else:
        shown = found.to_text(most or MOST)
    if fix == STDIN and output is None:  # standard output is for the run
        click.echo(shown, nl=False, err=True)
    else:
        emit(shown, output)
    if fix is not None:
        _repair(found, fix)
    return 0 if found.ok else 1


def _repair(found: Checked, output: str) -> None:
    """Write the run that was checked, repaired for its task, and report what was changed."""
    from spanwise.console import say
    from spanwise.formats.io.files import STDIN
    from spanwise.matching.tasks import CHANGES

    fixed = found.repaired()
    fixed.write(output)
    for rule, count in fixed.changes.items():
        say("repaired", f"{CHANGES[rule]}: {count} ({rule})")
    place = "standard output" if output == STDIN else output
    counts = f"{len(fixed.run.rows)} of {fixed.results} results"
    say("repaired", f"{place}: {counts}" + ("" if fixed.changes else ", unchanged"))
