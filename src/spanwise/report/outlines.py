"""Outlines of collections, documents and structural queries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from spanwise.model.documents import UNKNOWN_CHARACTER
from spanwise.model.topics import About, And, Comparison, Or, Phrase, Structured
from spanwise.report.tables import visible

if TYPE_CHECKING:
    from spanwise.model.documents import Collection, Document, Name, Tree
    from spanwise.model.topics import Condition, Path, Query, Term

_LINES = 10_000


def listed_documents(collection: Collection) -> Iterator[str]:
    """Yield a line for each document: characters, elements, name."""
    yield f"{'characters':>12} {'elements':>10}  document\n"
    documents = collection.documents()
    while lines := [_document_line(document) for document in islice(documents, _LINES)]:
        yield "".join(lines)


def _document_line(document: Document) -> str:
    return f"{document.length:>12,} {document.elements:>10,}  {visible(document.name)}\n"


def shown_tree(tree: Tree, deepest: int | None = None) -> str:
    """Return a line for each element: start, length, and its step, indented by depth."""
    lines = [f"{'start':>10} {'length':>10}  element\n"]
    for element in tree.elements():
        if deepest is None or element.depth <= deepest:
            step = element.path.rpartition("/")[2]
            indent = "  " * (element.depth - 1)
            lines.append(f"{element.start:>10,} {element.length:>10,}  {indent}{step}\n")
    return "".join(lines)


def shown_text(collection: Collection, document: Name, path: Name) -> str:
    """Return the text at a path; unknown characters become the names of their entities."""
    start, length = collection.span(document, path)
    pieces, place = [], start
    for unknown, name in sorted(collection.entities(document).items()):
        if start <= unknown < start + length:
            pieces += [collection.text(document, place, unknown - place), f"&{name};"]
            place = unknown + collection.policy.size(UNKNOWN_CHARACTER)
    pieces.append(collection.text(document, place, start + length - place))
    return "".join(pieces) + "\n"


# Queries ------------------------------------------------------------------------------------------


def outlined(query: Query) -> str:
    """Return the tree of a query, with a line for each of its parts."""
    if isinstance(query, Structured):
        lines = ["content and structure"]
        for step in query.steps:
            asked = "  (target)" if step is query.steps[-1] else ""
            lines.append(f"  {step.path}{asked}")
            if step.condition is not None:
                lines += [f"    {line}" for line in _outlined(step.condition)]
    else:
        lines = ["content only", *(f"  {_named(term)}" for term in query.terms)]
    return "\n".join(lines) + "\n"


def _outlined(condition: Condition) -> Iterator[str]:
    if isinstance(condition, (And, Or)):
        yield "and" if isinstance(condition, And) else "or"
        for part in condition.conditions:
            yield from (f"  {line}" for line in _outlined(part))
    elif isinstance(condition, About):
        yield f"about .{condition.path}"
        yield from (f"  {_named(term)}" for term in condition.terms)
    else:
        yield f"compare {condition}"


def _named(term: Term) -> str:
    return f"{'phrase' if isinstance(term, Phrase) else 'word'} {term}"


def as_json(query: Query) -> str:
    """Return the tree of a query as JSON."""
    tree: dict[str, Any] = {"canonical": str(query)}
    if isinstance(query, Structured):
        tree["steps"] = [
            {"path": _path(step.path)}
            | ({} if step.condition is None else {"condition": _condition(step.condition)})
            for step in query.steps
        ]
    else:
        tree["terms"] = [_term(term) for term in query.terms]
    return json.dumps(tree, indent=2, ensure_ascii=False) + "\n"


def _path(path: Path) -> list[dict[str, Any]]:
    """Return a list of steps; an empty list of names means any element."""
    return [{"axis": node.axis, "names": list(node.names)} for node in path.nodes]


def _condition(condition: Condition) -> dict[str, Any]:
    if isinstance(condition, And):
        return {"and": [_condition(part) for part in condition.conditions]}
    if isinstance(condition, Or):
        return {"or": [_condition(part) for part in condition.conditions]}
    if isinstance(condition, About):
        terms = [_term(term) for term in condition.terms]
        return {"about": {"path": _path(condition.path), "terms": terms}}
    return {"compare": {"path": _path(condition.path)} | _compared(condition)}


def _compared(condition: Comparison) -> dict[str, str]:
    """Return the operator and value; numbers are strings, so that none is rounded."""
    kind = "string" if isinstance(condition.value, str) else "number"
    value = condition.value if isinstance(condition.value, str) else condition.shown_value
    return {"operator": condition.operator, kind: value}


def _term(term: Term) -> dict[str, Any]:
    content = {"phrase": list(term.words)} if isinstance(term, Phrase) else {"word": term.text}
    return {"sign": term.sign} | content
