"""INEX runs in XML: submissions of 2002 to 2008, and of the efficiency track of 2009 and 2010.

One reader accepts all forms, and each form has a writer. The order of results in the file is the
ranking: participants used rank and rsv in incompatible ways, so both are kept but not used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from warnings import warn

import numpy as np

from spanwise.errors import FormatError, SpanwiseWarning
from spanwise.formats.builders import Result, RunBuilder, number, places, results_at, topics_of
from spanwise.formats.io.columns import NUMBER
from spanwise.formats.io.files import beginning, stem
from spanwise.formats.io.xml import DECLARATION, Event, escaped, events, tag
from spanwise.formats.registry import Reading, reader, writer
from spanwise.model import contents
from spanwise.model.columns import text
from spanwise.model.documents import EXPECTED_POINT, is_point
from spanwise.model.spans import UNKNOWN

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.run import Run

ROOTS = ("inex-submission", "efficiency-submission")
EXPECTED = "an INEX run: <inex-submission> or <efficiency-submission> with a <topic> for each topic"
OTHERS = "submissions of other tracks, such as snippets or links, are not read"
EXPECTED_RESULT = "file, path, passage, fol, rank or rsv"
DESCRIBING = (
    "description",
    "general_description",
    "ranking_description",
    "indexing_description",
    "caching_description",
)
DIGITS = re.compile(r"[0-9]{1,18}")
MISSPELT = {"taks": "task"}


# Reading -----------------------------------------------------------------------------------------


class XmlRunBuilder(RunBuilder):
    """A builder that takes the events of one file."""

    def __init__(self, file: str, options: Reading) -> None:
        super().__init__(file, options)
        self.header: dict[str, str] = {}
        self._text: list[str] = []
        self._topic = ""
        self._result: Result | None = None
        self._empty, self._count, self._mended = 0, 0, 0

    def take(self, event: Event) -> None:
        """Process the next event."""
        if event.kind == "text":
            self._text.append(event.text)
            return
        text = "".join(self._text).strip()
        self._text.clear()
        if event.kind == "start":
            if text:
                self.problem(event.line, f"the text {text[:40]!r} before <{event.name}>", EXPECTED)
            self._start(event)
        else:
            self._end(event, text)

    def _start(self, event: Event) -> None:
        if event.depth == 1:
            if event.name not in ROOTS:
                raise FormatError(self.file, event.line, f"<{event.name}>", EXPECTED, OTHERS)
            for name, value in event.attributes.items():
                self.header[MISSPELT.get(name, name)] = value.strip()
        elif event.depth == 2:
            self._part_of_run(event)
        elif event.depth == 3 and event.name == "result" and self._topic:
            self._result = Result(line=event.line)
        elif event.depth == 4 and self._result is not None:
            self._place(event, self._result)
        elif event.name not in ("collections", "collection", "result"):
            self.problem(event.line, f"<{event.name}> in an unexpected place", EXPECTED)

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
        elif event.name not in (*DESCRIBING, "collections"):
            self.problem(event.line, f"<{event.name}>", EXPECTED)

    def _place(self, event: Event, result: Result) -> None:
        if event.name not in ("file", "path", "passage", "fol", "rank", "rsv"):
            self.problem(event.line, f"<{event.name}> in a result", EXPECTED_RESULT)
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
        elif event.depth == 2 and event.name in DESCRIBING:
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
            self.problem(line, f"path {text!r}", EXPECTED_POINT)
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

    def repairs(self) -> Iterator[str]:
        """Yield descriptions of what was ignored or repaired."""
        if self._empty:
            yield f"topics without results: {self._empty}"
        if self._mended:
            yield f"paths from which a stray > at the end was dropped: {self._mended}"


def read_submission(pieces: Iterator[bytes], file: str, options: Reading) -> Run:
    """Return the run in a submission."""
    content = XmlRunBuilder(file, options)
    for event in events(pieces, file, EXPECTED):
        content.take(event)
    for message in content.repairs():
        warn(f"{file}: {message}", SpanwiseWarning, stacklevel=2)
    return content.build(content.header.get("run-id") or stem(file), content.header, EXPECTED)


# Writing -----------------------------------------------------------------------------------------

ROOT_PATH = "/article[1]"
"""Path of a whole document; every document of the campaigns is an article."""
WHOLE = f"whole documents, written as {ROOT_PATH}"
KINDS = {
    "path": contents.PATHS,
    "passage": contents.RANGES,
    "fol": contents.SPANS,
    "lost": contents.LOST,
    "whole": WHOLE,
}


@dataclass(frozen=True, slots=True)
class Shape:
    """The form of the submissions of some years."""

    attributes: tuple[str, ...]
    fields: bool = True  # whether it states the parts of a topic that were used
    points: tuple[str, ...] = ("path",)  # the ways to place a result
    root: str = "inex-submission"
    descriptions: tuple[str, ...] = ("description",)
    collections: bool = True

    def loses(self, run: Run) -> Mapping[str, int]:
        """Count what the form cannot hold of a run, by kind."""
        counts = {
            KINDS[place]: int(np.count_nonzero(flags))
            for place, flags in places(run).items()
            if place not in self.points
        }
        counts |= contents.of_chunks(run) | {contents.PLACED: _placed_too(run)}
        known = set(map(text, run.rows.topics))
        counts[contents.HEADER] = sum(not self._keeps(key, known) for key in run.header or ())
        return contents.without(counts)

    def _keeps(self, key: str, topics: set[str]) -> bool:
        """Return whether the form can hold an entry of the header."""
        if key.startswith("topic/"):
            topic, _, name = key.removeprefix("topic/").rpartition("/")
            return topic in topics and (name == "collections") == self.collections
        if key.startswith("topic-fields/"):
            return self.fields
        if key == "collections":
            return self.collections
        return key in self.attributes or key in self.descriptions

    def write(self, run: Run) -> Iterator[bytes]:
        """Yield the file, topic by topic."""
        header = run.header or {}
        stated = {key: header[key] for key in self.attributes if key in header}
        if "run-id" not in stated:
            stated = {"run-id": run.name, **stated}
        yield (DECLARATION + tag(self.root, stated) + "\n" + self._head(header)).encode()
        holds = self._holds(run)
        for topic, rows in topics_of(run):
            yield self._topic(run, topic, rows[holds[rows]], header).encode()
        yield f"</{self.root}>\n".encode()

    def _holds(self, run: Run) -> BoolArray:
        found = places(run)
        return np.logical_or.reduce([found[place] for place in (*self.points, "whole")])

    def _head(self, header: Mapping[str, str]) -> str:
        lines = []
        fields = {
            key.removeprefix("topic-fields/"): value
            for key, value in header.items()
            if key.startswith("topic-fields/")
        }
        if fields and self.fields:
            lines.append(tag("topic-fields", fields, empty=True))
        lines += [
            f"<{name}>{escaped(header[name])}</{name}>"
            for name in self.descriptions
            if name in header
        ]
        if self.collections:
            lines += _collections(header.get("collections", ""))
        return "".join(f"{line}\n" for line in lines)

    def _topic(self, run: Run, topic: bytes, rows: IntArray, header: Mapping[str, str]) -> str:
        start = f"topic/{text(topic)}/"
        stated = {
            key.removeprefix(start): value for key, value in header.items() if key.startswith(start)
        }
        collections = stated.pop("collections", "")
        named = {"topic-id": text(topic), **({} if self.collections else stated)}
        lines = [tag("topic", named)]
        if self.collections:
            lines += _collections(collections)
        lines += [_result(result) for result in results_at(run, rows)]
        return "\n".join([*lines, "</topic>\n"])


def _placed_too(run: Run) -> int:
    """Return how many results have offsets beside their paths; the form holds one of them."""
    if run.paths is None or run.spans is None:
        return 0
    return int(np.count_nonzero(contents.filled(run.paths) & (run.spans.starts != UNKNOWN)))


def _collections(names: str) -> list[str]:
    if not names:
        return []
    inside = "".join(f"<collection>{escaped(name)}</collection>" for name in names.split())
    return [f"<collections>{inside}</collections>"]


def _result(result: Result) -> str:
    parts = [f"<file>{escaped(text(result.document))}</file>"]
    if result.end:
        points = {"start": text(result.path), "end": text(result.end)}
        parts.append(tag("passage", points, empty=True))
    elif result.path:
        parts.append(f"<path>{escaped(text(result.path))}</path>")
    elif result.start is not None:
        parts.append(tag("fol", {"offset": result.start, "length": result.length}, empty=True))
    else:
        parts.append(f"<path>{ROOT_PATH}</path>")
    if result.rank is not None:
        parts.append(f"<rank>{number(result.rank)}</rank>")
    if result.score is not None:
        parts.append(f"<rsv>{number(result.score)}</rsv>")
    return f"<result>{''.join(parts)}</result>"


NAMED = ("participant-id", "run-id", "task", "query")
SHAPES = {
    "inex_submission_2002": Shape((*NAMED, "topic-part"), fields=False),
    "inex_submission_2005": Shape((*NAMED, "submission-type")),
    "inex_submission_2006": Shape(NAMED),
    "inex_submission_2007": Shape((*NAMED, "result-type"), points=("path", "passage", "fol")),
    "inex_efficiency": Shape(
        (
            "participant-id",
            "run-id",
            "task",
            "type",
            "query",
            "sequential",
            "no_cpu",
            "ram",
            "no_nodes",
            "hardware_cost",
            "hardware_year",
            "topk",
            "index_size_bytes",
            "indexing_time_sec",
        ),
        root="efficiency-submission",
        descriptions=(
            "general_description",
            "ranking_description",
            "indexing_description",
            "caching_description",
        ),
        collections=False,
    ),
}


# Registration ------------------------------------------------------------------------------------

DESCRIPTIONS = {
    "inex_submission_2002": """INEX runs of 2002 to 2004: elements, in XML.

    `<inex-submission participant-id="7" run-id="mine" task="CO" query="automatic"
    topic-part="T"><topic topic-id="31"><result><file>an/1995/a1004</file>
    <path>/article[1]/bdy[1]</path><rank>1</rank><rsv>0.9</rsv></result></topic>
    </inex-submission>`. Rank and rsv are optional; the order in the file counts.
    """,
    "inex_submission_2005": """INEX runs of 2005: as before, with `submission-type` and fields.

    `<topic-fields title="yes" castitle="no" description="no" narrative="no"
    ontopic_keywords="no"/>` replaces `topic-part`.
    """,
    "inex_submission_2006": """INEX runs of 2006: tasks Thorough to BestInContext.

    As 2005 without `submission-type`. A run of best entry points has one path for each document.
    """,
    "inex_submission_2007": """INEX runs of 2007 and 2008: elements, passages or offsets, in XML.

    With `result-type`. The place of a result is a `<path>`, a `<passage start="..." end="..."/>`
    or a `<fol offset="461" length="202"/>`.
    """,
    "inex_efficiency": """INEX runs of the efficiency track of 2009 and 2010, in XML.

    `<efficiency-submission ...>` describes hardware and index, every `<topic>` states times.
    """,
}


def shape_of(head: bytes) -> str:
    """Return the name of the form of a submission, or an empty string if it is not one.

    Submissions of other tracks are recognised too, so that the reader can report them.
    """
    if beginning(head) != b"<":
        return ""
    from spanwise.formats.io.xml import first_element

    name, attributes = first_element(head)
    if name == "efficiency-submission":
        return "inex_efficiency"
    if not name.endswith("-submission"):
        return ""
    if "result-type" in attributes or name != "inex-submission":
        return "inex_submission_2007"
    if "submission-type" in attributes:
        return "inex_submission_2005"
    if b"<topic-fields" in head[:100_000]:
        return "inex_submission_2006"
    return "inex_submission_2002"


def _register(name: str, description: str) -> None:
    """Register a form: all share one reader, and each has a writer."""

    def parse(pieces: Iterator[bytes], file: str, options: Reading) -> Run:
        return read_submission(pieces, file, options)

    def loses(run: Run) -> Mapping[str, int]:
        return SHAPES[name].loses(run)

    def write(run: Run) -> Iterator[bytes]:
        return SHAPES[name].write(run)

    parse.__doc__ = description
    reader(name, holds="run", recognise=lambda head: shape_of(head) == name)(parse)
    writer(name, loses=loses)(write)


for _name, _description in DESCRIPTIONS.items():
    _register(_name, _description)
