"""The drop-in for trec_eval 9 and 10: from options to the printed lines.

The columns of the output are derived from the options. Judgements and results are read and checked,
values computed by topic, optionally converted to z-scores, and printed by topic and as a summary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, isnan, log
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.console import emit_bytes, say
from spanwise.dropins.trec_eval.options import JUDGEMENT_FORMATS, Options, parse, real, whole
from spanwise.errors import (
    DuplicateError,
    EmptyError,
    InputError,
    PreferenceError,
    UnknownName,
    UsageError,
)
from spanwise.evaluation.profiles import TREC_EVAL, TrecMeasure
from spanwise.evaluation.score import values_of
from spanwise.formats import Reading, read
from spanwise.matching.documents import (
    by_score,
    places_of,
    refuse_duplicate_judgements,
    refuse_duplicate_results,
)
from spanwise.measures.names import by_stem
from spanwise.model.judgements import Judgements, Preferences
from spanwise.model.measure import Measure, MeasureRequest
from spanwise.model.policy import Policy
from spanwise.stats import FLOOR, running_sum
from spanwise.version import __version__

if TYPE_CHECKING:
    from spanwise.model.measure import Gains
    from spanwise.model.run import Run

# Columns ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Column:
    """A printed measure with its name and parameters."""

    name: str
    entry: TrecMeasure
    asked: MeasureRequest

    @property
    def kind(self) -> str:
        """The kind of its aggregate over topics."""
        return self.asked.measure.aggregate

    @property
    def key(self) -> str:
        """The key of its values, which is unique even if two cut-offs are printed alike."""
        return self.asked.label


def columns(options: Options) -> list[Column]:
    """Return the columns that are printed for a topic, in trec_eval's order, without runid."""
    found: list[Column] = []
    for name, entry in TREC_EVAL.items():
        if name in options.marked and name != "runid":
            found += _of_measure(entry, options.parameters.get(name), options)
    return found


def _of_measure(entry: TrecMeasure, text: str | None, options: Options) -> list[Column]:
    measure, key, fixed = by_stem(entry.name)
    if "rel" in measure.parameters and entry.name != "num_ret":
        fixed["rel"] = options.level
    if entry.name == "utility":
        fixed["documents"] = options.collection_size
    if entry.kind in ("whole cut-offs", "real cut-offs"):
        values = _cutoffs(entry, text) if text is not None else entry.defaults
        return [_column(entry.spelled(v), entry, measure, {**fixed, str(key): v}) for v in values]
    if text is None:
        return [_column(entry.name, entry, measure, fixed)]
    given = _pairs(entry, text, options) if entry.kind == "pairs" else _values(entry, text)
    return [_column(f"{entry.name}_{text}", entry, measure, {**fixed, **given})]


def _column(name: str, entry: TrecMeasure, measure: Measure, parameters: dict[str, Any]) -> Column:
    return Column(name, entry, MeasureRequest(f"{entry.name} {parameters}", measure, parameters))


def _cutoffs(entry: TrecMeasure, text: str) -> list[float]:
    read = whole if entry.kind == "whole cut-offs" else real
    values = sorted(read(piece) for piece in text.split(","))
    if entry.kind == "whole cut-offs" and values[0] <= 0:
        raise UsageError(f"-m {entry.name}.{text}: a cut-off must be 1 or more")
    if len(set(values)) < len(values):
        raise UsageError(f"-m {entry.name}.{text}: the same cut-off twice")
    return values


def _values(entry: TrecMeasure, text: str) -> dict[str, Any]:
    values = tuple(real(piece) for piece in text.split(","))
    key = by_stem(entry.name)[1]
    many = key in ("weights", "recalls")
    return {str(key): values if many else values[0]}


def _pairs(entry: TrecMeasure, text: str, options: Options) -> dict[str, Any]:
    """Parse gains of grades, and the persistence of rank-biased precision."""
    given: dict[str, Any] = {}
    gains: list[tuple[float, float]] = []
    for piece in text.split(","):
        if piece.count("=") != 1:
            raise UsageError(f"-m {entry.name}.{text}: {piece!r} should be name=value")
        key, value = piece.split("=")
        if key == "p" and entry.name.startswith("rbp"):
            given["p"] = real(value)
        elif _is_whole(key) or options.version == 9:
            gains.append((float(whole(key)), real(value)))
    if entry.name != "rbp_resid":
        table: Gains = tuple(gains)
        given["gains"] = table
    return given


def _is_whole(text: str) -> bool:
    return text.lstrip("+-").isdecimal() and len(text) - len(text.lstrip("+-")) <= 1


# Evaluation ---------------------------------------------------------------------------------------


ABSENT = -1_000_000.0
"""Z-score of a topic or measure without statistics."""
STANDARD_FIXES = ("num_ret", "utility", "rbp_resid")
"""Columns set to 0 for topics missing from the run, by exact name, besides all of `unj`."""


class Stop(Exception):
    """An error that ends the program with a given exit status."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


def run(words: list[str], version: int) -> int:
    """Run trec_eval and return its exit status."""
    try:
        options = parse(words, version)
        if options.show_version:
            say("trec_eval", f"as trec_eval {version}, from spanwise {__version__}")
            return 0
        if options.help:
            from spanwise.dropins.trec_eval.options import help_text

            emit_bytes(help_text(options).encode())
            return 0
        return _evaluated(options)
    except Stop as stop:
        say("error", str(stop))
        return stop.status
    except UsageError as error:
        say("error", str(error))
        return 1


def _evaluated(options: Options) -> int:
    judgements, results, statistics = _inputs(options)
    try:
        lines = columns(options)
    except UsageError as error:
        raise Stop(2, str(error)) from None
    job = Job(options, judgements, results, lines, statistics)
    topics = job.topics()
    stop = job.first_problem(topics)
    done = topics if stop is None else topics[: stop[0]]
    try:
        values = job.values(done)
    except PreferenceError as error:
        stop = job.first_contradiction(done), str(error)
        done = done[: stop[0]]
        values = job.values(done)
    if options.per_topic and done:
        emit_bytes(b"".join(job.topic_lines(done, values)))
    if stop is not None:
        raise Stop(4, stop[1])
    if not topics or not set(job.judgements.rows.topics) & set(results.rows.topics):
        raise Stop(7, f"{options.files[1]}: no topic of the run is judged in {options.files[0]}")
    if options.summary:
        emit_bytes(b"".join(job.summary_lines(done, values)))
    return 0


def _inputs(options: Options) -> tuple[Judgements | Preferences, Run, dict[Any, Any] | None]:
    if options.judgement_format not in JUDGEMENT_FORMATS:
        error = UnknownName("judgement format", options.judgement_format, list(JUDGEMENT_FORMATS))
        raise Stop(2, str(error))
    if options.results_format != "trec_results":
        raise Stop(2, str(UnknownName("results format", options.results_format, ["trec_results"])))
    how = Reading(comments=options.version >= 10, whole_grades=True)
    if options.version < 10 and "-" in options.files[:2]:
        raise Stop(2, "-: version 9 cannot read standard input")
    try:
        name = options.judgement_format
        judgements = read(options.files[0], ("judgements", "preferences"), name, how)
        if name == "qrels_jg":
            refuse_duplicate_judgements(judgements)
        results = read(options.files[1], ("run",), "trec_run", how)
    except EmptyError as error:
        raise Stop(7 if error.file == options.files[1] else 2, str(error)) from None
    except InputError as error:
        raise Stop(2, str(error)) from None
    if options.zscores is None:
        return judgements, results, None
    try:
        return judgements, results, read(options.zscores, ("statistics",), "zscores")
    except InputError as error:
        raise Stop(255, str(error)) from None


@dataclass(frozen=True, slots=True)
class Job:
    """The inputs and options of one evaluation."""

    options: Options
    judgements: Judgements | Preferences
    results: Run
    columns: list[Column]
    statistics: dict[tuple[bytes, bytes], tuple[float, float]] | None

    @property
    def policy(self) -> Policy:
        """The policy that gives the numbers of this version."""
        return Policy(
            empty="as-is",
            depth=self.options.depth,
            unjudged="drop" if self.options.judged_only else "keep",
            follow="trec_eval 9" if self.options.version == 9 else "trec_eval 10",
        )

    def topics(self) -> list[bytes]:
        """Return the topics to evaluate: the judged ones in version 10, those in both in 9."""
        judged, answered = set(self.judgements.rows.topics), set(self.results.rows.topics)
        chosen = judged if self.options.version >= 10 else judged & answered
        if self.options.only_topic is not None:
            chosen = chosen & {self.options.only_topic}
        return sorted(chosen)

    def missing(self, topics: Sequence[bytes]) -> np.ndarray:
        """Return which topics are missing from the run."""
        answered = set(self.results.rows.topics)
        return np.array([topic not in answered for topic in topics], np.bool_)

    # What stops it ----------------------------------------------------------------------------

    def first_problem(self, topics: list[bytes]) -> tuple[int, str] | None:
        """Return the first topic that cannot be evaluated, with the reason."""
        if not topics:
            return None
        problems = [*self._unfit(), *self._missing_problem(topics), *self._duplicates(topics)]
        return min(problems, default=None)

    def _unfit(self) -> list[tuple[int, str]]:
        given = self.options.judgement_format
        kind = "prefs" if given in ("prefs", "qrels_prefs") else given
        for column in self.columns:
            if column.entry.needs not in ("any", kind):
                return [
                    (0, f"{column.name} cannot be calculated from judgements in {given} format")
                ]
            weights = column.asked.parameters.get("weights")
            if weights is not None and len(weights) != 4:
                return [(0, f"{column.name} needs 4 weights, such as utility.1,-1,0,0")]
        return []

    def _missing_problem(self, topics: list[bytes]) -> list[tuple[int, str]]:
        if self.options.version < 10 or self.options.complete:
            return []
        missing = np.flatnonzero(self.missing(topics))
        if not len(missing):
            return []
        topic = topics[missing[0]].decode("utf-8", "backslashreplace")
        return [
            (
                int(missing[0]),
                f"{self.results.rows.source}: judged topic {topic!r} is missing from the run;"
                " with -c it counts as 0, with --compat 9 it is left out",
            )
        ]

    def _duplicates(self, topics: list[bytes]) -> list[tuple[int, str]]:
        if not any(column.asked.measure.reads != "anything" for column in self.columns):
            return []
        problems = []
        for check in (self._check_judgements, self._check_results):
            try:
                check(topics)
            except DuplicateError as error:
                problems.append((topics.index(error.topic), str(error)))
        return problems

    def first_contradiction(self, topics: list[bytes]) -> int:
        """Return the first topic whose preferences contradict each other."""
        for number, topic in enumerate(topics):
            try:
                self.values([topic])
            except PreferenceError:
                return number
        return len(topics)

    def _check_judgements(self, topics: list[bytes]) -> None:
        if isinstance(self.judgements, Judgements):
            refuse_duplicate_judgements(self.judgements, topics)

    def _check_results(self, topics: list[bytes]) -> None:
        codes = {topic: code for code, topic in enumerate(topics)}
        order = by_score(self.results, self.policy)
        rising = isinstance(self.judgements, Preferences)
        places = partial(places_of, order, self.results, self.policy, rising=rising)
        prints = self.results.documents.fingerprints()
        refuse_duplicate_results(self.results, prints, codes, self.policy, places)

    # Values -----------------------------------------------------------------------------------

    def values(self, topics: list[bytes]) -> dict[str, Any]:
        """Compute the value of each topic for every column."""
        asked = [column.asked for column in self.columns]
        if not topics or not asked:
            return {}
        if all(one.measure.reads == "anything" for one in asked):  # no measure needs a ranking
            return {one.label: np.ones(len(topics)) for one in asked}
        values = values_of(self.judgements, self.results, topics, asked, self.policy)
        if self.options.version >= 10:
            self._settle_missing(values, self.missing(topics))
        return self._as_zscores(topics, self._with_logs(values))

    def _settle_missing(self, values: dict[str, Any], missing: np.ndarray) -> None:
        for column in self.columns:
            if column.name in STANDARD_FIXES or column.entry.name == "unj":
                values[column.key] = np.where(missing, 0.0, values[column.key])
            if column.name == "relstring":
                values[column.key] = np.where(missing, "", values[column.key])

    def _with_logs(self, values: dict[str, Any]) -> dict[str, Any]:
        """Replace values of geometric means by logarithms, before z-scores are computed."""
        for column in self.columns:
            if column.kind == "geometric":
                floored = [log(max(value, FLOOR)) for value in values[column.key].tolist()]
                values[column.key] = np.array(floored)
        return values

    def _as_zscores(self, topics: list[bytes], values: dict[str, Any]) -> dict[str, Any]:
        if self.statistics is None:
            return values
        for column in self.columns:
            if column.kind != "text" and column.name != "num_q":
                pairs = zip(topics, values[column.key].tolist(), strict=True)
                name = column.name.encode()
                scores = [self._zscore(topic, name, value) for topic, value in pairs]
                values[column.key] = np.array(scores)
        return values

    def _zscore(self, topic: bytes, name: bytes, value: float) -> float:
        mean, deviation = (self.statistics or {}).get((topic, name), (0.0, None))
        if deviation is None:
            return ABSENT
        if deviation == 0:
            return 0.0 if value == mean else ABSENT
        return (value - mean) / deviation

    # Printing ---------------------------------------------------------------------------------

    def topic_lines(self, topics: list[bytes], values: dict[str, Any]) -> list[bytes]:
        """Return the lines that -q prints, by topic."""
        shown = [
            (column, values[column.key].tolist())
            for column in self.columns
            if column.kind != "geometric" and column.name != "num_q"
        ]
        return [
            self._line(column, topic, column_values[row])
            for row, topic in enumerate(topics)
            for column, column_values in shown
        ]

    def summary_lines(self, topics: list[bytes], values: dict[str, Any]) -> list[bytes]:
        """Return the lines for all topics."""
        lines = []
        if "runid" in self.options.marked:
            tag = self.results.name.encode("utf-8", "surrogateescape")
            lines.append(b"%-22s\tall\t%s\n" % (b"runid", tag))
        judged = len(self.judgements.rows.topics)
        divisor = judged if self.options.complete else len(topics)
        for column in self.columns:
            if column.kind != "text":
                value = self._overall(column, values[column.key], divisor)
                lines.append(self._line(column, b"all", value))
        return lines

    def _overall(self, column: Column, values: Any, divisor: int) -> float:
        if column.name == "num_q":
            return divisor
        if column.name == "num_rel" and self.options.complete:  # of the file, not of the topics
            return float(np.count_nonzero(self.judgements.grades > 0))  # type: ignore[union-attr]
        total = running_sum(values)
        if column.kind == "sum":
            return total
        if column.kind == "geometric":
            absent = divisor - len(values)
            return exp((total + absent * log(FLOOR)) / divisor)
        return total / divisor

    def _line(self, column: Column, topic: bytes, value: float | str) -> bytes:
        name = column.name.encode()
        if isinstance(value, str):
            return b"%-22s\t%s\t'%s'\n" % (name, topic, value.encode())
        if self.statistics is not None:
            return b"Z%-22s\t%s\t%s\n" % (name, topic, _real(value))
        number = b"%d" % int(value) if column.kind == "sum" else _real(value)
        return b"%-22s\t%s\t%s\n" % (name, topic, number)


def _real(value: float) -> bytes:
    return b"  -nan" if isnan(value) else b"%6.4f" % value
