"""Agreement of assessors on the documents that several of them have judged.

`agree` reads the judgements of each assessor, computes coefficients for each topic and averages
them over topics. With runs, it also ranks these under the judgements of each assessor, to show
whether the disagreement changes the ranking.
"""

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
from spanwise.model.judgements import Judgements, by_assessor
from spanwise.model.scores import Findings, printable
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
from spanwise.stats.assessors import Assessor as Judge
from spanwise.stats.correlation import Mixtures, Rankings, mixtures, rankings

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.documents import Collection
    from spanwise.model.scores import Scores


@dataclass(frozen=True, slots=True)
class AgreementRequest:
    """The judgements to compare, the unit to compare them by, and the runs to rank."""

    judgements: Sequence[Any]
    unit: str = "char"
    runs: Sequence[Any] = ()
    measures: Sequence[str] = ()
    collection: Any = None
    seed: int = 0
    judgements_format: str | None = None
    names: Sequence[str | None] = ()  # of assessors, for sources with one assessor each


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

    `judgements` are files or objects, each of one assessor or of several; a mapping names the
    assessors. Coefficients are computed for each topic and averaged over topics. Runs are scored
    under each assessor, which shows whether the disagreement changes their ranking.

    >>> one, other = {"q1": {"a": 1, "b": 0}}, {"q1": {"a": 1, "b": 1}}
    >>> found = agree({"anna": one, "ben": other}, unit="document")
    >>> [pair["overlap"] for pair in found["pairs"]]
    [0.5]
    """
    sources = judgements if isinstance(judgements, Mapping) else dict(enumerate(judgements))
    request = AgreementRequest(
        tuple(plain(source) for source in sources.values()),
        unit,
        tuple(plain(run) for run in runs),
        names_of(measures),
        collection,
        seed,
        judgements_format,
        tuple(name if isinstance(name, str) else None for name in sources),
    )
    found = compared(request, per_topic)
    return Findings("agreement", found, lambda: as_tables(found))


def compared(request: AgreementRequest, per_topic: bool) -> dict[str, Any]:
    """Compare the assessors of a request, and return the findings as plain data."""
    if request.unit in ("token", "sentence", "element") and request.collection is None:
        raise UsageError(f"--unit {request.unit} needs the text of documents; pass --collection")
    if request.measures and not request.runs:
        raise UsageError("-m ranks runs, but none are given; pass --runs")
    collection = opened(request.collection)
    judges = read_judges(request, collection)
    _refuse_unsuitable(judges, request.unit)
    shared = shared_topics(judges, None if collection is None else _lengths(collection))
    if not shared:
        names = ", ".join(judge.name for judge in judges)
        raise InputError(
            f"{names}: found no document judged by two of them; expected documents in common"
        )
    _warn_of_unknown_lengths(shared, request.unit)
    found = agreement(shared, request.unit, _cut(collection, request.unit))
    assessors = [judge.name for judge in judges]
    answer = agreement_data(assessors, found, request, per_topic=per_topic)
    if request.runs:
        answer["ranking"] = list(ranking_effects(judges, request, collection))
    return answer


def agreement_data(
    names: Sequence[str], found: Agreement, request: AgreementRequest, *, per_topic: bool
) -> dict[str, Any]:
    """Return the agreement of assessors as plain data."""
    answer: dict[str, Any] = {
        "pairs": [
            {**_pair_names(names, pair), **{name: null(mean(values[name])) for name in PAIRS}}
            for pair, values in found.pairs.items()
        ],
        "all": {name: null(mean(values)) for name, values in found.all.items()},
        "unit": request.unit,
        "topics": len(found.topics),
        "intervals": _intervals(found, request.seed),
        "details": [
            {
                **_pair_names(names, pair),
                "values": {n: null(mean(values[n])) for n in (*BESIDE, *_extra(values))},
            }
            for pair, values in found.pairs.items()
        ],
        "overlap_of": {str(size): null(value) for size, value in found.curve.items()},
        "bep": [
            {
                **_pair_names(names, pair),
                "documents": points.documents,
                "median": null(points.median),
                "within": {str(most): null(share) for most, share in points.within.items()},
                "chance": null(points.chance),
            }
            for pair, points in found.entries.items()
        ],
    }
    if per_topic:
        answer["per_topic"] = list(_topic_rows(names, found))
    return answer


def _pair_names(names: Sequence[str], pair: tuple[int, int]) -> dict[str, str]:
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


def _topic_rows(names: Sequence[str], found: Agreement) -> Iterator[dict[str, Any]]:
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


def read_judges(request: AgreementRequest, collection: Collection | None = None) -> list[Judge]:
    """Read the assessors of all files, in the order given, and make their names distinct."""
    judges: list[Judge] = []
    names = request.names or [None] * len(request.judgements)
    for name, source in zip(names, request.judgements, strict=True):
        some = list(_judges_of(source, request.judgements_format, collection))
        judges += [some[0]._replace(name=name)] if name and len(some) == 1 else some
    if len(judges) < 2:
        raise UsageError(
            f"{request.judgements[0]}: found judgements of one assessor; expected two or more"
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
        for judge in [one for one, role in store.assessors().items() if role == "judge"]:
            if found := verdicts(store, [judge]):
                yield Judge(judge, judgements_of(found, file))
        return
    judgements = placed_judgements(read_judgements(file, name), collection)
    source = judgements.rows.source
    stem = Path(source).name.partition(".")[0] or source
    if not isinstance(judgements, Judgements):
        raise InputError(
            f"{source}: found preferences; expected judgements of documents or of text"
        )
    if judgements.assessors is None:
        yield Judge(stem, judgements)
        return
    people = judgements.assessors.take(np.arange(len(judgements.rows)))
    for person, part in zip(sorted(set(people)), by_assessor(judgements), strict=True):
        yield Judge(text(person) or stem, part)


def _refuse_unsuitable(judges: Sequence[Judge], unit: str) -> None:
    if unit == "document":
        return
    for judge in judges:
        if judge.judgements.highlights is None:
            raise UsageError(
                f"{judge.judgements.rows.source}: found no highlighted text to compare by {unit};"
                " use --unit document, or pass --collection if passages are named by paths"
            )
    _refuse_other_units(judges)


def _refuse_other_units(judges: Sequence[Judge]) -> None:
    """Raise an error if positions count different units; INEX files state no unit."""
    counted: dict[str, str] = {}
    for judge in judges:
        marked = judge.judgements.highlights
        if marked is not None and marked.unit != "opaque":
            counted.setdefault(marked.unit, judge.judgements.rows.source)
    if len(counted) > 1:
        units = ", ".join(f"{unit} in {file}" for unit, file in counted.items())
        raise UsageError(
            f"positions count {units}; expected one unit; pass --collection to convert"
        )


def _warn_of_unknown_lengths(shared: Sequence[Shared], unit: str) -> None:
    """Warn of unknown lengths, which agreement on text that is not relevant depends on."""
    unknown = sum(not one.measured() for one in shared)
    if unknown and unit == "char":
        warn(
            f"topics with documents of unknown length: {unknown}; kappa, Fleiss and alpha are"
            " undefined there; pass --collection, or state doc_len in the judgements",
            SpanwiseWarning,
            stacklevel=2,
        )


# Ranking of runs --------------------------------------------------------------------------------


def ranking_effects(
    judges: Sequence[Judge], request: AgreementRequest, collection: Collection | None = None
) -> Iterator[dict[str, Any]]:
    """Yield, for each measure, how the runs are ranked under each assessor."""
    files = [
        f for one in request.runs for f in (expanded([one]) if isinstance(one, str) else [one])
    ]
    if len(files) < 2:
        raise UsageError(f"{files[0]}: found one run to rank; expected two or more")
    common = set.intersection(*(set(judge.judgements.rows.topics) for judge in judges))
    if not common:
        raise InputError("found no topic judged by all assessors; expected at least one")
    scores = [
        score_all(
            Request(
                _of_topics(judge.judgements, common),
                files,
                request.measures,
                policy={"average_over": "judged"},
                collection=collection,
            )
        )
        for judge in judges
    ]
    names = [run.run for run in scores[0]]
    labels = list(scores[0][0].means)
    for label in labels if request.measures else labels[:1]:
        yield _effect(label, judges, names, scores, request.seed)


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
        raise InputError(f"{label} is undefined for every topic that all assessors have judged")
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
            {
                **_pair_names(people, (a, b)),
                **_plain_fields(rankings(named, values[a], values[b], seed)),
            }
            for a, b in combinations(range(len(judges)), 2)
        ],
        "mixtures": _plain_fields(mixtures(values, seed)),
    }


def _plain_fields(found: Rankings | Mixtures) -> dict[str, Any]:
    """Return the fields as plain data, with None for undefined numbers."""
    fields = asdict(found).items()
    return {name: null(value) if isinstance(value, float) else value for name, value in fields}
