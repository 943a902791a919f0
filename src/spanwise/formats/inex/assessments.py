"""Reading INEX assessments of 2002 to 2007.

One reader takes them all, because files of one year differ more than their descriptions say:
which attributes an element carries decides how it was judged. Sizes are the file's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from warnings import warn

import numpy as np

from spanwise.errors import FormatError, SpanwiseWarning, UsageError
from spanwise.formats.builders import Judged, Stretches, grades_of
from spanwise.formats.io.xml import DECLARATION, Event, copied, events, tag
from spanwise.formats.registry import Reading, reader, writer
from spanwise.formats.trec.columns import beginning
from spanwise.model import contents
from spanwise.model.columns import PlainIds, text
from spanwise.model.documents import PATH_DUE, POINT_DUE, is_element_path, is_point
from spanwise.model.elements import (
    NO_COVERAGE,
    NO_SIZE,
    TOO_SMALL,
    UNJUDGED,
    UNSTATED,
    Assessments,
    Elements,
    Flag,
    Passages,
    Pool,
    begins_of,
)
from spanwise.model.judgements import Judgements, by_topic

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, IntArray

DUE = "INEX assessments: <assessments topic=...> with a <file> for each judged document"
OTHERS = (
    "runs begin with <inex-submission>, topics with <inex_topic>; documents are for --collection"
)
PAIRED = {"0": 0, "1": 1, "2": 2, "3": 3, "U": UNJUDGED}
GRADED_LETTERS = {"0": 0, "1": 1, "2": 2, "3": 3}
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
                "exhaustivity": self._grade(event, "relevance", GRADED_LETTERS),
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


# Writing INEX assessments: what each year's form can hold, and how it looks. ----------------------

LETTERS = {TOO_SMALL: "?", UNJUDGED: "U", 0: "0", 1: "1", 2: "2", 3: "3"}
NOTES = {
    "inpool": Flag.INPOOL,
    "inferred": Flag.INFERRED,
    "inconsistant": Flag.INCONSISTENT,
}
UNHELD = "documents without relevance whose elements this form cannot hold"


@dataclass(frozen=True, slots=True)
class Form:
    """How the assessments of one year look."""

    year: str
    keeps: tuple[str, ...]  # kinds of content it holds whole
    quote: str = '"'
    levels: str = ""  # folders between the query type and the topic

    @property
    def highlighting(self) -> bool:
        """Whether text was highlighted, rather than elements graded twice."""
        return contents.PASSAGES in self.keeps

    def loses(self, judgements: Judgements) -> Mapping[str, int]:
        """What of some judgements does not fit, counted by kind."""
        counts = contents.without(contents.of_judgements(judgements), *self.keeps, contents.POOLED)
        said = _said(judgements)
        fits = self._holds(said.elements)
        counts[contents.ELEMENTS] = int(np.count_nonzero(~fits))
        if not self.highlighting:
            sizes = said.elements.sizes[fits]
            counts[contents.SIZES] = int(np.count_nonzero(sizes >= 0))
        else:
            counts[contents.PASSAGES] = int(np.count_nonzero(said.passages.sizes < 0))
        grades = judgements.grades[~self._writable(judgements, said)]
        counts[contents.UNSUPPORTED] = int(np.count_nonzero(grades > 0))
        counts[UNHELD] = int(np.count_nonzero(grades == 0))
        counts[contents.POOLED] = int(np.count_nonzero(grades < 0))
        return contents.without(counts)

    def _holds(self, elements: Elements) -> BoolArray:
        """Which elements have the grades of this form and no others."""
        e, s, letters = elements.exhaustivity, elements.specificity, elements.coverage
        if self.highlighting:
            sized = (elements.sizes >= 0) & (elements.highlighted >= 0)
            graded = (e >= TOO_SMALL) & (e <= 2)
            return sized & graded & (s == UNSTATED) & (letters == NO_COVERAGE)
        if self.year == "2002":
            return (e >= 0) & (letters != NO_COVERAGE) & (s == UNSTATED)
        pairs = _paired(e) & _paired(s)
        neither = (e == UNSTATED) & (s == UNSTATED) & (elements.sizes == NO_SIZE)
        return (pairs | neither) & (letters == NO_COVERAGE)

    def held(self, said: Assessments) -> Assessments:
        """What this form holds of some assessments."""
        empty = np.zeros(len(said.entries), np.int64)
        passages, entries = said.passages, said.entries
        sized = passages.sizes >= 0 if self.highlighting else np.zeros(len(passages), np.bool_)
        if contents.ENTRIES not in self.keeps:
            entries = PlainIds([b""] * len(empty))
        elements, fits = said.elements, self._holds(said.elements)
        chosen = np.flatnonzero(sized)
        return Assessments(
            replace(elements.only(np.flatnonzero(fits)), first=_kept(fits, elements.first)),
            Passages(
                _kept(sized, passages.first),
                passages.starts.reordered(chosen),
                passages.ends.reordered(chosen),
                passages.sizes[chosen],
            ),
            entries,
            said.collections,
            said.pools,
        )

    def _writable(self, judgements: Judgements, said: Assessments) -> BoolArray:
        """Which documents say in this form what they say now: relevant, not, or not judged."""
        return np.sign(grades_of(self.held(said))) == np.sign(judgements.grades)

    def files(self, judgements: Judgements) -> Iterator[tuple[str, Judgements]]:
        """A file for each topic, named as in a release."""
        for (topic, part), pool in zip(by_topic(judgements), _said(judgements).pools, strict=True):
            stated = re.search(r'query_type="([\w+.-]+)"', pool.statement)
            number = _safe(pool.number or text(topic))
            folder = (
                f"done/{stated[1] if stated else 'all'}{self.levels}/topic-{_safe(text(topic))}"
            )
            yield f"{folder}/pool-{number}.xml", part

    def write(self, judgements: Judgements) -> Iterator[bytes]:
        """The file of one topic, piece by piece."""
        topics = judgements.rows.topics
        if len(topics) > 1:
            raise UsageError(
                f"{judgements.rows.source} has {len(topics)} topics and a file of this form holds"
                " one; give the name of a folder, with / at its end, for one file each"
            )
        said = _said(judgements)
        rows = np.flatnonzero(self._writable(judgements, said))
        held = self.held(said).at(rows, range(len(topics)))
        yield (DECLARATION + self._root(topics[0], held.pools[0]) + "\n").encode()
        names = judgements.documents.take(rows)
        for row, name in enumerate(names):
            yield self._document(name, held, row).encode()
        yield b"</assessments>\n"

    def _root(self, topic: bytes, pool: Pool) -> str:
        said = {"pool": pool.number, "topic": text(topic)}
        said |= {"version": pool.version, "whitespace-text-node": pool.whitespace}
        kinds = {
            "pool": contents.POOLS,
            "version": contents.VERSIONS,
            "whitespace-text-node": contents.WHITESPACE,
        }
        kept = {
            name: value
            for name, value in said.items()
            if value and (name not in kinds or kinds[name] in self.keeps)
        }
        statement = f"\n{pool.statement}" if contents.STATEMENTS in self.keeps else ""
        return tag("assessments", kept, quote=self.quote) + statement.rstrip("\n")

    def _document(self, name: bytes, held: Assessments, row: int) -> str:
        here = np.array([row])
        said = {"file": text(name)}
        if contents.COLLECTIONS in self.keeps:
            collection = text(held.collections.take(here)[0])
            said = {"collection": collection} if collection else {}
            said["name"] = text(name)
        lines = [f" {tag('file', said, quote=self.quote)}"]
        entry = held.entries.take(here)[0]
        if entry:
            lines.append(f"  {tag('best-entry-point', {'path': text(entry)}, empty=True)}")
        lines += [f"  {line}" for line in _passages(held.passages.at(here))]
        lines += [f"  {line}" for line in self._elements(held.elements.at(here))]
        return "\n".join([*lines, " </file>\n"])

    def _elements(self, elements: Elements) -> Iterator[str]:
        name = "element" if self.highlighting else "path"
        for path, values in elements.records():
            said = {"path": text(path), **self._values(*values)}
            yield tag(name, said, quote=self.quote, empty=True)

    def _values(
        self, e: int, s: int, letter: int, size: int, highlighted: int, flags: int
    ) -> dict[str, object]:
        if self.highlighting:
            return {"exhaustivity": LETTERS[e], "size": size, "rsize": highlighted}
        if self.year == "2002":
            return {"relevance": LETTERS[e], "coverage": chr(letter)}
        pair: dict[str, object] = {}
        if e != UNSTATED:
            pair = {"exhaustiveness": LETTERS[e], "specificity": LETTERS[s]}
        if contents.FLAGS in self.keeps:
            pair |= {note: "true" for note, flag in NOTES.items() if flags & flag}
        return pair


def _paired(grades: IntArray) -> BoolArray:
    return (grades >= 0) | (grades == UNJUDGED)


def _kept(flags: BoolArray, first: IntArray) -> IntArray:
    """Where each row's stretch begins when only the flagged entries stay."""
    return begins_of(flags.astype(np.int64))[first]


def _passages(passages: Passages) -> Iterator[str]:
    every = np.arange(len(passages))
    points = zip(passages.starts.take(every), passages.ends.take(every), strict=True)
    for (start, end), size in zip(points, passages.sizes.tolist(), strict=True):
        said = {"start": text(start), "end": text(end), "size": size}
        yield tag("passage", said, empty=True)


def _safe(name: str) -> str:
    return re.sub(r"[^\w.-]", "_", name)


def _said(judgements: Judgements) -> Assessments:
    """What was said of elements; of plain judgements that is nothing."""
    if judgements.elements is not None:
        return judgements.elements
    count, none = len(judgements.rows), np.zeros(0, np.int64)
    first, no_ids = np.zeros(count + 1, np.int64), PlainIds([])
    return Assessments(
        Elements(first, no_ids, none, none, none, none, none, none),
        Passages(first, no_ids, no_ids, none),
        PlainIds([b""] * count),
        PlainIds([b""] * count),
        (Pool(),) * len(judgements.rows.topics),
    )


GRADED = (contents.ELEMENTS,)
POOLED = (*GRADED, contents.POOLS, contents.FLAGS)
HIGHLIGHTED = (
    contents.ELEMENTS,
    contents.SIZES,
    contents.PASSAGES,
    contents.COLLECTIONS,
    contents.POOLS,
    contents.VERSIONS,
    contents.STATEMENTS,
)
FORMS = {
    "2002": Form("2002", GRADED),
    "2003": Form("2003", GRADED),
    "2004": Form("2004", POOLED, quote="'"),
    "2005": Form("2005", HIGHLIGHTED, levels="/main"),
    "2006": Form("2006", (*HIGHLIGHTED, contents.ENTRIES), levels="/main"),
    "2007": Form("2007", (*HIGHLIGHTED, contents.ENTRIES, contents.WHITESPACE), levels="/main"),
}


# INEX assessments of 2002 to 2007: one XML file for each topic, every year in a form of its own.
#
# Here is how to tell them apart; reading and writing are imported when they are needed.

DESCRIPTIONS = {
    "2002": """INEX assessments of 2002: relevance 0 to 3 and a letter for coverage.

    `<assessments topic="1"><file file="an/1995/a1004"><path path="/article[1]" relevance="3"
    coverage="L"/></file></assessments>`. N says no coverage, L too large, S too small, E exact.
    """,
    "2003": """INEX assessments of 2003: exhaustiveness and specificity, 0 to 3 each.

    `<assessments topic="61"><file file="co/2000/r1001"><path path="/article[1]"
    exhaustiveness="2" specificity="1"/></file></assessments>`. U, or nothing, says not judged.
    """,
    "2004": """INEX assessments of 2004: as those of 2003, with pools and how grades came about.

    The attributes `inpool`, `inferred` and `inconsistant` are true or left out; values stand in
    single quotes. A `file` that is empty was judged and has nothing relevant in it.
    """,
    "2005": """INEX assessments of 2005: highlighted passages, and exhaustivity of elements.

    `<file collection="ieee" name="..."><passage start="..." end="..." size="412"/><element
    path="/article[1]" exhaustivity="2" size="5120" rsize="412"/></file>`. Exhaustivity is 1, 2
    or `?` (too small); size counts the characters of an element, rsize the highlighted ones.
    """,
    "2006": """INEX assessments of 2006: highlighted passages and a best entry point.

    As 2005, with `<best-entry-point path="..."/>` first in a relevant `file`: the path of an
    element, or a point in its text such as `/article[1]/p[1]/text()[2].17`.
    """,
    "2007": """INEX assessments of 2007: as 2006, and how white space was counted.

    The attribute `whitespace-text-node` of `assessments` says whether text nodes of white space
    alone count as text nodes.
    """,
}


def form_of(head: bytes) -> str:
    """The year whose form a file has; empty if it does not hold assessments."""
    if beginning(head) != b"<":
        return ""
    from spanwise.formats.io.xml import first_element

    name, said = first_element(head)
    if name != "assessments":
        return ""
    head = head[:1_000_000]
    if "whitespace-text-node" in said:
        return "2007"
    if b"<best-entry-point" in head:
        return "2006"
    if "version" in said or b"<passage" in head or b"rsize" in head:
        return "2005"
    if b"relevance=" in head:
        return "2002"
    return "2004" if "pool" in said else "2003"


def _register(year: str, description: str) -> None:
    """Enter the form of a year in the table of formats: one reader, a writer of its own."""
    name = f"inex_assessments_{year}"

    def parse(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:

        return parsed(pieces, file, how)

    def loses(judgements: Judgements) -> Mapping[str, int]:

        return FORMS[year].loses(judgements)

    def files(judgements: Judgements) -> Iterator[tuple[str, Judgements]]:

        return FORMS[year].files(judgements)

    def write(judgements: Judgements) -> Iterator[bytes]:

        return FORMS[year].write(judgements)

    parse.__doc__ = description
    reader(name, holds="judgements", recognise=lambda head: form_of(head) == year)(parse)
    writer(name, loses=loses, files=files)(write)


for _year, _description in DESCRIPTIONS.items():
    _register(_year, _description)
