"""Repeated runs of one system: runs of one name are scored one by one, and become one system.

The value of a topic is its mean over repeats. The rankings of the repeats are compared with each
other, so that a system that returns something else each time is noticed.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from glob import glob, has_magic
from math import isclose, isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import SpanwiseWarning, UsageError
from spanwise.evaluation.evaluate import Watch, run, unwatched
from spanwise.evaluation.prepare import Prepared
from spanwise.formats import expanded
from spanwise.formats.frames import is_retriever
from spanwise.formats.io.files import STDIN
from spanwise.formats.results import holds_results
from spanwise.matching.documents import reading_order, rows_in_order
from spanwise.model.columns import joined, text
from spanwise.model.scores import Repeats, Scores
from spanwise.model.spans import UNKNOWN
from spanwise.stats.repeats import consistency

if TYPE_CHECKING:
    from spanwise.evaluation.request import Request
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.run import Run


def files_of(source: Any, name: str | None) -> list[Any]:
    """Return the files of a run, which are several for a folder or, under a name, a pattern."""
    if not isinstance(source, str):
        return [source]
    if name is not None and has_magic(source) and not Path(source).exists():
        found = sorted(glob(source), key=os.fsencode)  # noqa: PTH207
        if not found:
            raise UsageError(
                f"{name}={source}: found no file; expected one or more; check the path"
            )
        return expanded(found)
    return expanded([source])


def repeated(names: Sequence[str | None]) -> set[str]:
    """Return the names that several runs have been given: those of systems with repeats."""
    return {name for name, count in Counter(names).items() if name is not None and count > 1}


def run_systems(
    request: Request, on: str | None = None, watch: Watch = unwatched
) -> tuple[list[Scores], dict[str, float]]:
    """Return the scores of every run, and the consistency of each system with repeats.

    Retrievers of such systems are called once, so that what is scored is what is compared.
    """
    names = list(request.names or [None] * len(request.runs))
    systems = repeated(names)
    if not systems:
        return run(request, on, watch), {}
    if STDIN in [one for one in (request.judgements, *request.runs) if isinstance(one, str)]:
        raise UsageError(
            f"repeats of {min(systems)} are read twice, and standard input (-) can be read only"
            " once; expected files"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpanwiseWarning)  # issued when the runs are scored
        prepared = Prepared(request)
    runs = [
        prepared.read(one) if name in systems and is_retriever(one) else one
        for name, one in zip(names, request.runs, strict=True)
    ]
    results = run(replace(request, runs=runs), on, watch)
    found = {}
    for system in systems:
        mine = [place for place, name in enumerate(names) if name == system]
        found[system] = _consistency(
            prepared, [runs[place] for place in mine], [results[place] for place in mine]
        )
    return results, found


def combined(
    results: Sequence[Scores],
    names: Sequence[str | None],
    consistencies: Mapping[str, float] | None = None,
) -> list[Scores]:
    """Return the scores of systems: those of runs that were given one name become one."""
    systems, found = repeated(names), list[Scores]()
    for place, (scores, name) in enumerate(zip(results, names, strict=True)):
        if name not in systems or name is None:
            found.append(scores)
        elif place == list(names).index(name):
            some = [one for one, its in zip(results, names, strict=True) if its == name]
            found.append(_merged(name, some, (consistencies or {}).get(name, nan)))
    return found


def _merged(name: str, some: Sequence[Scores], consistency: float) -> Scores:
    """Return the scores of a system: topic by topic the means over its repeats."""
    first = some[0]
    for one in some:
        if one.signature != first.signature:
            raise UsageError(
                f"{name}: repeats were scored with different signatures: {first.signature} and"
                f" {one.signature}; score them alike"
            )
    topics = tuple(dict.fromkeys(topic for one in some for topic in one.topics))
    measures = [measure for measure in first.values if all(measure in one.values for one in some)]
    tables = {measure: _table(some, topics, measure) for measure in measures}
    values = {measure: _mean_of(table) for measure, table in tables.items()}
    returned = [_column(one, topics, one.returned) for one in some if one.returned is not None]
    facts: Counter[str] = Counter()
    for one in some:
        facts.update(one.facts)
    return replace(
        first,
        run=name,
        topics=topics,
        values=values,
        means={measure: _overall(some, measure, values[measure]) for measure in measures},
        counts={m: int(np.count_nonzero(~np.isnan(column))) for m, column in values.items()},
        notes=tuple(_notes(some)),
        texts={},
        facts=dict(facts),
        returned=np.min(returned, axis=0) if len(returned) == len(some) else None,
        repeats=Repeats(len(some), tables, consistency),
    )


def _table(some: Sequence[Scores], topics: Sequence[str], measure: str) -> FloatArray:
    """Return the values of a measure: a row per topic, a column per repeat."""
    return np.column_stack([_column(one, topics, one.values[measure]) for one in some])


def _column(scores: Scores, topics: Sequence[str], values: FloatArray) -> FloatArray:
    rows = {topic: row for row, topic in enumerate(topics)}
    column = np.full(len(topics), np.nan)
    column[[rows[topic] for topic in scores.topics]] = values
    return column


def _mean_of(table: FloatArray) -> FloatArray:
    """Return the mean of each row over the repeats that have a value."""
    defined = ~np.isnan(table)
    counts = defined.sum(axis=1)
    totals = np.where(defined, table, 0.0).sum(axis=1)
    means: FloatArray = np.divide(totals, counts, out=np.full(len(table), np.nan), where=counts > 0)
    return means


def _overall(some: Sequence[Scores], measure: str, values: FloatArray) -> float:
    """Return the mean over topics; of sums and other aggregates, their mean over repeats."""
    for one in some:
        defined = one.values[measure][~np.isnan(one.values[measure])]
        mean = float(defined.mean()) if len(defined) else nan
        same = isclose(one.means[measure], mean, rel_tol=1e-9, abs_tol=1e-12)
        if not same and not isnan(mean):
            return sum(each.means[measure] for each in some) / len(some)
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else nan


def _notes(some: Sequence[Scores]) -> list[str]:
    """Return the notes of the repeats; one that does not concern all names its repeats."""
    found: dict[str, list[str]] = {}
    for number, one in enumerate(some, 1):
        for note in one.notes:
            found.setdefault(note, []).append(str(number))
    return [
        note if len(mine) == len(some) else f"repeat {', '.join(mine)}: {note}"
        for note, mine in found.items()
    ]


# Consistency of rankings --------------------------------------------------------------------------


def _consistency(prepared: Prepared, runs: Sequence[Any], results: Sequence[Scores]) -> float:
    """Return how far the rankings of the repeats of a system agree, over their topics."""
    if any(isinstance(one, Scores) or _is_results(one) for one in runs):
        return nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpanwiseWarning)  # issued when the runs were scored
        contents = [prepared.read(one) for one in runs]
        policy = prepared.settle(prepared.profile_of(contents[0])).policy
    topics = tuple(dict.fromkeys(topic for one in results for topic in one.topics))
    items, starts = _items(contents), np.cumsum([0, *(len(one.rows) for one in contents)])
    rankings: list[list[IntArray]] = []
    for number, content in enumerate(contents):
        whole = content.paths is None and content.spans is None
        order = rows_in_order(content, policy) if whole else reading_order(content)
        mine = items[starts[number] : starts[number + 1]][order]
        parts = np.split(mine, content.rows.starts[1:-1])
        found = {text(topic): part for topic, part in zip(content.rows.topics, parts, strict=False)}
        rankings.append([found.get(topic, mine[:0])[: policy.depth] for topic in topics])
    return consistency(rankings)


def _is_results(source: Any) -> bool:
    return isinstance(source, str) and holds_results(source)


def _items(contents: Sequence[Run]) -> IntArray:
    """Return a number for each result of several runs, equal for the same result.

    A result is a document, or a part of one: an element, a span, or a chunk without a place, which
    is known by its text or else by its id.
    """
    columns = [joined([one.documents for one in contents]).coded().codes]
    if all(one.paths is not None for one in contents):
        columns.append(joined([one.paths for one in contents if one.paths]).coded().codes)
    unplaced = np.ones(len(columns[0]), np.bool_)
    if all(one.spans is not None for one in contents):
        starts = np.concatenate([one.spans.starts for one in contents if one.spans])
        lengths = np.concatenate([one.spans.lengths for one in contents if one.spans])
        columns += [starts, lengths]
        unplaced = starts == UNKNOWN
    chunks = [one.chunks for one in contents if one.chunks is not None]
    if len(chunks) == len(contents):
        for ids in (joined([one.texts for one in chunks]), joined([one.ids for one in chunks])):
            columns.append(np.where(unplaced, ids.coded().codes, -1))
    _, numbers = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
    return numbers.reshape(-1)
