"""Collections of plain texts in memory, or in one file of JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.collection.names import names_of
from spanwise.errors import FormatError, InputError
from spanwise.model.documents import TEXT_ELEMENT, CharacterPolicy, Document, Element, Name, Tree
from spanwise.model.spans import UNKNOWN, Spans

if TYPE_CHECKING:
    from spanwise.model.arrays import IntArray

CORPUS = "corpus.jsonl"
"""File name of the documents of a BEIR folder."""
NAMES = ("_id", "doc_id", "docid", "id", "doc", "corpus_id")
TEXTS = ("text", "contents", "content", "segment", "body")


class TextCollection:
    """A collection of documents without elements; see `spanwise.model.documents.Collection`."""

    def __init__(self, texts: Mapping[Any, str]) -> None:
        self.policy = CharacterPolicy()
        self._texts = {_bytes(name): text for name, text in texts.items()}
        self._others: dict[bytes, bytes | None] = {}  # None: the name is ambiguous
        for name in self._texts:
            for other in names_of(name)[1:]:
                if other not in self._texts:
                    self._others[other] = None if other in self._others else name

        self._numbers = {name: number for number, name in enumerate(self._texts)}

    def _named(self, document: object) -> bytes | None:
        """Return the id of the document that a name refers to, or None."""
        if not isinstance(document, str | bytes):
            return None
        name = _bytes(document)
        if name in self._texts:
            return name
        if name in self._others and self._others[name] is None:
            raise InputError(f"several documents have the name {name.decode('utf-8', 'replace')!r}")
        return self._others.get(name)

    def _found(self, document: object) -> str | None:
        name = self._named(document)
        return None if name is None else self._texts[name]

    def __len__(self) -> int:
        return len(self._texts)

    def __contains__(self, document: object) -> bool:
        return self._found(document) is not None

    def documents(self) -> Iterator[Document]:
        """Yield all documents in the order in which they were given."""
        for name, text in self._texts.items():
            yield Document(name.decode("utf-8", "surrogateescape"), len(text), 0, stated=True)

    def numbers(self, documents: Sequence[Name]) -> IntArray:
        """Return the numbers of the documents with these ids, -1 for unknown ones."""
        names = (self._named(document) for document in documents)
        return np.array([UNKNOWN if name is None else self._numbers[name] for name in names])

    def length(self, document: Name) -> int:
        """Return the number of characters of a document."""
        return len(self.text(document))

    def lengths(self, documents: Sequence[Name]) -> IntArray:
        """Return the numbers of characters of documents, -1 for unknown ones."""
        found = (self._found(document) for document in documents)
        return np.array([UNKNOWN if text is None else len(text) for text in found], np.int64)

    def mean_length(self) -> float:
        """Return the mean length of all documents, `nan` if there are none."""
        lengths = [len(text) for text in self._texts.values()]
        return sum(lengths) / len(lengths) if lengths else float("nan")

    def tree(self, document: Name) -> Tree:
        """Return the tree of a plain text: one element around all of it."""
        start, end = np.zeros(1, np.int64), np.array([self.length(document)])
        return Tree((TEXT_ELEMENT,), start, start + 1, start - 1, start, start, end)

    def elements(self, document: Name) -> Sequence[Element]:  # noqa: ARG002
        """Return no elements, because texts have none."""
        return ()

    def span(self, document: Name, path: Name) -> tuple[int, int]:
        """Raise an error, because texts have no elements."""
        raise InputError(f"document {document!r} is plain text; it has no {path!r}")

    def spans(self, documents: Sequence[Name], paths: Sequence[Name]) -> Spans:  # noqa: ARG002
        """Return unknown spans, because texts have no elements."""
        return Spans(np.full(len(documents), UNKNOWN), np.full(len(documents), UNKNOWN))

    def text(self, document: Name, start: int = 0, length: int | None = None) -> str:
        """Return the text of a document, or a part of it."""
        text = self._found(document)
        if text is None:
            raise InputError(f"no document {document!r}")
        return text[start : None if length is None else start + length]

    def entities(self, document: Name) -> dict[int, str]:  # noqa: ARG002
        """Return no entities, because every character is known."""
        return {}


def _bytes(name: Any) -> bytes:
    return name if isinstance(name, bytes) else str(name).encode("utf-8", "surrogateescape")


def corpus_file(path: Path) -> Path | None:
    """Return the file of documents in JSON lines: this one, or that of a BEIR folder."""
    if path.is_dir():
        inside = path / CORPUS
        return inside if inside.is_file() else None
    return path if path.suffix == ".jsonl" and path.is_file() else None


def read_corpus(file: Path) -> TextCollection:
    """Read documents from JSON lines; a title precedes the text, on its own line."""
    texts: dict[str, str] = {}
    expected = '{"_id": ..., "title": ..., "text": ...}, one object per line'
    with file.open("rb") as stream:
        for number, written in enumerate(stream, start=1):
            if not written.strip():
                continue
            try:
                fields = json.loads(written)
            except ValueError as error:
                raise FormatError(str(file), number, "not JSON", expected) from error
            name = next((key for key in NAMES if isinstance(fields, dict) and key in fields), None)
            body = next((key for key in TEXTS if isinstance(fields, dict) and key in fields), None)
            if name is None or body is None:
                raise FormatError(str(file), number, "no id or no text", expected)
            title = fields.get("title") or ""
            texts[str(fields[name])] = f"{title}\n{fields[body]}" if title else str(fields[body])
    if not texts:
        raise FormatError(str(file), None, "no documents", expected)
    return TextCollection(texts)
