"""Preparation of a request: judgements, documents, measures and policy, shared by all runs.

`Prepared` reads the judgements and opens the collection once. It also reads runs, chooses the
profile that fits them, and returns the measures and the policy under that profile.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spanwise.collection import opened
from spanwise.errors import InputError, SpanwiseWarning, UsageError
from spanwise.evaluation.kinds import TEXTUAL, kinds_of
from spanwise.evaluation.profiles import ELEMENTS, Profile, find_profile, measure_names
from spanwise.formats import Reading, read_judgements, read_run, read_topics
from spanwise.formats.frames import holds_numbers, is_retriever
from spanwise.formats.io.files import Stored, piece_size
from spanwise.formats.pieces import Part, Piece, is_packed, read_part, read_piece, runs_in_turn
from spanwise.formats.registry import read_stored
from spanwise.measures.names import parse
from spanwise.model.columns import PlainIds, text
from spanwise.model.judgements import Judgements, Preferences, combined
from spanwise.model.run import Run
from spanwise.model.run import joined as joined_runs

if TYPE_CHECKING:
    from spanwise.evaluation.request import Request
    from spanwise.model.documents import Collection
    from spanwise.model.measure import MeasureRequest
    from spanwise.model.policy import Policy

Cut = Piece | Part | Stored
"""Some topics of a run: a range of bytes of its file, some lines, or parts of a dataset."""

one_at_a_time = RLock()
"""Lock around the capture of warnings, which is global to the process."""


class Settled(NamedTuple):
    """The measures and the policy of an evaluation."""

    measures: Sequence[MeasureRequest]
    policy: Policy


class Prepared:
    """The judgements and documents of a request, read once for all of its runs.

    `part` restricts the judgements to those of one shard, where all do not fit in memory.
    """

    def __init__(self, request: Request, part: Part | Stored | None = None) -> None:
        self.request = request
        self._given = request.policy or {}
        self._named = find_profile(request.profile, request.task)
        self.reading = how_to_read(self._named, self._given)
        judgements = asking(
            self._read_judgements(part), request.topics, self._given.get("structure", "ignore")
        )
        self.collection: Collection | None = None
        if request.collection is not None:
            self.collection = opened(request.collection, judgements)
        documents = self.collection or texts_along(judgements)
        self.judgements = judgements if documents is None else _placed(judgements, documents)
        self._pools: dict[str, Run] = {}  # all chunks of runs, by the name in the request
        self._placed: dict[int, tuple[Run, Run]] = {}  # the same, given and placed, by identity
        self._kept: tuple[Any, Run, list[Warning]] | None = None  # read to choose the profile
        self._settled: tuple[tuple[Profile, tuple[str, ...]], Settled] | None = None

    def _read_judgements(self, part: Part | Stored | None) -> Any:
        source = self.request.judgements
        if isinstance(part, Stored):
            return combined(read_stored(part, self.reading), source)
        if part is None:
            return read_judgements(source, self.request.judgements_format, self.reading)
        return read_part(source, part, self.reading)

    def read(self, source: Any, piece: Cut | None = None, *, numbered: bool = False) -> Run:
        """Read a run or a piece of one, in the order of its file, with the judged topics."""
        if self._kept is not None and self._kept[0] == (source, piece) and not numbered:
            _, run, caught = self._kept
            self._kept = None
            for warning in caught:
                warnings.warn(warning, stacklevel=2)
            return run
        return self._with_judged_topics(self._read(source, piece, numbered))

    def _with_judged_topics(self, run: Run) -> Run:
        stated = not run.numbered and not run.questions and self._given.get("match", "id") == "id"
        if stated and getattr(self.judgements, "evidence", None) is None:
            return run  # both sides state ids
        from spanwise.matching.topics import with_judged_topics

        policy = self._stated_policy
        half = policy.average_over == "both"
        return with_judged_topics(run, self.judgements, policy.match, half=half)

    @property
    def _stated_policy(self) -> Policy:
        """The policy as far as it does not depend on the run."""
        return replace(self._named.policy, **self._given)

    def _read(self, source: Any, piece: Cut | None, numbered: bool) -> Run:
        if piece is None and (isinstance(source, str | Run) or holds_numbers(source, "score")):
            return read_run(source, self.request.run_format, self.reading)
        if piece is None:
            return self._chunks(source)
        if isinstance(piece, Stored):
            return joined_runs(read_stored(piece, self.reading), piece.name, source)
        if isinstance(piece, Part):
            content: Run = read_part(source, piece, self.reading)
            return content
        return read_piece(source, piece, self.reading, numbered=numbered)

    def _chunks(self, source: Any) -> Run:
        """Read chunks of a framework, or call a retriever with every question."""
        from spanwise.formats.frames.chunks import Shelf, chunks_run

        if is_retriever(source):
            source = _patient(source, self.request)
        questions = _questions(self.judgements)
        documents = self.collection
        if documents is None:
            return chunks_run(source, "run", questions)
        names = [one.name for one in documents.documents()]
        shelf = Shelf(names, lambda name: _is_known(name, documents))
        return _renamed(chunks_run(source, "run", questions, shelf), documents)

    def with_chunks(self, run: Run, name: str | None) -> Run:
        """Return a run with all chunks of its system, if these are known, placed in documents."""
        given = self.request.chunks
        key = next(
            (one for one in names_of_run(run.name, run.rows.source, name) if one in given), None
        )
        if key is not None and key not in self._pools:
            self._pools[key] = self._read_chunks(given[key])
        pool = run.pool if key is None else self._pools[key]
        if pool is None:
            return run
        if id(pool) not in self._placed:
            from spanwise.matching.placing import placed

            documents = self.collection or texts_along(self.judgements)
            there = pool if documents is None else placed(self.judgements, pool, documents, [])[1]
            self._placed[id(pool)] = pool, there
        return replace(run, pool=self._placed[id(pool)][1])

    def _read_chunks(self, source: Any) -> Run:
        """Read chunks from a file, a run, or a list."""
        if isinstance(source, str):
            from spanwise.formats.frames.chunks import plain_chunks

            source = plain_chunks(source) or source
        if isinstance(source, str | Run):
            return read_run(source, self.request.run_format, self.reading)
        alone = isinstance(source, Sequence) and not isinstance(source, bytes)
        return self._chunks({"": source} if alone else source)

    def read_in_turn(self, source: str) -> Iterator[Run]:
        """Read a packed file piece by piece."""
        for run in runs_in_turn(source, self.request.run_format, self.reading, piece_size()):
            yield self._with_judged_topics(run)

    def profile_of(self, source: Any, piece: Cut | None = None) -> Profile:
        """Return the profile of the request, or the one that fits `source` if none is named."""
        if self.request.profile or self.request.task or not depends_on_run(self.judgements):
            return self._named
        with one_at_a_time, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", SpanwiseWarning)
            if piece is None and flows(source) and self._stated_policy.match != "order":
                run = next(self.read_in_turn(source))
            else:
                run = self.read(source, piece)
                self._kept = (source, piece), run, messages(caught)
        return fitting(self.judgements, run, self.request.measures)

    def settle(self, profile: Profile, measures: Sequence[str] = ()) -> Settled:
        """Return the policy and the measures under a profile, by default those of the request."""
        names = tuple(measures or self.request.measures or profile.measures)
        if self._settled is None or self._settled[0] != (profile, names):
            wanted, assumed = asked(names, profile.defaults), self.request.assume
            if assumed:
                wanted = [one.assuming(_applicable(assumed, one)) for one in wanted]
            policy = replace(profile.policy, **self._given)
            textual = any(one.measure.reads in TEXTUAL for one in wanted)
            settled = Settled(wanted, self._with_copies(policy) if textual else policy)
            self._settled = (profile, names), settled
        return self._settled[1]

    def _with_copies(self, policy: Policy) -> Policy:
        """Return the policy with the choice about copies stated if the default is to count them."""
        judgements = self.judgements
        documents = self.collection or texts_along(judgements)
        evidence = judgements.evidence if isinstance(judgements, Judgements) else None
        if evidence is None or documents is None or policy.copies != "default":
            return policy
        if not isinstance(judgements, Judgements) or evidence.stated[evidence.relevant].any():
            return policy
        from spanwise.matching.texts import copies_of_items

        return replace(policy, copies="any") if copies_of_items(judgements, documents) else policy


def _applicable(assumed: Mapping[str, Any], one: MeasureRequest) -> Mapping[str, Any]:
    """Return the parameters that a measure takes on: counts of all results have no level."""
    if one.measure.parameters.get("rel") is not None:
        return assumed
    return {name: value for name, value in assumed.items() if name != "rel"}


def refuse_without_effect(prepared: Prepared, profile: Profile) -> None:
    """Refuse an option that changes nothing about the request it was given for."""
    request = prepared.request
    if request.derived:
        return
    measures, _ = prepared.settle(profile)
    given = request.policy or {}
    structured = given.get("structure", "ignore") != "ignore"
    textual = any(one.measure.reads == "readings" for one in measures)
    annotated = textual and _of_annotators(prepared.judgements)
    without = {
        "unit": given.get("unit", "characters") != "characters"
        and not any(map(_counts_reading, measures)),
        "annotators": given.get("annotators", "union") != "union" and not annotated,
        "copies": given.get("copies", "default") != "default"
        and not (textual and _in_documents(prepared)),
        "structure": structured and not any(map(of_elements, measures)),
        "rel": "rel" in request.assume and not any("rel" in one.assumed for one in measures),
        "chunks": bool(request.chunks) and not any(map(of_all_chunks, measures)),
        "behaviour": "behaviour" in request.assume
        and not any("behaviour" in one.assumed for one in measures),
    }
    for option, idle in without.items():
        if idle:
            few = ", ".join(one.label for one in measures[:3]) + ", ..." * (len(measures) > 3)
            raise UsageError(f"--{option} has no effect on {few}: {NEEDED[option]}; leave it out")
    if request.topics is not None and not structured:
        raise UsageError("--topics has no effect without --structure strict or vague")


def refuse_without_chunks(prepared: Prepared, profile: Profile, runs: Sequence[Any]) -> None:
    """Refuse measures of all chunks of a system if these are known for no run."""
    request = prepared.request
    known = request.chunks or any(isinstance(run, Run) and run.pool for run in runs)
    needy = [one for one in prepared.settle(profile).measures if of_all_chunks(one)]
    if needy and not known and not request.derived:
        raise UsageError(
            f"measure {needy[0].label!r} needs all chunks of a run, but none are given; pass"
            " --chunks NAME=FILE, or use of=returned"
        )


NEEDED = {
    "unit": "it needs a budget, such as SpanR(budget=2000)",
    "annotators": "it needs judgements of text by several annotators",
    "copies": "it needs judgements of text by evidence, and documents",
    "structure": "it is for measures that count judged elements",
    "rel": "it is for measures with a level of relevance that their names do not state",
    "chunks": "it is for Ceiling(of=chunks, budget=2000) and the like",
    "behaviour": "it is for measures with a model of navigation",
}
"""What an option needs to have an effect."""


def of_all_chunks(one: MeasureRequest) -> bool:
    """Tell whether a measure needs all chunks of a system, also those it did not return."""
    return one.measure.reads == "readings" and one.parameter("of") == "chunks"


def names_of_run(*names: str | None) -> list[str]:
    """Return the ways to name a run: its names and files, also without folder and extension."""
    paths = [Path(name) for name in names if name]
    return [str(form) for path in paths for form in (path, path.name, path.name.partition(".")[0])]


def _counts_reading(one: MeasureRequest) -> bool:
    """Tell whether a measure has a budget, or counts how much is read."""
    if "budget" in one.measure.parameters:
        return one.parameter("budget") is not None
    return one.measure.family == "chunks"


def _in_documents(prepared: Prepared) -> bool:
    """Tell whether there is evidence, and documents in which it may stand."""
    judgements = prepared.judgements
    evidence = judgements.evidence if isinstance(judgements, Judgements) else None
    return evidence is not None and (prepared.collection or texts_along(judgements)) is not None


def _of_annotators(judgements: Judgements | Preferences) -> bool:
    if not isinstance(judgements, Judgements):
        return False
    evidence = judgements.evidence
    if judgements.assessors is not None:
        return True
    return evidence is not None and any(evidence.by.take(np.arange(len(evidence))))


def of_elements(one: MeasureRequest) -> bool:
    """Tell whether a measure counts elements by how they were judged, so that structure matters."""
    graded = one.measure.grades or "quant" in one.measure.parameters
    return graded and one.parameter("behaviour") != "bep"


def _placed(
    judgements: Judgements | Preferences, documents: Collection
) -> Judgements | Preferences:
    from spanwise.matching.placing import placed_judgements

    return placed_judgements(judgements, documents)


def flows(source: Any) -> bool:
    """Tell whether a source is a packed file, which cannot be read from the middle."""
    return isinstance(source, str) and Path(source).is_file() and is_packed(source)


def messages(caught: Iterable[warnings.WarningMessage]) -> list[Warning]:
    """Return caught warnings, so that they can be issued again."""
    return [one.message for one in caught if isinstance(one.message, Warning)]


# Chunks in memory -------------------------------------------------------------------------------


def _questions(judgements: Any) -> dict[str, str]:
    evidence = judgements.evidence if isinstance(judgements, Judgements) else None
    asked_for = {} if evidence is None else evidence.questions
    return {text(topic): asked_for.get(topic, "") for topic in judgements.rows.topics}


def _renamed(run: Run, documents: Collection) -> Run:
    """Return a run whose documents are named as in the collection, not by longer paths."""
    every = run.documents.take(np.arange(len(run.rows)))
    known = {name: _name(name, documents) for name in set(every)}
    return replace(run, documents=PlainIds([known[name] for name in every]))


def _is_known(name: bytes, documents: Collection) -> bool:
    try:
        return _name(name, documents) in documents
    except InputError:  # several documents have this name
        return False


def _name(name: bytes, documents: Collection) -> bytes:
    shorter = name
    while shorter and shorter not in documents:
        _, slash, shorter = shorter.replace(b"\\", b"/").partition(b"/")
        if not slash:
            return name
    return shorter or name


# Judgements -------------------------------------------------------------------------------------


def how_to_read(profile: Profile, given: Mapping[str, Any]) -> Reading:
    """Return how files are read: stated ranks only if they decide the order of results."""
    return Reading(ranks=given.get("ties", profile.policy.ties) == "rank")


def asking(
    judgements: Judgements | Preferences, topics: Any, structure: str
) -> Judgements | Preferences:
    """Return judgements with the elements that the query of each topic asks for."""
    if structure == "ignore" or not isinstance(judgements, Judgements):
        return judgements
    if topics is None:
        raise UsageError(f"structure: {structure} needs the queries of topics; pass --topics")
    from spanwise.formats.topics.nexi import queries_of
    from spanwise.matching.structure import structure_filter

    stated = queries_of(read_topics(topics))
    missing = [topic for topic in judgements.rows.topics if topic not in stated]
    if missing:
        raise UsageError(
            f"topic {text(missing[0])!r} is judged in {judgements.rows.source}, but has no query;"
            " expected every judged topic among those of --topics"
        )
    wanted = structure_filter(stated, strict=structure == "strict")
    return replace(judgements, wanted=wanted, _derived={})


def texts_along(judgements: Judgements | Preferences) -> Collection | None:
    """Return the documents that the judgements contain, as a collection."""
    if not isinstance(judgements, Judgements) or judgements.evidence is None:
        return None
    evidence = judgements.evidence
    if not evidence.documents:
        return None
    return judgements.once("texts along", lambda: opened(evidence.documents))


# Measures and policy ----------------------------------------------------------------------------


def depends_on_run(judgements: Judgements | Preferences) -> bool:
    """Tell whether the default profile depends on the run."""
    return bool(set(TEXTUAL) & set(kinds_of(judgements)))


def fitting(
    judgements: Judgements | Preferences, run: Run, measures: Sequence[str] = ()
) -> Profile:
    """Return the default profile of a run: that of passages if measures read text.

    A run of whole documents keeps the profile of documents where judgements hold evidence for
    chunks.
    """
    plain = find_profile(None)
    if not depends_on_run(judgements):
        return plain
    kinds = kinds_of(judgements)
    parts = run.spans is not None or run.paths is not None
    textual = any(one.measure.reads in TEXTUAL for one in asked(measures))
    if not (textual if measures else parts):
        return plain
    marked = judgements.highlights if isinstance(judgements, Judgements) else None
    campaign = run.paths is not None or (run.spans is not None and run.unit == "opaque")
    if marked is not None and marked.unit != "opaque" and not campaign:
        return find_profile("chunks") if parts else plain
    return find_profile(None, "passages") if measures or "readings" in kinds else ELEMENTS


def asked(
    names: Iterable[str], defaults: Mapping[str, Mapping[str, Any]] | None = None
) -> list[MeasureRequest]:
    """Return the measures behind names; nicknames of several measures are spelled out.

    `defaults` are the values of parameters that a profile sets, by family of measures.
    """
    found = [parse(name) for name in measure_names(list(names))]
    if not defaults:
        return found
    return [one.assuming(defaults.get(one.measure.family, {})) for one in found]


def budgets_in(measures: Iterable[str]) -> list[float]:
    """Return the budgets that measures state."""
    known = [one for one in asked(measures) if "budget" in one.measure.parameters]
    return [float(size) for one in known if (size := one.parameter("budget")) is not None]


def _patient(retriever: Any, request: Request) -> Any:
    """Return a retriever that returns as many chunks as the largest budget needs."""
    from spanwise.formats.frames.chunks import listed, result_of
    from spanwise.matching.units import find_tokenizer
    from spanwise.retrieve.asking import patient

    unit, _, tokenizer = str((request.policy or {}).get("unit", "characters")).partition(":")

    def cost(chunk: Any) -> float:
        result = result_of(chunk, 1)
        if unit == "tokens" and result.text:
            return float(len(find_tokenizer(tokenizer)(result.text)[0]))
        return float(result.length)

    most = None if unit == "cost" else max(budgets_in(request.measures), default=None)
    return patient(retriever, lambda answer: list(listed(answer)), cost, most)
