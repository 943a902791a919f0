"""Sweeps over chunkers: documents are cut in several ways, searched, and compared.

For each chunker, size and overlap, the documents are cut into chunks, the questions of the
judgements are searched for, and the retrieved chunks become a run. The runs are then compared at
equal reading budgets.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.collection import opened
from spanwise.console import say, watched, write_atomically
from spanwise.errors import InputError, UsageError
from spanwise.evaluation.compare import compare_at, sizes_of
from spanwise.evaluation.prepare import texts_along
from spanwise.evaluation.request import Request, plain, request_of
from spanwise.formats import FORMATS, read_judgements
from spanwise.matching.quotes import Page, Quote
from spanwise.model.columns import PlainIds, Rows
from spanwise.model.elements import begins_of
from spanwise.model.judgements import Judgements
from spanwise.model.run import Run
from spanwise.model.spans import Spans
from spanwise.retrieve.chunkers import Chunker, find_chunker, find_retriever, refuse_sizes
from spanwise.stats.resampling import Draws
from spanwise.stats.statements import Question

if TYPE_CHECKING:
    from typing import Unpack

    from spanwise.model.comparison import Comparison
    from spanwise.model.documents import Collection
    from spanwise.model.policy import Policy, PolicyFields

FEWEST_RESULTS = 50
"""Minimum number of results that are retrieved for each question."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """The chunkers, sizes and overlaps of a sweep, with its data and measures."""

    request: Request  # without runs
    chunkers: Sequence[str]
    retriever: str
    sizes: Sequence[int]
    overlaps: Sequence[int]
    budget: float | str | Sequence[float]
    keep: str | None = None  # the folder in which runs are kept


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """The chunks of all documents under one chunker, size and overlap."""

    name: str
    documents: list[bytes]
    spans: Spans
    texts: list[str]

    def as_run(self) -> Run:
        """Return all chunks as a run of one topic, the pool from which results are chosen."""
        rows = Rows(self.name, (b"",), np.array([0, len(self.documents)]), has_lines=False)
        scores = np.zeros(len(self.documents))
        return Run(self.name, rows, PlainIds(self.documents), scores, spans=self.spans)


def sweep(
    judgements: Any,
    collection: Any = None,
    *,
    chunkers: Sequence[str] = ("fixed",),
    retriever: str = "bm25",
    sizes: Sequence[int] = (200, 400, 800),
    overlaps: Sequence[int] = (0,),
    budget: float | str | Sequence[float] = (500, 2000, 8000),
    measures: Iterable[object] | str | None = None,
    baseline: str | None = None,
    tests: Sequence[str] | str = ("randomisation",),
    seed: int = 0,
    keep: str | None = None,
    policy: Policy | None = None,
    profile: str | None = None,
    task: str | None = None,
    topics: Any = None,
    rel: float | None = None,
    judgements_format: str | None = None,
    **fields: Unpack[PolicyFields],
) -> Comparison:
    """Cut documents in several ways, search the chunks, and compare the runs at equal budgets.

    `judgements` hold questions with evidence; `collection` has the documents, as a folder or a
    mapping of ids to texts. There is a run for each chunker, size and overlap, in characters. With
    `keep`, the runs are written to this folder.
    """
    request = request_of(
        judgements,
        [],
        measures,
        policy=policy,
        profile=profile,
        task=task,
        collection=plain(collection),
        topics=topics,
        judgements_format=judgements_format,
        assume={} if rel is None else {"rel": rel},
        **fields,
    )
    wanted = Sweep(
        request,
        (chunkers,) if isinstance(chunkers, str) else chunkers,
        retriever,
        sizes,
        overlaps,
        budget,
        keep,
    )
    chosen = (tests,) if isinstance(tests, str) else tuple(tests)
    return swept(wanted, baseline, Question(chosen, draws=Draws(seed)))


def swept(sweep: Sweep, baseline: str | None, question: Question) -> Comparison:
    """Make the runs of a sweep and compare them."""
    sizes = sizes_of(sweep.budget)
    request = sweep.request
    judgements = read_judgements(request.judgements, request.judgements_format)
    documents = opened(request.collection) or texts_along(judgements)
    if documents is None:
        raise UsageError("cutting documents needs their text; pass --collection")
    topics, questions = _questions(judgements)
    engine = find_retriever(sweep.retriever)
    ways = _ways(sweep)
    runs: list[Run] = []
    texts = _texts(documents, sweep)
    for name, chunker, size, overlap in watched(ways, len(ways), "cutting and retrieving"):
        cut = cut_up(name, texts, chunker, size, overlap)
        most = max(FEWEST_RESULTS, math.ceil(max(sizes) / max(size, 1)) + 5)
        found, scores = engine(cut.texts).best(questions, most)
        runs.append(replace(_run(cut, topics, found, scores), pool=cut.as_run()))
        if sweep.keep is not None:
            _write_run(runs[-1], sweep.keep)
    request = replace(
        request, judgements=judgements, runs=runs, collection=documents, judgements_format=None
    )
    return compare_at(request, sizes, baseline, question, watch=watched)


def _texts(documents: Collection, sweep: Sweep) -> dict[str, str]:
    """Return the texts of all documents, except the file of judgements if it is one."""
    texts = {one.name: documents.text(one.name) for one in documents.documents()}
    if not isinstance(sweep.request.collection, str) or not isinstance(
        sweep.request.judgements, str
    ):
        return texts
    folder, file = Path(sweep.request.collection), Path(sweep.request.judgements)
    if folder.is_dir() and file.resolve().is_relative_to(folder.resolve()):
        name = file.resolve().relative_to(folder.resolve()).as_posix()
        if texts.pop(name, None) is not None:
            say("warning", f"{file}: contains the judgements, so it is not searched")
    return texts


def _ways(sweep: Sweep) -> list[tuple[str, Chunker, int, int]]:
    ways = []
    for word in sweep.chunkers:
        chunker = find_chunker(word)
        for size in sweep.sizes:
            for overlap in sweep.overlaps:
                if overlap < size or len(sweep.overlaps) == 1:
                    refuse_sizes(size, overlap)
                    ways.append((f"{word} {size}/{overlap}", chunker, size, overlap))
    if not ways:
        raise UsageError("no size is larger than an overlap; expected sizes above overlaps")
    return ways


def _questions(judgements: object) -> tuple[list[bytes], list[str]]:
    evidence = judgements.evidence if isinstance(judgements, Judgements) else None
    if not isinstance(judgements, Judgements) or evidence is None or not evidence.questions:
        raise InputError(
            "the judgements have no questions to search for; expected a 'query' for each topic"
        )
    missing = [t for t in judgements.rows.topics if t not in evidence.questions]
    if missing:
        raise InputError(
            f"{judgements.rows.source}: found no question for topic {missing[0].decode()!r};"
            " expected a 'query' for each topic"
        )
    topics = list(judgements.rows.topics)
    return topics, [evidence.questions[topic] for topic in topics]


def cut_up(name: str, texts: dict[str, str], chunker: Chunker, size: int, overlap: int) -> Cut:
    """Cut all documents; chunks without offsets are searched in their documents."""
    names: list[bytes] = []
    bounds: list[tuple[int, int]] = []
    words: list[str] = []
    for document, text in texts.items():
        place = 0
        page: Page | None = None
        for chunk in chunker(text, size, overlap):
            if isinstance(chunk, str):
                page = page or Page(text)
                found = page.placed(Quote(chunk, max(place, 0)))
                start, end = found.start, found.start + found.length
                place = start + 1
            else:
                start, end = chunk
            if end > start >= 0:
                names.append(_stem(document))
                bounds.append((start, end - start))
                words.append(text[start:end])
    if not names:
        raise InputError(f"{name}: made no chunks; expected documents with text")
    starts, lengths = np.array(bounds, np.int64).T
    return Cut(name, names, Spans(starts, lengths), words)


def _stem(name: str) -> bytes:
    folder, slash, base = name.rpartition("/")
    return f"{folder}{slash}{base.rpartition('.')[0] or base}".encode("utf-8", "surrogateescape")


def _run(cut: Cut, topics: Sequence[bytes], found: object, scores: object) -> Run:
    table, values = np.asarray(found), np.asarray(scores, np.float64)
    rows = table.ravel()
    return Run(
        cut.name,
        Rows(cut.name, tuple(topics), begins_of([table.shape[1]] * len(topics)), has_lines=False),
        PlainIds([cut.documents[row] for row in rows.tolist()]),
        values.ravel(),
        np.tile(np.arange(1.0, table.shape[1] + 1), len(topics)),
        cut.spans.at(rows),
        unit="codepoint",
    )


def _write_run(run: Run, folder: str) -> None:
    write = FORMATS["span_run"].write
    assert write is not None
    Path(folder).mkdir(parents=True, exist_ok=True)
    file = "".join(c if c.isalnum() or c in "-_." else "-" for c in run.name)
    write_atomically(Path(folder) / f"{file}.jsonl", write(run))
