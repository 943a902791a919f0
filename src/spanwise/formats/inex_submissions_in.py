"""Reading INEX runs in XML.

One reader takes them all. The order of results in the file is the ranking: participants filled
rank and rsv in every possible way, so both are kept as they stand and decide nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from warnings import warn

from spanwise.errors import FormatError, SpanwiseWarning
from spanwise.formats.numerals import NUMBER
from spanwise.formats.returned import Result, Returned
from spanwise.formats.trec import stem
from spanwise.formats.xml_events import Event, events
from spanwise.model.paths import POINT_DUE, is_point

if TYPE_CHECKING:
    from spanwise.formats.registry import Reading
    from spanwise.model.run import Run

ROOTS = ("inex-submission", "efficiency-submission")
DUE = "an INEX run: <inex-submission> or <efficiency-submission> with a <topic> for each topic"
OTHERS = "submissions of other tracks, such as snippets or links, are not read"
RESULT_DUE = "file, path, passage, fol, rank or rsv"
DESCRIPTIONS = (
    "description",
    "general_description",
    "ranking_description",
    "indexing_description",
    "caching_description",
)
DIGITS = re.compile(r"[0-9]{1,18}")
MISSPELT = {"taks": "task"}


class Submitted(Returned):
    """Takes the events of one file."""

    def __init__(self, file: str, how: Reading) -> None:
        super().__init__(file, how)
        self.header: dict[str, str] = {}
        self._text: list[str] = []
        self._topic = ""
        self._result: Result | None = None
        self._empty, self._count, self._mended = 0, 0, 0

    def take(self, event: Event) -> None:
        """The next event."""
        if event.kind == "text":
            self._text.append(event.text)
            return
        text = "".join(self._text).strip()
        self._text.clear()
        if event.kind == "start":
            if text:
                self.problem(event.line, f"the text {text[:40]!r} before <{event.name}>", DUE)
            self._start(event)
        else:
            self._end(event, text)

    def _start(self, event: Event) -> None:
        if event.depth == 1:
            if event.name not in ROOTS:
                raise FormatError(self.file, event.line, f"<{event.name}>", DUE, OTHERS)
            for name, value in event.attributes.items():
                self.header[MISSPELT.get(name, name)] = value.strip()
        elif event.depth == 2:
            self._part_of_run(event)
        elif event.depth == 3 and event.name == "result" and self._topic:
            self._result = Result(line=event.line)
        elif event.depth == 4 and self._result is not None:
            self._place(event, self._result)
        elif event.name not in ("collections", "collection", "result"):
            self.problem(event.line, f"<{event.name}> in an unexpected place", DUE)

    def _part_of_run(self, event: Event) -> None:
        if event.name == "topic":
            self._topic = event.attributes.get("topic-id", "").strip()
            self._count = 0
            if not self._topic:
                self.problem(event.line, "a topic without an id", 'topic-id="..."')
            for name, value in event.attributes.items():
                if name != "topic-id":
                    self.header[f"topic/{self._topic}/{name}"] = value.strip()
        elif event.name == "topic-fields":
            for name, value in event.attributes.items():
                self.header[f"topic-fields/{name}"] = value.strip()
        elif event.name not in (*DESCRIPTIONS, "collections"):
            self.problem(event.line, f"<{event.name}>", DUE)

    def _place(self, event: Event, result: Result) -> None:
        if event.name not in ("file", "path", "passage", "fol", "rank", "rsv"):
            self.problem(event.line, f"<{event.name}> in a result", RESULT_DUE)
        if event.name in ("path", "passage", "fol") and not result.whole:
            self.problem(event.line, f"a second place, <{event.name}>, in a result", "one place")
        elif event.name == "passage":
            result.path = self._point(event.attributes.get("start", ""), event.line)
            result.end = self._point(event.attributes.get("end", ""), event.line)
        elif event.name == "fol":
            offset, length = (event.attributes.get(name, "") for name in ("offset", "length"))
            if DIGITS.fullmatch(offset.strip()) and DIGITS.fullmatch(length.strip()):
                result.start, result.length = int(offset), int(length)
            else:
                self.problem(
                    event.line, f"offset {offset!r} and length {length!r}", "two numbers from 0 on"
                )

    def _end(self, event: Event, text: str) -> None:
        result = self._result
        if event.depth == 2 and event.name == "topic":
            self._empty += not self._count
            self._topic = ""
        elif event.depth == 2 and event.name in DESCRIPTIONS:
            self.header[event.name] = text
        elif event.name == "collection":
            key = f"topic/{self._topic}/collections" if self._topic else "collections"
            self.header[key] = f"{self.header.get(key, '')} {text}".strip()
        elif event.depth == 3 and result is not None:
            self._finish(result)
            self._result = None
        elif event.depth == 4 and result is not None:
            self._value(event, text, result)

    def _value(self, event: Event, text: str, result: Result) -> None:
        if event.name == "file":
            if result.document:
                self.problem(event.line, f"a second file, {text!r}, in a result", "one file")
            result.document = text.encode()
        elif event.name == "path" and result.whole:
            result.path = self._point(text, event.line)
        elif event.name in ("rank", "rsv"):
            if not NUMBER.fullmatch(text.encode()):
                advice = "use a point, not a comma" if "," in text else ""
                self.problem(
                    event.line, f"{event.name} {text!r} is not a number", "a number", advice
                )
            elif event.name == "rank":
                result.rank = float(text)
            else:
                result.score = float(text)

    def _point(self, text: str, line: int) -> bytes:
        text = text.strip()
        if text.endswith(">"):
            self._mended += 1
            text = text.removesuffix(">").rstrip()
        if not is_point(text):
            self.problem(line, f"path {text!r}", POINT_DUE)
        return text.encode()

    def _finish(self, result: Result) -> None:
        self._count += 1
        if not result.document:
            self.problem(result.line, "a result without a file", "<file>document</file>")
        elif result.whole:
            self.problem(
                result.line, "a result without a place", "a path, a passage or a fol in it"
            )
        else:
            self.add(self._topic.encode(), result)

    def said(self) -> Iterator[str]:
        """What was passed over or mended."""
        if self._empty:
            yield f"topics without results: {self._empty}"
        if self._mended:
            yield f"paths with a stray > at their end, which was dropped: {self._mended}"


def parsed(pieces: Iterator[bytes], file: str, how: Reading) -> Run:
    """One submission."""
    content = Submitted(file, how)
    for event in events(pieces, file, DUE):
        content.take(event)
    for message in content.said():
        warn(f"{file}: {message}", SpanwiseWarning, stacklevel=2)
    return content.finished(content.header.get("run-id") or stem(file), content.header, DUE)
