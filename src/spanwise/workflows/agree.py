"""What `spanwise agree` does with its words: read each judge, compare, rank the runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from spanwise.errors import InputError, SpanwiseWarning, UsageError
from spanwise.evaluation.pipeline import asked, fitting, score
from spanwise.evaluation.profiles import find_profile
from spanwise.formats import expanded, read_judgements, read_run
from spanwise.matching.placing import placed_judgements, placed_run
from spanwise.matching.units import units_of
from spanwise.model.columns import text
from spanwise.model.judgements import Judgements, by_assessor
from spanwise.model.scores import printable
from spanwise.model.spans import Spans
from spanwise.report.scores import null
from spanwise.report.studies import as_tables
from spanwise.stats.assessors import (
    BESIDE,
    PAIRS,
    Agreement,
    Shared,
    agreement,
    intervals,
    mean,
    shared_topics,
)
from spanwise.stats.assessors import (
    Assessor as Judge,
)
from spanwise.stats.correlation import Mixtures, Rankings, mixtures, rankings

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.documents import Collection
    from spanwise.model.scores import Scores


@dataclass(frozen=True, slots=True)
class Question:
    """Who is compared on what, and which runs are to be ranked."""

    judgements: Sequence[str]
    unit: str = "char"
    runs: Sequence[str] = ()
    measures: Sequence[str] = ()
    collection: str | None = None
    seed: int = 1
    judgements_format: str | None = None


def answered(question: Question, layout: str, per_topic: bool) -> str:
    """The answer as text or JSON."""
    if question.unit in ("token", "sentence", "element") and question.collection is None:
        raise UsageError(f"--unit {question.unit} needs --collection, to know the text")
    if question.measures and not question.runs:
        raise UsageError("-m ranks runs, and there are none; give --runs")
    collection = _opened(question.collection)
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
    if layout == "json":
        return json.dumps(answer, indent=1) + "\n"
    return as_tables(answer)


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


def _opened(path: str | None) -> Collection | None:
    if path is None:
        return None
    from spanwise.collection import open_collection

    return open_collection(path)


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
    for file in question.judgements:
        judges += _judges_of(file, question.judgements_format, collection)
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


def _judges_of(file: str, name: str | None, collection: Collection | None) -> Iterator[Judge]:
    from spanwise.judge.store import Store, is_store

    if is_store(file):
        from spanwise.judge.verdicts import judgements_of, verdicts

        store = Store(file)
        for judge in [one for one, role in store.assessors().items() if role == "judge"]:
            if found := verdicts(store, [judge]):
                yield Judge(judge, judgements_of(found, file))
        return
    stem = Path(file).name.partition(".")[0] or file
    judgements = placed_judgements(read_judgements(file, name), collection)
    if not isinstance(judgements, Judgements):
        raise InputError(f"{file}: preferences; expected judgements of documents or of text")
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
    files = expanded(question.runs)
    if len(files) < 2:
        raise UsageError(f"{files[0]}: one run has no ranking; give two runs or more")
    runs = [placed_run(read_run(file), collection) for file in files]
    common = set.intersection(*(set(judge.judgements.rows.topics) for judge in judges))
    if not common:
        raise InputError("no topic was judged by all judges; expected one in common")
    profile = fitting(
        find_profile(None, None), judges[0].judgements, runs[0], question.measures, named=None
    )
    measures = asked(question.measures or profile.measures[:1], profile.defaults)
    policy = replace(profile.policy, topics="judged")
    scores = [
        [
            score(_of_topics(judge.judgements, common), run, measures, policy, collection)
            for run in runs
        ]
        for judge in judges
    ]
    for one in measures:
        yield _effect(one.label, judges, [run.name for run in runs], scores, question.seed)


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
