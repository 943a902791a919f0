"""Reading INEX assessments of 2002 to 2007.

One reader takes them all, because files of one year differ more than their descriptions say:
which attributes an element carries decides how it was judged. Sizes are the file's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING
from warnings import warn

import numpy as np

from spanwise.errors import FormatError, SpanwiseWarning
from spanwise.formats.judged import Judged
from spanwise.formats.stretches import Stretches
from spanwise.formats.xml_events import Event, copied, events
from spanwise.model.assessments import (
    TOO_SMALL,
    UNJUDGED,
    UNSTATED,
    Elements,
    Flag,
    Pool,
)
from spanwise.model.paths import PATH_DUE, POINT_DUE, is_element_path, is_point

if TYPE_CHECKING:
    from spanwise.formats.registry import Reading
    from spanwise.model.judgements import Judgements

DUE = "INEX assessments: <assessments topic=...> with a <file> for each judged document"
OTHERS = (
    "runs begin with <inex-submission>, topics with <inex_topic>; documents are for --collection"
)
PAIRED = {"0": 0, "1": 1, "2": 2, "3": 3, "U": UNJUDGED}
GRADED = {"0": 0, "1": 1, "2": 2, "3": 3}
EXHAUSTIVE = {"0": 0, "1": 1, "2": 2, "?": TOO_SMALL}
COVERED = {letter: ord(letter) for letter in "NLSE"}
FLAGS = {
    "inpool": Flag.INPOOL,
    "inferred": Flag.INFERRED,
    "inconsistant": Flag.INCONSISTENT,
    "inconsistent": Flag.INCONSISTENT,
}
DIGITS = re.compile(r"[0-9]{1,18}")
HELPER = "xrai:s"
"""An element that the assessors' program put into documents; no finished file names it."""


class Assessed(Judged):
    """Takes the events of one file."""

    def __init__(self, file: str, how: Reading) -> None:
        super().__init__(file, how)
        self.stretches = Stretches()

    topic = b""
    skipping = False  # inside a document that is there for the second time
    statement: list[str] | None = None

    def take(self, event: Event) -> None:
        """The next event."""
        if self.statement is not None:
            self._copy(event)
        elif event.kind == "start":
            self._start(event)
        elif event.kind == "text" and event.text.strip():
            self.problem(event.line, f"the text {event.text.strip()[:40]!r}", "only elements")

    def _start(self, event: Event) -> None:
        if event.depth == 1:
            self._root(event)
        elif event.depth == 2 and event.name == "inex_topic":
            self.statement = [copied(event)]
        elif event.depth == 2 and event.name == "file":
            name, collection = _file_name(event.attributes), event.attributes.get("collection", "")
            if not name:
                self.problem(event.line, "a file without a name", 'name="..." or file="..."')
            self.skipping = not name or not self.document(
                self.topic, name.encode(), event.line, collection.encode()
            )
        elif event.depth == 3 and not self.skipping:
            self._part(event)
        elif event.depth != 3:
            self.problem(event.line, f"<{event.name}> in an unexpected place", DUE)

    def _root(self, event: Event) -> None:
        if event.name != "assessments":
            raise FormatError(self.file, event.line, f"<{event.name}>", DUE, OTHERS)
        said = event.attributes
        topic = _topic(said)
        if not topic:
            raise FormatError(self.file, event.line, "assessments of no topic", 'topic="..."')
        self.topic = topic.encode()
        self.pools[self.topic] = Pool(
            said.get("pool", ""), said.get("version", ""), said.get("whitespace-text-node", "")
        )

    def _copy(self, event: Event) -> None:
        assert self.statement is not None
        self.statement.append(copied(event))
        if event.kind == "end" and event.depth == 2:
            pool = self.pools[self.topic]
            every = [pool.statement, "".join(self.statement)]  # a file may hold several
            statement = "\n".join(filter(None, every))
            self.pools[self.topic] = replace(pool, statement=statement)
            self.statement = None

    def _part(self, event: Event) -> None:
        if event.name == "passage":
            points = [self._point(event, name) for name in ("start", "end")]
            size = self._size(event, "size")
            if all(points) and size is not None:
                self.passage(points[0], points[1], size)
        elif event.name == "best-entry-point":
            point = self._point(event, "path")
            if point:
                self.entry(point, event.line)
        elif "path" in event.attributes:
            self._element(event)
        elif (stretch := self.stretches.behind(event.attributes.get("stretch", ""))) is not None:
            self.elements(*stretch, event.line)
        else:
            self.problem(event.line, f"<{event.name}> without a path", DUE)

    def _point(self, event: Event, name: str) -> bytes:
        point = event.attributes.get(name, "").strip()
        if not is_point(point):
            self.problem(event.line, f"{name} {point!r} of <{event.name}>", POINT_DUE)
            return b""
        return point.encode()

    def _element(self, event: Event) -> None:
        path = event.attributes["path"].strip()
        if HELPER in path:
            self.problem(
                event.line,
                f"path {path!r} names the helper element {HELPER}",
                "paths of the document itself",
                "the export was not finished",
            )
        elif not is_element_path(path):
            self.problem(event.line, f"path {path!r}", PATH_DUE)
        else:
            grades = self._grades(event)
            if grades is not None:
                self.element(path.encode(), event.line, **grades, flags=self._flags(event))

    def _grades(self, event: Event) -> dict[str, int] | None:
        """The grades of an element, by the attributes that it has; None if they are wrong."""
        said = event.attributes
        if "relevance" in said or "coverage" in said:
            wanted = {
                "exhaustivity": self._grade(event, "relevance", GRADED),
                "coverage": self._grade(event, "coverage", COVERED),
            }
        elif event.name == "element" or "size" in said or "rsize" in said:
            stated = "exhaustivity" in said
            wanted = {
                "exhaustivity": self._grade(event, "exhaustivity", EXHAUSTIVE)
                if stated
                else UNSTATED,
                "size": self._size(event, "size"),
                "highlighted": self._size(event, "rsize"),
            }
        else:
            name = "exhaustiveness" if "exhaustiveness" in said else "exhaustivity"
            if name not in said and "specificity" not in said:
                return {}
            wanted = {
                "exhaustivity": self._grade(event, name, PAIRED),
                "specificity": self._grade(event, "specificity", PAIRED),
            }
        found = {name: value for name, value in wanted.items() if value is not None}
        return found if len(found) == len(wanted) else None

    def _grade(self, event: Event, name: str, grades: Mapping[str, int]) -> int | None:
        said = event.attributes.get(name)
        grade = grades.get((said or "").strip())
        if grade is None:
            found = f"no {name}" if said is None else f"{name} {said!r}"
            self.problem(event.line, found, f"one of {', '.join(grades)}")
        return grade

    def _size(self, event: Event, name: str) -> int | None:
        said = event.attributes.get(name)
        if said is not None and DIGITS.fullmatch(said.strip()):
            return int(said)
        found = f"no {name}" if said is None else f"{name} {said!r}"
        self.problem(event.line, f"{found} of <{event.name}>", "a number of characters")
        return None

    def _flags(self, event: Event) -> Flag:
        flags = Flag(0)
        for name, flag in FLAGS.items():
            said = event.attributes.get(name, "false").strip()
            if said == "true":
                flags |= flag
            elif said != "false":
                self.problem(event.line, f"{name} {said!r}", "true or false")
        return flags


def _topic(said: Mapping[str, str]) -> str:
    """The topic that assessments belong to, whatever the attribute is called."""
    others = [name for name in said if name not in ("pool", "version", "whitespace-text-node")]
    named = [name for name in others if "topic" in name.lower()]
    name = "topic" if "topic" in said else (named or others or [""])[0]
    return said.get(name, "").strip()


def _file_name(said: Mapping[str, str]) -> str:
    """The name of a judged document, whatever the attribute is called."""
    others = [name for name in said if name not in ("name", "file", "collection")]
    name = next((name for name in ("name", "file", *others) if name in said), "")
    return said.get(name, "").strip()


def parsed(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """The assessments of one topic."""
    content = Assessed(file, how)
    for event in events(content.stretches.shortened(pieces), file, DUE):
        content.take(event)
    judgements, _ = content.finished(DUE)
    return inferred(judgements, content)


def inferred(judgements: Judgements, content: Assessed) -> Judgements:
    """An element without exhaustivity, among others that have it, has that of the best inside."""
    said = judgements.elements
    assert said is not None
    elements = said.elements
    missing = np.flatnonzero((elements.exhaustivity == UNSTATED) & (elements.sizes >= 0))
    if not len(missing):
        return judgements
    grades = elements.exhaustivity.copy()
    for number in missing.tolist():
        best = _best_inside(elements, number)
        if best == UNSTATED:
            row = int(np.searchsorted(elements.first, number, side="right")) - 1
            path = elements.paths.take(np.array([number]))[0].decode()
            content.problem(
                judgements.rows.line(row),
                f"no exhaustivity of {path} nor of anything in it",
                f"one of {', '.join(EXHAUSTIVE)}",
            )
        grades[number] = best
    warn(
        f"{content.file}: {len(missing)} elements have no exhaustivity; they take the highest of"
        " the elements in them",
        SpanwiseWarning,
        stacklevel=2,
    )
    inferred = replace(said, elements=replace(elements, exhaustivity=grades))
    return replace(judgements, elements=inferred)


def _best_inside(elements: Elements, number: int) -> int:
    row = int(np.searchsorted(elements.first, number, side="right")) - 1
    others = np.arange(elements.first[row], elements.first[row + 1])
    outer, *paths = elements.paths.take(np.concatenate([[number], others]))
    inside = [path.startswith(outer + b"/") for path in paths]
    return int(elements.exhaustivity[others[inside]].max(initial=UNSTATED))
