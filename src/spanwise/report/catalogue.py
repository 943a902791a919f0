"""What there is to choose from, in words: measures and formats."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Protocol, get_args

from spanwise.model.measures import REQUIRED

if TYPE_CHECKING:
    from spanwise.model.measures import Law, Measure


class Described(Protocol):
    """A format: a name, what it holds, what it looks like."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def holds(self) -> str:
        """What a file of it holds."""

    @property
    def description(self) -> str:
        """What it looks like."""


FAMILY = {
    "ranks": "Where the relevant results stand",
    "gains": "Graded relevance",
    "users": "Models of a reader",
    "incomplete": "Incomplete judgements",
    "sets": "Sets and counts",
    "preferences": "Preferences (formats prefs and qrels_prefs)",
    "chunks": "Chunks, at a reading budget or after k results",
    "genomics": "Passages (TREC Genomics)",
    "highlight": "Highlighted text (format inex_qrels)",
    "context": "Documents in context (format inex_qrels)",
    "cumulated": "Elements: cumulated gain (2005-06)",
    "precall": "Elements: precision by recall (2002-04)",
    "next_generation": "Elements: specificity and exhaustivity (2003)",
    "hixeval": "Elements: highlighted characters; overlap",
    "navigation": "Readers who go on from what they find; entry points",
    "older": "TrecEval II and trec_eval 8",
    "older_bpref": "Variants of bpref (trec_eval 8)",
    "older_time": "Scores that are times (trec_eval 8)",
}


def listed(measures: Iterable[Measure], width: int) -> str:
    """Name and first sentence of every measure, family by family."""
    families: dict[str, list[Measure]] = {}
    for measure in measures:
        families.setdefault(measure.family, []).append(measure)
    order = [*FAMILY, *(name for name in families if name not in FAMILY)]
    lines = []
    for family in order:
        if family in families:
            lines += ["", FAMILY.get(family, family)]
            lines += [_listed(measure, width) for measure in families[family]]
    return "\n".join([*lines[1:], "", "One of them in full: spanwise measures NAME", ""])


def _listed(measure: Measure, width: int) -> str:
    name = f"  {usage(measure):<24} "
    return name + shorten(measure.summary, max(width - len(name), 20), placeholder=" ...")


def usage(measure: Measure) -> str:
    """The name with what it cannot do without."""
    required = [name for name, value in measure.parameters.items() if value is REQUIRED]
    inside = [f"{name}=..." for name in required if name not in ("cutoff", "recall")]
    at = {"cutoff": "@k", "recall": "[r]"}
    after = "".join(at[name] for name in required if name in at)
    return measure.name + (f"({', '.join(inside)})" if inside else "") + after


def defined(measure: Measure) -> str:
    """Everything that the table of measures knows about one."""
    lines = [usage(measure), "", measure.definition, ""]
    parameters = list(described_parameters(measure))
    if parameters:
        lines += ["Parameters: " + "; ".join(parameters)]
    if measure.aliases:
        lines += ["Also called: " + ", ".join(measure.aliases)]
    lines += [f"Range: {span(measure)}", f"All topics: {AGGREGATES[measure.aggregate]}"]
    lines += [f"Reference: {measure.reference}"]
    lines += [f"Law: {law.value}" for law in in_order(measure.laws)]
    if measure.expected is not None:
        lines += ["Ties: its expected value over all orders of tied results is known"]
    return "\n".join(lines) + "\n"


AGGREGATES = {
    "mean": "the mean",
    "sum": "the sum",
    "geometric": "the geometric mean, with a floor of 0.00001",
    "pooled": "total divided by total, so that topics with more documents weigh more",
    "text": "none, it is a text",
}


def in_order(laws: Iterable[Law]) -> list[Law]:
    """Laws in the order of their names, for the same output every time."""
    return sorted(laws, key=lambda law: law.name)


def described_parameters(measure: Measure) -> Iterable[str]:
    """Name, choices and default of every parameter."""
    for name, default in measure.parameters.items():
        choices = _choices(measure.parameter_type(name))
        if default is REQUIRED:
            yield f"{name} (required)"
        else:
            yield f"{name}={_shown(default)}" + (f" ({choices})" if choices else "")


def _choices(kind: Any) -> str:
    values = get_args(kind)
    if values and get_args(values[0]):  # one of these, or none
        values = get_args(values[0])
    return " or ".join(values) if values and all(isinstance(v, str) for v in values) else ""


def _shown(default: Any) -> str:
    if default is None:
        return "none"
    if isinstance(default, tuple):
        return "[" + ",".join(f"{value:g}" for value in default) + "]" if default else "the grades"
    return f"{default:g}" if isinstance(default, float) else str(default)


def span(measure: Measure) -> str:
    """The bounds in words."""
    low, high = measure.bounds
    return f"{low:g} to {high:g}".replace("inf", "infinity")


def formats_listed(formats: Iterable[Described]) -> str:
    """Name, kind and first line of every format."""
    lines = [
        f"{entry.name:<21} {entry.holds:<12} {entry.description.splitlines()[0]}"
        for entry in formats
    ]
    return "\n".join([*lines, "", "One of them in full: spanwise formats NAME", ""])


def format_described(entry: Described) -> str:
    """Everything that the table of formats knows about one."""
    return f"{entry.name} ({entry.holds})\n\n{entry.description}\n"
