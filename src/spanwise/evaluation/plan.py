"""Planning of a request: its runs are cut into shards, each with some topics of one run.

Large files are cut at the boundaries of topics, datasets into their parts. Judgements that do not
fit in memory are split together with the runs, so that a shard holds the judgements of its topics.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from os import urandom
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from spanwise.errors import SpanwiseWarning, UsageError
from spanwise.evaluation.prepare import (
    Cut,
    Prepared,
    asked,
    one_at_a_time,
    refuse_without_chunks,
    refuse_without_effect,
)
from spanwise.evaluation.profiles import find_profile
from spanwise.formats import expanded
from spanwise.formats.io.columns import prepare as prepare_columns
from spanwise.formats.io.files import STDIN, Stored, dataset_at, fits, paths_in, piece_size, stored
from spanwise.formats.pieces import (
    JUDGEMENTS,
    Observer,
    Part,
    complete_groups,
    format_of,
    partition_alike,
    pieces_of,
    save_stream,
    scattered,
)

if TYPE_CHECKING:
    from spanwise.evaluation.profiles import Profile
    from spanwise.evaluation.request import Request

Share = Literal["whole", "first", "later"]
"""The part of a run that a shard is: all of it, its first piece, or a later piece. The first piece
also covers the judged topics without results in any piece."""


WHOLE = 1 << 62
"""A size in bytes that no run reaches."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A run or a piece of one, to be scored by a worker; plain data."""

    job: str  # distinguishes this call from others that read the same files
    request: Request  # without its runs
    run: int  # the number of the run in the request
    source: Any
    profile: Profile  # of the policy and the measures
    name: str | None = None  # of the run; None: the one that its file states
    piece: Cut | None = None  # None: the whole run
    number: int = 0  # of the piece in the run
    share: Share = "whole"
    judgements: Part | Stored | None = None  # None: all judgements of the request
    at_once: bool = False  # read a packed file as a whole, not piece by piece


class Scratch:
    """Temporary folders for the files of a job, removed when the job ends or fails."""

    def __init__(self, watch: Observer = lambda some, _: some) -> None:
        self.watch = watch
        self._open = ExitStack()

    def folder(self) -> Path:
        """Create a new temporary folder."""
        from spanwise.executors.signals import temporary_folder

        return self._open.enter_context(temporary_folder("spanwise", sockets=False))

    def __enter__(self) -> Scratch:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()


def plan(request: Request, size: int | None = None, scratch: Scratch | None = None) -> list[Shard]:
    """Cut the runs of a request into shards of at most about `size` bytes.

    The judgements are read, so that mistakes in them or in the request are reported first. With a
    `scratch`, judgements that do not fit in memory are split on disk, together with the runs.
    """
    find_profile(request.profile, request.task)
    asked(request.measures)  # mistakes in names are reported before anything is read
    names, runs = _expanded(request)
    if [one for one in (request.judgements, *runs) if isinstance(one, str)].count(STDIN) > 1:
        raise UsageError("standard input (-) can be read only once")
    prepare_columns([run for run in runs if isinstance(run, str)])
    common, job = replace(request, runs=(), names=()), urandom(8).hex()
    if scratch is not None and _too_large(request, runs):
        shards = _paired(common, job, runs, partial(_split, common, scratch))
    elif request.collection is None and all(
        _have_equal_parts(request.judgements, run) for run in runs
    ):
        shards = _paired(common, job, runs, partial(_stored_pairs, common.judgements))
    else:
        whole = (request.policy or {}).get("match") == "order"  # a piece does not know its place
        length = WHOLE if whole else piece_size() if size is None else size
        shards = _cut_runs(common, job, runs, length, scratch)
    return [replace(shard, name=names[shard.run]) for shard in shards] if any(names) else shards


def _expanded(request: Request) -> tuple[list[str | None], list[Any]]:
    """Return the names and the sources of runs, with folders replaced by their files."""
    names: list[str | None] = []
    runs: list[Any] = []
    given = request.names or [None] * len(request.runs)
    for name, run in zip(given, request.runs, strict=True):
        files = expanded([run]) if isinstance(run, str) else [run]
        if name is not None and len(files) > 1:
            raise UsageError(
                f"{name}={run}: found {len(files)} runs under one name; name each file"
            )
        names += [name] * len(files)
        runs += files
    return names, runs


def _cut_runs(
    request: Request, job: str, runs: Sequence[Any], size: int, scratch: Scratch | None
) -> list[Shard]:
    prepared = _remember(job, Prepared(request))
    pieces = [_cut(run, request.run_format, size, scratch) for run in runs]
    profile = prepared.profile_of(runs[0], pieces[0][0])
    refuse_without_effect(prepared, profile)
    refuse_without_chunks(prepared, profile, runs)
    return [
        Shard(job, request, number, run, profile, None, piece, place, share_of(place, len(some)))
        for number, (run, some) in enumerate(zip(runs, pieces, strict=True))
        for place, piece in enumerate(some)
    ]


def _cut(run: Any, name: str | None, size: int, scratch: Scratch | None) -> Sequence[Cut | None]:
    if not isinstance(run, str):
        return [None]
    dataset = dataset_at(run)
    if dataset is not None:
        numbers = paths_in(run, dataset)
        if size == WHOLE:
            return [stored(run, dataset, numbers)]
        return [stored(run, dataset, [number]) for number in numbers]
    if run == STDIN:
        return [None] if scratch is None else save_stream(run, name, scratch.folder(), size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpanwiseWarning)  # issued when the run is read
        pieces = pieces_of(run, name, size)
    if pieces is None:
        return [None]
    if not scattered(run, pieces):
        return pieces
    if scratch is None or fits(run):
        return [None]
    files = [(run, format_of(run, name))]
    return [part for (part,) in partition_alike(files, scratch.folder(), scratch.watch)]


def share_of(place: int, pieces: int) -> Share:
    """Return the share of the run that its piece at a place is."""
    if pieces == 1:
        return "whole"
    return "later" if place else "first"


# Judgements in parts ----------------------------------------------------------------------------


def _too_large(request: Request, runs: Sequence[Any]) -> bool:
    """Tell whether judgements do not fit in memory and can be split."""
    sources = [request.judgements, *runs]
    if not all(isinstance(one, str) and Path(one).is_file() for one in sources):
        return False
    if request.collection is not None or fits(request.judgements):
        return False
    entries = [format_of(request.judgements, request.judgements_format, JUDGEMENTS)]
    entries += [format_of(run, request.run_format) for run in runs]
    return all(entry.lines is not None for entry in entries)


def _split(request: Request, scratch: Scratch, run: str) -> list[tuple[Part, ...]]:
    """Write judgements and a run to disk, in parts that hold the same topics."""
    entry = format_of(request.judgements, request.judgements_format, JUDGEMENTS)
    files = [(request.judgements, entry), (run, format_of(run, request.run_format))]
    return partition_alike(files, scratch.folder(), scratch.watch)


def _have_equal_parts(judgements: Any, run: Any) -> bool:
    """Tell whether judgements and run are datasets whose parts have the same topics."""
    if not isinstance(judgements, str) or not isinstance(run, str):
        return False
    one = dataset_at(judgements)
    other = None if one is None else dataset_at(run)
    return one is not None and other is not None and one.parts == other.parts


def _stored_pairs(judgements: str, run: str) -> list[tuple[Stored, ...]]:
    """Return the parts of two datasets in pairs, none of which is empty on either side."""
    sets = [(place, one) for place in (judgements, run) if (one := dataset_at(place)) is not None]
    there = [set(paths_in(place, one)) for place, one in sets]
    groups = complete_groups(range(sets[0][1].parts), there)
    return [tuple(stored(place, one, numbers) for place, one in sets) for numbers in groups]


def _paired(
    request: Request,
    job: str,
    runs: Sequence[str],
    cut: Callable[[str], Sequence[tuple[Part, ...] | tuple[Stored, ...]]],
) -> list[Shard]:
    """Return shards that hold the judgements of their own topics only."""
    shards: list[Shard] = []
    for number, run in enumerate(runs):
        for place, (judged, part) in enumerate(cut(run)):
            if not shards:
                prepared = _remember(f"{job} {judged.paths}", Prepared(request, judged))
                profile = prepared.profile_of(run, part)
            shards.append(
                Shard(job, request, number, run, profile, None, part, place, "first", judged)
            )
    return shards


# Judgements of this process ---------------------------------------------------------------------

_prepared: dict[str, Prepared] = {}
"""The judgements that this process used last, by the key of their job."""


def _remember(key: str, prepared: Prepared) -> Prepared:
    with one_at_a_time:
        _prepared.clear()
        _prepared[key] = prepared
    return prepared


def prepared_for(shard: Shard) -> Prepared:
    """Return the prepared judgements of a shard; a process reads those of a job once."""
    key = shard.job if shard.judgements is None else f"{shard.job} {shard.judgements.paths}"
    with one_at_a_time:
        return _prepared.get(key) or _remember(key, Prepared(shard.request, shard.judgements))
