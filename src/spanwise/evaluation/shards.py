"""A request as work that can be shared: what there is to do, doing it, putting it together.

    plan  >  shard_scores, here or on any worker  >  merged

A shard is a run, or a piece of one. What comes of it is plain data, and so are mistakes of users
and what is worth a warning; however a run is cut and wherever its pieces are measured, the scores
and everything that is said are the same.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from os import urandom
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanwise.errors import CountedWarning, EmptyError, SpanwiseError, SpanwiseWarning, UsageError
from spanwise.evaluation.pipeline import Share, asked, refuse_strangers, summed_up
from spanwise.evaluation.profiles import find_profile
from spanwise.evaluation.request import Request as Request
from spanwise.evaluation.request import Shard as Shard
from spanwise.evaluation.scoring import Cut, Rank, Scorer, flows, messages, one_at_a_time
from spanwise.formats import expanded
from spanwise.formats.io.columns import prepare
from spanwise.formats.io.dataset import Stored, dataset_at, paths_in, stored
from spanwise.formats.io.files import STDIN, fits, piece_size
from spanwise.formats.pieces import (
    JUDGEMENTS,
    Part,
    Piece,
    Watch,
    filled,
    format_of,
    kept_on_disk,
    pieces_of,
    scattered,
    together,
)
from spanwise.model.scores import Measured, Scattered, joined

if TYPE_CHECKING:
    from spanwise.model.scores import Scores


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """What came of a shard. Plain data."""

    run: int
    number: int
    found: Measured | None  # None: nothing to be found there, or something was wrong
    failure: SpanwiseError | None = None
    rank: Rank = (0, 0, b"")  # when it would have been found
    said: tuple[Warning, ...] = ()


Mapper = Callable[[Callable[[Shard], Partial], Sequence[Shard]], Iterable[Partial]]
"""Applies a function to shards and gives what comes of them in their order; `map` is one."""


# The plan -----------------------------------------------------------------------------------


class Workshop:
    """Where a job finds room on disk: a folder that is removed however the job ends."""

    def __init__(self, watch: Watch = lambda some, _: some) -> None:
        self.watch = watch
        self._open = ExitStack()

    def folder(self) -> Path:
        """A new folder."""
        from spanwise.executors.signals import temporary_folder

        return self._open.enter_context(temporary_folder("spanwise", sockets=False))

    def __enter__(self) -> Workshop:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()


def plan(request: Request, size: int | None = None, shop: Workshop | None = None) -> list[Shard]:
    """What there is to do, run by run; runs of more bytes than `size` in pieces of about so many.

    The judgements are read, and what is wrong with them or with the request is said. With room on
    disk judgements that memory does not hold are taken apart, and runs with them.
    """
    find_profile(request.profile, request.task)
    asked(request.measures)  # a mistake in a name is said before anything is read
    runs = _expanded(request.runs)
    if [one for one in (request.judgements, *runs) if isinstance(one, str)].count(STDIN) > 1:
        raise UsageError("standard input (-) can be read only once")
    prepare([run for run in runs if isinstance(run, str)])
    common, job = replace(request, runs=()), urandom(8).hex()
    if shop is not None and _too_large(request, runs):
        return _paired(common, job, runs, partial(_taken_apart, common, shop))
    if request.collection is None and all(_cut_alike(request.judgements, run) for run in runs):
        return _paired(common, job, runs, partial(_stored_pairs, common.judgements))
    scorer = _begun(job, Scorer(common))
    length = piece_size() if size is None else size
    pieces = [_cut(run, request.run_format, length, shop) for run in runs]
    profile = scorer.settled(runs[0], pieces[0][0])
    return [
        Shard(job, common, number, run, profile, piece, place, _share(place, len(some)))
        for number, (run, some) in enumerate(zip(runs, pieces, strict=True))
        for place, piece in enumerate(some)
    ]


def _expanded(runs: Sequence[Any]) -> list[Any]:
    return [one for run in runs for one in (expanded([run]) if isinstance(run, str) else [run])]


def _cut(run: Any, name: str | None, size: int, shop: Workshop | None) -> Sequence[Cut | None]:
    if not isinstance(run, str):
        return [None]
    dataset = dataset_at(run)
    if dataset is not None:
        return [stored(run, dataset, [number]) for number in paths_in(run, dataset)]
    if run == STDIN:
        return [None] if shop is None else kept_on_disk(run, name, shop.folder(), size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpanwiseWarning)  # said when it is read
        pieces = pieces_of(run, name, size)
    if pieces is None:
        return [None]
    if not scattered(run, pieces):
        return pieces
    if shop is None or fits(run):
        return [None]
    files = [(run, format_of(run, name))]
    return [part for (part,) in together(files, shop.folder(), shop.watch)]


def _share(place: int, pieces: int) -> Share:
    if pieces == 1:
        return "whole"
    return "later" if place else "first"


def _too_large(request: Request, runs: Sequence[Any]) -> bool:
    """Whether judgements are more than memory holds, and can be taken apart."""
    sources = [request.judgements, *runs]
    if not all(isinstance(one, str) and Path(one).is_file() for one in sources):
        return False
    if request.collection is not None or fits(request.judgements):
        return False
    entries = [format_of(request.judgements, request.judgements_format, JUDGEMENTS)]
    entries += [format_of(run, request.run_format) for run in runs]
    return all(entry.lines is not None for entry in entries)


def _taken_apart(request: Request, shop: Workshop, run: str) -> list[tuple[Part, ...]]:
    """Judgements and a run in parts of the same topics."""
    entry = format_of(request.judgements, request.judgements_format, JUDGEMENTS)
    files = [(request.judgements, entry), (run, format_of(run, request.run_format))]
    return together(files, shop.folder(), shop.watch)


def _cut_alike(judgements: Any, run: Any) -> bool:
    """Whether judgements and run are datasets whose parts have the same topics."""
    if not isinstance(judgements, str) or not isinstance(run, str):
        return False
    one = dataset_at(judgements)
    other = None if one is None else dataset_at(run)
    return one is not None and other is not None and one.parts == other.parts


def _stored_pairs(judgements: str, run: str) -> list[tuple[Stored, ...]]:
    """The parts of two datasets that are cut alike, so that each pair has something of both."""
    sets = [(place, one) for place in (judgements, run) if (one := dataset_at(place)) is not None]
    there = [set(paths_in(place, one)) for place, one in sets]
    groups = filled(range(sets[0][1].parts), there)
    return [tuple(stored(place, one, numbers) for place, one in sets) for numbers in groups]


def _paired(
    request: Request,
    job: str,
    runs: Sequence[str],
    cut: Callable[[str], Sequence[tuple[Part, ...] | tuple[Stored, ...]]],
) -> list[Shard]:
    """Shards of some topics each, with the judgements of these topics alone."""
    shards: list[Shard] = []
    for number, run in enumerate(runs):
        for place, (judged, part) in enumerate(cut(run)):
            if not shards:
                scorer = _begun(f"{job} {judged.paths}", Scorer(request, judged))
                profile = scorer.settled(run, part)
            shards.append(Shard(job, request, number, run, profile, part, place, "first", judged))
    return shards


# The map ------------------------------------------------------------------------------------

_scorers: dict[str, Scorer] = {}
"""The one that this process used last."""


def _begun(key: str, scorer: Scorer) -> Scorer:
    with one_at_a_time:
        _scorers.clear()
        _scorers[key] = scorer
    return scorer


def scorer_of(shard: Shard) -> Scorer:
    """What reads and measures; one process reads the judgements once for a job."""
    key = shard.job if shard.judgements is None else f"{shard.job} {shard.judgements.paths}"
    with one_at_a_time:
        return _scorers.get(key) or _begun(key, Scorer(shard.request, shard.judgements))


def shard_scores(shard: Shard) -> Partial:
    """The map: what comes of a shard. This function runs on every worker, near or far."""
    found, failure, rank = None, None, (0, 0, b"")
    with one_at_a_time, warnings.catch_warnings(record=True) as caught:
        if shard.judgements is None:  # whoever made the plan has read them too
            warnings.simplefilter("ignore", SpanwiseWarning)
        scorer = None
        try:
            scorer = scorer_of(shard)
            warnings.simplefilter("always", SpanwiseWarning)
            found = _measured(scorer, shard)
        except SpanwiseError as error:
            failure = error
            rank = rank if scorer is None else scorer.rank(error)
    return Partial(shard.run, shard.number, found, failure, rank, tuple(messages(caught)))


def _measured(scorer: Scorer, shard: Shard) -> Measured | None:
    """Where something is wrong lines are counted, to say where."""
    if not isinstance(shard.piece, Piece):
        return scorer.measured(shard)
    try:
        return scorer.measured(shard)
    except EmptyError:
        if shard.share == "later":
            return None  # comments
    except SpanwiseError:
        if not shard.piece.begin:
            raise
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # caught the first time
        return scorer.measured(shard, numbered=True)


def laborious(shard: Shard) -> bool:
    """Whether runs take long whatever their size."""
    measures = scorer_of(shard).measures(shard.profile)
    return any(one.measure.reads in ("elements", "journeys") for one in measures)


# The reduction ------------------------------------------------------------------------------


def merged(
    shards: Sequence[Shard], partials: Iterable[Partial], shop: Workshop | None = None
) -> list[Scores]:
    """The scores of every run, from what came of all its shards, in their order.

    A run whose topics turn out to be scattered over its pieces is measured again as a whole, or,
    where memory does not hold it and there is room on disk, in parts.
    """
    scorer = scorer_of(shards[0])
    measures, policy = scorer.measures(shards[0].profile), scorer.policy(shards[0].profile)
    of_run = {run: list(some) for run, some in groupby(shards, lambda shard: shard.run)}
    results = []
    for run, some in groupby(partials, lambda partial: partial.run):
        found = _of_run(of_run[run], list(some), scorer, shop)
        results.append(summed_up(found, measures, policy))
    return results


def _of_run(
    shards: Sequence[Shard], partials: Sequence[Partial], scorer: Scorer, shop: Workshop | None
) -> Measured:
    """One run's pieces as one; a mistake is the one that reading all at once would have found."""
    try:
        return _joined(partials, scorer, in_order=not isinstance(shards[0].piece, Part))
    except SpanwiseError as error:
        first, source = shards[0], _bytes_of(shards[0])
        again = len(shards) > 1 or (flows(source) and not first.at_once)
        if not again or isinstance(first.piece, Part | Stored):
            _say(partials)
            raise
        if fits(source):
            whole = replace(first, piece=_all(shards), number=0, share="whole", at_once=True)
            return _of_run([whole], [shard_scores(whole)], scorer, None)
        if shop is None or not isinstance(error, Scattered):
            raise
    entry = format_of(source, first.request.run_format)
    parts = together([(source, entry)], shop.folder(), shop.watch)
    shards = [
        replace(first, piece=part, number=place, share=_share(place, len(parts)))
        for place, (part,) in enumerate(parts)
    ]
    return _joined([shard_scores(shard) for shard in shards], scorer, in_order=False)


def _bytes_of(shard: Shard) -> str:
    """The file that a shard's lines come from."""
    piece = shard.piece
    return piece.path if isinstance(piece, Piece) and piece.path else str(shard.source)


def _all(shards: Sequence[Shard]) -> Piece | None:
    """All pieces as one; a file is simply read."""
    first, last = shards[0].piece, shards[-1].piece
    if isinstance(first, Piece) and isinstance(last, Piece) and first.path:
        return replace(first, end=last.end)
    return None


def _joined(pieces: Sequence[Partial], scorer: Scorer, *, in_order: bool = True) -> Measured:
    failed = [partial for partial in pieces if partial.failure is not None]
    if failed:
        raise min(failed, key=lambda partial: partial.rank).failure or Scattered("")
    there = [partial.found for partial in pieces if partial.found is not None]
    found = joined(there, in_order=in_order)
    _say(pieces)
    if len(pieces) > 1:
        refuse_strangers(found.judged, found.answered, scorer.judgements, found.source)
    return found


def _say(pieces: Iterable[Partial]) -> None:
    """Warn as if all had been read at once: counts are added up, nothing is said twice."""
    said: dict[tuple[str, ...], Warning] = {}
    for warning in (warning for piece in pieces for warning in piece.said):
        if isinstance(warning, CountedWarning):
            key = (warning.before, warning.after)
            before = said.get(key)
            more = warning.counts
            said[key] = before.plus(more) if isinstance(before, CountedWarning) else warning
        else:
            said.setdefault((str(warning),), warning)
    for warning in said.values():
        warnings.warn(warning, stacklevel=2)


def scored(
    request: Request,
    mapper: Mapper = map,
    size: int | None = None,
    shop: Workshop | None = None,
) -> tuple[list[Scores], frozenset[str]]:
    """The scores of every run, and which of the measures are counts."""
    shards = plan(request, size, shop)
    results = merged(shards, mapper(shard_scores, shards), shop)
    measures = scorer_of(shards[0]).measures(shards[0].profile)
    return results, frozenset(one.label for one in measures if one.measure.aggregate == "sum")
