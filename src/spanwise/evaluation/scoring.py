"""What all shards of a request have in common: judgements, measures, policy; and measuring one."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from spanwise.collection import opened
from spanwise.errors import DuplicateError, FormatError, SpanwiseError, SpanwiseWarning
from spanwise.evaluation.pipeline import (
    asked,
    asking,
    fitting,
    how_to_read,
    measured,
    needs_a_look,
    texts_along,
)
from spanwise.evaluation.profiles import Profile, find_profile
from spanwise.formats import read_judgements, read_run
from spanwise.formats.io.dataset import Stored
from spanwise.formats.io.files import piece_size
from spanwise.formats.pieces import Part, Piece, is_packed, read_part, read_piece, runs_in_turn
from spanwise.formats.registry import read_stored
from spanwise.matching.placing import placed_judgements
from spanwise.model.judgements import combined
from spanwise.model.run import joined as joined_runs
from spanwise.model.scores import Measured, joined

if TYPE_CHECKING:
    from spanwise.evaluation.pipeline import Share
    from spanwise.evaluation.request import Request, Shard
    from spanwise.model.measure import MeasureRequest
    from spanwise.model.policy import Policy
    from spanwise.model.run import Run

Cut = Piece | Part | Stored
"""Some topics of a run: some of its file's bytes, of its lines, of a dataset's parts."""
one_at_a_time = RLock()
"""Catching warnings is not for several threads at once."""


class Scorer:
    """What all runs of a request have in common, read once."""

    def __init__(self, request: Request, part: Part | Stored | None = None) -> None:
        self.request = request
        self._given = request.policy or {}
        self._how = how_to_read(find_profile(request.profile, request.task), self._given)
        judgements = self._judged(part)
        judgements = asking(judgements, request.queries, self._given.get("structure", "ignore"))
        self._collection = opened(request.collection, judgements)
        documents = self._collection or texts_along(judgements)
        self._judgements = placed_judgements(judgements, documents)
        self._kept: tuple[Any, Run, list[Warning]] | None = None  # read already, to see what it is
        self._asked: tuple[Profile, list[MeasureRequest]] | None = (
            None  # the same for a hundred runs
        )

    def _judged(self, part: Part | Stored | None) -> Any:
        source = self.request.judgements
        if isinstance(part, Stored):
            return combined(read_stored(part, self._how), source)
        if part is None:
            return read_judgements(source, self.request.judgements_format, self._how)
        return read_part(source, part, self._how)

    @property
    def judgements(self) -> str:
        """The file they came from."""
        return self._judgements.rows.source

    def read(self, source: Any, piece: Cut | None, *, numbered: bool = False) -> Run:
        """A run, or a piece of it, as it stands in its file."""
        if self._kept is not None and self._kept[0] == (source, piece) and not numbered:
            _, run, said = self._kept
            self._kept = None
            for warning in said:
                warnings.warn(warning, stacklevel=2)
            return run
        if piece is None:
            return read_run(source, self.request.run_format, self._how)
        if isinstance(piece, Stored):
            return joined_runs(read_stored(piece, self._how), piece.name, source)
        if isinstance(piece, Part):
            content: Run = read_part(source, piece, self._how)
            return content
        return read_piece(source, piece, self._how, numbered=numbered)

    def settled(self, source: Any, piece: Cut | None) -> Profile:
        """Without a name the first run decides for all what is measured, and how."""
        word = self.request.profile or self.request.task
        named = find_profile(self.request.profile, self.request.task)
        if word or not needs_a_look(self._judgements):
            return named
        with one_at_a_time, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", SpanwiseWarning)
            if piece is None and flows(source):
                run = next(self._in_turn(source))
            else:
                run = self.read(source, piece)
                self._kept = (source, piece), run, messages(caught)
        return fitting(named, self._judgements, run, self.request.measures, named=word)

    def measures(self, profile: Profile) -> list[MeasureRequest]:
        """What is measured under a profile."""
        if self._asked is None or self._asked[0] != profile:
            names = self.request.measures or profile.measures
            self._asked = profile, asked(names, profile.defaults)
        return self._asked[1]

    def policy(self, profile: Profile) -> Policy:
        """And how."""
        return replace(profile.policy, **self._given)

    def measured(self, shard: Shard, *, numbered: bool = False) -> Measured:
        """The values of a shard's topics."""
        if shard.piece is None and not shard.at_once and flows(shard.source):
            return self._measured_in_turn(shard)
        run = self.read(shard.source, shard.piece, numbered=numbered)
        found = self._of(run, shard, shard.share)
        return replace(found, source=shard.source) if isinstance(shard.piece, Stored) else found

    def _in_turn(self, source: str) -> Iterator[Run]:
        return runs_in_turn(source, self.request.run_format, self._how, piece_size())

    def _measured_in_turn(self, shard: Shard) -> Measured:
        """One piece of a packed file after the other, of which memory holds one at a time.

        What is wrong with a line comes before what is wrong with results.
        """
        found: list[Measured] = []
        failures: list[SpanwiseError] = []
        coming = self._in_turn(shard.source)
        run = next(coming, None)
        while run is not None:
            following = next(coming, None)
            share: Share = "later" if found or failures else "first"
            try:
                alone = share == "first" and following is None
                found.append(self._of(run, shard, "whole" if alone else share))
            except SpanwiseError as error:
                failures.append(error)
            run = following
        if failures:
            raise min(failures, key=self.rank)
        return joined(found)

    def rank(self, error: SpanwiseError) -> Rank:
        """First come bad lines, and of results that are there twice those of unjudged topics."""
        if isinstance(error, FormatError):
            return 0, error.line or 0, b""
        if isinstance(error, DuplicateError):
            return 2, error.topic in self._judgements.rows.topics, error.topic
        return 1, 0, b""

    def _of(self, run: Run, shard: Shard, share: Share) -> Measured:
        measures, policy = self.measures(shard.profile), self.policy(shard.profile)
        return measured(self._judgements, run, measures, policy, self._collection, share)


def flows(source: Any) -> bool:
    """Whether a source is a packed file, which has no places to begin at."""
    return isinstance(source, str) and Path(source).is_file() and is_packed(source)


def messages(caught: Iterable[warnings.WarningMessage]) -> list[Warning]:
    """What was said, as it can be said again."""
    return [one.message for one in caught if isinstance(one.message, Warning)]


Rank = tuple[int, int, bytes]
"""When a mistake would have been found, had all been read at once."""
