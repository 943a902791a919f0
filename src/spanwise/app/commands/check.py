"""spanwise check: validate files."""

from __future__ import annotations

import click


@click.command("check")
@click.argument("files", nargs=-1, required=True)
@click.option(
    "--format", "layout", type=click.Choice(["text", "json"]), default="text", help="How to print."
)
@click.option("--file-format", help="Read the files in this format; see: spanwise formats.")
@click.option(
    "--most", type=click.IntRange(1), default=100, help="Problems shown per file (text only)."
)
def command(files: tuple[str, ...], layout: str, file_format: str | None, most: int) -> int:
    """Validate runs, judgements and topics and report every problem, not only the first.

    The status is 1 if there was a problem. What is odd but harmless is said as a remark.

    \b
    Examples:
      spanwise check run.txt qrels.txt
      spanwise check runs/ --format json
      spanwise check topics.xml
    """
    from spanwise.app.checking import checked, cross_checked, shown_as_json, shown_as_text
    from spanwise.app.output import emit
    from spanwise.formats import expanded

    reports = [checked(file, file_format) for file in expanded(files)]
    cross_checked(reports)
    emit(shown_as_json(reports) if layout == "json" else shown_as_text(reports, most))
    return 1 if any(report.problems for report in reports) else 0
