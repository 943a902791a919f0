"""Quoted texts placed in their documents, each with a label for how it was found.

A text is searched at its stated place, then word for word anywhere, then without regard to white
space, case and the spelling of characters, then approximately. If there are several places, the
nearest to the stated one is taken, and the text is labelled ambiguous.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanwise.errors import MissingExtra
from spanwise.model.spans import AMBIGUOUS, EXACT, FUZZY, LOST, NORMALISED, SHIFTED, UNKNOWN, ranges

if TYPE_CHECKING:
    from spanwise.model.arrays import FingerprintArray, IntArray

# Search for many texts in a longer one ------------------------------------------------------------
#
# All windows of some length are hashed by array operations. The first characters of a text are
# looked up among the hashes, and candidates are compared character by character. The work grows
# with the length of the document and of the texts, not with their product.

WINDOWS = (64, 16, 4)
"""Lengths of the windows; the longest one that fits is used."""
FEW = 8
"""Up to this many searches in a text are done one by one, before windows are hashed."""
_FACTOR = np.uint64(0x9E3779B97F4A7C15 | 1)
_INVERSE = np.uint64(pow(int(_FACTOR), -1, 1 << 64))


class Finder:
    """A search for texts in one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._searches = 0
        self._tables: dict[int, tuple[FingerprintArray, IntArray]] = {}

    def nearest(self, wanted: str, hint: int | None = None) -> tuple[int, bool] | None:
        """Return the place of a text that is nearest to the hint, and whether there are others."""
        places = self._places(wanted, hint)
        if hint is not None:
            places = places[np.argsort(np.abs(places - hint), kind="stable")]
        found: int | None = None
        for place in places.tolist():
            if self.text.startswith(wanted, place):
                if found is not None:
                    return found, True
                found = place
        return None if found is None else (found, False)

    def _places(self, wanted: str, hint: int | None) -> IntArray:
        """Return candidate places, rising: all, or at least the nearest ones around the hint."""
        self._searches += 1
        width = next((size for size in WINDOWS if size <= len(wanted)), 0)
        if not width or (self._searches <= FEW and width not in self._tables):
            return np.array(_around(self.text, wanted, hint or 0), np.int64)
        if width not in self._tables:
            hashes = window_hashes(self.text, width)
            order = np.argsort(hashes, kind="stable")
            self._tables[width] = hashes[order], order
        hashes, order = self._tables[width]
        (mine,) = window_hashes(wanted[:width], width)
        first, last = np.searchsorted(hashes, mine), np.searchsorted(hashes, mine, side="right")
        return order[first:last]

    def shingles(self, wanted: str, width: int) -> tuple[IntArray, IntArray]:
        """Return places in the text, and in the wanted one, with equal windows of that width."""
        if width not in self._tables:
            made = window_hashes(self.text, width)
            order = np.argsort(made, kind="stable")
            self._tables[width] = made[order], order
        hashes, order = self._tables[width]
        mine = window_hashes(wanted, width)
        first = np.searchsorted(hashes, mine)
        counts = np.searchsorted(hashes, mine, side="right") - first
        counts[counts > _COMMON] = 0  # very common windows are useless
        offsets = np.repeat(np.arange(len(mine)), counts)
        base = np.repeat(first - (np.cumsum(counts) - counts), counts)
        return order[base + np.arange(int(counts.sum()))], offsets


class SoughtTexts:
    """A set of texts to be searched in many others, indexed by their first characters.

    Texts shorter than the shortest window are not indexed: they may be anywhere.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._short = [number for number, text in enumerate(texts) if len(text) < WINDOWS[-1]]
        self._keys: dict[int, tuple[FingerprintArray, list[list[int]]]] = {}
        for width in WINDOWS:
            longer = min((size for size in WINDOWS if size > width), default=1 << 62)
            some = [n for n, text in enumerate(texts) if width <= len(text) < longer]
            if some:
                hashes = np.concatenate([window_hashes(texts[n][:width], width) for n in some])
                keys, which = np.unique(hashes, return_inverse=True)
                owners: list[list[int]] = [[] for _ in keys]
                for number, key in zip(some, which.tolist(), strict=True):
                    owners[key].append(number)
                self._keys[width] = keys, owners

    def maybe_in(self, text: str) -> list[int]:
        """Return the numbers of the texts that may occur in this one, rising."""
        found = list(self._short)
        for width, (keys, owners) in self._keys.items():
            hashes = window_hashes(text, width)
            place = np.minimum(np.searchsorted(keys, hashes), len(keys) - 1)
            for key in np.unique(place[keys[place] == hashes]).tolist():
                found += owners[key]
        return sorted(found)


class SimilarTexts:
    """A set of texts compared with many others by a sample of their windows.

    The windows of the sample are taken at equal distances.
    """

    def __init__(self, texts: Sequence[str], width: int) -> None:
        self._width, self._count = width, len(texts)
        hashes = [_sample(window_hashes(text, width)) for text in texts]
        owners = np.repeat(np.arange(len(texts)), [len(some) for some in hashes])
        joined = np.concatenate([np.zeros(0, np.uint64), *hashes])
        order = np.argsort(joined, kind="stable")
        self._owners = owners[order]
        self._keys, self._first, self._counts = np.unique(
            joined[order], return_index=True, return_counts=True
        )
        self.windows: IntArray = np.bincount(owners, minlength=len(texts))

    def shared(self, text: str) -> IntArray:
        """Return how many of the windows of each text occur in this one."""
        if not len(self._keys):
            return np.zeros(self._count, np.int64)
        hashes = np.unique(window_hashes(text, self._width))
        place = np.minimum(np.searchsorted(self._keys, hashes), len(self._keys) - 1)
        place = place[self._keys[place] == hashes]
        owners = self._owners[ranges(self._first[place], self._counts[place])]
        return np.bincount(owners, minlength=self._count)


_COMMON = 50
_SAMPLE = 64


def _sample(hashes: FingerprintArray) -> FingerprintArray:
    return np.unique(hashes[:: max(len(hashes) // _SAMPLE, 1)])


def _around(text: str, wanted: str, hint: int) -> list[int]:
    """Return two places from the hint on, and two before it, so that the nearest ones are known."""
    if not wanted:
        return []
    after = text.find(wanted, hint)
    further = text.find(wanted, after + 1) if after >= 0 else -1
    before = text.rfind(wanted, 0, hint + len(wanted) - 1) if hint else -1
    earlier = text.rfind(wanted, 0, before + len(wanted) - 1) if before > 0 else -1
    return [place for place in (earlier, before, after, further) if place >= 0]


def window_hashes(text: str, width: int) -> FingerprintArray:
    """Return a hash for each window of that many characters; equal windows have equal hashes."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    count = len(codes) - width + 1
    if count <= 0:
        return np.zeros(0, np.uint64)
    powers = np.full(len(codes), _FACTOR)
    powers[0] = 1
    np.multiply.accumulate(powers, out=powers)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum((codes + np.uint64(1)) * powers)])
    back = np.full(count, _INVERSE)
    back[0] = 1
    np.multiply.accumulate(back, out=back)
    mixed = (sums[width:] - sums[:-width]) * back
    return mixed ^ (mixed >> np.uint64(31))


# Normalised text ----------------------------------------------------------------------------------

_SPELLED = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4\u0060", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
}
"""Quotation marks, dashes and characters without width that programs exchange freely."""


@cache
def spelled(character: str) -> str:
    """Return a character as it is compared; a blank for all kinds of white space."""
    if character.isspace():
        return " "
    if character in _SPELLED:
        return _SPELLED[character]
    folded = unicodedata.normalize("NFKD", character).casefold()
    return unicodedata.normalize("NFKD", folded).replace(" ", "")


@dataclass(frozen=True, slots=True, eq=False)
class Normalised:
    """A text as it is compared, and the source position of each of its characters."""

    text: str
    source: IntArray

    def span(self, start: int, length: int) -> tuple[int, int]:
        """Return start and length in the source of a stretch of this text."""
        begin = int(self.source[start])
        return begin, int(self.source[start + length - 1]) + 1 - begin


def normalised(text: str) -> Normalised:
    r"""Decompose compatible characters, fold case and collapse white space.

    >>> normalised("The  \ufb01rst\nOne").text
    'the first one'
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    distinct, inverse = np.unique(codes, return_inverse=True)
    forms = [spelled(chr(code)) for code in distinct.tolist()]
    blank = np.array([form == " " for form in forms], np.bool_)[inverse]
    widths = np.array([len(form) for form in forms], np.int64)[inverse]
    widths[1:][blank[1:] & blank[:-1]] = 0
    kept = np.flatnonzero(widths)
    table = {code: form for code, form in zip(distinct.tolist(), forms, strict=True) if form}
    plain = codes[kept].tobytes().decode("utf-32-le", "surrogatepass").translate(table)
    return Normalised(plain, np.repeat(np.arange(len(codes)), widths))


# Placing ------------------------------------------------------------------------------------------

SIMILAR = 80.0
"""The minimum similarity, of 100, of an approximate place."""
AS_GOOD = 1.0
"""Two approximate places whose similarities differ by less are equally good."""
_SHINGLE = 5
_PLACES = 4
_DOCUMENTS = 10
_PART = 8  # a document must share more than 1 / _PART of a text's windows to resemble it
_SHORTEST = 12


class Quote(NamedTuple):
    """A text, and its stated start; None if none was stated."""

    text: str
    start: int | None = None


class Placement(NamedTuple):
    """The place of a text, and the label of how it was found."""

    start: int
    length: int
    label: int


NOWHERE = Placement(UNKNOWN, 0, LOST)


class Page:
    """A document in which texts are searched."""

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
        """Return the place of a text, found in the most exact way that succeeds."""
        return next((found for way in WAYS if (found := way(self, quote))), NOWHERE)

    def exactly(self, quote: Quote) -> Placement | None:
        """Return the place where the text occurs word for word."""
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
        """Return the place where the text occurs apart from white space, case and spelling."""
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
        """Return the most similar stretch among those that share the most short windows."""
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
        """Return the similarity of the text around a place, and its start and end."""
        try:
            from rapidfuzz import fuzz
        except ImportError:
            purpose = "placing texts that do not occur word for word in their documents"
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
    """Return the most likely starts of a text, by the votes of its parts, best first."""
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
"""Ways of finding a text, the most exact first."""
READ: tuple[Callable[[Page], str] | None, ...] = (
    lambda page: page.text,
    lambda page: page.plain.text,
    None,
)
"""The text that each way searches word for word; None for the approximate way."""
Hits = dict[int, list[tuple[int, Placement]]]
"""For each text the documents in which it was found, best first, and the place in each."""


def placed_anywhere(
    quotes: Sequence[Quote], pages: Callable[[], Iterator[Page]]
) -> list[tuple[int, Placement]]:
    """Return the document that has each text, and the place there, for texts of unknown document.

    Each way is tried in all documents before the next one; a text in several documents is
    ambiguous. Equal texts are searched once.
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
    """Return the hit at the stated place if there is one, else the first."""
    stated = [hit for hit in hits if quote.start is not None and hit[1].label == EXACT]
    (page, place), *others = stated or hits
    return page, place._replace(label=AMBIGUOUS) if others else place


def _hits(
    read: Callable[[Page], str], quotes: Mapping[int, Quote], pages: Callable[[], Iterator[Page]]
) -> Hits:
    """Return the documents in which texts occur word for word; others are not tried."""
    way, rows = WAYS[READ.index(read)], list(quotes)
    wanted = SoughtTexts([read(Page(one.text)).strip() for one in quotes.values()])
    hits: Hits = {}
    for count, page in enumerate(pages()):
        for row in [rows[one] for one in wanted.maybe_in(read(page))]:
            place = way(page, quotes[row])
            if place is not None:
                hits.setdefault(row, []).append((count, place))
    return hits


def _similar(quotes: Mapping[int, Quote], pages: Callable[[], Iterator[Page]]) -> Hits:
    """Return the documents in which similar texts occur; candidates share the most windows."""
    rows = list(quotes)
    alike = SimilarTexts([normalised(one.text).text.strip() for one in quotes.values()], _SHINGLE)
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
