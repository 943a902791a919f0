"""Descriptions of measures, formats and engines, and citations of measures.

The texts are made from the registries: lists for the command line, the full description of one
entry, the table of element properties, and a sentence with BibTeX entries for papers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Protocol, get_args
from unicodedata import normalize

from spanwise.model.measure import REQUIRED, Properties
from spanwise.report.tables import Table, as_text
from spanwise.version import __version__

if TYPE_CHECKING:
    from spanwise.model.measure import Law, Measure
    from spanwise.model.policy import Policy


class Described(Protocol):
    """A format with its name, content and description."""

    @property
    def name(self) -> str:
        """The name of the format."""

    @property
    def holds(self) -> str:
        """The kind of content in files of the format."""

    @property
    def description(self) -> str:
        """The description of the format's layout."""


def listed(measures: Iterable[Measure], width: int) -> str:
    """List the name and first sentence of every measure by family."""
    lines = []
    for heading, members in by_heading(measures).items():
        lines += ["", heading, *(_listed(measure, width) for measure in members)]
    return "\n".join([*lines[1:], "", "To describe a measure: spanwise measures NAME", ""])


def by_heading(measures: Iterable[Measure]) -> dict[str, list[Measure]]:
    """Return the measures under each heading, in their order."""
    found: dict[str, list[Measure]] = {}
    for measure in measures:
        found.setdefault(measure.heading, []).append(measure)
    return found


def _listed(measure: Measure, width: int) -> str:
    name = f"  {usage(measure):<24} "
    return name + shorten(measure.summary, max(width - len(name), 20), placeholder=" ...")


def usage(measure: Measure) -> str:
    """Return the name of a measure with its required parameters."""
    required = [name for name, value in measure.parameters.items() if value is REQUIRED]
    inside = [f"{name}=..." for name in required if name not in ("cutoff", "recall")]
    at = {"cutoff": "@k", "recall": "[r]"}
    after = "".join(at[name] for name in required if name in at)
    return measure.name + (f"({', '.join(inside)})" if inside else "") + after


def defined(measure: Measure) -> str:
    """Describe a measure with everything that the registry states about it."""
    lines = [usage(measure), "", measure.definition, ""]
    parameters = list(described_parameters(measure))
    if parameters:
        lines += ["Parameters: " + "; ".join(parameters)]
    if measure.aliases:
        lines += ["Also called: " + ", ".join(measure.aliases)]
    lines += [f"Range: {span(measure)}", f"All topics: {AGGREGATES[measure.aggregate]}"]
    lines += [f"Reference: {measure.reference}"]
    lines += [f"Plug-in: {measure.plugin}"] if measure.plugin else []
    lines += [f"Law: {law.value}" for law in in_order(measure.laws)]
    if measure.expected is not None:
        lines += ["Ties: the expected value over all orders of tied results is available"]
    return "\n".join(lines) + "\n"


AGGREGATES = {
    "mean": "the mean",
    "sum": "the sum",
    "geometric": "the geometric mean, with a floor of 0.00001",
    "pooled": "total divided by total; topics with more documents weigh more",
    "text": "none; the value is a text",
}


def in_order(laws: Iterable[Law]) -> list[Law]:
    """Return laws sorted by name, so that output is reproducible."""
    return sorted(laws, key=lambda law: law.name)


def described_parameters(measure: Measure) -> Iterable[str]:
    """Yield the name, default and choices of every parameter."""
    for name, default in measure.parameters.items():
        low, high = measure.ranges.get(name, (None, None))
        choices = _choices(measure.parameter_type(name)) if low is None else f"{low:g} to {high:g}"
        if default is REQUIRED:
            yield f"{name} (required)"
        else:
            yield f"{name}={_shown(default)}" + (f" ({choices})" if choices else "")


def _choices(kind: Any) -> str:
    values = get_args(kind)
    if values and get_args(values[0]):  # an optional choice
        values = get_args(values[0])
    return " or ".join(values) if values and all(isinstance(v, str) for v in values) else ""


def _shown(default: Any) -> str:
    if default is None:
        return "none"
    if isinstance(default, tuple):
        return "[" + ",".join(f"{value:g}" for value in default) + "]" if default else "the grades"
    return f"{default:g}" if isinstance(default, float) else str(default)


def span(measure: Measure) -> str:
    """Return the bounds of a measure in words."""
    low, high = measure.bounds
    return f"{low:g} to {high:g}".replace("inf", "infinity")


def formats_listed(formats: Iterable[Described]) -> str:
    """List the name, content and first line of every format."""
    lines = [
        f"{entry.name:<21} {entry.holds:<12} {entry.description.splitlines()[0]}"
        for entry in formats
    ]
    return "\n".join([*lines, "", "To describe a format: spanwise formats NAME", ""])


def format_described(entry: Described) -> str:
    """Describe a format in full."""
    return f"{entry.name} ({entry.holds})\n\n{entry.description}\n"


# Engines ------------------------------------------------------------------------------------------


class DescribedEngine(Protocol):
    """An engine with its name, title, parameters and description."""

    @property
    def name(self) -> str:
        """The name of the engine on the command line."""

    @property
    def title(self) -> str:
        """The title of the engine."""

    @property
    def install(self) -> str:
        """The installation instruction; empty if nothing must be installed."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The names and default values of the parameters."""

    @property
    def description(self) -> str:
        """The description of the engine."""


def settings(entry: DescribedEngine) -> str:
    """Return the parameters of an engine with their values.

    >>> from types import SimpleNamespace
    >>> settings(SimpleNamespace(parameters={"k1": 0.9, "b": 0.4}))
    'k1=0.9 b=0.4'
    """
    return " ".join(f"{name}={value}" for name, value in entry.parameters.items())


def listed_engines(entries: Sequence[DescribedEngine]) -> str:
    """List each engine with its parameters and installation instruction."""
    width = max(len(entry.name) for entry in entries)
    lines = []
    for entry in entries:
        lines.append(f"{entry.name:<{width}}  {entry.title}")
        more = filter(None, (settings(entry), entry.install))
        lines += [f"{'':<{width}}  {text}" for text in more]
    return "\n".join(lines) + "\n"


# Element properties -------------------------------------------------------------------------------

SHORT = {"relevant_in_context": "RiC", "best_in_context": "BiC"}
HEADER = (
    "measure",
    *(SHORT.get(field.name, field.name.replace("_", " ")) for field in fields(Properties)),
)


def properties_table(measures: Iterable[Measure]) -> str:
    """Return a table of element properties with a row for each measure.

    Measures to which the properties apply come first.
    """
    rows = [(measure.name, *astuple(measure.properties)) for measure in measures]
    rows.sort(key=lambda row: all(value == "-" for value in row[1:]))
    table = Table(HEADER, tuple(rows), words=tuple(range(len(HEADER))))
    return as_text(table)


# Citations ----------------------------------------------------------------------------------------

REFERENCE = re.compile(r"(?P<who>[^:]+): (?P<what>.+?)(?:\. (?P<where>.+?))?,? ?(?P<year>\d{4})")
PROGRAM = re.compile(r"(?P<what>[\w.]+ [\d.]+)(?:, (?P<who>[^,]+), (?P<year>\d{4}))?")
OWN = """@software{spanwise,
  title   = {spanwise: evaluation of retrieval at any grain},
  version = {%s}
}
"""


@dataclass(frozen=True, slots=True)
class Cited:
    """A publication or program that a measure refers to."""

    who: str
    what: str
    where: str
    year: str

    @property
    def key(self) -> str:
        """The first author's name and the year in ASCII letters."""
        first = re.split(r",| and | et al", self.who)[0].split()[-1] if self.who else self.what
        plain = normalize("NFKD", first).encode("ascii", "ignore").decode()
        return re.sub(r"\W", "", plain).lower() + self.year

    def bibtex(self, key: str) -> str:
        """Return a BibTeX entry; authors are named as in the registry, without first names."""
        people = re.sub(r" et al\.?", " and others", self.who).replace(", ", " and ")
        people = re.sub(r"(?: and)+ ", " and ", people)
        fields = [("author", people), ("title", f"{{{self.what}}}")]
        fields += [("howpublished", self.where), ("year", self.year)]
        body = ",\n".join(f"  {name:<12} = {{{value}}}" for name, value in fields if value)
        return f"@misc{{{key},\n{body}\n}}\n"


def references(measure: Measure) -> list[Cited]:
    """Return the references that the registry states for a measure."""
    found = []
    for part in measure.reference.split("; "):
        text = re.sub(r"^[a-z][\w ]*: ", "", part)  # a remark before the reference
        match = REFERENCE.fullmatch(text) or PROGRAM.fullmatch(text)
        if match:
            parts = {name: value or "" for name, value in match.groupdict().items()}
            found.append(Cited(parts["who"], parts["what"], parts.get("where", ""), parts["year"]))
        elif text and not text.startswith("see "):
            found.append(Cited("", text, "", ""))
    return found


def citation(measures: Sequence[tuple[str, Measure]], signature: str) -> str:
    """Return a sentence that cites the measures, and the BibTeX entries.

    `measures` are the requested names with their registry entries.
    """
    keys = _keys(cited for _, measure in measures for cited in references(measure))
    named = []
    for label, measure in measures:
        mine = ",".join(keys[cited] for cited in references(measure))
        named.append(f"{_latex(label)} \\cite{{{mine}}}" if mine else _latex(label))
    listing = ", ".join(named[:-1]) + (" and " if len(named) > 1 else "") + named[-1]
    sentence = (
        f"We report {listing}, computed with spanwise {__version__} \\cite{{spanwise}}"
        f" (\\texttt{{{_latex(signature)}}})."
    )
    entries = [cited.bibtex(key) for cited, key in keys.items()]
    return "\n".join([sentence + "\n", *entries, OWN % __version__])


def _keys(cited: Iterable[Cited]) -> dict[Cited, str]:
    """Return a distinct key for each reference."""
    keys: dict[Cited, str] = {}
    for one in cited:
        if one not in keys:
            same = sum(one.key == other.key for other in keys)
            keys[one] = one.key + ("bcdefgh"[same - 1] if same else "")
    return keys


def _latex(text: str) -> str:
    escaped = {"_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "|": r"\textbar{}"}
    return "".join(escaped.get(c, c) for c in text)


# Engines and profiles one by one; everything as JSON. ---------------------------------------------


def engine_described(entry: DescribedEngine) -> str:
    """Return everything that the table of engines contains about one.

    >>> from types import SimpleNamespace
    >>> one = SimpleNamespace(name="x", title="X", install="", parameters={}, description="Ranks.")
    >>> print(engine_described(one), end="")
    x: X
    <BLANKLINE>
    Ranks.
    <BLANKLINE>
    Parameters: none
    Installation: nothing to install
    """
    parameters = settings(entry) or "none"
    facts = f"Parameters: {parameters}\nInstallation: {entry.install or 'nothing to install'}"
    return f"{entry.name}: {entry.title}\n\n{entry.description}\n\n{facts}\n"


@dataclass(frozen=True, slots=True)
class Preset:
    """A profile or a task: choices and measures with a name."""

    name: str
    kind: str  # profile or task
    policy: Policy
    measures: tuple[str, ...]
    defaults: Mapping[str, Mapping[str, Any]]  # of the parameters of each family of measures
    tasks: tuple[str, ...]  # that have measures of their own

    @property
    def signature(self) -> str:
        """The choices, without the version of the program."""
        return self.policy.signature().rpartition("|")[0]


def presets_listed(presets: Sequence[Preset]) -> str:
    """Return the name and the measures of every profile and task."""
    lines = []
    for kind, heading in (("profile", "Profiles (--profile)"), ("task", "Tasks (--task)")):
        lines += [heading]
        for one in presets:
            if one.kind == kind:
                lines.append(f"  {one.name:<12} {shorten(', '.join(one.measures), 80)}")
        lines.append("")
    return "\n".join([*lines, "Full description: spanwise profiles NAME", ""])


def preset_described(one: Preset) -> str:
    """Return everything that is known about a profile or a task."""
    lines = [f"{one.name} ({one.kind})", "", f"Choices: {one.signature}"]
    lines += [f"Measures: {', '.join(one.measures)}"]
    for family, values in one.defaults.items():
        given = ", ".join(f"{name}={value}" for name, value in values.items())
        lines += [f"Defaults of {family}: {given}"] if given else []
    if one.tasks:
        lines += [f"Tasks: {', '.join(one.tasks)}"]
    return "\n".join(lines) + "\n"


def presets_as_json(presets: Iterable[Preset]) -> str:
    """Return profiles and tasks as JSON."""
    return _as_json(
        {
            "name": one.name,
            "kind": one.kind,
            "choices": one.signature,
            "measures": list(one.measures),
            "defaults": {family: dict(values) for family, values in one.defaults.items()},
            "tasks": list(one.tasks),
        }
        for one in presets
    )


def measures_as_json(measures: Iterable[Measure], *, properties: bool = False) -> str:
    """Return measures as JSON, with their properties if asked for; an infinite bound is null."""
    return _as_json(
        {
            "name": one.name,
            "family": one.family,
            "summary": one.summary,
            "definition": one.definition,
            "parameters": {
                name: None if default is REQUIRED else _shown(default)
                for name, default in one.parameters.items()
            },
            "aliases": list(one.aliases),
            "range": [bound if abs(bound) < float("inf") else None for bound in one.bounds],
            "aggregate": one.aggregate,
            "laws": [law.value for law in in_order(one.laws)],
            "reference": one.reference,
            **({"properties": asdict(one.properties)} if properties else {}),
        }
        for one in measures
    )


def formats_as_json(formats: Iterable[Described]) -> str:
    """Return formats as JSON."""
    return _as_json(
        {"name": one.name, "holds": one.holds, "description": one.description} for one in formats
    )


def engines_as_json(entries: Iterable[DescribedEngine]) -> str:
    """Return engines as JSON."""
    return _as_json(
        {
            "name": one.name,
            "title": one.title,
            "description": one.description,
            "parameters": dict(one.parameters),
            "install": one.install,
        }
        for one in entries
    )


def _as_json(records: Iterable[Mapping[str, Any]]) -> str:
    return json.dumps(list(records), indent=1) + "\n"
