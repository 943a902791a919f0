"""Documents, their elements, and what counts as a character.

A document is a text with a tree of elements over it. Every element has a path, such as
`/article[1]/sec[2]/p[1]` (names as written, counted from 1 per parent and name), and a span. A
point inside a text node is written `PATH/text()[k].n`: n characters after the start of the k-th
stretch of text between the child elements of PATH. Comments and processing instructions do not
cut a text node in two. An attribute, a tag, a comment and a processing instruction count nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from spanwise.model.arrays import IntArray
    from spanwise.model.spans import Spans

Name = str | bytes
"""The id of a document, or a path, as text or as the bytes of a file."""

UNKNOWN_CHARACTER = "\ufffd"
"""Placeholder in a text for an entity that is not known."""
TEXT_ELEMENT = "document"
"""A plain text is a document with this one element: `/document[1]`."""

Unit = Literal["codepoints", "bytes"]
WhiteSpace = Literal["keep", "collapse"]
BlankNodes = Literal["keep", "strip"]


@dataclass(frozen=True, slots=True)
class CharacterPolicy:
    """A rule of what counts as a character; a collection follows one for all sizes and positions.

    An entity reference is one character (with `bytes`: the bytes of the character it stands for).
    """

    unit: Unit = "codepoints"
    white_space: WhiteSpace = "keep"
    """`collapse`: a run of white space counts as one character, also across tags."""
    blank_nodes: BlankNodes = "keep"
    """`strip`: text nodes of only white space do not count and have no number."""

    def size(self, text: str) -> int:
        """Return the size of a text in which no white space is to be collapsed."""
        return len(text) if self.unit == "codepoints" else len(text.encode())

    def __str__(self) -> str:
        return f"{self.unit}, white space {self.white_space}, blank nodes {self.blank_nodes}"


class Element(NamedTuple):
    """An element of a document."""

    path: str
    start: int
    length: int
    parent: int  # which of the document's elements, -1 for the root
    depth: int  # 1 for the root


class Document(NamedTuple):
    """A document of a collection, without its text."""

    name: str  # path relative to the folder or archive it came from, with extension
    length: int
    elements: int
    stated: bool = False  # whether the name is an id given in the file, not a path


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """The elements of a document as columns, in the order of their start tags."""

    tags: Sequence[str]  # names by code
    tag: IntArray
    index: IntArray  # among the children of one name that a parent has, from 1
    parent: IntArray
    depth: IntArray
    start: IntArray
    length: IntArray

    def __len__(self) -> int:
        return len(self.tag)

    @property
    def is_plain(self) -> bool:
        """Whether this is the tree of a plain text."""
        return len(self) == 1 and self.tags[int(self.tag[0])] == TEXT_ELEMENT

    def paths(self) -> list[str]:
        """Return the path of every element."""
        tags, paths = self.tags, [""] * (len(self) + 1)  # index -1 is the parent of the root
        rows = zip(self.tag.tolist(), self.index.tolist(), self.parent.tolist(), strict=True)
        for row, (tag, index, parent) in enumerate(rows):
            paths[row] = f"{paths[parent]}/{tags[tag]}[{index}]"
        paths.pop()
        return paths

    def elements(self) -> list[Element]:
        """Return the elements as objects."""
        columns = (column.tolist() for column in (self.start, self.length, self.parent, self.depth))
        return list(map(Element, self.paths(), *columns))


class Collection(Protocol):
    """A collection of documents: where their elements lie, and what their text is.

    A document's id is its file name without extension, or, if it contains a slash, its path
    relative to the folder, or the end of that path, without extension; either matches with the
    extension too. An id that fits several documents is an error unless it is the whole path of one;
    an unknown one is an error except for `in` and `spans`.
    """

    @property
    def policy(self) -> CharacterPolicy:
        """The rule of what counts as a character."""

    def __len__(self) -> int:
        """Return the number of documents."""

    def __contains__(self, document: object) -> bool:
        """Return whether the collection has this document."""

    def documents(self) -> Iterator[Document]:
        """Return all documents in the order in which they were read."""

    def numbers(self, documents: Sequence[Name]) -> IntArray:
        """Return the numbers of the documents with these ids, -1 for unknown ids."""

    def length(self, document: Name) -> int:
        """Return the number of characters of a document."""

    def lengths(self, documents: Sequence[Name]) -> IntArray:
        """Return the number of characters of each document, -1 if it is unknown."""

    def mean_length(self) -> float:
        """Return the mean length of all documents, `nan` if there are none."""

    def tree(self, document: Name) -> Tree:
        """Return the elements of a document as columns."""

    def elements(self, document: Name) -> Sequence[Element]:
        """Return the elements of a document in the order of their start tags."""

    def span(self, document: Name, path: Name) -> tuple[int, int]:
        """Return start and length of an element, a text node, or (length 0) a point in one."""

    def spans(self, documents: Sequence[Name], paths: Sequence[Name]) -> Spans:
        """Return the spans of many paths, -1 if the document or path is unknown."""

    def text(self, document: Name, start: int = 0, length: int | None = None) -> str:
        """Return the text of a document or of a part of it."""

    def entities(self, document: Name) -> dict[int, str]:
        """Return the positions of unknown characters and the names of their entities."""


# Paths -------------------------------------------------------------------------------------------

ELEMENT = r"(?:/[^/\[\]()\s<>]+\[[1-9]\d{0,8}\])+"
ELEMENT_PATH = re.compile(ELEMENT)
POINT = re.compile(rf"{ELEMENT}(?:/text\(\)\[[1-9]\d{{0,8}}\]\.\d{{1,18}})?")
IN_TEXT = b"/text()["
"""What a path has in it that names a place in a text node."""
EXPECTED_PATH = "a path such as /article[1]/sec[2]/p[1]"
EXPECTED_POINT = f"{EXPECTED_PATH} or a point in its text such as /article[1]/p[1]/text()[2].17"


def is_element_path(path: str) -> bool:
    """Return whether a path names an element, with a number in every step.

    >>> is_element_path("/article[1]/sec[2]"), is_element_path("/article/sec")
    (True, False)
    """
    return ELEMENT_PATH.fullmatch(path) is not None


def is_point(path: str) -> bool:
    """Return whether a path names an element or a point in a text node."""
    return POINT.fullmatch(path) is not None


def parent_of(path: bytes) -> bytes:
    """Return the path of the parent element; empty for the root."""
    return path[: path.rfind(b"/")]
