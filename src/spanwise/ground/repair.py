"""A run made to keep the rules of its task: the better ranked of two results stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import InputError
from spanwise.ground.rules import Result, Shown, beyond, by_topic, identity
from spanwise.ground.tasks import Rules, find_task
from spanwise.model.ids import PlainIds
from spanwise.model.rows import Rows
from spanwise.model.run import Chunks, chunks_at
from spanwise.model.spans import Spans

if TYPE_CHECKING:
    from spanwise.ground.placing import Lookup
    from spanwise.model.arrays import IntArray
    from spanwise.model.run import Run

CHANGES = {
    "unplaced": "results that could not be placed, taken out",
    "unknown": "results that the collection does not have, taken out",
    "duplicate": "results that were there already, taken out",
    "one-per-document": "results of documents that had one already, taken out",
    "overlap": "results that overlapped a better ranked one, taken out",
    "grouping": "results moved up to the others of their document",
    "length": "results past the limit, taken out",
    "document-characters": "results past the characters of a document, cut or taken out",
    "topic-characters": "results past the characters of a topic, cut or taken out",
}
"""What is done about each rule, in words."""


def repaired(
    run: Run, task: str | Rules, collection: Lookup | None = None, most: int | None = None
) -> tuple[Run, Mapping[str, int]]:
    """The run without what its task forbids, and how many results each rule changed.

    Of two results that cannot both stay the better ranked one does. Documents are brought together
    in the order in which they first appear. A span that passes a limit of characters is cut, an
    element is taken out, and is then in nobody's way. Ranks are counted anew.
    """
    rules = find_task(task, most) if isinstance(task, str) else task
    changes: Counter[str] = Counter()
    kept = []
    for topic, results in by_topic(run, collection):
        some = _without_forbidden(results, rules, changes)
        some = _grouped(some, changes) if rules.consecutive else some
        kept.append((topic, _within_limit(some, rules, changes)))
    kept = [(topic, some) for topic, some in kept if some]
    if not kept:
        raise InputError(f"{run.rows.source}: nothing is left of the run after its repair")
    return _picked(run, kept), {rule: changes[rule] for rule in CHANGES if changes[rule]}


def _without_forbidden(results: list[Result], rules: Rules, changes: Counter[str]) -> list[Result]:
    """What is neither in the way of a better ranked result that stays, nor beyond its room."""
    kept: list[Result] = []
    seen: set[tuple[object, ...]] = set()
    documents: dict[bytes, Shown] = {}
    room = _Room(rules)
    for result in results:
        shown = documents.get(result.document)
        if result.trouble:
            changes["unplaced" if result.trouble == "unplaced" else "unknown"] += 1
        elif identity(result) in seen:
            changes["duplicate"] += 1
        elif rules.alone and shown is not None:
            changes["one-per-document"] += 1
        elif not rules.overlap and shown is not None and shown.meets(result) is not None:
            changes["overlap"] += 1
        elif (fitting := room.fitted(result, changes)) is not None:
            seen.add(identity(result))
            documents.setdefault(result.document, Shown()).add(fitting, len(kept))
            kept.append(fitting)
    return kept


class _Room:
    """How many characters a topic and each of its documents may still show."""

    def __init__(self, rules: Rules) -> None:
        self._allowed = (
            ("document-characters", rules.per_document),
            ("topic-characters", rules.per_topic),
        )
        self._used: Counter[bytes] = Counter()

    def fitted(self, result: Result, changes: Counter[str]) -> Result | None:
        """The result, cut if it has to be and can be; None where no room is left for it."""
        for rule, most in self._allowed:
            left = None if most is None else most - self._used[_owner(rule, result)]
            if left is None or result.length <= left:
                continue
            changes[rule] += 1
            if left <= 0 or result.path:
                return None
            result = result._replace(length=left)
        for owner in {_owner(rule, result) for rule, _ in self._allowed}:
            self._used[owner] += max(result.length, 0)
        return result


def _owner(rule: str, result: Result) -> bytes:
    """Whose characters a rule counts: those of a document, or, with no name, of the topic."""
    return result.document if rule == "document-characters" else b""


def _grouped(results: list[Result], changes: Counter[str]) -> list[Result]:
    """Results of one document together, documents in order of first appearance."""
    groups: dict[bytes, list[Result]] = {}
    left: set[bytes] = set()  # documents that others have come after
    before = None
    for result in results:
        if before is not None and result.document != before:
            left.add(before)
        changes["grouping"] += result.document in left
        groups.setdefault(result.document, []).append(result)
        before = result.document
    return [result for group in groups.values() for result in group]


def _within_limit(results: list[Result], rules: Rules, changes: Counter[str]) -> list[Result]:
    end = beyond(results, rules)
    if end is None:
        return results
    changes["length"] += len(results) - end
    return results[:end]


def _picked(run: Run, kept: list[tuple[bytes, list[Result]]]) -> Run:
    """A run of these results, in this order."""
    rows = np.array([result.row for _, some in kept for result in some], np.int64)
    counts = [len(some) for _, some in kept]
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    spans, chunks = run.spans, run.chunks
    if chunks is not None:
        chunks = chunks_at(chunks, rows)
    if spans is not None:
        lengths = [result.length for _, some in kept for result in some if not result.path]
        cut = spans.lengths[rows]
        named = np.array([bool(result.path) for _, some in kept for result in some], np.bool_)
        cut[~named] = lengths
        if chunks is not None:
            chunks = _shortened(chunks, np.flatnonzero(cut != spans.lengths[rows]), cut)
        spans = Spans(spans.starts[rows], cut)
    return replace(
        run,
        rows=Rows(run.rows.source, tuple(topic for topic, _ in kept), starts, has_lines=False),
        documents=run.documents.reordered(rows),
        scores=run.scores[rows],
        stated_scores=None if run.stated_scores is None else run.stated_scores[rows],
        ranks=1.0 + np.arange(len(rows)) - np.repeat(starts[:-1], counts),
        spans=spans,
        paths=None if run.paths is None else run.paths.reordered(rows),
        ends=None if run.ends is None else run.ends.reordered(rows),
        chunks=chunks,
        labels=None if run.labels is None else run.labels[rows],
    )


def _shortened(chunks: Chunks, cut: IntArray, lengths: IntArray) -> Chunks:
    """Chunks of which some were cut: their words too, and what reading them costs is not known."""
    if not len(cut):
        return chunks
    texts, costs = chunks.texts.take(np.arange(len(chunks.costs))), chunks.costs.copy()
    for row in cut.tolist():
        words = texts[row].decode("utf-8", "surrogatepass")[: int(lengths[row])]
        texts[row] = words.encode("utf-8", "surrogatepass")
    costs[cut] = -1
    return replace(chunks, texts=PlainIds(texts), costs=costs)
