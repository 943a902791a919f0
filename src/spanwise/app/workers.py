"""Many runs, scored by several processes: each reads the judgements once, then run after run."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from typing import TYPE_CHECKING

from spanwise.errors import SpanwiseError, SpanwiseWarning

if TYPE_CHECKING:
    from spanwise.app.evaluation import Request, Scorer
    from spanwise.model.scores import Scores

Answer = tuple["Scores | None", list[str]]
"""Scores, and what was worth a warning; None if something is wrong with the run."""

_here: list[Scorer] = []
"""In a worker: what it scores runs with."""


def scored_by_workers(scorer: Scorer, request: Request, runs: Sequence[str]) -> Iterator[Scores]:
    """The scores of all runs but the first, in their order.

    Where a worker fails the run is scored again here, so that the error is said as usual.
    """
    count = min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2, len(runs))
    if count < 2:
        for file in runs[1:]:
            yield scorer.score(scorer.read(file))
        return
    with get_context("spawn").Pool(count, _begin, (request, runs[0])) as pool:
        for file, (scores, said) in zip(runs[1:], pool.imap(_score, runs[1:]), strict=True):
            for message in said:
                warnings.warn(message, SpanwiseWarning, stacklevel=2)
            yield scorer.score(scorer.read(file)) if scores is None else scores


def _begin(request: Request, first: str) -> None:
    """Get ready: read what runs have in common, and let the first one settle the measures."""
    from spanwise.app.evaluation import Scorer

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said already by the process that asked
        scorer = Scorer(request)
        scorer.settle(scorer.read(first))
    _here.append(scorer)


def _score(file: str) -> Answer:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SpanwiseWarning)
        try:
            scores = _here[0].score(_here[0].read(file))
        except SpanwiseError:
            return None, []
    return scores, [str(one.message) for one in caught]
