"""Sweeps over chunkers and retrievers: documents are cut, searched in several ways, and compared.

The documents are cut once for each chunker, size and overlap. Each retriever, with or without a
reranker, then searches the chunks for the questions of the judgements, which gives a run. The runs
are compared at equal reading budgets.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spanwise.collection import opened
from spanwise.console import say, watched, write_atomically
from spanwise.errors import InputError, UsageError
from spanwise.evaluation.compare import compare_at, of_chunks, sizes_of
from spanwise.evaluation.evaluate import PROCESSES
from spanwise.evaluation.prepare import budgets_in, texts_along
from spanwise.evaluation.request import Request, plain, request_of
from spanwise.formats import FORMATS, read_judgements
from spanwise.matching.quotes import Page, Quote
from spanwise.matching.units import find_tokenizer
from spanwise.model.columns import PlainIds, Rows
from spanwise.model.judgements import Judgements
from spanwise.model.run import Run
from spanwise.model.spans import UNKNOWN, Spans
from spanwise.retrieve.chunkers import Piece, cut_by, find_chunker, refuse_sizes
from spanwise.retrieve.retrievers import (
    Depth,
    Indexes,
    Ranking,
    find_reranker,
    refuse_missing,
    reranked,
)
from spanwise.stats.resampling import Draws
from spanwise.stats.statements import Question

if TYPE_CHECKING:
    from typing import Unpack

    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.comparison import Comparison
    from spanwise.model.documents import Collection
    from spanwise.model.policy import Policy, PolicyFields
    from spanwise.model.scores import Scores

FEWEST_RESULTS = 50
"""Minimum number of results that are retrieved for each question, if there are so many chunks."""
LABORIOUS = 2_000_000
"""Characters to cut, over all ways, from which processes pay."""

Some = Mapping[str, Any] | Sequence[Any] | str
"""Chunkers or retrievers: names, objects and functions, or a mapping from names to them."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """The chunkers, retrievers and sizes of a sweep, with its data and measures."""

    request: Request  # without runs
    chunkers: Some = ("fixed",)
    retrievers: Some = ("bm25",)
    rerankers: Some = ()
    sizes: Sequence[int] = (200, 400, 800)
    overlaps: Sequence[int] = (0,)
    budgets: float | str | Sequence[float] = (500, 2000, 8000)
    keep: str | None = None  # the folder in which runs are kept
    on: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """A way of cutting documents: a chunker by name with a size and overlap, or an object."""

    label: str  # of the chunker
    chunker: Any
    size: int | None = None  # None: the chunker has a size of its own
    overlap: int = 0

    @property
    def name(self) -> str:
        """The chunker with its size and overlap."""
        return self.label if self.size is None else f"{self.label}-{self.size}/{self.overlap}"

    def cutter(self) -> Callable[[str], Sequence[Piece]]:
        """Return the function that cuts a text."""
        if self.size is None:
            return cut_by(self.chunker)
        return partial(_sized, find_chunker(self.chunker), self.size, self.overlap)


def _sized(chunker: Callable[..., Sequence[Piece]], size: int, overlap: int, text: str) -> Any:
    return chunker(text, size, overlap)


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """The chunks of all documents in one way of cutting them."""

    name: str
    names: list[bytes]  # of the documents
    owners: IntArray  # the document of each chunk
    spans: Spans
    texts: list[str]  # what is searched
    unplaced: int = 0  # number of chunks that were not found in their document

    @property
    def documents(self) -> list[bytes]:
        """The document of each chunk."""
        return self.documents_of(np.arange(len(self.owners)))

    def documents_of(self, rows: IntArray) -> list[bytes]:
        """Return the documents of some chunks."""
        return list(map(self.names.__getitem__, self.owners[rows].tolist()))

    def as_run(self) -> Run:
        """Return all chunks as a run of one topic, the pool from which results are chosen."""
        placed = np.flatnonzero(self.spans.starts != UNKNOWN)
        rows = Rows(self.name, (b"",), np.array([0, len(placed)]), has_lines=False)
        documents = PlainIds(self.documents_of(placed))
        return Run(
            self.name,
            rows,
            documents,
            np.zeros(len(placed)),
            spans=self.spans.at(placed),
            unit="codepoint",
        )

    def digest(self) -> bytes:
        """Return a fingerprint of the chunks, in whatever order they are."""
        order = np.lexsort((self.spans.lengths, self.spans.starts, self.owners))
        columns = (self.owners, self.spans.starts, self.spans.lengths)
        made = sha256(repr(self.names).encode())
        for column in columns:
            made.update(np.ascontiguousarray(column[order], np.int64).tobytes())
        return made.digest()


def sweep(
    judgements: Any,
    collection: Any = None,
    *,
    chunkers: Some = ("fixed",),
    retrievers: Some | Any = ("bm25",),
    rerankers: Some | Any = (),
    sizes: Sequence[int] = (200, 400, 800),
    overlaps: Sequence[int] = (0,),
    budgets: float | str | Sequence[float] = (500, 2000, 8000),
    measures: Iterable[object] | str | None = None,
    baseline: str | None = None,
    tests: Sequence[str] | str = ("randomisation",),
    seed: int = 0,
    keep: str | None = None,
    on: str | None = None,
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
    mapping of ids to texts. There is a run for each way of cutting and each retriever, called
    `fixed-400/0 bm25`. Each retriever returns as many chunks as the largest of the `budgets` needs.
    With `keep`, the runs are written to this folder.

    `chunkers`, `retrievers` and `rerankers` are one of these, a sequence, or a mapping from names:

    - A chunker is a name such as "recursive" or "langchain-recursive", which is tried with all
      `sizes` and `overlaps` in characters; or a text splitter of LangChain, a node parser of
      LlamaIndex or a chunker of Chonkie, which brings its own size; or a function from a text to
      chunks: their texts, or pairs of start and end.
    - A retriever is "bm25", "tfidf", "dense:wordllama", "dense:FOLDER", "hybrid" or
      "hybrid:bm25+tfidf"; or a model with a method `encode`; or a function from the list of all
      chunks' texts to a function `search(question, most)`, which returns the numbers of the best
      texts, or these texts; a retriever of LangChain or LlamaIndex serves as well.
    - A reranker is "dense:NAME", a model with a method `predict`, or a function from a question and
      texts to scores. Each retriever is compared with and without it.

    `on` is "processes" or "processes:N" to cut and search with several processes. It has no effect
    with objects, or with functions that cannot be sent to other processes.
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
    wanted = Sweep(request, chunkers, retrievers, rerankers, sizes, overlaps, budgets, keep, on)
    chosen = (tests,) if isinstance(tests, str) else tuple(tests)
    return swept(wanted, baseline, Question(chosen, draws=Draws(seed)))[1]


def swept(sweep: Sweep, baseline: str | None, question: Question) -> tuple[Request, Comparison]:
    """Make the runs of a sweep and compare them; return also the request for that."""
    budgets = sizes_of(sweep.budgets)
    request = sweep.request
    judgements = read_judgements(request.judgements, request.judgements_format)
    documents = opened(request.collection) or texts_along(judgements)
    if documents is None:
        raise UsageError("cutting documents needs their text; pass --collection")
    topics, questions = _questions(judgements)
    ways = _ways(sweep)
    retrievers = _named(sweep.retrievers, "retriever")
    rerankers = _named(sweep.rerankers, "reranker")
    _refuse_missing(retrievers, rerankers)
    unit = (request.policy or {}).get("unit", "characters")
    if unit == "cost":
        raise UsageError("--unit cost has no effect on chunks that a sweep makes; leave it out")
    largest = max([*budgets, *budgets_in(request.measures)])
    texts = _texts(documents, sweep)
    work = Work(texts, questions, largest, unit, retrievers, rerankers)
    runs: list[Run] = []
    cuts: list[tuple[Way, Found]] = []
    with _searched(work, ways, sweep.on) as results:
        for way, found in zip(
            ways, watched(results, len(ways), "cutting and searching"), strict=True
        ):
            cuts.append((way, found))
            runs += _runs_of(found, topics)
    if sweep.keep is not None:
        for run in runs:
            write_run(run, sweep.keep)
    request = replace(
        of_chunks(request),
        judgements=judgements,
        runs=runs,
        collection=documents,
        judgements_format=None,
    )
    made = compare_at(request, budgets, baseline, question, on=sweep.on, watch=watched)
    counted = _with_sizes(made.scores, dict(zip([run.name for run in runs], runs, strict=True)))
    return request, replace(made, scores=counted, warnings=(*_remarks(cuts), *made.warnings))


# What is asked for --------------------------------------------------------------------------------


def _named(some: Any, kind: str) -> dict[str, Any]:
    """Return the chunkers, retrievers or rerankers by name; an object is called by its class."""
    if isinstance(some, Mapping):
        return dict(some)
    several = list(some) if isinstance(some, Sequence) and not isinstance(some, str) else [some]
    found: dict[str, Any] = {}
    for one in several:
        name = one if isinstance(one, str) else _name_of(one)
        if name in found:
            if isinstance(one, str):
                continue
            raise UsageError(
                f"two {kind}s are called {name!r}; name them: {{'first': ..., 'second': ...}}"
            )
        found[name] = one
    return found


def _name_of(thing: Any) -> str:
    name = getattr(thing, "__name__", None)
    return str(name) if name and name != "<lambda>" else type(thing).__name__


def _ways(sweep: Sweep) -> list[Way]:
    ways = []
    for label, chunker in _named(sweep.chunkers, "chunker").items():
        if not isinstance(chunker, str):
            way = Way(label, chunker)
            way.cutter()
            ways.append(way)
            continue
        find_chunker(chunker)
        for size in sweep.sizes:
            for overlap in sweep.overlaps:
                if overlap < size or len(sweep.overlaps) == 1:
                    refuse_sizes(size, overlap)
                    ways.append(Way(label, chunker, size, overlap))
    if not ways:
        raise UsageError("no size is larger than an overlap; expected sizes above overlaps")
    return ways


def _refuse_missing(retrievers: Mapping[str, Any], rerankers: Mapping[str, Any]) -> None:
    if not retrievers:
        raise UsageError("no retriever was given; expected at least one, such as bm25")
    for retriever in retrievers.values():
        refuse_missing(retriever)
    for reranker in rerankers.values():
        find_reranker(reranker)


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


# Cutting and searching, by one or several processes -----------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """What all ways of cutting have in common."""

    texts: dict[str, str]
    questions: list[str]
    budget: float
    unit: str
    retrievers: dict[str, Any]
    rerankers: dict[str, Any]


class Found(NamedTuple):
    """The chunks of one way of cutting, and the rankings of each way of searching them."""

    cut: Cut
    rankings: list[tuple[str, list[Ranking]]]


@contextmanager
def _searched(work: Work, ways: Sequence[Way], on: str | None) -> Iterator[Iterable[Found]]:
    """Cut and search in all ways, by several processes where that was allowed and pays."""
    count = _processes(work, ways, on)
    if count < 2:
        yield (found_by(work, way) for way in ways)
        return
    from spanwise.executors.processes import by_processes

    with TemporaryDirectory(prefix="spanwise.") as folder:
        file = Path(folder) / "work"
        with file.open("wb") as stream:
            pickle.dump(work, stream, pickle.HIGHEST_PROTOCOL)
        yield by_processes(_found_by_file, [(str(file), way) for way in ways], count)


def _processes(work: Work, ways: Sequence[Way], on: str | None) -> int:
    """Return the number of processes that saves time."""
    if on is None or on.partition(":")[0] != PROCESSES or len(ways) < 2:
        return 1
    from spanwise.executors.processes import cores

    stated = on.partition(":")[2]
    if not stated and len(ways) * sum(map(len, work.texts.values())) < LABORIOUS:
        return 1
    things = [way.chunker for way in ways]
    things += [*work.retrievers.values(), *work.rerankers.values()]
    if not all(isinstance(one, str | FunctionType) for one in things):
        return 1  # objects of libraries may be pickled without an error and still lose parts
    try:
        pickle.dumps(things)
    except (pickle.PicklingError, AttributeError, TypeError):
        return 1
    return min(int(stated) if stated else cores(), len(ways))


def _found_by_file(job: tuple[str, Way]) -> Found:
    file, way = job
    return found_by(_work_in(file), way)


@lru_cache(maxsize=1)
def _work_in(file: str) -> Work:
    with Path(file).open("rb") as stream:
        work: Work = pickle.load(stream)
    return work


def found_by(work: Work, way: Way) -> Found:
    """Cut all documents in one way, and search the chunks in all ways."""
    cut = cut_up(way.name, work.texts, way.cutter())
    depth = Depth(_costs(cut, work), work.budget, FEWEST_RESULTS)
    indexes = Indexes(cut.texts)
    rankings: list[tuple[str, list[Ranking]]] = []
    for name, retriever in work.retrievers.items():
        ranked = indexes.of(retriever).rank(work.questions, depth)
        rankings.append((f"{way.name} {name}", ranked))
        for extra, reranker in work.rerankers.items():
            again = reranked(ranked, work.questions, cut.texts, find_reranker(reranker))
            rankings.append((f"{way.name} {name} {extra}", again))
    return Found(replace(cut, texts=[]), rankings)


def _costs(cut: Cut, work: Work) -> FloatArray:
    """Return what it costs to read each chunk.

    Characters also stand for units of which a character has one or more.
    """
    kind, _, tokenizer = work.unit.partition(":")
    if kind != "tokens":
        return cut.spans.lengths.astype(np.float64)
    counts = np.zeros(len(cut.owners))
    for number, text in enumerate(work.texts.values()):
        begins = np.asarray(find_tokenizer(tokenizer)(text)[0])
        mine = np.flatnonzero(cut.owners == number)
        spans = cut.spans.at(mine)
        counts[mine] = np.searchsorted(begins, spans.ends) - np.searchsorted(begins, spans.starts)
    return counts


def cut_up(name: str, texts: Mapping[str, str], cutter: Callable[[str], Sequence[Piece]]) -> Cut:
    """Cut all documents; chunks without offsets are searched in their documents."""
    owners: list[int] = []
    bounds: list[tuple[int, int]] = []
    words: list[str] = []
    unplaced = 0
    for number, text in enumerate(texts.values()):
        for start, length, searched in _stretches(text, cutter(text)):
            unplaced += start == UNKNOWN
            owners.append(number)
            bounds.append((start, length))
            words.append(searched)
    if not owners:
        raise InputError(f"{name}: made no chunks; expected documents with text")
    starts, lengths = np.array(bounds, np.int64).T
    names = [_stem(document) for document in texts]
    return Cut(name, names, np.array(owners, np.int64), Spans(starts, lengths), words, unplaced)


def _stretches(text: str, chunks: Iterable[Piece]) -> Iterator[tuple[int, int, str]]:
    """Yield the start, length and searched text of each chunk.

    A chunk without offsets is the occurrence of its text that is nearest to the end of the chunk
    before it. One that does not occur keeps its length.
    """
    page: Page | None = None
    place = 0
    for chunk in chunks:
        if not isinstance(chunk, str):
            start, end = max(chunk[0], 0), min(chunk[1], len(text))
            if end > start:
                yield start, end - start, chunk[2] if len(chunk) == 3 else text[start:end]
                place = end
        elif chunk:
            page = page or Page(text)
            found = page.placed(Quote(chunk, place))
            if found.start == UNKNOWN:
                yield UNKNOWN, len(chunk), chunk
            elif found.length:
                end = found.start + found.length
                yield found.start, found.length, text[found.start : end]
                place = end


def _stem(name: str) -> bytes:
    folder, slash, base = name.rpartition("/")
    return f"{folder}{slash}{base.rpartition('.')[0] or base}".encode("utf-8", "surrogateescape")


# Runs ---------------------------------------------------------------------------------------------


def _runs_of(found: Found, topics: Sequence[bytes]) -> list[Run]:
    pool = found.cut.as_run()
    return [
        replace(_run(name, found.cut, topics, ranked), pool=pool) for name, ranked in found.rankings
    ]


def _run(name: str, cut: Cut, topics: Sequence[bytes], ranked: Sequence[Ranking]) -> Run:
    counts = [len(numbers) for numbers, _ in ranked]
    rows = np.concatenate([np.asarray(numbers, np.int64) for numbers, _ in ranked])
    starts = np.concatenate([[0], np.cumsum(counts)])
    ranks = np.concatenate([np.arange(1.0, count + 1) for count in counts])
    return Run(
        name,
        Rows(name, tuple(topics), starts, has_lines=False),
        PlainIds(cut.documents_of(rows)),
        np.concatenate([np.asarray(scores, np.float64) for _, scores in ranked]),
        ranks,
        cut.spans.at(rows),
        unit="codepoint",
    )


def _with_sizes(scores: Iterable[Scores], runs: Mapping[str, Run]) -> tuple[Scores, ...]:
    """Return scores whose facts include the number and the total length of all chunks."""
    found = []
    for one in scores:
        pool = runs[one.run].pool
        assert pool is not None
        assert pool.spans is not None
        sizes = {
            "chunks": len(pool.spans.lengths),
            "characters in chunks": int(pool.spans.lengths.sum()),
        }
        found.append(replace(one, facts={**one.facts, **sizes}))
    return tuple(found)


def write_run(run: Run, folder: str) -> str:
    """Write a run to a folder, and return the name of the file."""
    write = FORMATS["span_run"].write
    assert write is not None
    Path(folder).mkdir(parents=True, exist_ok=True)
    name = "".join(c if c.isalnum() or c in "-_." else "-" for c in run.name)
    file = Path(folder) / f"{name}.jsonl"
    write_atomically(file, write(run))
    return str(file)


# Remarks ------------------------------------------------------------------------------------------


def _remarks(cuts: Sequence[tuple[Way, Found]]) -> list[str]:
    """Return what is odd about the ways of cutting: one remark for each kind."""
    said = []
    digests = {way: found.cut.digest() for way, found in cuts}
    ignored = dict(_ignored(digests))
    if ignored:
        named = "; ".join(f"{setting} of {label}" for label, setting in ignored.items())
        said.append(f"settings that change nothing: {named}")
    if same := list(_identical(digests, ignored)):
        said.append(f"identical chunks: {'; '.join(same)}")
    lost = {way.name: found.cut.unplaced for way, found in cuts if found.cut.unplaced}
    if lost:
        counts = ", ".join(f"{name} ({count})" for name, count in lost.items())
        said.append(f"chunks that occur in no document, and so hold nothing: {counts}")
    return said


def _ignored(digests: Mapping[Way, bytes]) -> Iterator[tuple[str, str]]:
    """Yield the chunkers whose chunks do not depend on the size, or on the overlap, with these."""
    for label, group in groupby(digests, key=lambda way: way.label):
        ways = [way for way in group if way.size is not None]
        settings = []
        for setting, other in (("size", "overlap"), ("overlap", "size")):
            chunks: dict[int, list[bytes]] = {}
            for way in ways:
                chunks.setdefault(getattr(way, other), []).append(digests[way])
            several = [made for made in chunks.values() if len(made) > 1]
            if several and all(len(set(made)) == 1 for made in several):
                values = sorted({getattr(way, setting) for way in ways})
                settings.append(f"{setting} {', '.join(map(str, values))}")
        if settings:
            yield label, " and ".join(settings)


def _identical(digests: Mapping[Way, bytes], ignored: Mapping[str, str]) -> Iterator[str]:
    """Yield the ways that give the same chunks; of chunkers that ignore settings, one of them."""
    groups: dict[bytes, dict[str, str]] = {}
    for way, digest in digests.items():
        key = way.label if way.label in ignored else way.name
        groups.setdefault(digest, {}).setdefault(key, way.name)
    for names in groups.values():
        if len(names) > 1:
            yield " = ".join(names.values())


# The page -----------------------------------------------------------------------------------------


def write_sweep_page(request: Request, c: Comparison, judgements: str, output: str) -> None:
    """Write the page of a sweep, given the request of its comparison and the file of judgements."""
    from spanwise.workflows.page import write_page

    with TemporaryDirectory(prefix="spanwise.") as folder:
        files = [
            write_run(run, str(Path(folder) / str(number)))
            for number, run in enumerate(request.runs)
        ]
        pairs = zip(c.scores, files, strict=True)
        scores = tuple(replace(one, source=file) for one, file in pairs)
        wanted = replace(request, judgements=judgements, runs=files)
        made_of = replace(request, judgements=judgements, runs=())
        write_page(wanted, replace(c, scores=scores), output, made_of)
