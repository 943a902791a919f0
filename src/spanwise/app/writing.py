"""Writing a run that was made here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from spanwise.app.output import emit_bytes, say, write_atomically
from spanwise.errors import UsageError
from spanwise.formats import FORMATS
from spanwise.formats.registry import find_format
from spanwise.model.holdings import said

if TYPE_CHECKING:
    from spanwise.model.run import Run


def plainest(run: Run) -> str:
    """The plainest format that holds a run: columns, or JSON lines where units must be stated."""
    if run.spans is not None:
        return "span_run"
    return "trec_run" if run.paths is None else "inex_run"


def write_run(run: Run, layout: str | None, output: str | None) -> None:
    """To a file in one step, or to standard output; what the format cannot hold is said."""
    entry = find_format(layout, ("run",)) if layout else FORMATS[plainest(run)]
    if entry.write is None:
        raise UsageError(f"format {entry.name!r} is only read, not written")
    for kind, count in entry.loses(run).items():
        say("warning", f"format {entry.name!r} cannot hold {said(kind, count)}")
    data = b"".join(entry.write(run))
    if output is None:
        emit_bytes(data)
    else:
        write_atomically(Path(output), data)
