"""spanwise check: validate files."""

from __future__ import annotations

import click

from spanwise.cli.command import Command


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
    from spanwise.collection import opened
    from spanwise.console import emit
    from spanwise.errors import UsageError
    from spanwise.formats import expanded
    from spanwise.formats.io.files import STDIN
    from spanwise.matching.tasks import find_task
    from spanwise.workflows.check import inspected, shown_as_json, shown_as_text, write_repaired

    if task is None and (fix is not None or top is not None):
        raise UsageError("--fix and --top need --task, whose rules they are about")
    rules = None if task is None else find_task(task, top)
    documents = opened(collection)
    reports = inspected(expanded(files), file_format, rules, documents)
    shown = shown_as_json(reports) if layout == "json" else shown_as_text(reports, most)
    if fix == STDIN:  # standard output is for the run
        click.echo(shown, nl=False, err=True)
    else:
        emit(shown)
    if rules is not None and fix is not None:
        write_repaired(reports, rules, fix, documents)
    return 1 if any(report.problems or report.violations for report in reports) else 0
