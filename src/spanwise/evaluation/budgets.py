"""Chunkers and retrievers compared at equal reading: scores, ceilings, and what is unfair.

place every run  >  score it at each budget  >  add its ceiling  >  compare  >  lint
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.collection import opened
from spanwise.errors import InputError, UsageError
from spanwise.evaluation.pipeline import asked, score, texts_along
from spanwise.evaluation.profiles import find_profile
from spanwise.evaluation.stating import stated
from spanwise.formats import Reading, read_judgements, read_run
from spanwise.formats.frames.chunks import Shelf, chunks_run, gold_of
from spanwise.matching.ceiling import Pool, ceiling
from spanwise.matching.placing import absent, placed_judgements, placed_run
from spanwise.matching.texts import tokens_meter
from spanwise.model.columns import PlainIds, text
from spanwise.model.judgements import Judgements
from spanwise.model.notes import in_lines
from spanwise.model.run import Run
from spanwise.model.spans import EXACT, counted
from spanwise.stats.cautions import Facts, sentences
from spanwise.stats.statements import unwatched

if TYPE_CHECKING:
    from spanwise.model.comparison import Comparison
    from spanwise.model.documents import Collection
    from spanwise.model.notes import Note
    from spanwise.model.policy import Policy
    from spanwise.model.scores import Scores
    from spanwise.stats.statements import Question

K = 5
"""The number of results that people compare at."""
TOUCHING = {f"ChunkHit@{K}": f"hit@{K}", f"ChunkNDCG@{K}": f"nDCG@{K}"}
BOUNDS = "ceilings that are bounds, not exact"
POINTS = 40
"""So many budgets make a curve."""


@dataclass(frozen=True, slots=True)
class Budgets:
    """What is to be found out at which budgets."""

    sizes: tuple[float, ...]
    policy: Policy
    measures: tuple[str, ...] = ()  # asked for besides, or instead
    ceilings: bool = True

    @property
    def wanted(self) -> list[str]:
        """The measures to be shown."""
        if self.measures:
            return list(self.measures)
        spans = [
            f"{name}(budget={shown(size)})"
            for name in ("SpanR", "SpanP", "FullEvidence")
            for size in self.sizes
        ]
        return [*spans, "MAiP", f"Waste(budget={shown(max(self.sizes))})", "FirstEvidence"]

    @property
    def behind(self) -> list[str]:
        """The measures that fairness is judged by."""
        most = shown(max(self.sizes))
        recall = [f"SpanR(budget={shown(size)})" for size in self.sizes]
        return [*recall, f"JudgedText(budget={most})", "Waste", f"Read@{K}", *TOUCHING]


def shown(size: float) -> str:
    """A budget as it stands in a name."""
    return str(int(size)) if float(size).is_integer() else repr(float(size))


def sizes_of(budget: float | str | Iterable[float]) -> tuple[float, ...]:
    """Budgets as numbers: one, several, or text such as `500,2000`."""
    if isinstance(budget, str):
        parts: list[Any] = budget.split(",")
    else:
        parts = list(budget) if isinstance(budget, Iterable) else [budget]
    try:
        sizes = tuple(dict.fromkeys(float(part) for part in parts))
    except (TypeError, ValueError):
        sizes = ()
    if not sizes or not all(0 < size < float("inf") for size in sizes):
        raise UsageError(f"budget {budget!r}; expected numbers above 0, such as 500,2000,8000")
    return sizes


def unit_of(word: str) -> str:
    """The unit of a budget as a policy has it."""
    return "characters" if word in ("char", "chars", "characters") else word


def compared_at(
    judgements: Any,
    runs: Mapping[str, Run | Callable[[], Run]],
    budgets: Budgets,
    *,
    collection: Collection | None = None,
    baseline: str | None = None,
    question: Question | None = None,
    chunks: Mapping[str, Run] | None = None,
) -> Comparison:
    """Compare runs at equal reading, one after the other.

    A run may be a function that reads it: then it is not kept, and there is no curve. `chunks` are
    all chunks of a run's chunker, where known.
    """
    if not runs:
        raise UsageError("no run was given; expected at least one")
    documents = collection or texts_along(judgements)
    gold = placed_judgements(judgements, documents)
    if not isinstance(gold, Judgements):
        raise UsageError(f"{gold.rows.source}: preferences; budgets need relevant text")
    results: list[Scores] = []
    facts: list[Facts] = []
    kept: dict[str, Run] = {}
    watching = unwatched if question is None else question.watching
    for key, given in watching(read_ahead(runs), len(runs)):
        used = {one.run for one in facts}
        name = key if isinstance(runs[key], Run) or given.name in used else given.name
        notes: list[Note] = []
        run = placed_run(given, documents, notes)
        every = asked([*budgets.wanted, *budgets.behind])
        scores = score(gold, run, every, budgets.policy, documents)
        scores = replace(scores, run=name, notes=(*scores.notes, *in_lines(notes)))
        facts.append(_facts(name, given, run, scores, budgets))
        scores = _only(scores, budgets.wanted)
        pool = (chunks or {}).get(key, run)
        results.append(_with_ceiling(scores, gold, pool, budgets, documents))
        if isinstance(runs[key], Run):
            kept[name] = run
    found = stated(results, baseline, question)
    unit = budgets.policy.unit
    unfair = sentences(facts, K, unit.replace("tokens:", "tokens of "))
    unfair += [f"{one.run}: {note}" for one in results for note in one.notes if BOUNDS in note]
    drawn = _Curve(gold, kept, budgets, documents) if len(kept) == len(runs) else None
    return replace(found, warnings=(*found.warnings, *unfair), drawn=drawn)


def read_ahead(runs: Mapping[str, Run | Callable[[], Run]]) -> Iterator[tuple[str, Run]]:
    """The runs in their order; the next one is read while one is in use."""
    from concurrent.futures import ThreadPoolExecutor

    def read(name: str) -> Run:
        run = runs[name]
        return run if isinstance(run, Run) else run()

    names = list(runs)
    if len(names) == 1:
        yield names[0], read(names[0])
        return
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(read, names[0])
        for name, following in zip(names, [*names[1:], ""], strict=True):
            content = coming.result()
            if following:
                coming = pool.submit(read, following)
            yield name, content


def _only(scores: Scores, names: Sequence[str]) -> Scores:
    return replace(
        scores,
        values={name: scores.values[name] for name in names},
        means={name: scores.means[name] for name in names},
        counts={name: scores.counts[name] for name in names},
    )


def _with_ceiling(
    scores: Scores,
    gold: Judgements,
    chunks: Run,
    budgets: Budgets,
    documents: Collection | None,
) -> Scores:
    """With the best that any order of the same chunks could do."""
    unit = budgets.policy.unit
    if not budgets.ceilings or budgets.measures or gold.highlights is None:
        return scores
    if unit == "cost":
        return replace(scores, notes=(*scores.notes, "no ceilings: costs of other orders unknown"))
    begins = None if unit == "characters" else tokens_meter(chunks, documents, unit).begins
    topics = [topic.encode("utf-8", "surrogateescape") for topic in scores.topics]
    best = ceiling(gold, topics, Pool(chunks), budgets.sizes, begins)
    values, means, counts = dict(scores.values), dict(scores.means), dict(scores.counts)
    for column, size in enumerate(budgets.sizes):
        label = f"Ceiling(budget={shown(size)})"
        values[label] = best.recall[:, column]
        defined = values[label][~np.isnan(values[label])]
        means[label] = float(defined.mean()) if len(defined) else float("nan")
        counts[label] = len(defined)
    bounds = int(np.count_nonzero(~best.exact.all(axis=1)))
    note = f"{BOUNDS}: {bounds} topics" if bounds else "ceilings: exact"
    return replace(scores, values=values, means=means, counts=counts, notes=(*scores.notes, note))


def _facts(name: str, given: Run, run: Run, scores: Scores, budgets: Budgets) -> Facts:
    most = shown(max(budgets.sizes))
    placements = {} if run.labels is None else counted(run.labels)
    invalid = 0
    if run.labels is not None and given.chunks is not None and given.chunks.stated.any():
        wrong = ~given.chunks.stated | (run.labels != EXACT)
        invalid = int(np.count_nonzero((run.labels >= 0) & wrong))
    missing = 0 if run.lengths is None else int(np.count_nonzero(absent(run, run.lengths)))
    return Facts(
        name,
        scores.means[f"Read@{K}"],
        scores.means["Waste"],
        placements,
        invalid,
        missing,
        len(run.rows),
        scores.means[f"JudgedText(budget={most})"],
        {word: scores.means[label] for label, word in TOUCHING.items()},
        {size: scores.means[f"SpanR(budget={shown(size)})"] for size in budgets.sizes},
    )


class _Curve:
    """Draws recall over budgets when somebody asks for it."""

    def __init__(
        self,
        gold: Judgements,
        runs: Mapping[str, Run],
        budgets: Budgets,
        documents: Collection | None,
    ) -> None:
        self._gold, self._runs, self._documents = gold, runs, documents
        self._budgets = budgets

    def __call__(self, measure: str) -> list[dict[str, Any]]:
        """A row for each run and budget."""
        largest = 4 * max(self._budgets.sizes)
        grid = np.geomspace(min(self._budgets.sizes) / 4, largest, POINTS)
        sizes = sorted({*self._budgets.sizes, *(float(round(size)) for size in grid)})
        names = {f"{measure}(budget={shown(size)})": size for size in sizes}
        rows = []
        for name, run in self._runs.items():
            scores = score(self._gold, run, asked(names), self._budgets.policy, self._documents)
            rows += [
                {"run": name, "budget": size, "measure": measure, "value": scores.means[label]}
                for label, size in names.items()
            ]
        return rows


def policy_of(unit: str = "chars", **more: Any) -> Policy:
    """The policy of chunks, with budgets in this unit."""
    return replace(find_profile("chunks").policy, unit=unit_of(unit), **more)


# Objects in memory ---------------------------------------------------------------------------


def compare_objects(
    gold: Any,
    runs: Mapping[Any, Any],
    budget: Any,
    unit: str,
    measures: tuple[str, ...],
    collection: Any,
    baseline: str | None,
    question: Question,
    options: Mapping[str, Any],
) -> Comparison:
    """What `spanwise.compare` does when there is a budget."""
    documents = opened(collection)
    judgements = judgements_from(gold)
    questions = _questions(judgements)
    read = {str(name): run_from(run, str(name), questions, documents) for name, run in runs.items()}
    policy = policy_of(unit, **options)
    sizes = sizes_of(budget)
    return compared_at(
        judgements,
        read,
        Budgets(sizes, policy, measures),
        collection=documents,
        baseline=baseline,
        question=question,
    )


def judgements_from(gold: Any) -> Any:
    """Judgements from a file, from finished ones, or from questions with quotes."""
    if isinstance(gold, Judgements | str | PathLike):
        return read_judgements(gold)
    return gold_of(gold)


def run_from(
    run: Any,
    name: str,
    questions: Mapping[str, str],
    documents: Collection | None = None,
) -> Run:
    """A run from a file, a finished one, or what a retriever hands out."""
    if isinstance(run, Run):
        return run
    if isinstance(run, str | PathLike):
        return read_run(run, None, Reading(ranks=True))
    if documents is None:
        return chunks_run(run, name, questions)
    names = [one.name for one in documents.documents()]
    shelf = Shelf(names, lambda said: _is_known(said, documents))
    return _renamed(chunks_run(run, name, questions, shelf), documents)


def _renamed(run: Run, documents: Collection) -> Run:
    """Documents that are named by a longer path than the collection knows, under their own name."""
    every = run.documents.take(np.arange(len(run.rows)))
    known = {name: _name(name, documents) for name in set(every)}
    return replace(run, documents=PlainIds([known[name] for name in every]))


def _is_known(name: bytes, documents: Collection) -> bool:
    try:
        return _name(name, documents) in documents
    except InputError:  # several documents are called that
        return False


def _name(name: bytes, documents: Collection) -> bytes:
    shorter = name
    while shorter and shorter not in documents:
        _, slash, shorter = shorter.replace(b"\\", b"/").partition(b"/")
        if not slash:
            return name
    return shorter or name


def _questions(judgements: Any) -> dict[str, str]:
    evidence = judgements.evidence if isinstance(judgements, Judgements) else None
    asked_for = {} if evidence is None else evidence.questions
    return {text(topic): asked_for.get(topic, "") for topic in judgements.rows.topics}
