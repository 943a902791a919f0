"""What `spanwise eval` does with its words: read once, score each run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from spanwise.console import watched
from spanwise.evaluation import shards
from spanwise.formats.io.files import STDIN

if TYPE_CHECKING:
    from spanwise.evaluation.shards import Partial, Request, Shard
    from spanwise.model.scores import Scores

PROCESSES = "processes:"
"""How so many processes of this machine are addressed."""
LONG = 768 << 20
"""So many bytes of runs are worth the start of further processes."""
LONG_IF_CHEAP = 64 << 20
"""So many, where these are copies of this one."""
MANY = 12
"""And so many runs, if their measures are laborious."""


def scored(request: Request, on: str | None = None) -> tuple[list[Scores], frozenset[str]]:
    """The scores of every run, and which of the measures are counts, found here or on an engine."""
    if on is not None and not on.startswith(PROCESSES):
        from spanwise.evaluation.evaluating import scored_on

        return scored_on(on, request, lambda some, count: watched(some, count, "scoring"))
    workers = None if on is None else int(on.removeprefix(PROCESSES))
    with shards.Workshop(lambda some, count: watched(some, count, "sorting")) as shop:
        return shards.scored(request, partial(_mapped, workers=workers), shop=shop)


def _mapped(
    work: Callable[[Shard], Partial], some: Sequence[Shard], workers: int | None
) -> Iterable[Partial]:
    """By so many processes, where it makes sense to have several; else one after the other."""
    count = _worth(some) if workers is None else workers
    if count < 2 or len(some) < 2 or some[0].request.judgements == STDIN:
        return watched(map(work, some), len(some), "scoring")
    from spanwise.executors.processes import by_processes

    return watched(by_processes(work, some, count), len(some), "scoring")


def _worth(some: Sequence[Shard]) -> int:
    """How many processes pay: their start takes as long as some hundred megabytes of runs."""
    files = {shard.source for shard in some if isinstance(shard.source, str)}
    size = sum(Path(file).stat().st_size for file in files if Path(file).is_file())
    runs = {shard.run for shard in some}
    if len(some) < 2 or (size < LONG_IF_CHEAP and len(runs) < MANY):
        return 1
    from spanwise.executors.processes import cheap, cores

    enough = size >= (LONG_IF_CHEAP if cheap() else LONG)
    laborious = len(runs) >= MANY and shards.laborious(some[0])
    return cores() if enough or laborious else 1
