"""spanwise verify: recompute results and report what changed."""

from __future__ import annotations

import click

from spanwise.cli.options import Command, printed_as


@click.command("verify", cls=Command)
@click.argument("results")
@printed_as("text", "json", output=False)
def command(results: str, layout: str) -> int:
    """Recompute the results in a file and report what changed.

    RESULTS was written by `spanwise eval ... -o RESULTS.jsonl` (or .parquet). Each input is looked
    up under the name that it had, then beside RESULTS. The exit status is 1 if an input or a value
    changed.

    \b
    Examples:
      spanwise verify results.jsonl
      spanwise verify results.jsonl --json
    """
    import json

    from spanwise.console import emit
    from spanwise.workflows.results import verify

    found = verify(results)
    emit(json.dumps(found.to_dict(), indent=1) + "\n" if layout == "json" else f"{found}\n")
    return 1 if found.changed else 0
