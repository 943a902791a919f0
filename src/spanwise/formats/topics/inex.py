"""INEX topics of 2002 to 2010: XML that changed from year to year, read by one reader.

2002 had `INEX-Topic` with `topic-id`, 2003 to 2006 `inex_topic` with `topic_id`, one or several per
file, and from 2007 on `topic` with `id` in an `inex-topic-file`. Names are therefore compared
without regard to case and to `-` or `_`, and every field of every year may occur in any form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Any
from warnings import warn

from spanwise.errors import EmptyError, FormatError, InputError, SpanwiseWarning
from spanwise.formats.io.xml import FORBIDDEN, IN_TEXT, root_of, walk
from spanwise.formats.registry import Reading, reader, writer

if TYPE_CHECKING:
    from spanwise.model.topics import Context, Topic, Topics

TOPIC = frozenset({"inex_topic", "topic"})
FILES = frozenset({"inex_topic_file", "inex_topic", "inex_topics"})
ASSESSMENTS = frozenset({"assessments", "full_recall_base"})
"""Files with topics in them that are not topic files."""
ATTRIBUTES = {"topic_id": "id", "id": "id", "ct_no": "ct_no"} | dict.fromkeys(
    ("query_type", "type"), "query_type"
)
ELEMENTS = {
    name: name
    for name in (
        "title",
        "castitle",
        "phrasetitle",
        "mmtitle",
        "xpath_title",
        "description",
        "narrative",
        "keywords",
        "ontopic_keywords",
        "offtopic_keywords",
        "parent",
    )
} | {"initialtopicstatement": "initial_statement"}
OTHER_NAMES = {"co_title": "title", "cas_title": "castitle"}
"""Names of fields in the headers of efficiency runs."""
TITLE_PARTS = frozenset({"te", "cw", "ce"})


def looks_like_topics(head: bytes) -> bool:
    """Return whether the root is that of one of the years, or contains topics with titles."""
    root = _plain(root_of(head))
    if root in FILES:
        return True
    if root in ASSESSMENTS or "submission" in root:
        return False
    titled = re.search(rb"<(inex_)?topic[\s>].*?<(cas_?|co_)?title[\s>]", head[:100_000], re.DOTALL)
    return bool(root) and titled is not None


@reader("inex_topics", holds="topics", recognise=looks_like_topics)
def parse_topics(pieces: Iterator[bytes], file: str, options: Reading) -> Topics:
    """INEX topics in XML: `inex_topic` or `topic` with title, castitle, description, narrative.

    All years from 2002 to 2010 are read. Unknown fields are kept beside the others. A file may have
    several documents.
    """
    builder = _Builder(file, options)
    walk(pieces, file, builder)
    builder.warn()
    return unique(builder.topics, file, options)


def unique(found: Iterable[Topic], source: str, options: Reading) -> Topics:
    """Return the topics of a source, which must not be empty and must have different ids."""
    from spanwise.model.topics import Topics

    topics: dict[str, Topic] = {}
    for topic in found:
        line = topic.line("id")
        if not topic.id:
            options.note(FormatError(source, line, "a topic without an id", ""))
        elif topic.id in topics:
            first = topics[topic.id].line("id")
            repeated = f"topic {topic.id!r} a second time"
            repeated += f", first on line {first}" if first else ""
            options.note(FormatError(source, line, repeated, "one topic for each id"))
        else:
            topics[topic.id] = topic
    if not topics:
        raise EmptyError(source, None, "no topics", "at least one topic")
    return Topics(source, tuple(topics.values()))


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


class _Builder:
    """A visitor that builds topics."""

    def __init__(self, file: str, options: Reading) -> None:
        self.topics: list[Topic] = []
        self._file, self._options = file, options
        self._open: list[str] = []  # open elements, from the topic down
        self._draft = _Draft(0)
        self._flattened = self._attributes = 0
        self._stray: list[int] = []  # lines with text outside fields

    def start(self, name: str, attributes: dict[str, str], line: int) -> None:
        """Handle the start of a topic, of a field, or of a part of a field."""
        if not self._open:
            if _plain(name) in TOPIC:
                self._open = [name]
                self._draft = _Draft(line)
                for key, value in attributes.items():
                    self._draft.state(ATTRIBUTES.get(_plain(key)), f"@{key}", value, line)
            return
        self._open.append(name)
        if len(self._open) == 2:
            self._draft.begin(line)
            self._attributes += len(attributes)
        else:
            part = _plain(name) in TITLE_PARTS and _plain(self._open[1]) == "title"
            self._flattened += not part
            self._draft.part(_plain(name) if part and len(self._open) == 3 else "")

    def text(self, text: str, line: int) -> None:
        """Handle some text of a field."""
        if len(self._open) > 1:
            self._draft.add(text, line)
        elif not text.isspace():
            self._stray.append(line)

    def end(self, name: str, line: int) -> None:
        """Handle the end of a part of a field, of a field, or of a topic."""
        if not self._open:
            return
        self._open.pop()
        if not self._open:
            self._finish()
        elif len(self._open) == 1:
            plain = _plain(name)
            key = ELEMENTS.get(OTHER_NAMES.get(plain, plain))
            if key in self._draft.values:
                found = f"a second <{name}> in one topic"
                self._options.note(FormatError(self._file, line, found, "one of each"))
            else:
                self._draft.finish(key, name)
        elif len(self._open) == 2:
            self._draft.part("")

    def _finish(self) -> None:
        from spanwise.model.topics import Topic

        draft = self._draft
        topic = Topic(**draft.values, others=tuple(draft.others), lines=draft.lines)
        self.topics.append(topic)

    def warn(self) -> None:
        """Warn of the parts of the file that are not in the topics."""
        missed = []
        if self._flattened:
            missed.append(f"elements within fields, read as their text: {self._flattened}")
        if self._attributes:
            missed.append(f"attributes of fields, ignored: {self._attributes}")
        if self._stray:
            missed.append(f"text outside fields, ignored, first on line {self._stray[0]}")
        if missed:
            warn(f"{self._file}: {'; '.join(missed)}", SpanwiseWarning, stacklevel=2)


class _Draft:
    """A topic under construction."""

    def __init__(self, line: int) -> None:
        self.values: dict[str, Any] = {"id": ""}
        self.lines = {"id": line}
        self.others: list[tuple[str, str]] = []
        self.begin(line)

    def state(self, key: str | None, name: str, value: str, line: int) -> None:
        """Store a value under its field, or under its own name if the field is taken or unknown."""
        if key is None or self.values.get(key):
            self.others.append((name, value))
        else:
            self.values[key], self.lines[key] = value, line

    def begin(self, line: int) -> None:
        """Begin a field of the topic."""
        self._pieces: list[str] = []
        self._parts: list[tuple[str, list[str]]] = []
        self._inside = ""
        self._first = line
        self._blank = True

    def part(self, name: str) -> None:
        """Begin an element within the field, with a name if it is part of a title, or end one."""
        self._pieces.append(" ")
        self._inside = name
        if name:
            self._parts.append((name, []))

    def add(self, text: str, line: int) -> None:
        """Add text to the field."""
        if self._blank and not text.isspace():
            self._blank = False
            self._first = line + text[: len(text) - len(text.lstrip())].count("\n")
        (self._parts[-1][1] if self._inside else self._pieces).append(text)

    def finish(self, key: str | None, name: str) -> None:
        """End a field of the topic."""
        if key == "title" and self._parts:
            self._finish_parts()
        else:
            self.state(key, name, "".join(self._pieces).strip(), self._first)

    def _finish_parts(self) -> None:
        """Store the title as words, and what the words belong to beside it."""
        from spanwise.model.topics import Context

        texts = [(name, " ".join("".join(text).split())) for name, text in self._parts]
        contexts: list[Context] = []
        for name, text in texts:
            if name == "cw":
                contexts.append(Context(text))
            elif name == "ce" and contexts and contexts[-1].elements is None:
                contexts[-1] = Context(contexts[-1].words, text)
            elif name == "ce":
                contexts.append(Context("", text))
        self.values["targets"] = tuple(text for name, text in texts if name == "te")
        self.values["contexts"] = tuple(contexts)
        beside = "".join(self._pieces).split()
        words = [*beside, *(context.words for context in contexts if context.words)]
        self.state("title", "title", " ".join(words), self._first)


@writer("inex_topics")
def write_topics(topics: Topics) -> Iterator[bytes]:
    """Write the topics as an `inex-topic-file` that can be read again without loss."""
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n<inex-topic-file>\n'
    for topic in topics:
        yield "\n".join([_start_tag(topic), *_fields(topic), "</topic>\n"]).encode()
    yield b"</inex-topic-file>\n"


def _start_tag(topic: Topic) -> str:
    stated = [("id", topic.id), ("ct_no", topic.ct_no), ("query_type", topic.query_type)]
    stated += [(name[1:], value) for name, value in topic.others if name.startswith("@")]
    shown = [f' {name}="{_escaped(v, topic, IN_VALUE)}"' for name, v in stated if v is not None]
    return f"<topic{''.join(shown)}>"


def _fields(topic: Topic) -> Iterator[str]:
    spelt = {"initial_statement": "InitialTopicStatement"}
    for name in (field.name for field in fields(topic)):
        if name == "title" and (topic.contexts or topic.targets):
            yield f"  <title>{_title_parts(topic)}</title>"
        elif name in ELEMENTS.values() and getattr(topic, name) is not None:
            tag = spelt.get(name, name)
            yield f"  <{tag}>{_escaped(getattr(topic, name), topic)}</{tag}>"
    for name, text in topic.others:
        if not name.startswith("@"):
            yield f"  <{name}>{_escaped(text, topic)}</{name}>"


def _title_parts(topic: Topic) -> str:
    parts = [("te", target) for target in topic.targets]
    for context in topic.contexts:
        parts += [("cw", context.words)] if context.words else []
        parts += [("ce", context.elements)] if context.elements is not None else []
    return "".join(f"<{tag}>{_escaped(text, topic)}</{tag}>" for tag, text in parts)


IN_VALUE = IN_TEXT | str.maketrans({'"': "&quot;", "\t": "&#9;", "\n": "&#10;"})


def _escaped(text: str, topic: Topic, table: dict[int, str] = IN_TEXT) -> str:
    """Return text escaped for XML."""
    wrong = FORBIDDEN.search(text)
    if wrong:
        raise InputError(f"topic {topic.id!r}: XML cannot hold the character {wrong.group()!r}")
    return text.translate(table)
