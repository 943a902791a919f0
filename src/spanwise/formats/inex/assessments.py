"""INEX assessments of 2002 to 2007: one XML file for each topic, with a form for every year.

One reader accepts all forms, because files of one year differ more than their descriptions state:
the attributes of an element decide how it was judged. Sizes are taken from the file. Each form has
a writer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from warnings import warn

import numpy as np

from spanwise.errors import FormatError, SpanwiseWarning, UsageError
from spanwise.formats.builders import AssessmentsBuilder, ElementBlocks, grades_of
from spanwise.formats.io.files import beginning
from spanwise.formats.io.xml import DECLARATION, Event, as_xml, events, first_element, root_of, tag
from spanwise.formats.registry import Reading, reader, writer
from spanwise.model import contents
from spanwise.model.columns import PlainIds, text
from spanwise.model.documents import EXPECTED_PATH, EXPECTED_POINT, is_element_path, is_point
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

EXPECTED = "INEX assessments: <assessments topic=...> with a <file> for each judged document"
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


# Reading -----------------------------------------------------------------------------------------

HELPER = "xrai:s"
"""An element that the assessment tool inserted into documents; a finished file never names it."""


class XmlAssessmentsBuilder(AssessmentsBuilder):
    """A builder that takes the events of one file."""

    def __init__(self, file: str, options: Reading) -> None:
        super().__init__(file, options)
        self.blocks = ElementBlocks()

    topic = b""
    skipping = False  # inside a duplicate document
    statement: list[str] | None = None

    def take(self, event: Event) -> None:
        """Process the next event."""
        if self.statement is not None:
            self._copy(event)
        elif event.kind == "start":
            self._start(event)
        elif event.kind == "text" and event.text.strip():
            self.problem(event.line, f"the text {event.text.strip()[:40]!r}", "elements only")

    def _start(self, event: Event) -> None:
        if event.depth == 1:
            self._root(event)
        elif event.depth == 2 and event.name == "inex_topic":
            self.statement = [as_xml(event)]
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
            self.problem(event.line, f"<{event.name}> in an unexpected place", EXPECTED)

    def _root(self, event: Event) -> None:
        if event.name != "assessments":
            raise FormatError(self.file, event.line, f"<{event.name}>", EXPECTED, OTHERS)
        stated = event.attributes
        topic = _topic(stated)
        if not topic:
            raise FormatError(self.file, event.line, "assessments without a topic", 'topic="..."')
        self.topic = topic.encode()
        self.pools[self.topic] = Pool(
            stated.get("pool", ""),
            stated.get("version", ""),
            stated.get("whitespace-text-node", ""),
        )

    def _copy(self, event: Event) -> None:
        assert self.statement is not None
        self.statement.append(as_xml(event))
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
        elif (block := self.blocks.get(event.attributes.get("stretch", ""))) is not None:
            self.elements(*block, event.line)
        else:
            self.problem(event.line, f"<{event.name}> without a path", EXPECTED)

    def _point(self, event: Event, name: str) -> bytes:
        point = event.attributes.get(name, "").strip()
        if not is_point(point):
            self.problem(event.line, f"{name} {point!r} of <{event.name}>", EXPECTED_POINT)
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
            self.problem(event.line, f"path {path!r}", EXPECTED_PATH)
        else:
            grades = self._grades(event)
            if grades is not None:
                self.element(path.encode(), event.line, **grades, flags=self._flags(event))

    def _grades(self, event: Event) -> dict[str, int] | None:
        """Return the grades of an element by its attributes, or None if they are wrong."""
        stated = event.attributes
        if "relevance" in stated or "coverage" in stated:
            wanted = {
                "exhaustivity": self._grade(event, "relevance", GRADED_LETTERS),
                "coverage": self._grade(event, "coverage", COVERED),
            }
        elif event.name == "element" or "size" in stated or "rsize" in stated:
            has_grade = "exhaustivity" in stated
            grade = self._grade(event, "exhaustivity", EXHAUSTIVE) if has_grade else UNSTATED
            wanted = {
                "exhaustivity": grade,
                "size": self._size(event, "size"),
                "highlighted": self._size(event, "rsize"),
            }
        else:
            name = "exhaustiveness" if "exhaustiveness" in stated else "exhaustivity"
            if name not in stated and "specificity" not in stated:
                return {}
            wanted = {
                "exhaustivity": self._grade(event, name, PAIRED),
                "specificity": self._grade(event, "specificity", PAIRED),
            }
        found = {name: value for name, value in wanted.items() if value is not None}
        return found if len(found) == len(wanted) else None

    def _grade(self, event: Event, name: str, grades: Mapping[str, int]) -> int | None:
        stated = event.attributes.get(name)
        grade = grades.get((stated or "").strip())
        if grade is None:
            found = f"no {name}" if stated is None else f"{name} {stated!r}"
            self.problem(event.line, found, f"one of {', '.join(grades)}")
        return grade

    def _size(self, event: Event, name: str) -> int | None:
        stated = event.attributes.get(name)
        if stated is not None and DIGITS.fullmatch(stated.strip()):
            return int(stated)
        found = f"no {name}" if stated is None else f"{name} {stated!r}"
        self.problem(event.line, f"{found} of <{event.name}>", "a number of characters")
        return None

    def _flags(self, event: Event) -> Flag:
        flags = Flag(0)
        for name, flag in FLAGS.items():
            stated = event.attributes.get(name, "false").strip()
            if stated == "true":
                flags |= flag
            elif stated != "false":
                self.problem(event.line, f"{name} {stated!r}", "true or false")
        return flags


def _topic(attributes: Mapping[str, str]) -> str:
    """Return the topic of assessments, whatever the name of the attribute."""
    known = ("pool", "version", "whitespace-text-node")
    others = [name for name in attributes if name not in known]
    named = [name for name in others if "topic" in name.lower()]
    name = "topic" if "topic" in attributes else (named or others or [""])[0]
    return attributes.get(name, "").strip()


def _file_name(attributes: Mapping[str, str]) -> str:
    """Return the name of a judged document, whatever the name of the attribute."""
    others = [name for name in attributes if name not in ("name", "file", "collection")]
    name = next((name for name in ("name", "file", *others) if name in attributes), "")
    return attributes.get(name, "").strip()


def read_assessments(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """Return the assessments in a file."""
    content = XmlAssessmentsBuilder(file, options)
    for event in events(content.blocks.cut_from(pieces), file, EXPECTED):
        content.take(event)
    judgements, _ = content.build_grouped(EXPECTED)
    return with_inferred_grades(judgements, content)


def with_inferred_grades(judgements: Judgements, content: XmlAssessmentsBuilder) -> Judgements:
    """Fill in missing exhaustivity, where sizes are known, by the highest among the descendants."""
    assessments = judgements.elements
    assert assessments is not None
    elements = assessments.elements
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
                f"no exhaustivity of {path} or of an element inside",
                f"one of {', '.join(EXHAUSTIVE)}",
            )
        grades[number] = best
    warn(
        f"{content.file}: {len(missing)} elements without exhaustivity get the highest of the"
        " elements inside them",
        SpanwiseWarning,
        stacklevel=2,
    )
    with_inferred_grades = replace(assessments, elements=replace(elements, exhaustivity=grades))
    return replace(judgements, elements=with_inferred_grades)


def _best_inside(elements: Elements, number: int) -> int:
    row = int(np.searchsorted(elements.first, number, side="right")) - 1
    others = np.arange(elements.first[row], elements.first[row + 1])
    outer, *paths = elements.paths.take(np.concatenate([[number], others]))
    inside = [path.startswith(outer + b"/") for path in paths]
    return int(elements.exhaustivity[others[inside]].max(initial=UNSTATED))


# Writing -----------------------------------------------------------------------------------------

LETTERS = {TOO_SMALL: "?", UNJUDGED: "U", 0: "0", 1: "1", 2: "2", 3: "3"}
NOTES = {
    "inpool": Flag.INPOOL,
    "inferred": Flag.INFERRED,
    "inconsistant": Flag.INCONSISTENT,
}
UNWRITABLE = "irrelevant documents whose elements this form cannot hold"


@dataclass(frozen=True, slots=True)
class Form:
    """The form of the assessments of one year."""

    year: str
    keeps: tuple[str, ...]  # kinds of content that it holds completely
    quote: str = '"'
    levels: str = ""  # folders between the query type and the topic

    @property
    def highlighting(self) -> bool:
        """Return whether text was highlighted, as opposed to elements graded twice."""
        return contents.PASSAGES in self.keeps

    def loses(self, judgements: Judgements) -> Mapping[str, int]:
        """Count what the form cannot hold of some judgements, by kind."""
        counts = contents.without(contents.of_judgements(judgements), *self.keeps, contents.POOLED)
        assessments = _assessments(judgements)
        fits = self._holds(assessments.elements)
        counts[contents.ELEMENTS] = int(np.count_nonzero(~fits))
        if not self.highlighting:
            sizes = assessments.elements.sizes[fits]
            counts[contents.SIZES] = int(np.count_nonzero(sizes >= 0))
        else:
            counts[contents.PASSAGES] = int(np.count_nonzero(assessments.passages.sizes < 0))
        grades = judgements.grades[~self._writable(judgements, assessments)]
        counts[contents.UNSUPPORTED] = int(np.count_nonzero(grades > 0))
        counts[UNWRITABLE] = int(np.count_nonzero(grades == 0))
        counts[contents.POOLED] = int(np.count_nonzero(grades < 0))
        return contents.without(counts)

    def _holds(self, elements: Elements) -> BoolArray:
        """Return which elements have exactly the grades of this form."""
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

    def held(self, content: Assessments) -> Assessments:
        """Return what this form can hold of some assessments."""
        empty = np.zeros(len(content.entries), np.int64)
        passages, entries = content.passages, content.entries
        sized = passages.sizes >= 0 if self.highlighting else np.zeros(len(passages), np.bool_)
        if contents.ENTRIES not in self.keeps:
            entries = PlainIds([b""] * len(empty))
        elements, fits = content.elements, self._holds(content.elements)
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
            content.collections,
            content.pools,
        )

    def _writable(self, judgements: Judgements, content: Assessments) -> BoolArray:
        """Return which documents stay relevant, irrelevant or unjudged in this form."""
        return np.sign(grades_of(self.held(content))) == np.sign(judgements.grades)

    def files(self, judgements: Judgements) -> Iterator[tuple[str, Judgements]]:
        """Yield a file for each topic, named as in a release."""
        pools = _assessments(judgements).pools
        for (topic, part), pool in zip(by_topic(judgements), pools, strict=True):
            stated = re.search(r'query_type="([\w+.-]+)"', pool.statement)
            number = _safe(pool.number or text(topic))
            folder = (
                f"done/{stated[1] if stated else 'all'}{self.levels}/topic-{_safe(text(topic))}"
            )
            yield f"{folder}/pool-{number}.xml", part

    def write(self, judgements: Judgements) -> Iterator[bytes]:
        """Yield the file of one topic, piece by piece."""
        topics = judgements.rows.topics
        if len(topics) > 1:
            raise UsageError(
                f"{judgements.rows.source} has {len(topics)} topics, but a file of this form holds"
                " one; give the name of a folder, with / at its end, for one file per topic"
            )
        content = _assessments(judgements)
        rows = np.flatnonzero(self._writable(judgements, content))
        held = self.held(content).at(rows, range(len(topics)))
        yield (DECLARATION + self._root(topics[0], held.pools[0]) + "\n").encode()
        names = judgements.documents.take(rows)
        for row, name in enumerate(names):
            yield self._document(name, held, row).encode()
        yield b"</assessments>\n"

    def _root(self, topic: bytes, pool: Pool) -> str:
        stated = {"pool": pool.number, "topic": text(topic)}
        stated |= {"version": pool.version, "whitespace-text-node": pool.whitespace}
        kinds = {
            "pool": contents.POOLS,
            "version": contents.VERSIONS,
            "whitespace-text-node": contents.WHITESPACE,
        }
        kept = {
            name: value
            for name, value in stated.items()
            if value and (name not in kinds or kinds[name] in self.keeps)
        }
        statement = f"\n{pool.statement}" if contents.STATEMENTS in self.keeps else ""
        return tag("assessments", kept, quote=self.quote) + statement.rstrip("\n")

    def _document(self, name: bytes, held: Assessments, row: int) -> str:
        here = np.array([row])
        attributes = {"file": text(name)}
        if contents.COLLECTIONS in self.keeps:
            collection = text(held.collections.take(here)[0])
            attributes = {"collection": collection} if collection else {}
            attributes["name"] = text(name)
        lines = [f" {tag('file', attributes, quote=self.quote)}"]
        entry = held.entries.take(here)[0]
        if entry:
            lines.append(f"  {tag('best-entry-point', {'path': text(entry)}, empty=True)}")
        lines += [f"  {line}" for line in _passages(held.passages.at(here))]
        lines += [f"  {line}" for line in self._elements(held.elements.at(here))]
        return "\n".join([*lines, " </file>\n"])

    def _elements(self, elements: Elements) -> Iterator[str]:
        name = "element" if self.highlighting else "path"
        for path, values in elements.values_by_path():
            attributes = {"path": text(path), **self._values(*values)}
            yield tag(name, attributes, quote=self.quote, empty=True)

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
    """Return the begin of each row's entries when only the flagged ones are kept."""
    return begins_of(flags.astype(np.int64))[first]


def _passages(passages: Passages) -> Iterator[str]:
    every = np.arange(len(passages))
    points = zip(passages.starts.take(every), passages.ends.take(every), strict=True)
    for (start, end), size in zip(points, passages.sizes.tolist(), strict=True):
        attributes = {"start": text(start), "end": text(end), "size": size}
        yield tag("passage", attributes, empty=True)


def _safe(name: str) -> str:
    return re.sub(r"[^\w.-]", "_", name)


def _assessments(judgements: Judgements) -> Assessments:
    """Return the assessments of elements; plain judgements have none."""
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


# Registration ------------------------------------------------------------------------------------

DESCRIPTIONS = {
    "2002": """INEX assessments of 2002: relevance 0 to 3 and a letter for coverage.

    `<assessments topic="1"><file file="an/1995/a1004"><path path="/article[1]" relevance="3"
    coverage="L"/></file></assessments>`. N means no coverage, L too large, S too small, E exact.
    """,
    "2003": """INEX assessments of 2003: exhaustiveness and specificity, 0 to 3 each.

    `<assessments topic="61"><file file="co/2000/r1001"><path path="/article[1]"
    exhaustiveness="2" specificity="1"/></file></assessments>`. U or no grade means unjudged.
    """,
    "2004": """INEX assessments of 2004: as those of 2003, with pools and the origin of grades.

    The attributes `inpool`, `inferred` and `inconsistant` are true or left out; values are in
    single quotes. An empty `file` was judged and has nothing relevant.
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
    "2007": """INEX assessments of 2007: as 2006, and whether white space counts.

    The attribute `whitespace-text-node` of `assessments` states whether text nodes of white space
    alone count as text nodes.
    """,
}


def form_of(head: bytes) -> str:
    """Return the year whose form a file has, or an empty string if it has no assessments."""
    if beginning(head) != b"<":
        return ""
    name, attributes = first_element(head)
    if name != "assessments":
        return ""
    head = head[:1_000_000]
    if "whitespace-text-node" in attributes:
        return "2007"
    if b"<best-entry-point" in head:
        return "2006"
    if "version" in attributes or b"<passage" in head or b"rsize" in head:
        return "2005"
    if b"relevance=" in head:
        return "2002"
    return "2004" if "pool" in attributes else "2003"


def _register(year: str, description: str) -> None:
    """Register the form of a year: all share one reader, and each has a writer."""
    name = f"inex_assessments_{year}"

    def parse(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
        return read_assessments(pieces, file, options)

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


# Whole campaigns ---------------------------------------------------------------------------------
#
# All assessments of a campaign in one file, as XCGEval keeps them between two calls.

FULL_RECALL_BASE = "inex_full_recall_base"
CAMPAIGN_ROOT = "full-recall-base"
EXPECTED_CAMPAIGN = f"<{CAMPAIGN_ROOT}> with <assessments topic=...> for each topic"


def _looks_like_campaign(head: bytes) -> bool:
    return beginning(head) == b"<" and root_of(head) == CAMPAIGN_ROOT


@reader(FULL_RECALL_BASE, holds="judgements", recognise=_looks_like_campaign)
def parse_campaign(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
    """INEX assessments of many topics in one file.

    `<full-recall-base>` contains an `<assessments>` for each topic, in the form of any year from
    2002 to 2007. `spanwise evalj` writes such a file if EXPANDED_FULLRB names one.
    """
    content = XmlAssessmentsBuilder(file, options)
    seen: set[bytes] = set()
    for event in events(pieces, file, EXPECTED_CAMPAIGN):
        if event.depth == 1:
            if event.kind == "start" and event.name != CAMPAIGN_ROOT:
                raise FormatError(file, event.line, f"<{event.name}>", EXPECTED_CAMPAIGN)
            continue
        content.take(event._replace(depth=event.depth - 1))
        if event.depth == 2 and event.kind == "start":
            if content.topic in seen:
                topic = content.topic.decode()
                found = f"topic {topic!r} a second time"
                raise FormatError(file, event.line, found, "each topic once")
            seen.add(content.topic)
    judgements, _ = content.build_grouped(EXPECTED_CAMPAIGN)
    return with_inferred_grades(judgements, content)


def _best_form(topic: Judgements) -> Form:
    """Return the form that holds most of the assessments of a topic."""
    return min(FORMS.values(), key=lambda form: sum(form.loses(topic).values()))


def _campaign_loses(judgements: Judgements) -> Mapping[str, int]:
    lost = Counter[str]()
    for _, topic in by_topic(judgements):
        lost.update(_best_form(topic).loses(topic))
    every = contents.of_judgements(judgements)
    whole = (contents.ASSESSORS, contents.QUESTIONS, contents.UNIT)  # of no single topic
    return contents.without({**lost, **{kind: every.get(kind, 0) for kind in whole}})


@writer(FULL_RECALL_BASE, loses=_campaign_loses)
def write_campaign(judgements: Judgements) -> Iterator[bytes]:
    """Write one file for all topics, each in the form that holds most of it."""
    yield f"{DECLARATION}<{CAMPAIGN_ROOT}>\n".encode()
    for _, topic in by_topic(judgements):
        pieces = _best_form(topic).write(topic)
        yield next(pieces).removeprefix(DECLARATION.encode())
        yield from pieces
    yield f"</{CAMPAIGN_ROOT}>\n".encode()
