"""Chunkers by name: each cuts a text into stretches of a given size and overlap in characters.

`fixed`, `sentence` and `recursive` are written here; names that begin with `langchain-` or
`chonkie-` call those libraries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from inspect import getdoc
from typing import TYPE_CHECKING, Any

from spanwise.errors import MissingExtra, SpanwiseError, UnknownName, UsageError
from spanwise.plugin_loading import F, Registry, home_of, is_ours

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

Stretch = tuple[int, int]
Chunker = Callable[[str, int, int], "list[Stretch] | list[str]"]
"""Returns the start and end of each chunk, or, if these are unknown, its text."""


@dataclass(frozen=True, slots=True)
class ChunkerEntry:
    """One line of the table of chunkers."""

    name: str
    cut: Chunker
    library: str  # the module that must be installed; empty if none
    install: str  # how to install it

    @property
    def description(self) -> str:
        """The function's docstring."""
        return getdoc(self.cut) or ""

    @property
    def summary(self) -> str:
        """The first paragraph of the docstring."""
        return " ".join(self.description.partition("\n\n")[0].split())


CHUNKERS: Registry[ChunkerEntry] = Registry("chunker")


def chunker(name: str, *, library: str = "", install: str = "") -> Callable[[F], F]:
    """Register the decorated function as a chunker, and return it unchanged.

    The function takes a text, a size and an overlap in characters. It returns the chunks in the
    order of the text: pairs of positions `(start, end)` in the text, or, if it does not know the
    positions, the texts of the chunks, which are then looked for. Its docstring says how it cuts.

    For example:

        from spanwise.plugins import chunker

        @chunker("lines")
        def by_line(text, size, overlap):
            '''Whole lines, whatever the size.'''
            found, start = [], 0
            for line in text.splitlines(keepends=True):
                found.append((start, start + len(line)))
                start += len(line)
            return found

    name: the name for `spanwise sweep --chunker`.
    library: the module that the function imports, if it is not always installed.
    install: how to install that library.
    """

    def enter(cut: F) -> F:
        home = home_of(cut)
        entry = ChunkerEntry(name, cut, library, install)
        if not is_ours(home) and not entry.description:
            raise UsageError(f"chunker {name!r} of {home} has no docstring; describe it there")
        CHUNKERS.enter(name, entry, home)
        return cut

    return enter


_SENTENCE = re.compile(r".+?(?:[.!?。！？]+[\"'”’)\]]*\s+|\n{2,}|$)", re.DOTALL)
_SEPARATORS = ("\n\n", "\n", ". ", " ", "")


@chunker("fixed")
def fixed(text: str, size: int, overlap: int) -> list[Stretch]:
    """Windows of one size, each beginning `size - overlap` after the one before.

    >>> fixed("abcdefghij", 4, 1)
    [(0, 4), (3, 7), (6, 10)]
    """
    step = size - overlap
    last = max(len(text) - overlap, 1)
    return [(start, min(start + size, len(text))) for start in range(0, last, step) if text]


@chunker("sentence")
def sentence(text: str, size: int, overlap: int) -> list[Stretch]:
    """Whole sentences, as many as fit; the next chunk begins with those that fit the overlap."""
    return _packed([match.span() for match in _SENTENCE.finditer(text)], size, overlap)


@chunker("recursive")
def recursive(text: str, size: int, overlap: int) -> list[Stretch]:
    """Paragraphs, else lines, else sentences, else words, as many as fit."""
    return _packed(_split(text, 0, len(text), size, 0), size, overlap)


def _split(text: str, start: int, end: int, size: int, level: int) -> list[Stretch]:
    """Cut a stretch at the coarsest separator whose pieces fit the size."""
    if end - start <= size:
        return [(start, end)] if end > start else []
    mark = _SEPARATORS[level]
    if not mark:
        return [(place, min(place + size, end)) for place in range(start, end, size)]
    pieces, begin = [], start
    while begin < end:
        found = text.find(mark, begin, end)
        stop = end if found < 0 else found + len(mark)
        pieces += _split(text, begin, stop, size, level + 1)
        begin = stop
    return pieces


def _packed(pieces: Sequence[Stretch], size: int, overlap: int) -> list[Stretch]:
    """Join neighbouring pieces as long as they fit the size."""
    chunks: list[Stretch] = []
    first = 0
    for number, (_, end) in enumerate(pieces):
        if number > first and end - pieces[first][0] > size:
            chunks.append((pieces[first][0], pieces[number - 1][1]))
            back = number
            while back > first + 1 and pieces[number - 1][1] - pieces[back - 1][0] <= overlap:
                back -= 1
            while back < number and end - pieces[back][0] > size:
                back += 1
            first = back
    if pieces:
        chunks.append((pieces[first][0], pieces[-1][1]))
    return chunks


INSTALL = "install it with: pip install 'spanwise[sweep]'"
LANGCHAIN = {
    "recursive": "RecursiveCharacterTextSplitter",
    "character": "CharacterTextSplitter",
    "token": "TokenTextSplitter",
    "markdown": "MarkdownTextSplitter",
}
CHONKIE = {
    "token": "TokenChunker",
    "sentence": "SentenceChunker",
    "recursive": "RecursiveChunker",
}


def _enter_langchain(kind: str, splitter: str) -> None:
    def split(text: str, size: int, overlap: int) -> list[str]:
        import langchain_text_splitters as library

        made = getattr(library, splitter)
        return list(made(chunk_size=size, chunk_overlap=overlap).split_text(text))

    split.__doc__ = f"{splitter} of langchain-text-splitters."
    chunker(f"langchain-{kind}", library="langchain_text_splitters", install=INSTALL)(split)


def _enter_chonkie(kind: str, splitter: str) -> None:
    def split(text: str, size: int, overlap: int) -> list[Stretch]:
        import chonkie as library

        more = {} if kind == "recursive" else {"chunk_overlap": overlap}
        chunks = getattr(library, splitter)(tokenizer="character", chunk_size=size, **more)(text)
        return [(chunk.start_index, chunk.end_index) for chunk in chunks]

    split.__doc__ = f"{splitter} of chonkie, counting characters."
    chunker(f"chonkie-{kind}", library="chonkie", install=INSTALL)(split)


for _kind, _splitter in LANGCHAIN.items():
    _enter_langchain(_kind, _splitter)
for _kind, _splitter in CHONKIE.items():
    _enter_chonkie(_kind, _splitter)


class MissingChunker(MissingExtra):
    """The error for a chunker whose library is not installed, with a message how to install it."""

    def __init__(self, entry: ChunkerEntry) -> None:
        how = f"; {entry.install}" if entry.install else ""
        SpanwiseError.__init__(self, f"chunker {entry.name!r} needs {entry.library}{how}")


def find_chunker(name: str) -> Chunker:
    """Return the chunker of that name."""
    if name not in CHUNKERS:
        raise UnknownName("chunker", name, list(CHUNKERS))
    entry = CHUNKERS[name]
    if entry.library:
        try:
            import_module(entry.library)
        except ImportError:
            raise MissingChunker(entry) from None
    return entry.cut


def refuse_sizes(size: int, overlap: int) -> None:
    """Refuse a chunk size that is not larger than the overlap."""
    if size < 1 or not 0 <= overlap < size:
        raise UsageError(f"chunks of {size} with an overlap of {overlap}; expected less overlap")


# BM25 over chunks, by the library bm25s. ----------------------------------------------------------

K1, B = 1.2, 0.75
RETRIEVERS = ("bm25",)


class Bm25:
    """A BM25 index of texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        try:
            import bm25s
        except ImportError:
            raise MissingExtra("bm25s", "sweep", "retriever 'bm25'") from None
        self._library: Any = bm25s
        self._count = len(texts)
        self._index = bm25s.BM25(k1=K1, b=B)
        self._index.index(self._tokens(texts), show_progress=False)

    def _tokens(self, texts: Sequence[str]) -> Any:
        return self._library.tokenize(
            list(texts), stopwords="en", return_ids=False, show_progress=False
        )

    def best(self, questions: Sequence[str], most: int) -> tuple[IntArray, FloatArray]:
        """Return for each question the numbers and scores of the best texts, best first."""
        import numpy as np

        found, scores = self._index.retrieve(
            self._tokens(questions), k=min(most, self._count), show_progress=False
        )
        # The library does not order equal scores; the earlier text comes first.
        order = np.lexsort((found, -scores), axis=-1)
        return (
            np.take_along_axis(np.asarray(found, np.int64), order, axis=-1),
            np.take_along_axis(np.asarray(scores, np.float64), order, axis=-1),
        )


def find_retriever(name: str) -> type[Bm25]:
    """Return the retriever of that name."""
    if name not in RETRIEVERS:
        raise UnknownName("retriever", name, list(RETRIEVERS))
    return Bm25
