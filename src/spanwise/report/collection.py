"""A collection to look at: its documents, a document's tree, an element's text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from spanwise.model.documents import UNKNOWN_CHARACTER
from spanwise.report.cells import visible

if TYPE_CHECKING:
    from spanwise.model.documents import Collection, Document, Name, Tree

_LINES = 10_000


def listed_documents(collection: Collection) -> Iterator[str]:
    """One line per document: characters, elements, name; some thousand lines at a time."""
    yield f"{'characters':>12} {'elements':>10}  document\n"
    documents = collection.documents()
    while lines := [_document_line(document) for document in islice(documents, _LINES)]:
        yield "".join(lines)


def _document_line(document: Document) -> str:
    return f"{document.length:>12,} {document.elements:>10,}  {visible(document.name)}\n"


def shown_tree(tree: Tree, deepest: int | None = None) -> str:
    """One line per element: start, length, and its step, indented by its depth."""
    lines = [f"{'start':>10} {'length':>10}  element\n"]
    for element in tree.elements():
        if deepest is None or element.depth <= deepest:
            step = element.path.rpartition("/")[2]
            indent = "  " * (element.depth - 1)
            lines.append(f"{element.start:>10,} {element.length:>10,}  {indent}{step}\n")
    return "".join(lines)


def shown_text(collection: Collection, document: Name, path: Name) -> str:
    """The text at a path; where a character is not known, the name of its entity."""
    start, length = collection.span(document, path)
    pieces, place = [], start
    for unknown, name in sorted(collection.entities(document).items()):
        if start <= unknown < start + length:
            pieces += [collection.text(document, place, unknown - place), f"&{name};"]
            place = unknown + collection.policy.size(UNKNOWN_CHARACTER)
    pieces.append(collection.text(document, place, start + length - place))
    return "".join(pieces) + "\n"
