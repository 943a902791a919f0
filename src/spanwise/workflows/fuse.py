"""Fusing runs: several runs, read and made into one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from spanwise.formats import expanded, read_run
from spanwise.matching.topics import named_by_question
from spanwise.retrieve.fusion import fused

if TYPE_CHECKING:
    from spanwise.model.run import Run

Method = Literal["rrf", "combsum", "combmnz", "interpolate"]


def fuse(
    runs: Iterable[Any],
    *,
    method: Method = "rrf",
    weights: Sequence[float] = (),
    k: float | None = None,
    top: int = 1000,
    name: str | None = None,
    run_format: str | None = None,
) -> Run:
    """Fuse several runs into one.

    `runs` are paths of files or folders, `Run` objects, or whatever else `read_run` takes. `method`
    is "rrf" for reciprocal rank fusion, or "combsum", "combmnz" or "interpolate" for sums of scores
    that are brought to 0 ... 1 within each topic first. `weights` are those of the runs, in their
    order; interpolation makes them add up to 1. `k` is the constant of reciprocal rank fusion, 60
    by default.
    `top` is the number of results for each topic. `name` is the name of the fused run; by default
    the method. `run_format` overrules the recognition of the format of files.

    >>> one, two = {"q1": {"a": 3.0, "b": 2.0}}, {"q1": {"b": 9.0, "c": 1.0}}
    >>> fuse([one, two])
    <Run 'rrf': 3 results for 1 topic, documents>
    """
    given: list[Any] = []
    for run in runs:
        paths = isinstance(run, (str, os.PathLike))
        given += expanded([os.fspath(run)]) if paths else [run]
    read = named_by_question([read_run(run, run_format) for run in given])
    return fused(read, method, weights, k=k, top=top, name=name)
