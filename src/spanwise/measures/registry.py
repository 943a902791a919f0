"""The registry of measures; the package has no second list of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any, get_args

from spanwise.errors import UsageError
from spanwise.model.measure import (
    Aggregate,
    Explains,
    Function,
    Law,
    Measure,
    Properties,
    Reads,
    keywords,
)
from spanwise.plugin_loading import F, Registry, home_of

PLAIN = Properties()
FAMILIES = (
    *("ranks", "gains", "users", "incomplete", "sets", "preferences"),
    *("chunks", "genomics", "highlight", "context"),
    *("cumulated", "precall", "next_generation", "navigation"),
    *("older", "older_time"),
)
"""The modules that define our measures, in the order of the listing. Those asked for most come
first: a family is imported when a name is in none before it."""


def load_families() -> Iterator[str]:
    """Import our families one after the other, and yield their names."""
    for family in FAMILIES:
        import_module(f"spanwise.measures.{family}")
        yield family


def _load_all() -> None:
    if len(_loaded) < len(FAMILIES):
        _loaded.update(load_families())
        MEASURES.arrange([f"spanwise.measures.{family}" for family in FAMILIES])


_loaded: set[str] = set()
MEASURES: Registry[Measure] = Registry("measure", _load_all)
"""Every measure by its own name, in the order of the family modules."""


def measure(
    name: str,
    *laws: Law,
    reference: str,
    bounds: tuple[float, float] = (0.0, 1.0),
    aliases: tuple[str, ...] = (),
    aggregate: Aggregate = "mean",
    reads: Reads = "rankings",
    of: Function | None = None,
    expected: Function | None = None,
    parts: tuple[Function, Function] | None = None,
    scores: bool = False,
    less_is_better: bool = False,
    grades: bool = False,
    sizes_suffice: Mapping[str, Any] | None = None,
    properties: Properties = PLAIN,
    heading: str | None = None,
    explains: Explains | None = None,
    sampled: bool = True,
    unanswered: bool = False,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    unlimited: bool = False,
) -> Callable[[F], F]:
    """Register the decorated function as a measure, and return it unchanged.

    The function takes a block of rankings as its only positional argument and returns one value
    per topic. Its keyword-only arguments, with annotations, are the parameters of the measure; one
    without a default must be given. Its docstring is the documentation, and its first paragraph
    the summary.

    For example:

        from spanwise.plugins import Law, Rankings, measure

        @measure("FoundAny", Law.NOTHING_IS_ZERO, reference="an example, 2024")
        def found_any(r: Rankings, *, rel: float = 1, cutoff: int = 10):
            '''Whether the first k results include a relevant one.'''
            return r.found_by(rel, cutoff) > 0

    name, laws: the name as in the paper, and the laws that hold for every ranking.
    reference: where the measure is defined, with a year or a version.
    bounds: the least and the largest value.
    aliases: other names; `{cutoff}` stands for the value of a parameter.
    aggregate: how the values of topics are combined.
    reads: the kind of block that the function takes.
    of: a function that makes of the block what the function takes; its parameters are shared.
    expected: a function with the same parameters that returns the mean over all orders of ties.
    parts: of a pooled measure, the functions whose totals are divided.
    scores: whether the function needs the scores of the system.
    less_is_better: whether a lower value is a better one.
    grades: whether elements count by their grades, without a quantisation.
    properties: what the measure does for the retrieval of elements.
    heading: the heading in `spanwise measures`; by default the constant FAMILY of the module.
    explains: the columns that `spanwise explain` shows.
    sampled: whether `pool estimate` can estimate its mean from a sample of judgements.
    unanswered: whether it is defined only for topics that were judged to have no evidence.
    ranges: the least and the largest value of parameters that are numbers.
    unlimited: whether a value at a reading budget holds for runs that return less text.
    """

    def enter(function: F) -> F:
        home = function.__module__ or "an unknown module"
        plugin = "" if home.startswith("spanwise.") else home_of(function)
        entry = Measure(
            name=name,
            function=function,
            family=plugin or home.rpartition(".")[2],
            reference=reference,
            laws=frozenset(laws),
            bounds=bounds,
            aliases=aliases,
            aggregate=aggregate,
            reads=reads,
            of=of,
            expected=expected,
            parts=parts,
            scores=scores,
            less_is_better=less_is_better,
            grades=grades,
            sizes_suffice=sizes_suffice,
            properties=properties,
            heading=heading or _heading(function, home),
            explains=explains,
            sampled=sampled,
            unanswered=unanswered,
            ranges=ranges or {},
            unlimited=unlimited,
            plugin=plugin,
        )
        if plugin:
            _refuse_incomplete(entry)
            MEASURES.enter(name, entry, plugin, aliases)
        else:
            if name in MEASURES.registered:
                raise ValueError(f"two measures are called {name!r}")
            MEASURES.registered[name], MEASURES.homes[name] = entry, home
        return function

    return enter


def _heading(function: Any, home: str) -> str:
    """Return the heading that a module gives to its measures."""
    stated = getattr(getattr(function, "func", function), "__globals__", {}).get("FAMILY")
    if isinstance(stated, str):
        return stated
    return "Defined here" if home == "__main__" else f"Plug-in {home.partition('.')[0]}"


def _refuse_incomplete(entry: Measure) -> None:
    """Refuse a measure of a plug-in whose line would fail later, where the cause is hidden."""
    place = f"measure {entry.name!r} of {entry.plugin}"
    if not entry.summary:
        raise UsageError(f"{place} has no docstring; expected what it tells, in one sentence")
    if entry.reads not in get_args(Reads):
        raise UsageError(f"{place}: reads={entry.reads!r}; expected {', '.join(get_args(Reads))}")
    if entry.aggregate not in get_args(Aggregate):
        due = ", ".join(get_args(Aggregate))
        raise UsageError(f"{place}: aggregate={entry.aggregate!r}; expected {due}")
    for name in entry.parameters:
        try:
            entry.parameter_type(name)
        except KeyError:
            raise UsageError(f"{place}: parameter {name} has no annotation") from None
    for name in entry.ranges:
        if name not in keywords(entry.function):
            raise UsageError(f"{place}: ranges name {name!r}, which is no parameter")


# Properties shared by several measures ------------------------------------------------------------

BY_GAIN = Properties(
    recall="yes",
    precision="yes",
    near_misses="yes",
    overlap="neutral",
    ideality="yes",
    graded_ideality="yes",
    user_model="no",
    thorough="yes",
    focused="yes",
    relevant_in_context="indirect",
    best_in_context="indirect",
)
"""Effort-precision and gain-recall; HiXEval and the measures derived from it, whose ideal units are
the highlighted passages."""
BY_RANK = replace(BY_GAIN, precision="no")
"""Cumulated gain at a rank."""
BY_CHANCE = replace(
    BY_GAIN,
    near_misses="indirect",
    overlap="rewarded",
    ideality="no",
    graded_ideality="-",
    focused="unclear",
)
"""inex_eval: near misses count only if the quantisation gives them a value."""
BY_SIZE = replace(BY_CHANCE, overlap="penalised")
"""inex_eval_ng."""
BY_DOCUMENT = replace(
    BY_GAIN,
    thorough="no",
    focused="no",
    relevant_in_context="yes",
    best_in_context="yes",
)
"""The measures of the tasks in context."""
BY_READER = replace(BY_GAIN, user_model="yes", relevant_in_context="yes", best_in_context="yes")
"""GR and EPRUM."""
BY_READER_BINARY = replace(BY_READER, graded_ideality="no")
"""PRUM."""
BY_TOLERANCE = replace(
    BY_READER_BINARY,
    thorough="unclear",
    relevant_in_context="indirect",
    best_in_context="indirect",
)
"""Tolerance to irrelevance."""
BY_ENTRY_POINT = replace(
    BY_READER_BINARY, precision="no", thorough="no", focused="no", relevant_in_context="no"
)
"""The distance to the best entry point."""


# References of several families -------------------------------------------------------------------


GENOMICS_2007 = (
    "Hersh, Cohen, Ruslen and Roberts: TREC 2007 Genomics Track Overview. In: Proceedings of the"
    " Sixteenth Text REtrieval Conference, 2007"
)
HIXEVAL = (
    "Pehcevski and Thom: HiXEval: Highlighting XML Retrieval Evaluation. In: Advances in XML"
    " Information Retrieval and Evaluation, LNCS 3977, 2006"
)
TREC_EVAL = "trec_eval 10.0, NIST, 2026"
TREC_EVAL_8 = "trec_eval 8.1, NIST, 2006"
