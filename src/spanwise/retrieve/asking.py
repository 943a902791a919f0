"""Retrievers: their names, and how one that is an object is asked for a number of results.

A retriever of LangChain has a method `invoke`, one of LlamaIndex a method `retrieve`; both keep the
number of results in a field. Any other retriever is a function of a question, perhaps also of that
number, or has one as its method `search`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sized
from contextlib import contextmanager
from inspect import Parameter, signature
from itertools import accumulate
from typing import Any, TypeVar

from spanwise.errors import UnknownName, UsageError

# Names --------------------------------------------------------------------------------------------

WORDLLAMA = "wordllama"
DENSE, HYBRID = "dense", "hybrid"
KNOWN = {
    "bm25": ("BM25 of the library bm25s, without English stop words", "sweep"),
    "tfidf": ("TF-IDF of stems with cosine, as the engine of that name", ""),
    f"{DENSE}:{WORDLLAMA}": (
        "Cosine of the static vectors that the package wordllama contains; also `dense`",
        "wordllama",
    ),
    f"{DENSE}:FOLDER": (
        "Cosine of the vectors of a model that model2vec or sentence-transformers has written",
        "model2vec",
    ),
    HYBRID: ("Reciprocal rank fusion of bm25 and dense:wordllama", "sweep,wordllama"),
    f"{HYBRID}:A+B": ("Reciprocal rank fusion of two of the others", ""),
}
"""Names of retrievers, how they rank, and the extras that they need.

FOLDER, A and B stand for what a user names.
"""


def full_name(name: str) -> str:
    """Return the name of a retriever with all that it stands for.

    >>> full_name("dense"), full_name("hybrid"), full_name("hybrid:tfidf+dense")
    ('dense:wordllama', 'hybrid:bm25+dense:wordllama', 'hybrid:tfidf+dense:wordllama')
    """
    kind, colon, rest = name.partition(":")
    if kind == DENSE and (rest or not colon):
        return f"{DENSE}:{rest or WORDLLAMA}"
    if kind == HYBRID:
        parts = (rest if colon else f"bm25+{DENSE}").split("+")
        if len(parts) != 2 or any(part.partition(":")[0] == HYBRID for part in parts):
            raise UsageError(
                f"retriever {name!r}; expected two others, such as {HYBRID}:bm25+tfidf"
            )
        return f"{HYBRID}:{'+'.join(full_name(part) for part in parts)}"
    if name not in ("bm25", "tfidf"):
        raise UnknownName("retriever", name, list(KNOWN))
    return name


# Objects ------------------------------------------------------------------------------------------

Results = TypeVar("Results", bound=Sized)
Ask = Callable[[str, int], Any]
"""Returns the results of a question; a number of them is asked for."""

METHODS = ("invoke", "retrieve")
"""The methods of retrievers that are no functions."""
COUNTS = ("k", "top_k", "similarity_top_k", "_similarity_top_k")
"""The fields in which retrievers keep the number of results."""
PARAMETERS = ("most", "k", "top_k", "limit", "top", "n", "n_results")
"""The parameters in which functions take the number of results."""


def asking(retriever: Any) -> tuple[Ask, bool]:
    """Return a function that asks a retriever, and whether it can be asked for more results."""
    for method in METHODS:
        ask = getattr(retriever, method, None)
        if callable(ask):
            return _by_field(retriever, ask), _has_count(retriever)
    search = getattr(retriever, "search", retriever)
    if not callable(search):
        raise UsageError(
            f"retriever {retriever!r}; expected a name, a function of a question, or an object with"
            " a method invoke, retrieve or search"
        )
    return _by_parameter(search)


def _has_count(retriever: Any) -> bool:
    fields = _fields(retriever)
    return "search_kwargs" in fields or any(name in fields for name in COUNTS)


def _fields(retriever: Any) -> set[str]:
    names = ("search_kwargs", *COUNTS)
    return {name for name in names if getattr(retriever, name, None) is not None}


def _by_field(retriever: Any, ask: Callable[[str], Any]) -> Ask:
    def asked(question: str, most: int) -> Any:
        with _set_to(retriever, most):
            return ask(question)

    return asked


@contextmanager
def _set_to(retriever: Any, most: int) -> Iterator[None]:
    """Set the number of results of a retriever, and restore it."""
    before = {name: getattr(retriever, name) for name in _fields(retriever)}
    for name, value in before.items():
        if name == "search_kwargs":
            more = {"fetch_k": most} if "fetch_k" in value else {}
            setattr(retriever, name, {**value, **more, "k": most})
        else:
            setattr(retriever, name, most)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(retriever, name, value)


def _needs_count(retriever: Callable[..., Any]) -> bool:
    """Return whether a function takes two arguments that have no default."""
    required = [
        one
        for one in _parameters(retriever)
        if one.default is Parameter.empty
        and one.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    ]
    return len(required) == 2


def _parameters(retriever: Callable[..., Any]) -> list[Parameter]:
    try:
        return list(signature(retriever).parameters.values())
    except (TypeError, ValueError):
        return []


def _by_parameter(retriever: Callable[..., Any]) -> tuple[Ask, bool]:
    name = next((one.name for one in _parameters(retriever)[1:] if one.name in PARAMETERS), None)
    if name is not None:
        return (lambda question, most: retriever(question, **{name: most})), True
    if _needs_count(retriever):
        return (lambda question, most: retriever(question, most)), True
    return (lambda question, most: retriever(question)), False  # noqa: ARG005


def until(
    ask: Callable[[int], Results],
    enough: Callable[[Results], bool],
    first: int,
    *,
    more: bool = True,
) -> Results:
    """Ask for `first` results, then for four times as many, until they suffice or none is left."""
    most, found = first, ask(first)
    while more and len(found) >= most and not enough(found):
        most *= 4
        again = ask(most)
        if len(again) <= len(found):
            return found
        found = again
    return found


FIRST = 50
"""Number of results that a retriever is asked for first, and at least."""


def patient(
    retriever: Any,
    listed: Callable[[Any], list[Any]],
    cost: Callable[[Any], float],
    budget: float | None,
) -> Callable[[str], list[Any]]:
    """Return a function that asks a retriever for as many results as a budget needs.

    `listed` returns the results in an answer, `cost` what it costs to read one. Without a budget,
    the retriever returns as many as it does by default.
    """
    ask, more = asking(retriever)
    if budget is None:
        plain = next((m for n in METHODS if callable(m := getattr(retriever, n, None))), retriever)
        if _needs_count(plain):
            return lambda question: listed(ask(question, FIRST))
        return lambda question: listed(plain(question))

    def read(found: list[Any]) -> list[float]:
        return list(accumulate(map(cost, found)))

    def asked(question: str) -> list[Any]:
        found = until(
            lambda most: listed(ask(question, most)),
            lambda some: bool(some) and read(some)[-1] >= budget,
            FIRST,
            more=more,
        )
        if not more:
            return found
        return found[: max(FIRST, bisect_left(read(found), budget) + 1)]

    return asked
