"""What `spanwise agree` does with its words: read each judge, compare, rank the runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from spanwise.collection import opened
from spanwise.errors import InputError, SpanwiseWarning, UsageError
from spanwise.evaluation.evaluate import run as score_all
from spanwise.evaluation.request import Request, names_of, plain
from spanwise.formats import expanded, read_judgements
from spanwise.matching.placing import placed_judgements
from spanwise.matching.units import units_of
from spanwise.model.columns import text
from spanwise.model.findings import Findings
from spanwise.model.judgements import Judgements, by_assessor
from spanwise.model.scores import printable
from spanwise.model.spans import Spans
from spanwise.report.scores import null
from spanwise.report.studies import as_tables
from spanwise.stats.assessors import (
    BESIDE,
    PAIRS,
    Agreement,
    Judge,
    Shared,
    agreement,
    intervals,
    mean,
    shared_topics,
)
from spanwise.stats.correlation import Mixtures, Rankings, mixtures, rankings

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.documents import Collection
    from spanwise.model.scores import Scores


@dataclass(frozen=True, slots=True)
class Question:
    """Who is compared on what, and which runs are to be ranked."""

    judgements: Sequence[Any]
    unit: str = "char"
    runs: Sequence[Any] = ()
    measures: Sequence[str] = ()
    collection: Any = None
    seed: int = 0
    judgements_format: str | None = None
    names: Sequence[str | None] = ()  # of the assessors, where each source is of one


def agree(
    judgements: Mapping[str, Any] | Sequence[Any],
    *,
    unit: str = "char",
    runs: Sequence[Any] = (),
    measures: Iterable[object] | str | None = None,
    collection: Any = None,
    per_topic: bool = False,
    seed: int = 0,
    judgements_format: str | None = None,
) -> Findings:
    """Compare assessors on the documents that they have in common.

    `judgements` are files or objects, each of one assessor or of several; a mapping gives names to
    the assessors. Coefficients are computed for each topic and averaged over topics. With `runs`,
    these are scored under each assessor, to see whether the disagreement matters.

    >>> one, other = {"q1": {"a": 1, "b": 0}}, {"q1": {"a": 1, "b": 1}}
    >>> agree({"anna": one, "ben": other}, unit="document")["pairs"][0]["overlap"]
    0.5
    """
    sources = judgements if isinstance(judgements, Mapping) else dict(enumerate(judgements))
    question = Question(
        tuple(plain(source) for source in sources.values()),
        unit,
        tuple(plain(run) for run in runs),
        names_of(measures),
        collection,
        seed,
        judgements_format,
        tuple(name if isinstance(name, str) else None for name in sources),
    )
    answer = answered(question, per_topic)
    return Findings("agreement", answer, lambda: as_tables(answer))


def answered(question: Question, per_topic: bool) -> dict[str, Any]:
    """Return everything that was found, as JSON has it."""
    if question.unit in ("token", "sentence", "element") and question.collection is None:
        raise UsageError(f"--unit {question.unit} needs --collection, to know the text")
    if question.measures and not question.runs:
        raise UsageError("-m ranks runs, and there are none; give --runs")
    collection = opened(question.collection)
    judges = read_judges(question, collection)
    _refuse_unfit(judges, question.unit)
    shared = shared_topics(judges, None if collection is None else _lengths(collection))
    if not shared:
        names = ", ".join(judge.name for judge in judges)
        raise InputError(f"no document was judged by two of {names}; expected some in common")
    _say_unmeasured(shared, question.unit)
    found = agreement(shared, question.unit, _cut(collection, question.unit))
    answer = said([judge.name for judge in judges], found, question, per_topic=per_topic)
    if question.runs:
        answer["ranking"] = list(ranking_effects(judges, question, collection))
    return answer


def said(
    names: Sequence[str], found: Agreement, question: Question, *, per_topic: bool
) -> dict[str, Any]:
    """Everything that was found, as JSON has it."""
    answer: dict[str, Any] = {
        "pairs": [
            {**_who(names, pair), **{name: null(mean(values[name])) for name in PAIRS}}
            for pair, values in found.pairs.items()
        ],
        "all": {name: null(mean(values)) for name, values in found.all.items()},
        "unit": question.unit,
        "topics": len(found.topics),
        "intervals": _intervals(found, question.seed),
        "details": [
            {
                **_who(names, pair),
                "values": {n: null(mean(values[n])) for n in (*BESIDE, *_extra(values))},
            }
            for pair, values in found.pairs.items()
        ],
        "overlap_of": {str(size): null(value) for size, value in found.curve.items()},
        "bep": [
            {
                **_who(names, pair),
                "documents": points.documents,
                "median": null(points.median),
                "within": {str(most): null(share) for most, share in points.within.items()},
                "chance": null(points.chance),
            }
            for pair, points in found.entries.items()
        ],
    }
    if per_topic:
        answer["per_topic"] = list(_lines(names, found))
    return answer


def _who(names: Sequence[str], pair: tuple[int, int]) -> dict[str, str]:
    return {"a": printable(names[pair[0]]), "b": printable(names[pair[1]])}


def _extra(values: Mapping[str, FloatArray]) -> list[str]:
    return [name for name in values if name not in (*PAIRS, *BESIDE)]


def _intervals(found: Agreement, seed: int) -> dict[str, Any]:
    def shown(values: Mapping[str, FloatArray]) -> dict[str, list[float] | None]:
        each = intervals(values, seed)
        return {name: None if isnan(low) else [low, high] for name, (low, high) in each.items()}

    return {
        "pairs": [shown({name: values[name] for name in PAIRS}) for values in found.pairs.values()],
        "all": shown(found.all),
    }


def _lines(names: Sequence[str], found: Agreement) -> Iterator[dict[str, Any]]:
    for row, topic in enumerate(found.topics):
        line: dict[str, Any] = {"topic": printable(text(topic))}
        for (a, b), values in found.pairs.items():
            between = f"{names[a]} - {names[b]}"
            line |= {f"{name} {between}": null(float(values[name][row])) for name in PAIRS}
        yield line | {name: null(float(values[row])) for name, values in found.all.items()}


def _lengths(collection: Collection) -> Callable[[Sequence[bytes]], IntArray]:
    def lengths(documents: Sequence[bytes]) -> IntArray:
        return collection.lengths(list(documents))

    return lengths


def _cut(collection: Collection | None, unit: str) -> Callable[[Shared], Spans] | None:
    if collection is None or unit in ("char", "document"):
        return None

    def cut(shared: Shared) -> Spans:
        each = [units_of(collection, name, unit) for name in shared.documents]
        offsets = np.repeat(shared.bounds[:-1], [len(one) for one in each])
        return Spans(
            np.concatenate([one.starts for one in each]) + offsets,
            np.concatenate([one.lengths for one in each]),
        )

    return cut


def read_judges(question: Question, collection: Collection | None = None) -> list[Judge]:
    """Every judge of every file, in the order given; all need names of their own."""
    judges: list[Judge] = []
    names = question.names or [None] * len(question.judgements)
    for name, source in zip(names, question.judgements, strict=True):
        some = list(_judges_of(source, question.judgements_format, collection))
        judges += [some[0]._replace(name=name)] if name and len(some) == 1 else some
    if len(judges) < 2:
        raise UsageError(
            f"{question.judgements[0]}: judgements of one judge; expected two judges or more"
        )
    names = [judge.name for judge in judges]
    if len(set(names)) < len(names):
        judges = [
            judge._replace(name=f"{judge.name} ({judge.judgements.rows.source})")
            for judge in judges
        ]
    return judges


def _judges_of(file: Any, name: str | None, collection: Collection | None) -> Iterator[Judge]:
    from spanwise.judge.store import Store, is_store

    if isinstance(file, str) and is_store(file):
        from spanwise.judge.verdicts import judgements_of, verdicts

        store = Store(file)
        for judge in [one for one, role in store.judges().items() if role == "judge"]:
            if found := verdicts(store, [judge]):
                yield Judge(judge, judgements_of(found, file))
        return
    judgements = placed_judgements(read_judgements(file, name), collection)
    source = judgements.rows.source
    stem = Path(source).name.partition(".")[0] or source
    if not isinstance(judgements, Judgements):
        raise InputError(f"{source}: preferences; expected judgements of documents or of text")
    if judgements.assessors is None:
        yield Judge(stem, judgements)
        return
    people = judgements.assessors.take(np.arange(len(judgements.rows)))
    for person, part in zip(sorted(set(people)), by_assessor(judgements), strict=True):
        yield Judge(text(person) or stem, part)


def _refuse_unfit(judges: Sequence[Judge], unit: str) -> None:
    if unit == "document":
        return
    for judge in judges:
        if judge.judgements.highlights is None:
            raise UsageError(
                f"{judge.judgements.rows.source}: no highlighted text to compare by {unit};"
                " use --unit document, or --collection where passages are named by paths"
            )
    _refuse_other_units(judges)


def _refuse_other_units(judges: Sequence[Judge]) -> None:
    """What positions of INEX's lines count nobody says: they are compared as they stand."""
    counted: dict[str, str] = {}
    for judge in judges:
        marked = judge.judgements.highlights
        if marked is not None and marked.unit != "opaque":
            counted.setdefault(marked.unit, judge.judgements.rows.source)
    if len(counted) > 1:
        told = ", ".join(f"{unit} in {file}" for unit, file in counted.items())
        raise UsageError(f"positions count {told}; expected one unit, or --collection to convert")


def _say_unmeasured(shared: Sequence[Shared], unit: str) -> None:
    """Agreement on what is not relevant needs to know how much text there was."""
    unknown = sum(not one.measured() for one in shared)
    if unknown and unit == "char":
        warn(
            f"topics with documents whose length nobody states: {unknown}; kappa, Fleiss and alpha"
            " are undefined there; give --collection, or doc_len in the judgements",
            SpanwiseWarning,
            stacklevel=2,
        )


# Does it matter? ----------------------------------------------------------------------------


def ranking_effects(
    judges: Sequence[Judge], question: Question, collection: Collection | None = None
) -> Iterator[dict[str, Any]]:
    """For each measure how the runs are ranked under each judge."""
    files = [
        f for one in question.runs for f in (expanded([one]) if isinstance(one, str) else [one])
    ]
    if len(files) < 2:
        raise UsageError(f"{files[0]}: one run has no ranking; give two runs or more")
    common = set.intersection(*(set(judge.judgements.rows.topics) for judge in judges))
    if not common:
        raise InputError("no topic was judged by all judges; expected one in common")
    scores = [
        score_all(
            Request(
                _of_topics(judge.judgements, common),
                files,
                question.measures,
                policy={"average_over": "judged"},
                collection=collection,
            )
        )
        for judge in judges
    ]
    names = [run.run for run in scores[0]]
    labels = list(scores[0][0].means)
    for label in labels if question.measures else labels[:1]:
        yield _effect(label, judges, names, scores, question.seed)


def _of_topics(judgements: Judgements, topics: set[bytes]) -> Judgements:
    from spanwise.model.judgements import only

    owner = np.repeat(np.arange(len(judgements.rows.topics)), np.diff(judgements.rows.starts))
    kept = np.array([topic in topics for topic in judgements.rows.topics])
    return only(judgements, np.flatnonzero(kept[owner]))


def _effect(
    label: str,
    judges: Sequence[Judge],
    names: Sequence[str],
    scores: Sequence[Sequence[Scores]],
    seed: int,
) -> dict[str, Any]:
    values = np.array([[run.values[label] for run in mine] for mine in scores])
    defined = ~np.isnan(values).any(axis=(0, 1))
    if not defined.any():
        raise InputError(f"{label} is undefined for every topic that all judges have judged")
    values = values[:, :, defined]
    people = [printable(judge.name) for judge in judges]
    named = [printable(name) for name in names]
    means: FloatArray = values.mean(axis=2)
    return {
        "measure": label,
        "judges": people,
        "topics": int(defined.sum()),
        "means": {name: means[:, row].tolist() for row, name in enumerate(named)},
        "pairs": [
            {**_who(people, (a, b)), **_known(rankings(named, values[a], values[b], seed))}
            for a, b in combinations(range(len(judges)), 2)
        ],
        "mixtures": _known(mixtures(values, seed)),
    }


def _known(found: Rankings | Mixtures) -> dict[str, Any]:
    """As JSON has it: where all runs are equal they have no ranking."""
    fields = asdict(found).items()
    return {name: null(value) if isinstance(value, float) else value for name, value in fields}
