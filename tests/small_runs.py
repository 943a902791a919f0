"""Runs and judgements written the way a person would say them, and generated ones."""

from collections.abc import Iterable, Sequence

import numpy as np
from hypothesis import strategies as st

from spanwise.model.columns import (
    Ids,
    PackedIds,
    PlainIds,
    PolarsIds,
    Rows,
)
from spanwise.model.judgements import Judgements
from spanwise.model.run import Run

Entry = tuple[bytes, bytes, float]  # topic, document, score or grade


def packed(ids: Sequence[bytes]) -> Ids:
    """Packed where that is possible."""
    return PackedIds.of(ids) or PlainIds(ids)


KINDS = {"plain": PlainIds, "packed": packed, "polars": PolarsIds.of}


class Colliding(PlainIds):
    """Ids that all have one fingerprint: what is all but impossible, always."""

    def fingerprints(self):
        return np.full(len(self), 7, np.uint64)

    def reordered(self, rows):
        return Colliding(self.take(rows))


def rows_and_order(topics: Sequence[bytes], source: str) -> tuple[Rows, list[int]]:
    """Entries grouped by topic, as readers leave them: the rows, and which entry each one was."""
    codes = {topic: code for code, topic in enumerate(dict.fromkeys(topics))}
    order = sorted(range(len(topics)), key=lambda n: codes[topics[n]])
    counts = np.bincount([codes[topic] for topic in topics])
    starts = np.concatenate([[0], np.cumsum(counts)])
    return Rows(source, tuple(codes), starts, np.array(order) + 1), order


def run_of(entries: Iterable[Entry], ids=PlainIds, ranks: Sequence[float] | None = None) -> Run:
    """A run from lines in file order."""
    entries = list(entries)
    rows, order = rows_and_order([topic for topic, _, _ in entries], "the run")
    documents: Ids = ids([entries[n][1] for n in order])
    scores = np.array([entries[n][2] for n in order], np.float64)
    stated = None if ranks is None else np.array([ranks[n] for n in order], np.float64)
    return Run("mine", rows, documents, scores, stated)


def judgements_of(entries: Iterable[Entry], ids=PlainIds) -> Judgements:
    """Judgements from lines in file order."""
    entries = list(entries)
    rows, order = rows_and_order([topic for topic, _, _ in entries], "the judgements")
    grades = np.array([entries[n][2] for n in order], np.float64)
    return Judgements(rows, ids([entries[n][1] for n in order]), grades)


topics = st.sampled_from([b"1", b"2", b"3", b"10", b"\xff"])
documents = st.sampled_from([b"", b"a", b"b", b"B", b"ba", b"c", b"\xc3\xa4", b"\xff", b"a\0"])
scores = st.sampled_from([0.0, -0.0, 1.0, 1.0 + 1e-9, 1.0 + 2e-9, 2.0, -1.0, np.inf, -np.inf])
grades = st.sampled_from([0.0, 1.0, 2.0, 0.5, -1.0])


def entries(values, max_size: int = 25):
    """Lines of a file: topics mixed, no document twice in a topic."""
    one = st.tuples(topics, documents, values)
    return st.lists(one, min_size=1, max_size=max_size, unique_by=lambda entry: entry[:2])
