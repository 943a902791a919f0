"""EvalJ's metrics: an XML file with one element for each metric to compute.

    <metrics>
      <EPRUM id="e1" only="BestInContext">
        <binary value="false"/> <generator value="BEPTargetGenerator"/> <quantisation value="Exh"/>
        <behaviour value="BEPDistance"><A value="1"/></behaviour>
      </EPRUM>
      <BEPD id="b1" only="BestInContext"><a value="1"/></BEPD>
    </metrics>

EPRUM, GR and PRUM take the same elements; PR (inex_eval) and PRNG (inex_eval_ng) a quantisation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

from spanwise.app.evalj.plan import LEVELS, TENTHS, Curve, Metric, own_name
from spanwise.app.evalj.properties import quantisation_due
from spanwise.errors import FormatError
from spanwise.formats.xml_events import events

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements

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
"""The metrics, and what each may be told."""
BEHAVIOURS = {"BEPDistance": "bep", "Identity": "identity", "Containment": "containment"}
NUMBER = re.compile(r"\+?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
BINARY = {"true": "binary", "false": "graded"}
RANKS = (5, 10, 25, 50)


@dataclass(slots=True)
class Wanted:
    """One metric as it stands in the file."""

    file: str
    name: str
    line: int
    id: str
    only: str | None = None
    values: dict[str, tuple[str, int]] = field(default_factory=dict)
    inner: str = ""  # the child that was last begun

    def wrong(self, name: str, due: str) -> FormatError:
        """The value of a child element is none of those that are due."""
        value, line = self.values[name]
        return FormatError(self.file, line, f"<{name} value={value!r}>", due)

    def said(self, name: str, otherwise: str) -> str:
        """The value of a child element."""
        return self.values.get(name, (otherwise, 0))[0]

    def chosen(self, name: str, known: Mapping[str, str], otherwise: str) -> str:
        """The meaning of a child's value."""
        value = self.said(name, otherwise)
        if value not in known:
            raise self.wrong(name, f"one of {', '.join(known)}")
        return known[value]


def is_metrics(data: bytes) -> bool:
    """Whether a configuration is XML."""
    return data.lstrip()[:1] == b"<"


def read_metrics(file: str, data: bytes) -> list[Wanted]:
    """The metrics that a file asks for; an element that nobody knows is an error."""
    found: list[Wanted] = []
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
            found.append(Wanted(file, event.name, event.line, label, event.attributes.get("only")))
        else:
            _child(found[-1], event.name, event.attributes, event.line, event.depth)
    if not found:
        raise FormatError(file, None, "no metrics in it", DUE)
    labels = [one.id for one in found]
    for one in found:
        if labels.count(one.id) > 1:
            raise FormatError(
                file, one.line, f"the id {one.id!r} is there twice", "ids that differ"
            )
    return found


def _refuse_attributes(
    file: str, line: int, name: str, said: Mapping[str, str], known: tuple[str, ...]
) -> None:
    others = set(said) - set(known)
    if others:
        found = f"the attribute {min(others)!r} of <{name}>"
        raise FormatError(file, line, found, " and ".join(known))


def _child(metric: Wanted, name: str, said: Mapping[str, str], line: int, depth: int) -> None:
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
    _refuse_attributes(metric.file, line, name, said, ("value",))
    if "value" not in said:
        raise FormatError(metric.file, line, f"<{name}> without a value", f"<{name} value=...>")
    metric.values[name] = said["value"].strip(), line


def planned(metrics: list[Wanted], judgements: Judgements) -> list[Metric]:
    """The metrics in the names of our measures."""
    return [_metric(one, judgements) for one in metrics]


def _metric(one: Wanted, judgements: Judgements) -> Metric:
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


def _with_user(one: Wanted, given: str) -> Metric:
    if one.name == "GR":
        numbers = tuple((f"{one.id}@{rank}", f"GR({given})@{rank}") for rank in RANKS)
        return Metric(one.id, numbers, only=one.only)
    points = tuple((x, f"{one.id}[{x:g}]", f"{one.name}({given})[{x:g}]") for x in TENTHS)
    curve = Curve("recall", one.name, points)
    if one.name == "PRUM":
        numbers = tuple((label, name) for _, label, name in points)
        return Metric(one.id, numbers, curve, one.only)
    return Metric(one.id, ((one.id, f"EPRUM({given})"),), curve, one.only)


def _user(one: Wanted, judgements: Judgements) -> str:
    """The parameters of a user model."""
    behaviour = one.chosen("behaviour", BEHAVIOURS, "Identity")
    entries = behaviour == "bep"
    usual = "BEPTargetGenerator" if entries else "IdealTargetGenerator"
    if one.said("generator", usual) != usual:
        raise one.wrong("generator", f"{usual}, which goes with the behaviour")
    worth = one.chosen("binary", BINARY, "false")
    if entries:
        if one.said("quantisation", "Exh") != "Exh":
            raise one.wrong("quantisation", "Exh, which goes with best entry points")
        return f"behaviour=bep,A={_number(one, 'A')}{_length(one)}"
    for distance in ("A", "L"):
        if distance in one.values:
            raise one.wrong(distance, "it only with the behaviour BEPDistance")
    given = f"behaviour={behaviour},quant={_quantisation(one, judgements)}"
    return given if one.name == "PRUM" else f"{given},worth={worth}"


def _quantisation(one: Wanted, judgements: Judgements) -> str:
    name = one.said("quantisation", "gen")
    due = quantisation_due(name)
    if due:
        raise one.wrong("quantisation", due)
    return own_name(name, judgements)


def _length(one: Wanted) -> str:
    return f",L={_number(one, 'L')}" if "L" in one.values else ""


def _number(one: Wanted, name: str) -> str:
    value = one.said(name, "1")
    if not NUMBER.fullmatch(value) or not 0 < float(value) < inf:
        raise one.wrong(name, "a number above 0")
    return value
