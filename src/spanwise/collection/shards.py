"""Shards of a store: some megabytes of documents, parsed, measured and written.

A shard is written as three Arrow files and a note (JSON), which comes last: a shard without its
note is unfinished. The note contains everything that must be equal for a shard to be reused.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from spanwise.collection.arrow import Layout, Numbers, Strings, write
from spanwise.collection.parsing import Body, text_body, too_deep, well_formed, xml_body
from spanwise.collection.positions import Columns, TagTable, TooDeep, columns_of
from spanwise.errors import FormatError

if TYPE_CHECKING:
    from spanwise.collection.archives import Source
    from spanwise.model.documents import CharacterPolicy

FORMAT_VERSION = 2
BLOCK_BYTES = 2_000_000
"""Bytes of markup that are processed together."""
OnError = Literal["stop", "skip"]

_TEXT_ENDINGS = (".txt", ".text", ".md")
_HTML_ENDINGS = (".html", ".htm")
_XML_ENDINGS = (".xml", ".sgml", ".sgm", ".xhtml", ".nxml", ".tei", ".dbk")


@dataclass(frozen=True, slots=True)
class Failure:
    """A document that could not be read, with the reason."""

    place: str
    line: int | None
    reason: str

    def error(self) -> FormatError:
        """Return the failure as an error."""
        return FormatError(self.place, self.line, self.reason, "")


@dataclass(frozen=True, slots=True)
class Task:
    """The documents and options of a shard to be made."""

    number: int
    sources: Sequence[Source]
    policy: CharacterPolicy
    on_error: OnError
    folder: str

    def fingerprint(self) -> str:
        """Return a digest that is equal for shards that would be equal."""
        digest = blake2b(repr((FORMAT_VERSION, self.policy)).encode(), digest_size=16)
        for source in self.sources:
            about = repr((source.name, source.place, source.size, source.stamp))
            digest.update(about.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Note:
    """The description of a finished shard."""

    number: int
    fingerprint: str
    documents: int
    elements: int
    characters: int
    skipped: list[Failure]
    files: dict[str, int]  # sizes of the files
    columns: dict[str, Layout]
    tags: list[str]

    @property
    def unknown(self) -> int:
        """Return the number of references to unknown entities."""
        return int(self.columns["entities"]["place"]["rows"])


def note_file(folder: Path, number: int) -> Path:
    """Return the path of the note of a shard."""
    return folder / f"shard-{number:05}.json"


def table_file(folder: Path, table: str, number: int) -> Path:
    """Return the path of a table of a shard."""
    return folder / f"{table}-{number:05}.arrow"


def read_note(folder: Path, number: int) -> Note | None:
    """Return the note of a finished shard, or None."""
    try:
        fields = json.loads(note_file(folder, number).read_bytes())
        fields["skipped"] = [Failure(**failure) for failure in fields["skipped"]]
        note = Note(**fields)
        whole = all((folder / file).stat().st_size == size for file, size in note.files.items())
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return note if whole else None


def build_shard(task: Task) -> Note | Failure:
    """Write a shard; if errors stop the build, return the first failure instead."""
    made = _ShardBuilder(task)
    for number, source in enumerate(task.sources):
        made.add(number, source)
        if made.failures and task.on_error == "stop":
            break
    made.flush()
    if made.failures and task.on_error == "stop":
        return made.failures[min(made.failures)]
    return made.written()


def body_of(source: Source) -> Body:
    """Return a document as markup; it is plain text by its ending or because it has no tag."""
    try:
        source.name.encode()
    except UnicodeEncodeError as error:
        raise FormatError(source.place, None, "the file's name is not UTF-8", "") from error
    data = source.load()
    name = source.name.lower()
    soup = _soup_kind(source)
    if soup == "html" and data.removeprefix(BOM_UTF8).startswith(b"<?xml"):
        with suppress(FormatError):  # many pages wrongly claim to be XML
            return xml_body(data, source.place)
    if soup is not None:
        return xml_body(well_formed(data, soup), source.place)
    if source.kind == "xml":
        return xml_body(data, source.place)
    is_text = name.endswith(_TEXT_ENDINGS) or not (
        name.endswith(_XML_ENDINGS) or _looks_like_markup(data)
    )
    return text_body(data, source.place) if is_text else xml_body(data, source.place)


def _soup_kind(source: Source) -> Literal["html", "sgml"] | None:
    """Return the rules of tag soup for a document, or None."""
    if source.kind == "sgml":
        return "sgml"
    return "html" if source.kind is None and source.name.lower().endswith(_HTML_ENDINGS) else None


def _looks_like_markup(data: bytes) -> bool:
    head = data[:1000].lstrip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n")
    return head.startswith(b"<") or not head


@dataclass(slots=True)
class _ShardBuilder:
    """A shard under construction."""

    task: Task
    failures: dict[int, Failure] = field(default_factory=dict)
    _tags: TagTable = field(default_factory=TagTable)
    _blocks: list[Columns] = field(default_factory=list)
    _names: list[bytes] = field(default_factory=list)
    _stated: list[bool] = field(default_factory=list)
    _waiting: list[tuple[int, Source, Body]] = field(default_factory=list)
    _bytes: int = 0

    def add(self, number: int, source: Source) -> None:
        try:
            body = body_of(source)
        except FormatError as error:
            self.failures[number] = Failure(error.file, error.line, error.reason)
            return
        self._waiting.append((number, source, body))
        self._bytes += len(body.markup)
        if self._bytes > BLOCK_BYTES:
            self.flush()

    def flush(self) -> None:
        """Measure the waiting documents."""
        while self._waiting:
            try:
                bodies = [body for _, _, body in self._waiting]
                self._blocks.append(_compact(columns_of(bodies, self.task.policy, self._tags)))
                self._names += [source.name.encode() for _, source, _ in self._waiting]
                self._stated += [source.is_stated for _, source, _ in self._waiting]
                self._waiting = []
            except TooDeep as error:
                for place in reversed(error.documents):
                    number, source, _ = self._waiting.pop(place)
                    refused = too_deep(source.load(), source.place)
                    self.failures[number] = Failure(source.place, refused.line, refused.reason)
        self._bytes = 0

    def written(self) -> Note:
        """Write the files, with the note last."""
        folder, number = Path(self.task.folder), self.task.number
        tables = {
            "documents": _document_columns(self._blocks, self._names, self._stated),
            "elements": _element_columns(
                self._blocks, [name.decode() for name in self._tags.names]
            ),
            "entities": _entity_columns(self._blocks),
        }
        files = {table: table_file(folder, table, number) for table in tables}
        layouts = {table: write(files[table], columns) for table, columns in tables.items()}
        note = Note(
            number,
            self.task.fingerprint(),
            len(self._names),
            sum(len(block.tag) for block in self._blocks),
            sum(int(_document_lengths(block).sum()) for block in self._blocks),
            [self.failures[number] for number in sorted(self.failures)],
            {path.name: path.stat().st_size for path in files.values()},
            layouts,
            [name.decode() for name in self._tags.names],
        )
        target = note_file(folder, number)
        unfinished = target.with_suffix(".part")
        unfinished.write_text(json.dumps(asdict(note)))
        unfinished.replace(target)
        return note


_NARROW = {
    "tag": "<u4",
    "index": "<u4",
    "parent": "<i4",
    "depth": "<u2",
    "start": "<u4",
    "length": "<u4",
    "flags": "<u1",
    "key": "<u8",
    "key_row": "<u4",
}
"""Columns of elements, with the types in which they are stored."""


def _compact(block: Columns) -> Columns:
    """Return the columns in fewer bytes."""
    narrow: dict[str, Any] = {
        name: getattr(block, name).astype(kind) for name, kind in _NARROW.items()
    }
    return replace(block, **narrow)


def _document_lengths(block: Columns) -> np.ndarray[Any, Any]:
    """Return the lengths of documents, which are those of their roots."""
    return block.length[np.cumsum(block.counts) - block.counts]


def _document_columns(
    blocks: Sequence[Columns], names: Sequence[bytes], stated: Sequence[bool]
) -> list[Numbers | Strings]:
    counts = [block.counts for block in blocks]
    every = np.concatenate(counts) if counts else np.zeros(0, np.int64)
    texts = [block.texts for block in blocks]
    return [
        Strings("name", names, [np.array([len(name) for name in names], np.int64)]),
        Numbers("stated", "<u1", [np.array(stated, np.uint8)]),
        Numbers("length", "<u4", [_document_lengths(block) for block in blocks]),
        Numbers("elements", "<u4", [every]),
        Numbers("first_element", "<u8", [np.cumsum(every) - every]),
        Strings("text", [text.data for text in texts], [np.diff(text.bounds) for text in texts]),
    ]


def _element_columns(blocks: Sequence[Columns], tags: Sequence[str]) -> list[Numbers | Strings]:
    return [
        Numbers(name, kind, [getattr(block, name) for block in blocks])
        if name != "tag"
        else Numbers(name, kind, [block.tag for block in blocks], tags)
        for name, kind in _NARROW.items()
    ]


def _entity_columns(blocks: Sequence[Columns]) -> list[Numbers | Strings]:
    firsts = np.cumsum([0, *(len(block.counts) for block in blocks)]).tolist()
    found = [block.texts.entities for block in blocks]
    names = [name for entities in found for name in entities.names]
    documents = [entities.document + first for entities, first in zip(found, firsts, strict=False)]
    return [
        Numbers("document", "<u4", documents),
        Numbers("place", "<u4", [entities.place for entities in found]),
        Strings("name", names, [np.array([len(name) for name in names], np.int64)]),
    ]
