"""Chunkers by name: each cuts a text into stretches of a given size and overlap in characters.

`fixed`, `sentence` and `recursive` are written here; names that begin with `langchain-`,
`llamaindex-` or `chonkie-` call those libraries. Objects of these libraries and functions are
chunkers too, and bring sizes of their own.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import Any

from spanwise.errors import MissingExtra, SpanwiseError, UnknownName, UsageError
from spanwise.plugin_loading import F, Registry, home_of, is_ours

Stretch = tuple[int, int]
Piece = Stretch | tuple[int, int, str] | str
"""A chunk: start and end, perhaps with the text to be searched; or only its text."""
Chunker = Callable[..., Sequence[Piece]]
"""Returns the chunks of a text, given it, a size and an overlap."""


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
    positions, the texts of the chunks, which are then looked for. A triple `(start, end, searched)`
    is a chunk that is read from start to end but found by another text. Its docstring says how it
    cuts.

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


# Chunkers of libraries ----------------------------------------------------------------------------
#
# A splitter is made once for a size and overlap, because some load a model or a tokenizer.


def _install(extra: str) -> str:
    return f"install it with: pip install 'spanwise[{extra}]'"


LANGCHAIN = {
    "recursive": ("RecursiveCharacterTextSplitter", ""),
    "character": ("CharacterTextSplitter", ""),
    "markdown": ("MarkdownTextSplitter", ""),
    "token": ("TokenTextSplitter", "; sizes and overlaps count tokens of the encoding gpt2"),
}
LLAMA_INDEX = {"sentence": "SentenceSplitter", "token": "TokenTextSplitter"}
CHONKIE = {
    "token": "TokenChunker",
    "sentence": "SentenceChunker",
    "recursive": "RecursiveChunker",
}


def _enter_langchain(kind: str, splitter: str, remark: str) -> None:
    @lru_cache(maxsize=4)
    def made(size: int, overlap: int) -> Any:
        import langchain_text_splitters as library

        logging.getLogger(library.__name__).setLevel(logging.ERROR)  # it reports every long chunk
        return getattr(library, splitter)(chunk_size=size, chunk_overlap=overlap)

    def split(text: str, size: int, overlap: int) -> list[str]:
        return list(_loaded(f"langchain-{kind}", made, size, overlap).split_text(text))

    split.__doc__ = f"{splitter} of langchain-text-splitters{remark}."
    library = "langchain_text_splitters"
    chunker(f"langchain-{kind}", library=library, install=_install("langchain"))(split)


def _enter_llama_index(kind: str, splitter: str) -> None:
    @lru_cache(maxsize=4)
    def made(size: int, overlap: int) -> Any:
        from llama_index.core import node_parser

        return getattr(node_parser, splitter)(
            chunk_size=size, chunk_overlap=overlap, tokenizer=list
        )

    def split(text: str, size: int, overlap: int) -> list[str]:
        return list(_loaded(f"llamaindex-{kind}", made, size, overlap).split_text(text))

    split.__doc__ = f"{splitter} of llama-index-core, counting characters."
    library = "llama_index.core"
    chunker(f"llamaindex-{kind}", library=library, install=_install("llamaindex"))(split)


def _enter_chonkie(kind: str, splitter: str) -> None:
    @lru_cache(maxsize=4)
    def made(size: int, overlap: int) -> Any:
        import chonkie as library

        more = {} if kind == "recursive" else {"chunk_overlap": overlap}
        return getattr(library, splitter)(tokenizer="character", chunk_size=size, **more)

    def split(text: str, size: int, overlap: int) -> list[Stretch]:
        chunks = _loaded(f"chonkie-{kind}", made, size, overlap)(text)
        return [(chunk.start_index, chunk.end_index) for chunk in chunks]

    remark = "; it has no overlap" if kind == "recursive" else ""
    split.__doc__ = f"{splitter} of chonkie, counting characters{remark}."
    chunker(f"chonkie-{kind}", library="chonkie", install=_install("chonkie"))(split)


def _loaded(name: str, made: Callable[[int, int], Any], size: int, overlap: int) -> Any:
    """Return a splitter; the errors of its library about data that it lacks become ours."""
    try:
        return made(size, overlap)
    except (OSError, LookupError) as error:  # connections that fail are OSErrors
        raise UsageError(
            f"chunker {name!r} needs data that is not on this machine and cannot be fetched"
            f" ({type(error).__name__}); load it once with a connection, or choose another chunker"
        ) from error


for _kind, (_splitter, _remark) in LANGCHAIN.items():
    _enter_langchain(_kind, _splitter, _remark)
for _kind, _splitter in LLAMA_INDEX.items():
    _enter_llama_index(_kind, _splitter)

WINDOW = 3
"""Number of sentences that are read on each side of a found one."""


@lru_cache(maxsize=1)
def _sentence_window() -> Any:
    from llama_index.core.node_parser import SentenceWindowNodeParser

    return SentenceWindowNodeParser.from_defaults(window_size=WINDOW)


@chunker("llamaindex-sentence-window", library="llama_index.core", install=_install("llamaindex"))
def sentence_window(text: str, size: int, overlap: int) -> list[Piece]:  # noqa: ARG001
    """SentenceWindowNodeParser of llama-index-core; it has no size and no overlap.

    A sentence is searched, and read with 3 more on each side.
    """
    return _windows(_sentence_window().sentence_splitter(text), text, WINDOW)


def _windows(sentences: Sequence[str], text: str, width: int) -> list[Piece]:
    """Return each sentence with the stretch from `width` sentences before it to as many after."""
    bounds: list[Stretch] = []
    place = 0
    for words in sentences:
        start = text.find(words, place)
        if start >= 0:
            place = start + len(words)
            bounds.append((start, place))
    last = len(bounds) - 1
    return [
        (bounds[max(n - width, 0)][0], bounds[min(n + width, last)][1], text[start:end])
        for n, (start, end) in enumerate(bounds)
    ]


for _kind, _splitter in CHONKIE.items():
    _enter_chonkie(_kind, _splitter)

SEMANTIC = "chonkie-semantic"
POTION = "minishlab/potion-base-32M"
"""The model of Chonkie's semantic chunker."""


@lru_cache(maxsize=4)
def _semantic(size: int, model: str) -> Any:
    try:
        from chonkie import SemanticChunker
        from chonkie.embeddings import Model2VecEmbeddings
        from model2vec import StaticModel
    except ImportError:
        raise MissingExtra("model2vec", "model2vec", f"chunker {SEMANTIC!r}") from None
    folder = model or _cached(POTION)
    try:
        if not Path(folder).is_dir():  # the library would look for it elsewhere
            raise FileNotFoundError(folder)
        vectors = StaticModel.from_pretrained(folder)
    except (OSError, LookupError, ValueError) as error:
        raise UsageError(
            f"{folder}: found no model of model2vec ({type(error).__name__}); expected a folder"
            " that model2vec has written"
        ) from error
    return SemanticChunker(Model2VecEmbeddings(vectors), chunk_size=size)


def _cached(model: str) -> str:
    """Return the folder of a model in the cache of Hugging Face."""
    try:
        from huggingface_hub import snapshot_download

        return str(snapshot_download(model, local_files_only=True))
    except (ImportError, OSError, ValueError):
        raise UsageError(
            f"chunker {SEMANTIC!r}: its model {model} is not on this machine; name a folder that"
            f" model2vec has written: {SEMANTIC}:FOLDER"
        ) from None


@chunker(SEMANTIC, library="chonkie", install=_install("chonkie"))
def semantic(text: str, size: int, overlap: int, model: str = "") -> list[Stretch]:  # noqa: ARG001
    """SemanticChunker of chonkie, counting tokens; it has no overlap.

    Its model is the one that model2vec has written to a folder, `chonkie-semantic:FOLDER`, else
    chonkie's own, if it is on this machine.
    """
    return [(chunk.start_index, chunk.end_index) for chunk in _semantic(size, model)(text)]


class MissingChunker(MissingExtra):
    """The error for a chunker whose library is not installed, with a message how to install it."""

    def __init__(self, entry: ChunkerEntry) -> None:
        how = f"; {entry.install}" if entry.install else ""
        SpanwiseError.__init__(self, f"chunker {entry.name!r} needs {entry.library}{how}")


def find_chunker(name: str) -> Chunker:
    """Return the chunker of that name; the semantic one may name the folder of a model."""
    base, colon, folder = name.partition(":")
    known = base if base == SEMANTIC else name
    if known not in CHUNKERS:
        names = list(CHUNKERS)
        raise UnknownName("chunker", name, names, f"known: {', '.join(names)}")
    if colon and known == SEMANTIC and not folder:
        raise UsageError(f"chunker {name!r}; expected a folder after the colon")
    entry = CHUNKERS[known]
    if entry.library:
        try:
            import_module(entry.library)
        except ImportError:
            raise MissingChunker(entry) from None
    return partial(entry.cut, model=folder) if colon and known == SEMANTIC else entry.cut


def refuse_sizes(size: int, overlap: int) -> None:
    """Refuse a chunk size that is not larger than the overlap."""
    if size < 1 or not 0 <= overlap < size:
        raise UsageError(f"chunks of {size} with an overlap of {overlap}; expected less overlap")


# Chunkers as objects ------------------------------------------------------------------------------


def cut_by(chunker: Any) -> Callable[[str], list[Piece]]:
    """Return a function from a text to its chunks, given an object of a library or a function.

    A text splitter of LangChain or LlamaIndex, a node parser of LlamaIndex, a chunker of Chonkie,
    or a function from a text to texts, pairs of positions, or triples of positions and the text to
    be searched.
    """
    if hasattr(chunker, "split_text"):
        return lambda text: list(chunker.split_text(text))
    if hasattr(chunker, "get_nodes_from_documents"):
        return partial(_cut_by_nodes, chunker)
    cut = getattr(chunker, "chunk", chunker)
    if not callable(cut):
        raise UsageError(
            f"chunker {chunker!r}; expected a name, a text splitter, a node parser, or a function"
            " from a text to chunks"
        )
    return lambda text: [_piece_of(chunk) for chunk in cut(text)]


def _cut_by_nodes(parser: Any, text: str) -> list[Piece]:
    """Cut a text with a node parser of LlamaIndex, which may keep a window for each sentence."""
    from llama_index.core import Document

    if hasattr(parser, "window_metadata_key"):
        return _windows(parser.sentence_splitter(text), text, parser.window_size)
    return [_piece_of(node) for node in parser.get_nodes_from_documents([Document(text=text)])]


def _piece_of(chunk: Any) -> Piece:
    """Return a chunk as a text, or as its positions."""
    if isinstance(chunk, str):
        return chunk
    if isinstance(chunk, tuple | list) and len(chunk) in (2, 3):
        start, end, *searched = chunk
        return (int(start), int(end), str(searched[0])) if searched else (int(start), int(end))
    for first, second in (("start_index", "end_index"), ("start_char_idx", "end_char_idx")):
        start, end = getattr(chunk, first, None), getattr(chunk, second, None)
        if start is not None and end is not None:
            return int(start), int(end)
    for name in ("text", "page_content"):
        if isinstance(words := getattr(chunk, name, None), str):
            return words
    raise UsageError(f"chunk {chunk!r}"[:200] + "; expected a text or a pair of positions")
