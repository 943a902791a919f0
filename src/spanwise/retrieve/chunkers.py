"""Chunkers by name: a text, a size and an overlap in characters become stretches of the text.

`fixed`, `sentence` and `recursive` are built in; names that begin with `langchain-` or `chonkie-`
are those libraries' own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import MissingExtra, UnknownName, UsageError

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

Stretch = tuple[int, int]
Chunker = Callable[[str, int, int], "list[Stretch] | list[str]"]
"""Gives where chunks begin and end, or, if it does not know, their texts."""

_SENTENCE = re.compile(r".+?(?:[.!?。！？]+[\"'”’)\]]*\s+|\n{2,}|$)", re.DOTALL)
_SEPARATORS = ("\n\n", "\n", ". ", " ", "")


def fixed(text: str, size: int, overlap: int) -> list[Stretch]:
    """Windows of one size, each beginning `size - overlap` after the one before.

    >>> fixed("abcdefghij", 4, 1)
    [(0, 4), (3, 7), (6, 10)]
    """
    step = size - overlap
    last = max(len(text) - overlap, 1)
    return [(start, min(start + size, len(text))) for start in range(0, last, step) if text]


def sentence(text: str, size: int, overlap: int) -> list[Stretch]:
    """Whole sentences, as many as fit; the next chunk begins with those that fit the overlap."""
    return _packed([match.span() for match in _SENTENCE.finditer(text)], size, overlap)


def recursive(text: str, size: int, overlap: int) -> list[Stretch]:
    """Paragraphs, else lines, else sentences, else words, as many as fit."""
    return _packed(_split(text, 0, len(text), size, 0), size, overlap)


def _split(text: str, start: int, end: int, size: int, level: int) -> list[Stretch]:
    """A stretch cut at the coarsest separator that leaves pieces that fit."""
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
    """Neighbouring pieces put together as long as they fit."""
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


def _langchain(kind: str) -> Chunker:
    try:
        import langchain_text_splitters as library
    except ImportError:
        raise MissingExtra(
            "langchain-text-splitters", "sweep", f"chunker 'langchain-{kind}'"
        ) from None
    names = {
        "recursive": "RecursiveCharacterTextSplitter",
        "character": "CharacterTextSplitter",
        "token": "TokenTextSplitter",
        "markdown": "MarkdownTextSplitter",
    }
    made = getattr(library, names[kind])

    def split(text: str, size: int, overlap: int) -> list[str]:
        return list(made(chunk_size=size, chunk_overlap=overlap).split_text(text))

    return split


def _chonkie(kind: str) -> Chunker:
    try:
        import chonkie as library
    except ImportError:
        raise MissingExtra("chonkie", "sweep", f"chunker 'chonkie-{kind}'") from None
    names = {
        "token": "TokenChunker",
        "sentence": "SentenceChunker",
        "recursive": "RecursiveChunker",
    }
    made = getattr(library, names[kind])

    def split(text: str, size: int, overlap: int) -> list[Stretch]:
        more = {} if kind == "recursive" else {"chunk_overlap": overlap}
        chunks = made(tokenizer="character", chunk_size=size, **more)(text)
        return [(chunk.start_index, chunk.end_index) for chunk in chunks]

    return split


BUILT_IN: dict[str, Chunker] = {"fixed": fixed, "sentence": sentence, "recursive": recursive}
FOREIGN: dict[str, Callable[[str], Chunker]] = {
    **{f"langchain-{k}": _langchain for k in ("recursive", "character", "token", "markdown")},
    **{f"chonkie-{k}": _chonkie for k in ("token", "sentence", "recursive")},
}


def find_chunker(name: str) -> Chunker:
    """The chunker of that name."""
    if name in BUILT_IN:
        return BUILT_IN[name]
    if name in FOREIGN:
        return FOREIGN[name](name.partition("-")[2])
    raise UnknownName("chunker", name, [*BUILT_IN, *FOREIGN])


def refuse_sizes(size: int, overlap: int) -> None:
    """A chunk must be larger than what it shares with the next."""
    if size < 1 or not 0 <= overlap < size:
        raise UsageError(f"chunks of {size} with an overlap of {overlap}; expected less overlap")


# BM25 over chunks, by the library bm25s. ----------------------------------------------------------

K1, B = 1.2, 0.75
RETRIEVERS = ("bm25",)


class Bm25:
    """An index of texts."""

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
        """For each question the numbers of the best texts, and their scores, best first."""
        found, scores = self._index.retrieve(
            self._tokens(questions), k=min(most, self._count), show_progress=False
        )
        # The library leaves equal scores in any order: the earlier text first.
        order = np.lexsort((found, -scores), axis=-1)
        return (
            np.take_along_axis(np.asarray(found, np.int64), order, axis=-1),
            np.take_along_axis(np.asarray(scores, np.float64), order, axis=-1),
        )


def find_retriever(name: str) -> type[Bm25]:
    """The retriever of that name."""
    if name not in RETRIEVERS:
        raise UnknownName("retriever", name, list(RETRIEVERS))
    return Bm25
