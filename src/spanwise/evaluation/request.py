"""What is asked for, and the work that it is: plain data that can go anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spanwise.evaluation.pipeline import Share
    from spanwise.evaluation.profiles import Profile
    from spanwise.formats.io.dataset import Stored
    from spanwise.formats.pieces import Part, Piece


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be evaluated, as it was asked for."""

    judgements: Any  # a file, or an object
    runs: Sequence[Any]
    measures: Sequence[str] = ()
    profile: str | None = None
    task: str | None = None
    policy: Mapping[str, Any] | None = None
    judgements_format: str | None = None
    run_format: str | None = None
    collection: Any = None
    queries: Any = None  # topics, where structure counts
    rel: float | None = None  # grade from which a result is relevant


@dataclass(frozen=True, slots=True)
class Shard:
    """Work for one worker: a run, or a piece of it. Plain data."""

    job: str  # files may change from one to the next
    request: Request  # without its runs
    run: int  # which of them
    source: Any
    profile: Profile  # what is measured, and how
    piece: Piece | Part | Stored | None = None  # None: all of the run
    number: int = 0  # which of its pieces
    share: Share = "whole"
    judgements: Part | Stored | None = None  # None: all that the request names
    at_once: bool = False  # whether all is to be read before anything is measured
