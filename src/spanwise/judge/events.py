"""Gestures of assessors, the state of a document that they lead to, and their validation.

A gesture is one action of an assessor on a document, such as highlighting a passage. The state is
the fold of all gestures, in the order in which they were stored. A layer is a set of characters,
kept as sorted, disjoint, half-open spans: `add` is union, `remove` is difference, and adjacent
spans are merged. An `undo` names the gesture that it revokes, a `redo` the one that it restores.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Spans = tuple[tuple[int, int], ...]
Status = Literal["new", "open", "touched", "done", "skipped"]
Mode = Literal["highlight", "grades", "aspects", "exhaustivity", "document"]

RELEVANT = "relevant"
"""Layer of relevant text; aspects have layers with their own names."""
TEXTUAL = frozenset({"add", "remove"})
EDITS = frozenset({*TEXTUAL, "bep", "unbep", "grade", "exh"})
UNDOABLE = EDITS | {"note", "done", "reopen", "skip"}
KINDS = UNDOABLE | {"open", "undo", "redo", "show", "focus", "blur"}
UNKNOWN, TOO_SMALL, MOST = 0, -1, 2
"""Values of exhaustivity: unknown, too small, and the highest grade."""


@dataclass(frozen=True, slots=True)
class Gesture:
    """One action of an assessor.

    `client` and `n` identify it, however often it is sent.
    """

    client: str
    n: int
    kind: str
    layer: str = ""
    start: int = -1
    end: int = -1
    value: str = ""
    check: str = ""  # hash of the text that it refers to

    @property
    def key(self) -> str:
        """The identifier by which an undo refers to it."""
        return f"{self.client}:{self.n}"


@dataclass(frozen=True, slots=True)
class State:
    """The judgement of one document by one assessor, and its progress."""

    status: Status = "new"
    layers: Mapping[str, Spans] = field(default_factory=dict)
    bep: int | None = None
    grade: int | None = None
    exhaustivity: Mapping[str, int] = field(default_factory=dict)  # by path
    note: str = ""
    reason: str = ""  # of a skip

    @property
    def highlighted(self) -> Spans:
        """The union of the spans of all layers."""
        found: Spans = ()
        for spans in self.layers.values():
            for start, end in spans:
                found = added(found, start, end)
        return found


def added(spans: Spans, start: int, end: int) -> Spans:
    """Return a set of spans with one more span.

    >>> added(((0, 3), (8, 9)), 3, 8)
    ((0, 9),)
    """
    if end <= start:
        return spans
    apart = [one for one in spans if one[1] < start or one[0] > end]
    touching = [one for one in spans if not (one[1] < start or one[0] > end)]
    low = min([start, *(one[0] for one in touching)])
    high = max([end, *(one[1] for one in touching)])
    return tuple(sorted([*apart, (low, high)]))


def removed(spans: Spans, start: int, end: int) -> Spans:
    """Return a set of spans without the characters of one span.

    >>> removed(((0, 9),), 3, 8)
    ((0, 3), (8, 9))
    """
    if end <= start:
        return spans
    left = [(low, min(high, start)) for low, high in spans if low < start]
    right = [(max(low, end), high) for low, high in spans if high > end]
    return tuple(sorted({*left, *right}))


def not_undone(gestures: Iterable[Gesture]) -> list[Gesture]:
    """Return the gestures that have not been undone, in their order."""
    every = list(gestures)
    taken: set[str] = set()
    for one in every:
        if one.kind == "undo":
            taken.add(one.value)
        elif one.kind == "redo":
            taken.discard(one.value)
    return [one for one in every if one.key not in taken and one.kind not in ("undo", "redo")]


def folded(gestures: Iterable[Gesture]) -> State:
    """Return the state after all gestures, in the order in which they were stored."""
    every = list(gestures)
    state = State("open" if every else "new")
    kept = not_undone(every)
    for one in kept:
        state = applied(state, one)
    if state.status == "done" and _edited_before(every, kept):
        return replace(state, status="touched")
    return state


def _edited_before(every: Sequence[Gesture], kept: Sequence[Gesture]) -> bool:
    """Return whether an edit older than the finish was undone or redone after it.

    This can happen in a second window.
    """
    name = next(one.key for one in reversed(kept) if one.kind == "done")
    place = next(i for i, one in enumerate(every) if one.key == name)
    since = max(i for i, one in enumerate(every) if i == place or _restores(one, name))
    edits = {one.key for one in every[:place] if one.kind in EDITS}
    return any(one.kind in ("undo", "redo") and one.value in edits for one in every[since:])


def _restores(one: Gesture, name: str) -> bool:
    return one.kind == "redo" and one.value == name


def applied(state: State, one: Gesture) -> State:
    """Return the state after one more gesture."""
    match one.kind:
        case "add" | "remove":
            change = added if one.kind == "add" else removed
            layers = dict(state.layers)
            layers[one.layer] = change(layers.get(one.layer, ()), one.start, one.end)
            kept = {name: spans for name, spans in layers.items() if spans}
            return replace(state, status="touched", layers=kept)
        case "bep":
            return replace(state, status="touched", bep=one.start)
        case "unbep":
            return replace(state, status="touched", bep=None)
        case "grade":
            return replace(state, status="touched", grade=int(one.value) if one.value else None)
        case "exh":
            values = with_exhaustivity(state.exhaustivity, one.layer, int(one.value))
            return replace(state, status="touched", exhaustivity=values)
        case "note":
            return replace(state, note=one.value)
        case "done":
            return replace(state, status="done", reason="")
        case "reopen":
            return replace(state, status="touched", reason="")
        case "skip":
            return replace(state, status="skipped", reason=one.value)
    return state


def with_exhaustivity(values: Mapping[str, int], path: str, value: int) -> dict[str, int]:
    """Return the exhaustivity values after one element is set, by the rules of 2005.

    Descendants above the value become unknown. Too small spreads downwards, and ancestors of
    something better are not too small. The highest grade raises all ancestors; when it is revoked,
    those that no other element supports become unknown. The highest grade given again is supported
    by itself and not by descendants.
    """
    found = {**values, path: value}
    if value == MOST:
        found |= dict.fromkeys(_around(path), MOST)
    elif value != TOO_SMALL:
        found |= {one: UNKNOWN for one in _around(path) if values.get(one) == TOO_SMALL}
    again = value == MOST == values.get(path)
    for other in [one for one in values if one.startswith(path + "/")]:
        if value == TOO_SMALL:
            found[other] = TOO_SMALL
        elif values[other] > value != UNKNOWN or (again and values[other] == MOST):
            found[other] = UNKNOWN
    if values.get(path) == MOST and value != MOST:
        found |= dict.fromkeys(_lifted_by(path, found), UNKNOWN)
    return {name: grade for name, grade in found.items() if grade != UNKNOWN}


def exhaustivity_of(values: Mapping[str, int], path: str) -> int:
    """Return the exhaustivity of an element, which is too small inside one that is."""
    small = any(values.get(one) == TOO_SMALL for one in _around(path))
    return values.get(path, TOO_SMALL if small else UNKNOWN)


def _around(path: str) -> list[str]:
    """Return the ancestors of a path, the outermost first.

    >>> _around("/a[1]/b[2]/c[1]")
    ['/a[1]', '/a[1]/b[2]']
    """
    names = path.split("/")
    return ["/".join(names[:count]) for count in range(2, len(names))]


def _lifted_by(path: str, values: Mapping[str, int]) -> list[str]:
    """Return the ancestors that have the highest grade only because of this element."""
    highest = [other for other, grade in values.items() if grade == MOST]
    around = [other for other in highest if path.startswith(other + "/")]
    return [
        other
        for other in around
        if not any(one.startswith(other + "/") for one in highest if one not in around)
    ]


def inconsistencies(state: State, mode: Mode, assess: Sequence[tuple[str, bool]] = ()) -> list[str]:
    """List the reasons why a document cannot be finished yet.

    `assess` are the elements of the exhaustivity phase: a path, and whether a complete passage lies
    in the element, so that it cannot be too small.
    """
    marked, found = bool(state.highlighted), []
    if mode == "document":
        return [] if state.grade is not None else ["give the document a grade"]
    if marked and state.bep is None:
        found.append("set the best entry point: text is highlighted")
    if not marked and state.bep is not None:
        found.append("remove the best entry point: nothing is highlighted")
    if mode == "grades" and marked and not state.grade:
        found.append("give a grade of 1 or more: text is highlighted")
    if mode == "grades" and not marked and state.grade:
        found.append("set the grade to 0 or remove it: nothing is highlighted")
    if mode == "exhaustivity":
        found += _exhaustivity_left(state, assess)
    return found


def unsupported(values: Mapping[str, int], asked: Container[str]) -> set[str]:
    """Return elements whose highest grade came from descendants that are no longer assessed.

    Values of elements that are no longer highlighted support nothing; they are kept in case the
    elements are highlighted again.
    """
    leaning: set[str] = set()
    held: set[str] = set()
    highest = [path for path, grade in values.items() if grade == MOST]
    for path in sorted(highest, key=lambda one: one.count("/"), reverse=True):
        supported = path in asked and (path not in leaning or path in held)
        leaning.update(_around(path))
        if supported:
            held.update(_around(path))
    return leaning - held


def _exhaustivity_left(state: State, assess: Sequence[tuple[str, bool]]) -> list[str]:
    found = []
    lost = unsupported(state.exhaustivity, {path for path, _ in assess})
    for path, whole in assess:
        grade = UNKNOWN if path in lost else exhaustivity_of(state.exhaustivity, path)
        if grade == UNKNOWN:
            found.append(f"assess the exhaustivity of {path}")
        elif grade == TOO_SMALL and whole:
            found.append(f"{path} contains a whole passage, so it cannot be too small")
    return found


# Validation of submitted events -------------------------------------------------------------------

CLIENT = re.compile(r"[0-9a-zA-Z_-]{8,64}")
CHECK = re.compile(r"[0-9a-f]{16}")
FIELDS = frozenset(
    ["client", "n", "topic", "doc", "kind", "layer", "start", "end", "value", "check", "base", "at"]
)
LONGEST = 10_000
"""Maximum number of characters of a note."""
LATEST = 1e12
"""Upper bound of times in seconds since 1970; it also excludes nan."""
HIGHEST = 1 << 53
"""Upper bound of integers that JavaScript represents exactly."""


def refusal(sent: Mapping[str, Any], mode: str, aspects: Sequence[str]) -> str:
    """Return what is wrong with a submitted event; empty if it is valid."""
    if not isinstance(sent, Mapping):
        return "an event must be a JSON object"
    if unknown := set(sent) - FIELDS:
        return f"unknown field {min(unknown)!r}"
    if not isinstance(sent.get("client"), str) or not CLIENT.fullmatch(sent["client"]):
        return "client must have 8 to 64 letters, digits, - or _"
    for name, needed in (("n", True), ("topic", True), ("doc", True), ("base", False)):
        if (name in sent or needed) and not whole(sent.get(name)):
            return f"{name} must be a whole number of 0 or more"
    if sent.get("kind") not in KINDS:
        return "unknown kind of event"
    for name in ("layer", "value", "check"):
        if not isinstance(sent.get(name, ""), str) or len(sent.get(name, "")) > LONGEST:
            return f"{name} must be a text of at most {LONGEST} characters"
        if any(0xD800 <= ord(c) <= 0xDFFF for c in sent.get(name, "")):
            return f"{name} contains an unpaired surrogate"
    at = sent.get("at", 0)
    if not isinstance(at, int | float) or isinstance(at, bool) or not 0 <= at < LATEST:
        return "at must be a time in seconds"
    return _meaning(sent, mode, aspects)


def whole(value: object) -> bool:
    """Return whether a value is a non-negative integer within JavaScript's range."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < HIGHEST


def _meaning(sent: Mapping[str, Any], mode: str, aspects: Sequence[str]) -> str:
    kind, value = sent["kind"], sent.get("value", "")
    if kind in ("add", "remove"):
        if not (whole(sent.get("start")) and whole(sent.get("end"))):
            return "a span needs start and end"
        if sent["start"] >= sent["end"]:
            return "a span must end after its start"
        if not CHECK.fullmatch(sent.get("check", "")):
            return "a span needs a check of its text"
        layers = aspects if mode == "aspects" else (RELEVANT,)
        if sent.get("layer") not in layers:
            return "unknown layer"
    elif kind == "bep" and not whole(sent.get("start")):
        return "an entry point needs a position"
    elif kind == "bep" and not CHECK.fullmatch(sent.get("check", "")):
        return "an entry point needs a check of its text"
    elif kind == "grade" and value not in ("", "0", "1", "2", "3"):
        return "a grade must be 0 to 3, or empty"
    elif kind == "exh" and (value not in ("-1", "0", "1", "2") or not sent.get("layer")):
        return "exhaustivity must be -1, 0, 1 or 2, with a path"
    elif kind == "skip" and not value.strip():
        return "a skip needs a reason"
    elif kind in ("undo", "redo") and ":" not in value:
        return "an undo must name an event"
    return ""
