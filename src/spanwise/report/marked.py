"""The text of documents in which retrieved and relevant text is marked.

On a terminal the marks are colours, elsewhere rulers below the lines. Unmarked text is shown only
beside marked text; the middle of long passages is replaced by the number of its characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING
from unicodedata import category, east_asian_width

from spanwise.report.tables import wrapped

if TYPE_CHECKING:
    from spanwise.model.spans import Spans

NOTHING, RETRIEVED, RELEVANT = 0, 1, 2
RULER = {NOTHING: " ", RETRIEVED: "-", RELEVANT: "~", RETRIEVED | RELEVANT: "="}
COLOUR = {NOTHING: "", RETRIEVED: "33", RELEVANT: "4;31", RETRIEVED | RELEVANT: "1;32"}
WORDS = {
    RETRIEVED | RELEVANT: "relevant and retrieved",
    RELEVANT: "relevant, not retrieved",
    RETRIEVED: "retrieved, not relevant",
}
BESIDE = 80
"""Characters shown on each side of a cut through unmarked text."""
WITHIN = 240
"""Characters shown on each side of a cut through marked text."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A document of a topic, with its text and marks."""

    title: str
    length: int
    retrieved: Spans
    relevant: Spans  # disjoint and sorted
    read: Callable[[int, int], str]  # returns the text at a start with a length

    def segments(self) -> Iterator[tuple[int, int, int]]:
        """Yield the start, end and mark of each segment with constant marks."""
        bounds = {0, self.length}
        spans = [(RETRIEVED, self.retrieved), (RELEVANT, self.relevant)]
        pieces = [
            (mark, min(start, self.length), min(end, self.length))
            for mark, some in spans
            for start, end in zip(some.starts.tolist(), some.ends.tolist(), strict=True)
            if 0 <= start < end
        ]
        steps: dict[int, list[tuple[int, int]]] = {}
        for mark, start, end in pieces:
            bounds |= {start, end}
            steps.setdefault(start, []).append((mark, 1))
            steps.setdefault(end, []).append((mark, -1))
        depth = {RETRIEVED: 0, RELEVANT: 0}
        for start, end in pairwise(sorted(bounds)):
            for mark, step in steps.get(start, ()):
                depth[mark] += step
            yield start, end, sum(mark for mark, count in depth.items() if count)


def shown(documents: Sequence[Marked], width: int, colour: bool, page: int | None = None) -> str:
    """Render the documents one after the other, below a legend of the marks.

    Lines of text have at most `width` columns; legend and titles have those of `page`, or any
    length if it is None.
    """
    lines = [_legend(colour)] if colour else wrapped(_legend(colour), page)
    for one in documents:
        cells = [cell for part in _parts(one) for cell in part]
        lines += ["", *wrapped(one.title, page), *_wrapped(cells, width, colour)]
    return "\n".join(lines) + "\n"


def _legend(colour: bool) -> str:
    if colour:
        return "marks: " + ", ".join(_coloured(word, mark) for mark, word in WORDS.items())
    return "marks: " + ", ".join(f"{RULER[mark]} {word}" for mark, word in WORDS.items())


Cell = tuple[str, int]
"""A character and its mark."""


def _parts(one: Marked) -> Iterator[list[Cell]]:
    """Yield the text as characters with marks; white space becomes one space."""
    segments = list(one.segments())
    blank = True
    for number, (start, end, mark) in enumerate(segments):
        keep = WITHIN if mark else BESIDE
        head = 0 if not mark and number == 0 else keep
        tail = 0 if not mark and number == len(segments) - 1 else keep
        if end - start > head + tail + keep:
            pieces = [one.read(start, head), f"[... {end - start - head - tail:,} characters ...]"]
            pieces.append(one.read(end - tail, tail))
            marks = [mark, NOTHING, mark]
        else:
            pieces, marks = [one.read(start, end - start)], [mark]
        for place, (piece, its) in enumerate(zip(pieces, marks, strict=True), start=1):
            cells, blank = _cells(piece, its, blank)
            yield cells
            if place < len(pieces) and not blank:
                yield [(" ", NOTHING)]
                blank = True


def _cells(text: str, mark: int, blank: bool) -> tuple[list[Cell], bool]:
    """Return the characters with a mark, dropping a space after a space."""
    cells: list[Cell] = []
    for character in text:
        if character.isspace():
            if not blank:
                cells.append((" ", mark))
            blank = True
        else:
            cells.append((character if character.isprintable() else "\ufffd", mark))
            blank = False
    return cells, blank


def _wrapped(cells: list[Cell], width: int, colour: bool) -> Iterator[str]:
    """Yield lines no longer than the width, broken at spaces if possible."""
    start = 0
    while start < len(cells):
        end, used, fits = start, 0, start
        while end < len(cells) and used + _columns(cells[end][0]) <= width:
            used += _columns(cells[end][0])
            end += 1
            if cells[end - 1][0] == " ":
                fits = end
        if end < len(cells) and cells[end][0] != " " and fits > start:
            end = fits
        end = max(end, start + 1)
        yield from _line(cells[start:end], colour)
        start = end + (end < len(cells) and cells[end][0] == " ")


def _line(cells: list[Cell], colour: bool) -> Iterator[str]:
    """Yield the coloured line, or the plain line followed by its ruler."""
    while cells and cells[-1][0] == " ":
        cells = cells[:-1]
    if colour:
        yield "  " + "".join(_coloured(text, mark) for text, mark in _runs(cells))
        return
    yield "  " + "".join(character for character, _ in cells)
    ruler = "".join(RULER[mark] * _columns(character) for character, mark in cells).rstrip()
    if ruler:
        yield "  " + ruler


def _runs(cells: list[Cell]) -> Iterator[Cell]:
    text, before = "", NOTHING
    for character, mark in cells:
        if mark != before and text:
            yield text, before
            text = ""
        text, before = text + character, mark
    if text:
        yield text, before


def _coloured(text: str, mark: int) -> str:
    return f"\x1b[{COLOUR[mark]}m{text}\x1b[0m" if COLOUR[mark] else text


def _columns(character: str) -> int:
    """Return the number of terminal columns that a character occupies."""
    if character.isascii():
        return 1
    if category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1
