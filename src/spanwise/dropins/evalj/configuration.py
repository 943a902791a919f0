"""Configurations of XCGEval and EvalJ, and the measures that they ask for.

XCGEval reads property files: one `KEY: value` on a line, lists with commas, `#` before comments.
EvalJ reads XML files with one element for each metric. Both are translated to the measures of
spanwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spanwise.console import say
from spanwise.errors import FormatError, UnknownName
from spanwise.formats.io.xml import events
from spanwise.matching.quantise import QUANTISATIONS
from spanwise.model.elements import NO_COVERAGE, UNSTATED

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements

KEYS = (
    *("TASK", "METRICS", "OVERLAP", "ALPHA", "DCV", "QUANT_FUNCTIONS"),
    *("ASSESSMENTS_DIR", "SUBMISSIONRUNS_DIR", "RESULTS_DIR"),
    *("EXPANDED_FULLRB", "INEXDOCCOLL_DIR"),
)
METRICS = ("nxCG", "xCG", "ep/gr")
TASKS = ("Thorough", "Focused")
USUAL_COLLECTION = "./inex-1.4"
RESULTS = "./results"
LINE = re.compile(r"\s*([^\s:=]+)\s*(?:[:=]\s*|\s+|$)(.*)")


@dataclass(frozen=True, slots=True)
class Properties:
    """The settings in a property file."""

    source: str
    task: str
    metrics: tuple[str, ...]
    overlap: tuple[str, ...]
    alpha: float
    ranks: tuple[int, ...]
    quantisations: tuple[str, ...]
    runs: tuple[str, ...]
    assessments: tuple[str, ...] = ()  # empty if only the file of all assessments is named
    everything: str | None = None  # one file with all assessments, written if it does not exist
    results: str = RESULTS
    collection: str | None = None


@dataclass(frozen=True, slots=True)
class _Values:
    """The raw values of a property file, with their lines."""

    file: str
    values: dict[str, tuple[str, int]]

    def one(self, key: str, otherwise: str) -> str:
        return self.values.get(key, (otherwise, 0))[0] or otherwise

    def several(self, key: str, otherwise: str = "") -> tuple[str, ...]:
        parts = [part.strip() for part in self.one(key, otherwise).split(",")]
        return tuple(part for part in parts if part)

    def error(self, key: str, found: str, due: str) -> FormatError:
        line = self.values[key][1] if key in self.values else None
        return FormatError(self.file, line, f"{key} {found}", due)

    def chosen(self, key: str, known: tuple[str, ...], otherwise: str = "") -> tuple[str, ...]:
        """Return the values of a list in their canonical spelling."""
        spelled = {name.lower(): name for name in known}
        asked = self.several(key, otherwise)
        for part in asked:
            if part.lower() not in spelled:
                raise self.error(key, repr(part), f"one of {', '.join(known)}")
        if not asked:
            raise self.error(key, "is missing", f"one or more of {', '.join(known)}")
        return tuple(spelled[part.lower()] for part in asked)

    def files(self, key: str) -> tuple[str, ...]:
        """Return the files and folders that a list of names and patterns matches."""
        for name in self.several(key):
            if not _matching(name):
                raise self.error(key, repr(name), "a file, a folder, or a pattern that fits some")
        return self.existing(key)

    def existing(self, key: str) -> tuple[str, ...]:
        """Return the matches that exist, each once."""
        return tuple(dict.fromkeys(file for name in self.several(key) for file in _matching(name)))


def read_properties(file: str, data: bytes) -> Properties:
    """Parse a property file."""
    raw = _Values(file, dict(_entries(file, data)))
    (task, *more) = raw.chosen("TASK", TASKS, "Thorough")
    if more:
        raise raw.error("TASK", "has two values", "one task")
    runs = raw.files("SUBMISSIONRUNS_DIR")
    if not runs:
        raise raw.error("SUBMISSIONRUNS_DIR", "is missing", "where the runs are")
    everything = raw.one("EXPANDED_FULLRB", "") or None
    known = everything is not None and Path(everything).exists()
    assessments = () if known else raw.files("ASSESSMENTS_DIR")
    if known and everything is not None:
        _warn_if_older(everything, raw.existing("ASSESSMENTS_DIR"))
    if not assessments and not known:
        found = "is missing" if everything is None else f"is missing, and there is no {everything}"
        raise raw.error("ASSESSMENTS_DIR", found, "where the assessments are")
    return Properties(
        file,
        task,
        raw.chosen("METRICS", METRICS),
        raw.chosen("OVERLAP", ("on", "off"), "on" if task == "Focused" else "off"),
        _alpha(raw),
        _ranks(raw),
        _quantisations(raw),
        runs,
        assessments,
        everything,
        raw.one("RESULTS_DIR", RESULTS),
        _collection(raw),
    )


def _warn_if_older(everything: str, assessments: tuple[str, ...]) -> None:
    """Warn if assessments have changed since they were combined in one file."""
    made = Path(everything).stat().st_mtime
    files = (file for name in assessments for file in (Path(name), *Path(name).rglob("*")))
    newer = next((file for file in files if file.is_file() and file.stat().st_mtime > made), None)
    if newer is not None:
        say(
            "warning",
            f"{everything}: older than {newer}, which is not looked at; remove it to have it made"
            " again",
        )


def _entries(file: str, data: bytes) -> Iterator[tuple[str, tuple[str, int]]]:
    """Yield keys and values with their lines."""
    seen: set[str] = set()
    for number, line in _lines(data.decode("utf-8", "surrogateescape")):
        match = LINE.fullmatch(line)
        if match is None:
            raise FormatError(file, number, repr(line), "KEY: value")
        key, value = match.groups()
        if key not in KEYS:
            unknown = UnknownName("key", key, list(KEYS), f"known are {', '.join(KEYS)}")
            raise FormatError(file, number, str(unknown), "")
        if key in seen:
            raise FormatError(file, number, f"{key} a second time", "each key once")
        seen.add(key)
        yield key, (value.strip(), number)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield logical lines and their numbers, joining lines that end in a backslash."""
    begun: list[str] = []
    lines = text.splitlines()
    for number, raw in enumerate(lines, start=1):
        if not begun and (not raw.strip() or raw.lstrip()[0] in "#!"):
            continue
        begun.append(raw.removesuffix("\\").strip())
        if not raw.endswith("\\") or number == len(lines):
            yield number - len(begun) + 1, " ".join(begun)
            begun = []


def _matching(pattern: str) -> list[str]:
    """Return the file of a name, or the matches of a pattern in byte order."""
    path = Path(pattern)
    if path.exists():
        return [pattern]
    return sorted(map(str, Path(path.anchor).glob(str(path.relative_to(path.anchor)))))


def _alpha(raw: _Values) -> float:
    value = raw.one("ALPHA", "1.0")
    try:
        alpha = float(value)
    except ValueError:
        alpha = -1.0
    if not 0 <= alpha <= 1:
        raise raw.error("ALPHA", repr(value), "a number from 0 to 1")
    return alpha


def _ranks(raw: _Values) -> tuple[int, ...]:
    ranks = raw.several("DCV", "5, 10, 25, 50")
    for rank in ranks:
        if not re.fullmatch(r"[1-9]\d{0,8}", rank):
            raise raw.error("DCV", repr(rank), "ranks, such as 5, 10, 25, 50")
    return tuple(map(int, ranks))


def _quantisations(raw: _Values) -> tuple[str, ...]:
    """Return quantisations: known names, or files with tables."""
    asked = raw.several("QUANT_FUNCTIONS", "gen")
    for name in asked:
        due = quantisation_due(name)
        if due:
            raise raw.error("QUANT_FUNCTIONS", repr(name), due)
    return asked


def quantisation_due(name: str) -> str:
    """Return what is expected in place of an unknown quantisation; empty if it is known."""
    if name in QUANTISATIONS or Path(name).exists():
        return ""
    return f"one of {', '.join(QUANTISATIONS)}; or the name of a file"


def _collection(raw: _Values) -> str | None:
    """Return the folder of the documents, with the usual place as default if it exists."""
    named = raw.one("INEXDOCCOLL_DIR", "")
    if not named:
        return USUAL_COLLECTION if Path(USUAL_COLLECTION).exists() else None
    if not Path(named).exists():
        raise raw.error("INEXDOCCOLL_DIR", repr(named), "a folder of documents or a store")
    return named


# Metrics of XCGEval -------------------------------------------------------------------------------

CURVE = (*tuple(range(1, 11)), 15, 20, 25, 50, 100, 150, 250, 500, 750, 1000, 1250, 1500)
"""Ranks at which curves along the ranking are drawn."""
LEVELS = tuple(level / 100 for level in range(1, 101))
TENTHS = tuple(level / 10 for level in range(1, 11))


@dataclass(frozen=True, slots=True)
class Curve:
    """The definition of a curve, drawn once for each run."""

    across: str  # title of the horizontal axis
    upwards: str
    points: tuple[tuple[float, str, str], ...]  # positions, labels, measures of spanwise


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of a configuration: measures to print, and a curve to draw."""

    label: str
    numbers: tuple[tuple[str, str], ...]  # labels and measures of spanwise
    curve: Curve | None = None
    only: str | None = None  # task to which it is restricted

    def fits(self, task: str | None) -> bool:
        """Return whether runs for a task, or without a stated task, are scored."""
        return self.only is None or not task or task.strip().lower() == self.only.lower()

    def measures(self) -> dict[str, str]:
        """Return every measure by its label."""
        drawn = {label: name for _, label, name in self.curve.points} if self.curve else {}
        return {**dict(self.numbers), **drawn}


def planned(properties: Properties, judgements: Judgements) -> list[Metric]:
    """Return the metrics of XCGEval that a property file asks for."""
    metrics = []
    for metric in properties.metrics:
        for quant in properties.quantisations:
            for overlap in properties.overlap:
                given = _given(properties, own_name(quant, judgements), overlap)
                label = f"{metric}({quant},{overlap})"
                make = _effort if metric == "ep/gr" else _gain
                metrics.append(make(metric, label, given, properties.ranks))
    return metrics


def _given(properties: Properties, quant: str, overlap: str) -> str:
    """Return the parameters of a metric.

    In the Focused task the recall base is ideal even with overlap off.
    """
    ideal = properties.task == "Focused" and overlap == "off"
    base = ",recallbase=ideal" if ideal else ""
    return f"quant={quant},overlap={overlap},alpha={properties.alpha!r}{base}"


def _gain(metric: str, label: str, given: str, ranks: Sequence[int]) -> Metric:
    return Metric(
        label,
        tuple((f"{label}@{rank}", f"{metric}({given})@{rank}") for rank in ranks),
        Curve(
            "rank",
            metric,
            tuple((rank, f"{label}@{rank}", f"{metric}({given})@{rank}") for rank in CURVE),
        ),
    )


def _effort(_metric: str, label: str, given: str, _ranks: Sequence[int]) -> Metric:
    chosen = label.removeprefix("ep/gr")
    points = tuple((x, f"ep{chosen}[{x:g}]", f"ep({given})[{x:g}]") for x in LEVELS)
    number = (f"MAep{chosen}", f"MAep({given})")
    return Metric(label, (number,), Curve("gain-recall", "ep", points))


def own_name(quant: str, judgements: Judgements) -> str:
    """Return spanwise's name of a quantisation of EvalJ.

    Names have the meaning of the year of the data. Where text was highlighted, `gen` is specificity
    alone if exhaustivity was not graded, and `strict` considers both.
    """
    stated = judgements.elements
    if stated is not None and len(stated.elements):
        elements = stated.elements
        graded = (elements.specificity != UNSTATED) | (elements.coverage != NO_COVERAGE)
        if graded.any():
            return quant
        exhaustive = bool(np.all(elements.exhaustivity == 2))
        return {"gen": "spec" if exhaustive else "gen5", "strict": "strict5"}.get(quant, quant)
    return {"gen": "spec", "strict": "strict5"}.get(quant, quant)


# Metrics of EvalJ ---------------------------------------------------------------------------------
#
# <metrics>
# <EPRUM id="e1" only="BestInContext">
# <binary value="false"/> <generator value="BEPTargetGenerator"/> <quantisation value="Exh"/>
# <behaviour value="BEPDistance"><A value="1"/></behaviour>
# </EPRUM>
# <BEPD id="b1" only="BestInContext"><a value="1"/></BEPD>
# </metrics>
#
# EPRUM, GR and PRUM take the same elements; PR (inex_eval) and PRNG (inex_eval_ng) a quantisation.

DUE = "<metrics> with metrics in it, such as <EPRUM id=...>"
USER = ("binary", "generator", "quantisation", "behaviour", "L")
CHILDREN: Mapping[str, tuple[str, ...]] = {
    "EPRUM": USER,
    "GR": USER,
    "PRUM": USER,
    "BEPD": ("a", "L"),
    "PR": ("quantisation",),
    "PRNG": ("overlap",),
}
"""The metrics with the names of their child elements."""
BEHAVIOURS = {"BEPDistance": "bep", "Identity": "identity", "Containment": "containment"}
NUMBER = re.compile(r"\+?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
BINARY = {"true": "binary", "false": "graded"}
RANKS = (5, 10, 25, 50)


@dataclass(slots=True)
class MetricElement:
    """A metric as it is stated in the file."""

    file: str
    name: str
    line: int
    id: str
    only: str | None = None
    values: dict[str, tuple[str, int]] = field(default_factory=dict)
    inner: str = ""  # the last child element

    def error(self, name: str, due: str) -> FormatError:
        """Return an error about the value of a child element."""
        value, line = self.values[name]
        return FormatError(self.file, line, f"<{name} value={value!r}>", due)

    def text_of(self, name: str, otherwise: str) -> str:
        """Return the value of a child element."""
        return self.values.get(name, (otherwise, 0))[0]

    def chosen(self, name: str, known: Mapping[str, str], otherwise: str) -> str:
        """Return the translation of a child element's value."""
        value = self.text_of(name, otherwise)
        if value not in known:
            raise self.error(name, f"one of {', '.join(known)}")
        return known[value]


def is_metrics(data: bytes) -> bool:
    """Return whether a configuration is XML."""
    return data.lstrip()[:1] == b"<"


def read_metrics(file: str, data: bytes) -> list[MetricElement]:
    """Read the metrics in a file; an unknown element is an error."""
    found: list[MetricElement] = []
    for event in events([data], file, DUE):
        if event.kind != "start":
            continue
        if event.depth == 1:
            if event.name != "metrics":
                raise FormatError(file, event.line, f"<{event.name}>", DUE)
        elif event.depth == 2:
            if event.name not in CHILDREN:
                due = f"one of {', '.join(CHILDREN)}"
                raise FormatError(file, event.line, f"the metric <{event.name}>", due)
            _refuse_attributes(file, event.line, event.name, event.attributes, ("id", "only"))
            label = event.attributes.get("id") or event.name
            found.append(
                MetricElement(file, event.name, event.line, label, event.attributes.get("only"))
            )
        else:
            _child(found[-1], event.name, event.attributes, event.line, event.depth)
    if not found:
        raise FormatError(file, None, "no metrics in it", DUE)
    labels = [one.id for one in found]
    for one in found:
        if labels.count(one.id) > 1:
            raise FormatError(file, one.line, f"the id {one.id!r} occurs twice", "ids that differ")
    return found


def _refuse_attributes(
    file: str, line: int, name: str, attributes: Mapping[str, str], known: tuple[str, ...]
) -> None:
    others = set(attributes) - set(known)
    if others:
        found = f"the attribute {min(others)!r} of <{name}>"
        raise FormatError(file, line, found, " and ".join(known))


def _child(
    metric: MetricElement, name: str, attributes: Mapping[str, str], line: int, depth: int
) -> None:
    known = CHILDREN[metric.name]
    if (metric.name, depth, name) == ("BEPD", 3, "A"):
        name = "a"
    if depth == 3 and name not in known:
        due = f"one of {', '.join(known)}"
        raise FormatError(metric.file, line, f"<{name}> in <{metric.name}>", due)
    if depth == 3:
        metric.inner = name
    elif (depth, metric.inner, name) != (4, "behaviour", "A"):
        due = "nothing in it" if metric.inner != "behaviour" else "only <A value=...>"
        raise FormatError(metric.file, line, f"<{name}> in <{metric.inner}>", due)
    if name in metric.values:
        raise FormatError(metric.file, line, f"<{name}> a second time", "each of them once")
    _refuse_attributes(metric.file, line, name, attributes, ("value",))
    if "value" not in attributes:
        raise FormatError(metric.file, line, f"<{name}> without a value", f"<{name} value=...>")
    metric.values[name] = attributes["value"].strip(), line


def planned_metrics(metrics: list[MetricElement], judgements: Judgements) -> list[Metric]:
    """Translate metrics to the measures of spanwise."""
    return [_metric(one, judgements) for one in metrics]


def _metric(one: MetricElement, judgements: Judgements) -> Metric:
    if one.name in ("EPRUM", "GR", "PRUM"):
        return _with_user(one, _user(one, judgements))
    if one.name == "BEPD":
        given = f"A={_number(one, 'a')}{_length(one)}"
        return Metric(one.id, ((one.id, f"BEPD({given})"),), only=one.only)
    if one.name == "PR":
        quant = _quantisation(one, judgements)
        points = tuple((x, f"{one.id}[{x:g}]", f"precall(quant={quant})[{x:g}]") for x in LEVELS)
        curve = Curve("recall", "precision", points)
        return Metric(one.id, ((one.id, f"inex_eval(quant={quant})"),), curve, one.only)
    overlap = one.chosen("overlap", {"true": "on", "on": "on", "false": "off", "off": "off"}, "on")
    numbers = tuple(
        (f"{one.id}.{short}@{rank}", f"{name}(overlap={overlap})@{rank}")
        for short, name in (("P", "NGP"), ("R", "NGR"))
        for rank in RANKS
    )
    return Metric(one.id, numbers, only=one.only)


def _with_user(one: MetricElement, given: str) -> Metric:
    if one.name == "GR":
        numbers = tuple((f"{one.id}@{rank}", f"GR({given})@{rank}") for rank in RANKS)
        return Metric(one.id, numbers, only=one.only)
    points = tuple((x, f"{one.id}[{x:g}]", f"{one.name}({given})[{x:g}]") for x in TENTHS)
    curve = Curve("recall", one.name, points)
    if one.name == "PRUM":
        numbers = tuple((label, name) for _, label, name in points)
        return Metric(one.id, numbers, curve, one.only)
    return Metric(one.id, ((one.id, f"EPRUM({given})"),), curve, one.only)


def _user(one: MetricElement, judgements: Judgements) -> str:
    """Return the parameters of a user model."""
    behaviour = one.chosen("behaviour", BEHAVIOURS, "Identity")
    entries = behaviour == "bep"
    usual = "BEPTargetGenerator" if entries else "IdealTargetGenerator"
    if one.text_of("generator", usual) != usual:
        raise one.error("generator", f"{usual}, which goes with the behaviour")
    worth = one.chosen("binary", BINARY, "false")
    if entries:
        if one.text_of("quantisation", "Exh") != "Exh":
            raise one.error("quantisation", "Exh, which goes with best entry points")
        return f"behaviour=bep,A={_number(one, 'A')}{_length(one)}"
    for distance in ("A", "L"):
        if distance in one.values:
            raise one.error(distance, "it only with the behaviour BEPDistance")
    given = f"behaviour={behaviour},quant={_quantisation(one, judgements)}"
    return given if one.name == "PRUM" else f"{given},worth={worth}"


def _quantisation(one: MetricElement, judgements: Judgements) -> str:
    name = one.text_of("quantisation", "gen")
    due = quantisation_due(name)
    if due:
        raise one.error("quantisation", due)
    return own_name(name, judgements)


def _length(one: MetricElement) -> str:
    return f",L={_number(one, 'L')}" if "L" in one.values else ""


def _number(one: MetricElement, name: str) -> str:
    value = one.text_of(name, "1")
    if not NUMBER.fullmatch(value) or not 0 < float(value) < inf:
        raise one.error(name, "a number above 0")
    return value
