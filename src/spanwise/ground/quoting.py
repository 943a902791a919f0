"""Quoted texts placed in their document, each with a label that says how.

A text is looked for where it was said to stand, then word for word anywhere, then without regard to
white space, case and the spelling of characters, then approximately. Of several places the nearest
to the stated one is taken, and the text is called ambiguous.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from spanwise.errors import MissingExtra
from spanwise.ground.finding import Alike, Finder, Wanted
from spanwise.ground.normalising import Normalised, normalised
from spanwise.model.placements import AMBIGUOUS, EXACT, FUZZY, LOST, NORMALISED, SHIFTED
from spanwise.model.spans import UNKNOWN

SIMILAR = 80.0
"""How similar, of 100, an approximate place must be."""
AS_GOOD = 1.0
"""Two approximate places whose similarities differ by less are equally good."""
_SHINGLE = 5
_PLACES = 4
_DOCUMENTS = 10
_PART = 8  # a document that has no more than this part of a text's windows does not resemble it
_SHORTEST = 12


class Quote(NamedTuple):
    """A text, and where it was said to begin: None if nothing was said."""

    text: str
    start: int | None = None


class Placement(NamedTuple):
    """Where a text was found, and how."""

    start: int
    length: int
    label: int


NOWHERE = Placement(UNKNOWN, 0, LOST)


class Page:
    """One document in which texts are looked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._finder = Finder(text)

    @cached_property
    def plain(self) -> Normalised:
        """The text without regard to white space, case and the spelling of characters."""
        return normalised(self.text)

    @cached_property
    def _plain_finder(self) -> Finder:
        return Finder(self.plain.text)

    def placed(self, quote: Quote) -> Placement:
        """The place of a text."""
        return next((found for way in WAYS if (found := way(self, quote))), NOWHERE)

    def exactly(self, quote: Quote) -> Placement | None:
        """Where it stands word for word."""
        if not quote.text:
            return None
        hint = _hint(quote)
        if hint is not None and self.text.startswith(quote.text, hint):
            return Placement(hint, len(quote.text), EXACT)
        found = self._finder.nearest(quote.text, hint)
        if found is None:
            return None
        label = EXACT if quote.start is None else SHIFTED
        return Placement(found[0], len(quote.text), AMBIGUOUS if found[1] else label)

    def roughly(self, quote: Quote) -> Placement | None:
        """Where it stands but for white space, case and the spelling of characters."""
        plain, hint = normalised(quote.text).text.strip(), _hint(quote)
        if not plain:
            return None
        near = None if hint is None else int(np.searchsorted(self.plain.source, hint))
        found = self._plain_finder.nearest(plain, near)
        if found is None:
            return None
        place = self.plain.span(found[0], len(plain))
        return Placement(*place, AMBIGUOUS if found[1] else NORMALISED)

    def similarly(self, quote: Quote) -> Placement | None:
        """The most similar stretch, among those that share the most short runs of characters."""
        plain, hint = normalised(quote.text).text.strip(), _hint(quote)
        if len(plain) < _SHORTEST or not self.plain.text:
            return None
        places, offsets = self._plain_finder.shingles(plain, _SHINGLE)
        found = [
            one
            for begin in _begins(places - offsets, plain)
            if (one := self._aligned(plain, begin))
        ]
        if not found:
            return None
        best = max(score for score, _, _ in found)
        good = [(start, end) for score, start, end in found if score > best - AS_GOOD]
        apart = {start for start, end in good if not _overlaps((start, end), good[0])}
        near = 0 if hint is None else int(np.searchsorted(self.plain.source, hint))
        start, end = min(good, key=lambda one: abs(one[0] - near)) if apart else good[0]
        place = self.plain.span(start, end - start)
        return Placement(*place, AMBIGUOUS if apart else FUZZY)

    def _aligned(self, plain: str, begin: int) -> tuple[float, int, int] | None:
        """How similar the text around a place is, and from where to where it goes."""
        try:
            from rapidfuzz import fuzz
        except ImportError:
            purpose = "placing texts that are not word for word in their documents"
            raise MissingExtra("rapidfuzz", "chunks", purpose) from None
        slack = len(plain) // 4 + 8
        low = max(begin - slack, 0)
        window = self.plain.text[low : begin + len(plain) + slack]
        found = fuzz.partial_ratio_alignment(plain, window, score_cutoff=SIMILAR)
        if found is None or found.dest_end <= found.dest_start:
            return None
        start, end = low + found.dest_start, low + found.dest_end
        score = fuzz.ratio(plain, self.plain.text[start:end])
        return (score, start, end) if score >= SIMILAR else None


def _begins(diagonals: np.ndarray[tuple[int], np.dtype[np.int64]], plain: str) -> list[int]:
    """Where a text may begin: the places that most of its parts speak for, best first."""
    if not len(diagonals):
        return []
    width = max(len(plain) // 8, 16)
    bins, votes = np.unique(diagonals // width, return_counts=True)
    chosen = bins[np.argsort(-votes, kind="stable")[:_PLACES]]
    return [max(int(np.median(diagonals[diagonals // width == one])), 0) for one in chosen]


def _overlaps(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _hint(quote: Quote) -> int | None:
    return None if quote.start is None or quote.start < 0 else quote.start


WAYS = (Page.exactly, Page.roughly, Page.similarly)
"""Ways of finding a text, the best one first."""
READ: tuple[Callable[[Page], str] | None, ...] = (
    lambda page: page.text,
    lambda page: page.plain.text,
    None,
)
"""As what each way reads texts, where it finds them word for word."""
Hits = dict[int, list[tuple[int, Placement]]]
"""For each text in which documents it was found, the best one first, and where there."""


def placed_anywhere(
    quotes: Sequence[Quote], pages: Callable[[], Iterator[Page]]
) -> list[tuple[int, Placement]]:
    """For each text of which nobody says where it is the document that has it, and its place there.

    A way is tried in all documents before the next one; several documents make it ambiguous. What
    was returned for several topics is looked for once.
    """
    different = list(dict.fromkeys(quotes))
    found = dict.fromkeys(different, (0, NOWHERE))
    missing = list(range(len(different)))
    for read in READ:
        wanted = {row: different[row] for row in missing}
        hits: Hits = {}
        if wanted:
            hits = _similar(wanted, pages) if read is None else _hits(read, wanted, pages)
        found |= {different[row]: _chosen(different[row], some) for row, some in hits.items()}
        missing = [row for row in missing if row not in hits]
    return [found[quote] for quote in quotes]


def _chosen(quote: Quote, hits: Sequence[tuple[int, Placement]]) -> tuple[int, Placement]:
    """Of several documents the one that has the text where it was said to stand."""
    stated = [hit for hit in hits if quote.start is not None and hit[1].label == EXACT]
    (page, place), *others = stated or hits
    return page, place._replace(label=AMBIGUOUS) if others else place


def _hits(
    read: Callable[[Page], str], quotes: Mapping[int, Quote], pages: Callable[[], Iterator[Page]]
) -> Hits:
    """In which documents texts stand word for word; few are tried, by their first characters."""
    way, rows = WAYS[READ.index(read)], list(quotes)
    wanted = Wanted([read(Page(one.text)).strip() for one in quotes.values()])
    hits: Hits = {}
    for count, page in enumerate(pages()):
        for row in [rows[one] for one in wanted.maybe_in(read(page))]:
            place = way(page, quotes[row])
            if place is not None:
                hits.setdefault(row, []).append((count, place))
    return hits


def _similar(quotes: Mapping[int, Quote], pages: Callable[[], Iterator[Page]]) -> Hits:
    """In which documents something like each text stands; tried where most of its parts are."""
    rows = list(quotes)
    alike = Alike([normalised(one.text).text.strip() for one in quotes.values()], _SHINGLE)
    shared: dict[int, list[tuple[int, int]]] = {}
    for count, page in enumerate(pages()):
        has = alike.shared(page.plain.text)
        for one in np.flatnonzero(has * _PART > alike.windows).tolist():
            shared.setdefault(one, []).append((-int(has[one]), count))
    tried: dict[int, list[tuple[int, int]]] = {}
    for one, places in shared.items():
        most = min(places)[0]
        for votes, count in sorted(places)[:_DOCUMENTS]:
            if 2 * votes <= most:  # both are below 0
                tried.setdefault(count, []).append((votes, one))
    found: dict[int, list[tuple[int, int, Placement]]] = {}
    for count, page in enumerate(pages()):
        for votes, one in tried.get(count, ()):
            place = page.similarly(quotes[rows[one]])
            if place is not None:
                found.setdefault(rows[one], []).append((votes, count, place))
    return {row: [hit[1:] for hit in sorted(some)] for row, some in found.items()}
