"""A text cut into tokens or sentences, or into the elements of its tree."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from spanwise.model.spans import Spans

if TYPE_CHECKING:
    from spanwise.model.documents import Collection

TOKEN = re.compile(r"\w+|[^\w\s]")
SENTENCE = re.compile(
    r"\S(?:[^.!?\n。！？]|[.!?](?=[^\s\"'”’)\]])|\n(?!\s*\n))*[.!?。！？]*[\"'”’)\]]*", re.DOTALL
)


def tokens(text: str) -> Spans:
    """Words, and marks that are no white space.

    >>> tokens("It's 3.5").starts.tolist()
    [0, 2, 3, 5, 6, 7]
    """
    return _found(TOKEN, text)


def sentences(text: str) -> Spans:
    """Up to a full stop, question or exclamation mark before white space, or to an empty line.

    >>> sentences("A b. C 3.5 d! E").starts.tolist()
    [0, 5, 14]
    """
    return _found(SENTENCE, text)


def _found(pattern: re.Pattern[str], text: str) -> Spans:
    places = [match.span() for match in pattern.finditer(text)]
    columns = np.array(places, np.int64).reshape(-1, 2)
    return Spans(columns[:, 0], columns[:, 1] - columns[:, 0])


def units_of(collection: Collection, document: bytes, unit: str) -> Spans:
    """The tokens, sentences or elements of a document; elements without text are left out."""
    if unit == "element":
        tree = collection.tree(document)
        full = np.flatnonzero(tree.length > 0)
        return Spans(tree.start[full], tree.length[full])
    text = collection.text(document)
    return tokens(text) if unit == "token" else sentences(text)
