"""Pool files: JSON lines, and the XML of X-Rai."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from spanwise.errors import EmptyError, FormatError
from spanwise.formats.io.files import first_line
from spanwise.formats.registry import Reading, reader, writer

if TYPE_CHECKING:
    from spanwise.formats.io.json_lines import Record
    from spanwise.model.pools import Pool, Pooled, Support

FORM = "pool/1"
EXPECTED = '{"topic": ..., "doc": ...}, one object per line'
EXPECTED_XML = "<pool topic=...> with <file file=...>"


def looks_like_pool(head: bytes) -> bool:
    """Return whether these are JSON lines of a pool: a header, or objects with topic and doc."""
    first = first_line(head)
    if not first.startswith(b"{"):
        return False
    judged = b'"relevant"' in first
    return b'"pool/' in first or (b'"topic"' in first and b'"doc"' in first and not judged)


@reader("pool", holds="pool", recognise=looks_like_pool)
def parse_pool(pieces: Iterator[bytes], file: str, options: Reading) -> Pool:
    """Pool as JSON lines: an optional header, then one object for each topic and document.

    The header, `{"format": "pool/1", "method": "rounds", "budget": 500, ...}`, states how the pool
    was made. Other lines are `{"topic": "101", "doc": "d7", "round": 3, "runs": 7, "p": 1.0,
    "stratum": 1, "support": [[800, 1200]]}`. Only
    `topic` and `doc` are required. `p` is the probability that the document was included. `support`
    is what systems returned: spans, paths, or pairs of points. If judgements decide which documents
    come next, the header has all `candidates` with their `ranks`.
    """
    from spanwise.formats.io.json_lines import split_header, warn_unread
    from spanwise.model.pools import Pool

    head, records = split_header(pieces, file, EXPECTED, FORM)
    unread: Counter[str] = Counter()
    taken = _Documents(file, options)
    for record in records:
        try:
            taken.take(_pooled(record), record.line)
        except FormatError as error:
            options.note(error)
        unread.update(record.unread())
    warn_unread(unread, file)
    about = {} if head is None else {k: v for k, v in head.fields.items() if k != "format"}
    reach = [] if head is None else head.records("candidates", EXPECTED)
    about.pop("candidates", None)
    return Pool(file, taken.build(EXPECTED), about, tuple(map(_pooled, reach)))


class _Documents:
    """The documents read so far, each once per topic."""

    def __init__(self, file: str, options: Reading) -> None:
        self._file, self._options = file, options
        self._documents: dict[tuple[str, str], Pooled] = {}

    def take(self, one: Pooled, line: int) -> None:
        key = (one.topic, one.document)
        if key in self._documents:
            found = f"document {one.document!r} occurs twice for topic {one.topic!r}"
            self._options.note(FormatError(self._file, line, found, "each document once"))
        self._documents.setdefault(key, one)

    def build(self, expected: str) -> tuple[Pooled, ...]:
        if not self._documents:
            raise EmptyError(self._file, None, "no documents in the pool", expected)
        return tuple(self._documents.values())


def _pooled(record: Record) -> Pooled:
    from spanwise.model.pools import Pooled

    p = record.number("p") if "p" in record else 1.0
    if not 0 < p <= 1:
        raise record.wrong(f"'p' is {p}", "a probability above 0")
    return Pooled(
        record.text("topic"),
        record.text("doc"),
        record.whole("round") if "round" in record else 0,
        record.whole("runs") if "runs" in record else 0,
        p,
        record.whole("stratum") if "stratum" in record else 1,
        tuple(_support(record)),
        tuple(_ranks(record)),
    )


def _support(record: Record) -> Iterator[Support]:
    for part in record.items("support") if "support" in record else ():
        match part:
            case str():
                yield part
            case [int(start), int(end)] if 0 <= start <= end:
                yield start, end
            case [str(start), str(end)]:
                yield start, end
            case _:
                raise record.wrong(f"support {str(part)[:60]!r}", "[start, end] or a path")


def _ranks(record: Record) -> Iterator[int | None]:
    for rank in record.items("ranks") if "ranks" in record else ():
        if rank is not None and not (isinstance(rank, int) and rank > 0):
            raise record.wrong(f"rank {rank!r}", "whole numbers from 1 on, or null")
        yield rank


@writer("pool")
def write_pool(pool: Pool) -> Iterator[bytes]:
    """Write a pool with everything it has."""
    from spanwise.formats.io.json_lines import line

    reach = {"candidates": list(map(_fields_of, pool.candidates))} if pool.candidates else {}
    yield line({"format": FORM, **pool.about, **reach})
    for one in pool:
        yield line(_fields_of(one))


def _fields_of(one: Pooled) -> dict[str, Any]:
    fields: dict[str, Any] = {"topic": one.topic, "doc": one.document, "round": one.round}
    fields |= {"runs": one.runs, "p": one.p, "stratum": one.stratum}
    fields["support"] = [part if isinstance(part, str) else list(part) for part in one.support]
    if one.ranks:
        fields["ranks"] = list(one.ranks)
    return fields


# X-Rai pools -------------------------------------------------------------------------------------


def looks_like_xrai_pool(head: bytes) -> bool:
    """Return whether this is XML with the root `pool`."""
    from spanwise.formats.io.xml import root_of

    return root_of(head) == "pool"


@reader("xrai_pool", holds="pool", recognise=looks_like_xrai_pool)
def parse_xrai_pool(pieces: Iterator[bytes], file: str, options: Reading) -> Pool:
    """Pool of X-Rai in XML: a `pool` for each topic, with `file` elements and returned paths.

    `<pool topic="163"><file file="co/2001/r7022"><path path="/article[1]"/></file></pool>`. A file
    may hold `path` elements, and `passage` elements with `start` and `end`. A topic usually has its
    own file, but one file may hold several topics.
    """
    from spanwise.formats.io.xml import walk
    from spanwise.model.pools import Pool

    builder = _XmlPool(file, options)
    walk(pieces, file, builder)
    return Pool(file, builder.taken.build(EXPECTED_XML))


class _XmlPool:
    """A visitor that collects the documents of X-Rai pools."""

    def __init__(self, file: str, options: Reading) -> None:
        self.taken = _Documents(file, options)
        self._file, self._options = file, options
        self._topic = self._document = ""
        self._support: list[Support] = []

    def start(self, name: str, attributes: dict[str, str], line: int) -> None:
        """Begin a pool or a document, or add a part of one."""
        if name == "pool":
            self._topic = self._required(attributes, "topic", name, line)
        elif name == "file":
            self._document, self._support = self._required(attributes, "file", name, line), []
        elif name == "path":
            self._support.append(self._required(attributes, "path", name, line))
        elif name == "passage":
            start = self._required(attributes, "start", name, line)
            self._support.append((start, self._required(attributes, "end", name, line)))
        else:
            self._options.note(FormatError(self._file, line, f"an element {name!r}", EXPECTED_XML))

    def _required(self, attributes: dict[str, str], key: str, name: str, line: int) -> str:
        if not attributes.get(key):
            self._options.note(
                FormatError(self._file, line, f"{name!r} without {key!r}", EXPECTED_XML)
            )
        return attributes.get(key, "")

    def text(self, text: str, line: int) -> None:
        """Ignore text, which has no meaning here."""

    def end(self, name: str, line: int) -> None:
        """Add a complete document."""
        from spanwise.model.pools import Pooled

        if name == "file" and self._document and self._topic:
            pooled = Pooled(self._topic, self._document, support=tuple(self._support))
            self.taken.take(pooled, line)


def _xrai_loses(pool: Pool) -> dict[str, int]:
    spans = sum(
        isinstance(part, tuple) and isinstance(part[0], int) for one in pool for part in one.support
    )
    counts = {
        "probabilities below 1": sum(one.p < 1 for one in pool),
        "rounds": sum(one.round > 0 for one in pool),
        "spans that systems returned, by offset": spans,
    }
    return {name: count for name, count in counts.items() if count}


def _xrai_files(pool: Pool) -> Iterator[tuple[str, Pool]]:
    from spanwise.model.pools import Pool

    taken: set[str] = set()  # two topics may become equal when characters are replaced
    for topic, documents in pool.topics.items():
        name = re.sub(r"[^\w.-]", "_", topic)
        while name.lower() in taken:
            name += "_"
        taken.add(name.lower())
        yield f"pool-{name}.xml", Pool(pool.source, tuple(documents), pool.about)


@writer("xrai_pool", loses=_xrai_loses, files=_xrai_files)
def write_xrai_pool(pool: Pool) -> Iterator[bytes]:
    """Write topics, documents, and the paths that systems returned."""
    from spanwise.formats.io.xml import DECLARATION, tag

    yield DECLARATION.encode()
    for topic, documents in pool.topics.items():
        yield f"{tag('pool', {'topic': topic})}\n".encode()
        for one in documents:
            parts = [_part(part) for part in one.support if not isinstance(part[0], int)]
            inside = "".join(f"\n  {part}" for part in parts) + ("\n " if parts else "")
            yield f" {tag('file', {'file': one.document})}{inside}</file>\n".encode()
        yield b"</pool>\n"


def _part(part: Support) -> str:
    from spanwise.formats.io.xml import tag

    if isinstance(part, str):
        return tag("path", {"path": part}, empty=True)
    return tag("passage", {"start": part[0], "end": part[1]}, empty=True)
