"""What `spanwise pool estimate` does: a sampled pool, its judgements and runs become estimates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from spanwise.app.pooling import contributions
from spanwise.collection import opened
from spanwise.compare.sampled import Sample, estimate, mean_of
from spanwise.errors import InputError, SpanwiseWarning, UsageError
from spanwise.formats import read_judgements, read_pool
from spanwise.ground.passages import refuse_paths
from spanwise.ground.placing import placed_run
from spanwise.model.ids import text
from spanwise.model.judgements import Judgements
from spanwise.model.scores import printable
from spanwise.model.spans import NOTHING, Spans, merged, overlap
from spanwise.report.scores import null

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray
    from spanwise.model.pools import Pooled
    from spanwise.model.run import Run


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The pooled documents of a topic: how each was drawn and what is relevant in it."""

    names: dict[str, int]
    sample: Sample
    relevant: FloatArray  # characters; documents where nothing was highlighted by offset
    passages: tuple[Spans, ...] | None
    unjudged: int  # how many of them nobody has judged: they count as without relevant text


def estimated(
    pool: str,
    judgements: str,
    runs: Sequence[str],
    collection: str | None = None,
    *,
    per_topic: bool,
) -> dict[str, Any]:
    """Relevant text and documents of each topic; recall and precision of each run."""
    drawn = read_pool(pool)
    if not drawn.about.get("estimable", True):
        raise UsageError(f"{pool}: made by {drawn.about.get('method')}; nothing can be estimated")
    said = read_judgements(judgements)
    if not isinstance(said, Judgements):
        raise UsageError(f"{judgements}: preferences; expected judgements")
    topics = {topic: _judged(documents, topic, said) for topic, documents in drawn.topics.items()}
    topics = {topic: one for topic, one in topics.items() if one.unjudged < len(one.names)}
    if not topics:
        raise InputError(f"{judgements}: nothing of the pool {pool} is judged")
    _say_unjudged(topics.values())
    texts = opened(collection)
    given = [placed_run(run, texts) for run in contributions(runs).runs] if runs else []
    totals = {
        printable(topic): _rounded(
            estimate(one.sample.total(one.relevant), one.sample.variance(one.relevant))
        )
        for topic, one in topics.items()
    }
    answer: dict[str, Any] = {"topics": len(topics), "relevant": totals, "runs": []}
    answer["runs"] = [_run(run, topics, per_topic) for run in given]
    return answer


def _say_unjudged(topics: Iterable[Judged]) -> None:
    every = list(topics)
    drawn, unjudged = sum(len(one.names) for one in every), sum(one.unjudged for one in every)
    if unjudged:
        warn(
            f"{unjudged} of {drawn} pooled documents are not judged and count as without"
            " relevant text; the estimates are too low until they are",
            SpanwiseWarning,
            stacklevel=3,
        )


def _rounded(found: Any) -> dict[str, float | None]:
    return {name: null(value) for name, value in asdict(found).items()}


def _judged(documents: Sequence[Pooled], topic: str, said: Judgements) -> Judged:
    rows = {}
    codes = {text(name): code for code, name in enumerate(said.rows.topics)}
    if topic in codes:
        mine = np.arange(*said.rows.starts[codes[topic] : codes[topic] + 2])
        names = said.documents.take(mine)
        rows = {
            text(name): row
            for name, row in zip(names, mine.tolist(), strict=True)
            if said.grades[row] >= 0
        }
    where = [rows.get(one.document, -1) for one in documents]
    marked = said.highlights
    found = (said.grades > 0).astype(float) if marked is None else marked.relevant
    return Judged(
        {one.document: number for number, one in enumerate(documents)},
        Sample(np.array([one.p for one in documents]), np.array([d.stratum for d in documents])),
        np.array([found[row] if row >= 0 else 0.0 for row in where], np.float64),
        None if marked is None else tuple(marked.of(row) if row >= 0 else NOTHING for row in where),
        where.count(-1),
    )


def _run(run: Run, topics: dict[str, Judged], per_topic: bool) -> dict[str, Any]:
    columns: dict[str, list[tuple[float, float]]] = {"recall": [], "precision": []}
    for topic, judged in topics.items():
        part, size = _retrieved(run, topic, judged)
        columns["recall"].append(judged.sample.ratio(part, judged.relevant))
        total = judged.sample.total(part) / size if size else float("nan")
        spread = judged.sample.variance(part) / size**2 if size else float("nan")
        columns["precision"].append((total, spread))
    said: dict[str, Any] = {"run": printable(run.name)}
    for name, values in columns.items():
        known = np.array(values, np.float64).T
        said[name] = _rounded(mean_of(known[0], known[1]))
        if per_topic:
            said[f"{name} by topic"] = {
                printable(t): null(float(v)) for t, v in zip(topics, known[0], strict=True)
            }
    return said


def _retrieved(run: Run, topic: str, judged: Judged) -> tuple[FloatArray, float]:
    """Relevant characters (or documents) that the run shows in judged documents; all it shows."""
    part = np.zeros(len(judged.names))
    key = topic.encode("utf-8", "surrogateescape")
    if key not in run.rows.topics:
        return part, 0.0
    code = run.rows.topics.index(key)
    rows = np.arange(*run.rows.starts[code : code + 2])
    owners: dict[str, list[int]] = {}
    for row, name in zip(rows.tolist(), run.documents.take(rows), strict=True):
        owners.setdefault(text(name), []).append(row)
    if judged.passages is not None:
        refuse_paths(run)
    if run.spans is None or judged.passages is None:
        for document in owners.keys() & judged.names.keys():
            part[judged.names[document]] = judged.relevant[judged.names[document]]
        return part, float(len(owners)) if judged.passages is None else float("nan")
    shown = 0
    for document, mine in owners.items():
        some = run.spans.at(np.array(mine))
        spans = merged(some.at(np.flatnonzero(some.starts >= 0)))
        shown += spans.total()
        if document in judged.names:
            passages = judged.passages[judged.names[document]]
            part[judged.names[document]] = int(overlap(spans, passages).sum())
    return part, float(shown)
