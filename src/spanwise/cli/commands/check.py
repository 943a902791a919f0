"""spanwise check: validate files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanwise.cli.command import Command

if TYPE_CHECKING:
    from spanwise.workflows.check import Checked


@click.command("check", cls=Command)
@click.argument("files", nargs=-1, required=True)
@click.option(
    "--format", "layout", type=click.Choice(["text", "json"]), default="text", help="How to print."
)
@click.option("--file-format", help="Read the files in this format; see: spanwise formats.")
@click.option(
    "--most", type=click.IntRange(1), default=100, help="Problems shown per file (text only)."
)
@click.option("--task", help="Apply the rules of this task to the runs, such as focused or ric.")
@click.option("--top", type=click.IntRange(1), help="Results per topic that the task allows.")
@click.option("--collection", help="Also look everything up in this store or folder of documents.")
@click.option(
    "--fix",
    metavar="[OUT]",
    is_flag=False,
    flag_value="-",
    help="Write the run to OUT as its task wants it; without OUT, or with -, to standard output.",
)
def command(
    files: tuple[str, ...],
    layout: str,
    file_format: str | None,
    most: int,
    task: str | None,
    top: int | None,
    collection: str | None,
    fix: str | None,
) -> int:
    """Validate runs, judgements and topics: report every problem.

    Every problem is said, not only the first; the status is 1 if there was one. What is odd but
    harmless is said as a remark.

    Tasks are thorough, focused, fetch-browse, all-in-context, ric, bic, restricted-focused,
    restricted-ric and efficiency; the names that submissions of INEX gave them work too.

    \b
    Examples:
      spanwise check run.txt qrels.txt
      spanwise check runs/ --format json
      spanwise check topics.xml
      spanwise check --task focused passages.run --fix repaired.run
      spanwise check --task efficiency --top 15 passages.run
      spanwise check --task restricted-ric --collection articles/ elements.run
    """
    import json

    from spanwise.console import emit
    from spanwise.errors import UsageError
    from spanwise.formats.io.files import STDIN
    from spanwise.workflows.check import check

    if task is None and (fix is not None or top is not None):
        raise UsageError("--fix and --top need --task, whose rules they are about")
    found = check(files, task=task, top=top, collection=collection, source_format=file_format)
    shown = found.to_text(most)
    if layout == "json":
        shown = json.dumps(found.to_dict(), indent=2) + "\n"
    if fix == STDIN:  # standard output is for the run
        click.echo(shown, nl=False, err=True)
    else:
        emit(shown)
    if fix is not None:
        _repair(found, fix)
    return 0 if found.ok else 1


def _repair(found: Checked, output: str) -> None:
    """Write the run that was checked as its task wants it, and report what was changed."""
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
