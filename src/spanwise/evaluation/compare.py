"""Comparison of runs: scores are gathered, aligned by topic, tested, and put into statements.

`scores_of` gathers the scores of runs, files of results and finished scores. `stated` makes
statements of them. `compare_at` compares chunks at equal reading: a request with more measures, and
sentences about what would be unfair without. `compare` is the Python function.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from os import PathLike, fspath
from os.path import realpath
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from spanwise.errors import UnknownName, UsageError
from spanwise.evaluation.evaluate import Watch, run, unwatched
from spanwise.evaluation.grouping import groupings_of, without_idle_topics
from spanwise.evaluation.kinds import CEILINGS
from spanwise.evaluation.merge import with_distinct_names
from spanwise.evaluation.repeats import combined, files_of, repeated, run_systems
from spanwise.evaluation.request import Request, request_of
from spanwise.formats.io.files import STDIN
from spanwise.formats.results import holds_results, read_results
from spanwise.formats.topics.clusters import read_clusters
from spanwise.matching.topics import UNMATCHED
from spanwise.measures.names import parse
from spanwise.model.comparison import Caution, Losses
from spanwise.model.policy import unit_in_words
from spanwise.model.run import Run
from spanwise.model.scores import Results, Scores, run_names
from spanwise.report.verdict import verdict
from spanwise.stats.cautions import Facts, not_found, sentences
from spanwise.stats.clustered import Clusters
from spanwise.stats.margins import margin_of
from spanwise.stats.resampling import RESAMPLES, Draws
from spanwise.stats.statements import Question, compared

if TYPE_CHECKING:
    from typing import Unpack

    from spanwise.model.comparison import Comparison
    from spanwise.model.policy import Policy, PolicyFields


# Scores of several runs ---------------------------------------------------------------------------


def scores_of(
    request: Request,
    baseline: str | None = None,
    on: str | None = None,
    watch: Watch = unwatched,
) -> list[Scores]:
    """Return the scores of all runs, and of the baseline if it is a file of its own.

    A file of results stands for the runs in it; where the first argument is one, all must be. A
    run may have been scored already.
    """
    request = with_baseline(request, baseline)
    names = request.names or [None] * len(request.runs)
    runs = list(zip(names, request.runs, strict=True))
    if _is_results(request.judgements):
        runs = [(None, request.judgements), *runs]
    refuse_none(request.judgements, runs)
    ready = [isinstance(one, Scores) or _is_results(one) for _, one in runs]
    plain = [entry for entry, is_ready in zip(runs, ready, strict=True) if not is_ready]
    if plain and _is_results(request.judgements):
        raise UsageError(f"{request.judgements} holds results, so {plain[0][1]} has no judgements")
    wanted = replace(request, names=[n for n, _ in plain], runs=[one for _, one in plain])
    scored, consistencies = run_systems(wanted, on, watch) if plain else ([], {})
    fresh = iter(scored)
    found: list[Scores] = []
    given: list[str | None] = []
    for (name, source), is_ready in zip(runs, ready, strict=True):
        if not is_ready:
            found.append(next(fresh))
        elif isinstance(source, Scores):
            found.append(source if name is None else replace(source, run=name))
        else:
            measures = request.measures or (list(found[0].means) if found and plain else ())
            some = selected(read_results(source), measures)
            found += some if name is None else [replace(one, run=name) for one in some]
        given += [name] * (len(found) - len(given))
    return with_distinct_names(combined(found, given, consistencies))


def _is_results(source: Any) -> bool:
    return isinstance(source, str) and holds_results(source)


def with_baseline(request: Request, baseline: str | None) -> Request:
    """Return a request whose runs include the baseline, if that is a file, however it is spelt."""
    names: list[str | None] = []
    runs: list[Any] = []
    for name, one in zip(request.names or [None] * len(request.runs), request.runs, strict=True):
        files = files_of(one, name)
        names += [name] * len(files)
        runs += files
    if baseline is not None and Path(baseline).is_file():
        there = {Path(one).resolve() for one in runs if isinstance(one, str)}
        if Path(baseline).resolve() not in there:
            names.append(None)
            runs.append(baseline)
    return replace(request, names=names, runs=runs)


def refuse_none(judgements: Any, runs: Sequence[Any]) -> None:
    """Refuse judgements without a run."""
    if not runs:
        if isinstance(judgements, str):
            raise UsageError(
                f"{judgements}: no run was given, and this is not a file of results; expected"
                " JUDGEMENTS and at least one run, or a file of results"
            )
        raise UsageError("no run was given; expected at least one")


def selected(results: Results, measures: Sequence[str]) -> list[Scores]:
    """Return the scores of a file in the measures asked for; in all of them if none is."""
    if not measures:
        return list(results.scores)
    chosen = []
    for scores in results.scores:
        lacking = [name for name in measures if name not in scores.values]
        if lacking:
            raise UsageError(
                f"{results.file}: run {scores.run!r} has no {lacking[0]}; it has"
                f" {', '.join(scores.values)}"
            )
        chosen.append(only(scores, measures))
    return chosen


def only(scores: Scores, measures: Sequence[str]) -> Scores:
    """Return scores in some of their measures, with the notes that concern them."""
    gone = [f" where {name} is undefined, " for name in scores.values if name not in measures]
    return replace(
        scores,
        notes=tuple(note for note in scores.notes if not any(one in note for one in gone)),
        values={name: scores.values[name] for name in measures},
        means={name: scores.means[name] for name in measures},
        counts={name: scores.counts[name] for name in measures},
    )


# Statements -------------------------------------------------------------------------------------


def stated(
    results: Sequence[Scores],
    baseline: str | None = None,
    question: Question | None = None,
    unit: str = "characters",
) -> Comparison:
    """Compare runs that have been scored; of some measures less is better."""
    if not results:
        raise UsageError("no run was given; expected at least one")
    question = question or Question()
    if question.margin is not None and len(results) < 2:
        raise UsageError("the margin has no effect on one run; expected a run and a baseline")
    lowest = frozenset(name for name in results[0].means if less_is_better(name))
    beyond = frozenset(name for name in results[0].means if may_pass_one(name))
    question = replace(question, lowest=lowest, beyond=beyond)
    found = compared(results, place_of(baseline, results), question)
    unmatched = [f"{s.run}: {note}" for s in results for note in s.notes if UNMATCHED in note]
    answers = verdict(found, unit_in_words(unit))
    return replace(found, warnings=(*found.warnings, *unmatched), verdict=answers)


def less_is_better(name: str) -> bool:
    """Tell whether a low value of a measure is a good one; an unknown measure has a high one."""
    try:
        return parse(name).measure.less_is_better
    except UsageError:
        return False


def clusters_of(source: Any) -> Clusters | None:
    """Return the clusters of topics, given a file, a mapping or a function; None if not given."""
    if source is None:
        return None
    if isinstance(source, str | PathLike):
        return Clusters(read_clusters(source), fspath(source))
    if isinstance(source, Mapping) or callable(source):
        return Clusters(source)
    raise UsageError(
        f"clusters is a {type(source).__name__}; expected a file, a mapping from topics to"
        " clusters, or a function from a topic to its cluster"
    )


def for_more(repeats: str) -> bool:
    """Tell whether intervals are to hold for more repeats of systems."""
    if repeats not in ("these", "more"):
        raise UsageError(f"repeats is {repeats!r}; expected 'these' or 'more'")
    return repeats == "more"


def may_pass_one(name: str) -> bool:
    """Tell whether values of a measure may be below 0 or above 1; those of an unknown one may not.

    Costs are an example: a mean of costs is no share of topics, even if all happen to be 0 or 1.
    """
    try:
        return parse(name).measure.bounds != (0.0, 1.0)
    except UsageError:
        return False


def place_of(baseline: str | None, results: Sequence[Scores]) -> int:
    """Return which of the runs is the baseline: by its name, its file, or its file's name."""
    if baseline is None:
        return 0
    names = run_names(results)
    files = [scores.source for scores in results]
    ways = (
        (baseline, names),
        (baseline, files),
        (baseline, [PurePath(file).name for file in files]),
        (realpath(baseline), [realpath(file) for file in files]),
    )
    for wanted, known in ways:
        if known.count(wanted) == 1:
            return known.index(wanted)
    if any(wanted in known for wanted, known in ways):
        raise UsageError(f"several runs are called {baseline!r}; name the file of one of them")
    raise UnknownName("baseline", baseline, names)


def refuse_twice(request: Request) -> None:
    """Refuse a file that is given as two runs, or standard input as two files."""
    files = [one for one in (request.judgements, *request.runs) if isinstance(one, str)]
    if files.count(STDIN) > 1:
        raise UsageError("standard input (-) can be read only once")
    runs = [one for one in request.runs if isinstance(one, str)]
    twice = [file for file in runs if runs.count(file) > 1]
    if twice:
        raise UsageError(f"{twice[0]}: given twice; a run is compared with others, not with itself")


# Equal reading ------------------------------------------------------------------------------------
#
# Such a comparison is a request with additional measures: those at each budget, ceilings, and
# measures that show whether the comparison is fair. The last become warnings of the comparison.

K = 5
"""Number of results at which chunks are usually compared."""
TOUCHING = {f"ChunkHit@{K}": f"hit@{K}", f"ChunkNDCG@{K}": f"nDCG@{K}"}
POINTS = 40
"""Number of budgets on a curve."""


@dataclass(frozen=True, slots=True)
class Budgets:
    """The budgets of a comparison, with the measures that they imply."""

    sizes: tuple[float, ...]
    measures: tuple[str, ...] = ()  # that replace the default ones
    ceilings: tuple[str, ...] = ()  # the chunks whose best order is shown: chunks, returned

    @property
    def wanted(self) -> list[str]:
        """Return the measures that the comparison shows."""
        if self.measures:
            return list(self.measures)
        spans = [
            f"{name}(budget={shown(size)})"
            for name in ("SpanR", "SpanP", "FullEvidence")
            for size in self.sizes
        ]
        most = shown(max(self.sizes))
        best = [ceiling_of(of, size) for of in self.ceilings for size in self.sizes]
        last = [f"Waste(budget={most})", f"FirstEvidence(budget={most})"]
        return [*spans, "MAiP", *last, *best]

    @property
    def contested(self) -> list[str]:
        """Return the measures that decide which system is best."""
        return [name for name in self.wanted if self.measures or name.startswith("SpanR(")]

    @property
    def for_warnings(self) -> list[str]:
        """Return the measures that warnings about fairness need."""
        most = shown(max(self.sizes))
        recall = [f"SpanR(budget={shown(size)})" for size in self.sizes]
        whole = [f"JudgedText(budget={most})", f"UnreadBlank(budget={most})"]
        return [*recall, *whole, "Waste", f"Read@{K}", *TOUCHING]

    def losses(self, results: Sequence[Scores]) -> tuple[Losses, ...]:
        """Return what the parts of each system lose at each budget."""
        if self.measures or not self.ceilings:
            return ()
        return tuple(_lost(one, size) for one in results for size in self.sizes)


def ceiling_of(of: str, size: float) -> str:
    """Return the name of the ceiling of all chunks, or of the returned ones, at a budget."""
    return f"Ceiling(of={of},budget={shown(size)})"


def _lost(scores: Scores, size: float) -> Losses:
    """Return what chunker, retriever and ranker lose of the relevant text at a budget."""
    every = scores.means.get(ceiling_of("chunks", size), nan)
    returned = scores.means[ceiling_of("returned", size)]
    recall = scores.means[f"SpanR(budget={shown(size)})"]
    return Losses(scores.run, size, 1 - every, every - returned, returned - recall)


def shown(size: float) -> str:
    """Return a budget as names of measures spell it."""
    return str(int(size)) if float(size).is_integer() else repr(float(size))


def sizes_of(budget: float | str | Iterable[float]) -> tuple[float, ...]:
    """Return budgets as numbers, given one, several, or text such as `500,2000`."""
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


def of_chunks(request: Request) -> Request:
    """Return the request under the profile `chunks`, unless it names a profile or task."""
    if request.profile or request.task:
        return request
    return replace(request, profile="chunks")


def compare_at(
    request: Request,
    budget: float | str | Iterable[float],
    baseline: str | None = None,
    question: Question | None = None,
    *,
    ceilings: bool = True,
    on: str | None = None,
    watch: Watch = unwatched,
) -> Comparison:
    """Compare the runs of a request at equal reading budgets."""
    request = of_chunks(with_baseline(request, baseline))
    refuse_twice(request)
    refuse_none(request.judgements, request.runs)
    unit = (request.policy or {}).get("unit", "characters")
    costly = unit == "cost"
    known = any(isinstance(one, Run) and one.pool is not None for one in request.runs)
    of = ("chunks", "returned") if request.chunks or known else ("returned",)
    budgets = Budgets(
        sizes_of(budget), tuple(request.measures), of if ceilings and not costly else ()
    )
    every = list(dict.fromkeys([*budgets.wanted, *budgets.for_warnings]))
    scored, consistencies = run_systems(replace(request, measures=every), on, watch)
    given = list(request.names or [None] * len(scored))
    results = combined(scored, given, consistencies)
    warnings = sentences(
        [_facts(scores, budgets) for scores in results],
        K,
        unit_in_words(unit),
    )
    quotes, lost = (
        max(s.facts.get(name, 0) for s in results) for name in ("quotes", "quotes lost")
    )
    warnings = [*filter(None, [not_found(quotes, lost)]), *warnings]
    warnings += [
        Caution(
            f"{s.run}: {note}", s.run, "{runs}: the ceilings of some topics are bounds, not exact"
        )
        for s in results
        for note in s.notes
        if note.startswith(CEILINGS)
    ]
    if ceilings and costly and not budgets.measures:
        warnings.append("no ceilings: the costs of other orders are unknown")
    question = replace(question or Question(), contested=frozenset(budgets.contested))
    found = stated([only(scores, budgets.wanted) for scores in results], baseline, question, unit)
    in_memory = not any(isinstance(one, str) for one in request.runs)
    alone = set(given) - repeated(given)
    called = [s.run if n in alone else n for s, n in zip(scored, given, strict=True)]
    drawn = _Curve(request, called, budgets) if in_memory else None
    return replace(
        found,
        warnings=(*found.warnings, *warnings),
        drawn=drawn,
        systems=not budgets.measures,
        losses=budgets.losses(sorted(results, key=lambda one: found.runs.index(one.run))),
    )


def _facts(scores: Scores, budgets: Budgets) -> Facts:
    most = shown(max(budgets.sizes))
    counts = scores.facts
    return Facts(
        scores.run,
        scores.means[f"Read@{K}"],
        scores.means["Waste"],
        {name[7:]: count for name, count in counts.items() if name.startswith("placed ")},
        counts.get("invalid offsets", 0),
        counts.get("missing documents", 0),
        counts.get("results", 0),
        scores.means[f"JudgedText(budget={most})"],
        {word: scores.means[label] for label, word in TOUCHING.items()},
        {size: scores.means[f"SpanR(budget={shown(size)})"] for size in budgets.sizes},
        scores.means[f"UnreadBlank(budget={most})"],
        bool(counts.get("beside quoted evidence")),
    )


class _Curve:
    """A measure over budgets, evaluated when it is called."""

    def __init__(self, request: Request, names: Sequence[str | None], budgets: Budgets) -> None:
        self._request = replace(request, names=list(names), chunks={}, derived=True)
        self._sizes = budgets.sizes

    def __call__(self, measure: str) -> list[dict[str, Any]]:
        """Return the values of a measure, a row for each run and budget.

        A run has rows as far as it reaches budgets in at least half of the topics.
        """
        grid = np.geomspace(min(self._sizes) / 4, 4 * max(self._sizes), POINTS)
        sizes = sorted({*self._sizes, *(float(round(size)) for size in grid)})
        names = {f"{measure}(budget={shown(size)})": size for size in sizes}
        return [
            {"run": s.run, "budget": size, "measure": measure, "value": s.means[label]}
            for s in combined(
                run(replace(self._request, measures=tuple(names))), self._request.names
            )
            for label, size in names.items()
            if s.far(label)
        ]


# Requests -----------------------------------------------------------------------------------------


def compare_runs(
    request: Request,
    baseline: str | None = None,
    question: Question | None = None,
    on: str | None = None,
    watch: Watch = unwatched,
) -> Comparison:
    """Compare the runs of a request."""
    return stated(scores_of(request, baseline, on, watch), baseline, question)


# In Python --------------------------------------------------------------------------------------


def compare(
    judgements: Any,
    runs: Mapping[str, Any] | Sequence[Any],
    measures: Iterable[object] | str | None = None,
    *,
    baseline: str | None = None,
    all_pairs: bool = False,
    tests: Sequence[str] | str = ("randomisation",),
    correction: str = "holm",
    confidence: float = 0.95,
    interval: str | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
    budget: Any = None,
    groups: Any = None,
    margin: float | str | None = None,
    clusters: Any = None,
    repeats: Literal["these", "more"] = "these",
    policy: Policy | None = None,
    profile: str | None = None,
    task: str | None = None,
    collection: Any = None,
    topics: Any = None,
    rel: float | None = None,
    on: str | None = None,
    judgements_format: str | None = None,
    run_format: str | None = None,
    chunks: Mapping[str, Any] | None = None,
    **fields: Unpack[PolicyFields],
) -> Comparison:
    """Compare runs on the same judgements.

    `judgements` and `measures` are what `evaluate` takes, and so are the other options. `runs` are
    a mapping from names to runs, or a sequence of them; a run may have been scored already, and a
    file of results stands for the runs in it. A list of runs under one name holds repeats of one
    system: the value of a topic is its mean over them. Each run is compared with the `baseline`, a
    name, which is the first of them by default, or all with all.

    The interval of a mean is Wilson's where all values are 0 or 1, or, as `interval` chooses,
    `clopper-pearson`.

    With a `budget`, such as [500, 2000, 8000], chunks are compared at equal reading: then
    `judgements` may also be questions with quotes, and a run whatever a retriever returns for each
    question, or the retriever itself, a function from a question to chunks; `collection` may be a
    mapping from ids to texts, and `unit` is what a budget counts. `chunks` has all chunks of runs
    by the name of the run: a file, a run or a list each. They tell what the chunker loses.

    With `groups`, means and differences are also given for each group of topics. They are a mapping
    from topics to groups, a mapping from names to several of them, a function from a topic to its
    group, a file, or a column of the `topics`. `margin` (0.01, or "1%" of the baseline's mean)
    tells which differences do not matter: each is better, worse, equivalent or not known.

    `clusters` says which topics belong together, such as questions on one document: a mapping from
    topics to clusters, a function from a topic to its cluster, or a file. Means stay over topics;
    intervals and tests respect clusters. `repeats` says what intervals hold for: "these" repeats of
    a system, or "more" of them, for which the test is the bootstrap.
    """
    chosen = (tests,) if isinstance(tests, str) else tuple(tests)
    question = Question(
        *(chosen, correction, confidence, Draws(seed, resamples), all_pairs),
        groupings=groupings_of(groups, topics),
        margin=margin_of(margin),
        clusters=clusters_of(clusters),
        more_repeats=for_more(repeats),
        interval=interval,
    )
    from spanwise.formats.frames.chunks import repeated_runs

    named = runs if isinstance(runs, Mapping) else dict(enumerate(runs))
    every = [
        (name if isinstance(name, str) else None, run)
        for name, one in named.items()
        for run in (repeated_runs(one) if isinstance(name, str) else [one])
    ]
    request = request_of(
        judgements,
        [run for _, run in every],
        measures,
        policy=policy,
        profile=profile,
        task=task,
        collection=collection,
        topics=topics,
        judgements_format=judgements_format,
        run_format=run_format,
        chunks=chunks,
        names=[name for name, _ in every],
        assume={} if rel is None else {"rel": rel},
        **fields,
    )
    request = without_idle_topics(request, groups)
    if budget is None:
        return compare_runs(request, baseline, question, on)
    return compare_at(request, budget, baseline, question, on=on)
