"""Building stores of documents, and looking into them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from spanwise.collection import opened
from spanwise.collection.building import Plan, build
from spanwise.errors import UsageError
from spanwise.model.documents import CharacterPolicy
from spanwise.model.scores import printable
from spanwise.report.outlines import listed_documents, shown_text, shown_tree

if TYPE_CHECKING:
    from spanwise.collection.building import Progress, Summary
    from spanwise.collection.shards import OnError
    from spanwise.model.documents import BlankNodes, Collection, Unit, WhiteSpace


@dataclass(frozen=True, slots=True)
class Built:
    """A store that was built. It stands for its path wherever a collection is expected."""

    path: str
    documents: int
    elements: int
    characters: int
    skipped: int
    """Number of documents that could not be read and were left out."""
    unknown: int
    """Number of references to entities, one character each, whose text is unknown."""
    reused: int
    """Number of shards of an earlier, interrupted build that were used again."""

    def __fspath__(self) -> str:
        return self.path

    def to_dict(self) -> dict[str, Any]:
        """Return the path and all counts."""
        return asdict(self)

    def to_text(self) -> str:
        """Return the counts as a sentence."""
        line = (
            f"{self.path}: {self.documents:,} documents, {self.elements:,} elements,"
            f" {self.characters:,} characters, {self.skipped:,} skipped"
        )
        if self.unknown:
            line += f", {self.unknown:,} references to unknown entities"
        return f"{line}, {self.reused:,} shards reused\n" if self.reused else f"{line}\n"

    def __repr__(self) -> str:
        return f"<Built {self.to_text().rstrip()}>"


def build_collection(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    path: str | os.PathLike[str],
    *,
    characters: Unit = "codepoints",
    whitespace: WhiteSpace = "keep",
    blank_nodes: BlankNodes = "keep",
    on_error: OnError = "stop",
    fresh: bool = False,
    workers: int = 1,
    progress: bool = False,
) -> Built:
    """Read documents and write a store that knows where every element lies.

    `paths` are folders, archives, XML or plain text files, or text files that name files. `path` is
    the folder to write; it appears only when the store is complete, and an interrupted build goes
    on where it stopped. `characters` counts code points or bytes of UTF-8; `whitespace="collapse"`
    counts a run of white space as one character; `blank_nodes="strip"` does not count text nodes of
    white space only. `on_error="skip"` reports a broken document as a `SpanwiseWarning` and leaves
    it out. `fresh` replaces an existing store. `workers` is the number of processes; a script
    that asks for several must be importable, as `multiprocessing` demands. `progress` shows the
    progress on a terminal.

    The result can be passed wherever a collection is expected.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "d1.xml").write_text("<article><p>cats</p></article>")
    ...     built = build_collection(Path(folder, "d1.xml"), Path(folder, "store"))
    >>> built.documents, built.elements, built.characters
    (1, 2, 4)
    """
    several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    sources, output = [os.fspath(one) for one in several], os.fspath(path)
    policy = CharacterPolicy(characters, whitespace, blank_nodes)
    plan = Plan(policy, on_error, fresh, workers)
    watched = progress and sys.stderr is not None and sys.stderr.isatty()
    found = _watched(sources, output, plan) if watched else build(sources, output, plan)
    return Built(output, **asdict(found))


def _watched(paths: list[str], output: str, plan: Plan) -> Summary:
    """Build with a progress bar."""
    import click

    from spanwise.collection.sources import total_size

    documents = 0
    with click.progressbar(
        length=total_size(paths), label="building", file=sys.stderr, show_pos=False
    ) as bar:

        def advance(weight: int, read: int) -> None:
            nonlocal documents
            documents += read
            bar.label = f"{documents:,} documents"
            bar.update(weight)

        progress: Progress = advance
        return build(paths, output, plan, progress)


def show_collection(
    collection: Collection | Mapping[Any, str] | str | os.PathLike[str],
    document: str | None = None,
    path: str | None = None,
    *,
    depth: int | None = None,
) -> Iterator[str]:
    """Yield the text that shows a collection, piece by piece.

    Without a document this is a list of all documents; with a document, its tree of elements, at
    most `depth` levels deep; with a document and a path, the text of that element.

    >>> print("".join(show_collection({"d1": "cats"})), end="")
      characters   elements  document
               4          0  d1
    """
    store = opened(collection)
    assert store is not None
    refuse_idle_depth(document, path, depth)
    if document is None:
        yield from listed_documents(store)
    elif path is None:
        yield shown_tree(store.tree(document), depth)
    else:
        yield shown_text(store, document, path)


def collection_record(
    collection: Collection, document: str | None, path: str | None, *, depth: int | None = None
) -> dict[str, Any]:
    """Return what `show_collection` shows, as JSON has it."""
    if document is None:
        every = [
            {"document": printable(one.name), "characters": one.length, "elements": one.elements}
            for one in collection.documents()
        ]
        return {"documents": every}
    if path is None:
        elements = [
            {"path": one.path, "start": one.start, "length": one.length}
            for one in collection.tree(document).elements()
            if depth is None or one.depth <= depth
        ]
        return {"document": document, "elements": elements}
    start, length = collection.span(document, path)
    text = printable(shown_text(collection, document, path)[:-1])
    return {"document": document, "path": path, "start": start, "length": length, "text": text}


def refuse_idle_depth(document: str | None, path: str | None, depth: int | None) -> None:
    """Refuse a number of levels where no tree is shown."""
    if depth is not None and (document is None or path is not None):
        raise UsageError("--levels has no effect without a tree; expected a DOCUMENT and no PATH")
