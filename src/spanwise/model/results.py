"""Scores together with what they were made of, so that they can be made again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spanwise.version import __version__

if TYPE_CHECKING:
    from spanwise.model.scores import Scores


@dataclass(frozen=True, slots=True)
class Source:
    """A file or folder that was read, and a hash of what stood in it."""

    path: str
    sha256: str | None = None  # None: it was read from standard input


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a run's scores were made of: the inputs, the choices, the version."""

    judgements: Source
    run: Source
    collection: Source | None = None
    measures: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)  # profile, task, policy, formats
    spanwise: str = __version__


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """What a file of results holds: runs, each with its provenance if it is known."""

    file: str
    scores: tuple[Scores, ...]
    made: tuple[Provenance | None, ...]
