"""What the two older programs share: reading their files, and saying why they refuse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spanwise import formats
from spanwise.app.output import emit_bytes, say
from spanwise.errors import (
    DuplicateError,
    EmptyError,
    NoTopicsError,
    SpanwiseError,
    UsageError,
)
from spanwise.ground.align import Aligned, align, refuse_duplicate_judgements

if TYPE_CHECKING:
    from spanwise.app.trec_eval.lines8 import Line
    from spanwise.model.arrays import FloatArray
    from spanwise.model.judgements import Judgements
    from spanwise.model.policy import Policy
    from spanwise.model.run import Run

Columns = list[list["FloatArray"]]
USAGE, BAD_INPUT, DUPLICATE, NO_TOPIC = 1, 2, 3, 255
"""Exit status of the older programs."""


def refused(error: SpanwiseError) -> int:
    """Say on one line what was wrong; the exit status that belongs to it."""
    say("error", str(error))
    if isinstance(error, UsageError):
        return USAGE
    if isinstance(error, DuplicateError):
        return DUPLICATE
    return NO_TOPIC if isinstance(error, NoTopicsError | EmptyError) else BAD_INPUT


def guarded(program: Callable[[list[str]], int], words: list[str]) -> int:
    """Run a program; an error becomes a line and an exit status."""
    try:
        return program(words)
    except SpanwiseError as error:
        return refused(error)


def read_both(judged: str, returned: str) -> tuple[Judgements, Run]:
    """Judgements and run, in the formats that the older programs know."""
    how = formats.Reading(comments=False, whole_grades=True)
    for file in (judged, returned):
        if Path(file).is_file() and not Path(file).stat().st_size:
            raise NoTopicsError(f"{file}: the file is empty; check how it was made")
    judgements: Judgements = formats.read(judged, ("judgements",), "qrels", how)
    run: Run = formats.read(returned, ("run",), "trec_run", how)
    return judgements, run


def aligned(judgements: Judgements, run: Run, policy: Policy) -> Aligned:
    """The topics both judged and answered, in the order of their first line in the run."""
    judged = set(judgements.rows.topics)
    topics = [topic for topic in run.rows.topics if topic in judged]
    if not topics:
        raise NoTopicsError(
            f"{run.rows.source}: no topic of it is judged in {judgements.rows.source};"
            " expected at least one in common"
        )
    refuse_duplicate_judgements(judgements, topics)
    return align(run, judgements, topics, policy)


def measured(found: Aligned, lines: Sequence[Line], level: int, *, times: bool) -> Columns:
    """For each line its columns, with one value per topic."""
    blocks = [
        [line.columns(block, level) for line in lines] for block in found.blocks(with_scores=times)
    ]
    return [
        [np.concatenate(pieces) for pieces in zip(*(block[n] for block in blocks), strict=True)]
        for n in range(len(lines))
    ]


def printed(lines: Sequence[bytes]) -> None:
    """Write lines to standard output as they are; names of topics need not be text."""
    emit_bytes(b"".join(line + b"\n" for line in lines))
