"""spanwise verify: are these results still what comes out?"""

from __future__ import annotations

import click


@click.command("verify")
@click.argument("results")
def command(results: str) -> int:
    """Make the results of a file again: has anything changed?

    RESULTS was made with `spanwise eval ... -o RESULTS.jsonl` (or .parquet). Inputs are looked for
    under the names they had, then beside RESULTS. The status is 1 if an input or a value changed.

    \b
    Examples:
      spanwise eval qrels.txt run.txt -o results.jsonl
      spanwise verify results.jsonl
    """
    from spanwise.console import emit
    from spanwise.workflows.results import verified

    lines, changed = verified(results)
    emit("".join(f"{line}\n" for line in lines))
    return 1 if changed else 0
