"""Quoted texts placed in their documents, each with a label for how it was found.

A text is searched at its stated place, then word for word anywhere, then without regard to white
space, case and the spelling of characters, then approximately, then in pieces. If there are several
places, the nearest to the stated one is taken, and the text is labelled ambiguous. If no place was
stated, equal texts take the places one after the other.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spanwise.errors import MissingExtra
from spanwise.model.spans import (
    AMBIGUOUS,
    EXACT,
    FUZZY,
    LOST,
    NORMALISED,
    PARTIAL,
    SHIFTED,
    UNKNOWN,
    Spans,
    merged_by,
    ranges,
)

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FingerprintArray, IntArray

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
        self._occurrences: dict[str, list[int]] = {}

    def nearest(self, wanted: str, hint: int | None = None) -> tuple[int, bool] | None:
        """Return the place of a text that is nearest to the hint, and whether there are others."""
        (found,) = self.nearest_of_each([wanted], [hint])
        return found

    def nearest_of_each(
        self, wanted: Sequence[str], hints: Sequence[int | None]
    ) -> list[tuple[int, bool] | None]:
        """Return the nearest place of each text, and whether there are others."""
        found: list[tuple[int, bool] | None] = [None] * len(wanted)
        by_width: dict[int, list[int]] = {}
        for number, words in enumerate(wanted):
            width = next((size for size in WINDOWS if size <= len(words)), 0)
            by_width.setdefault(width, []).append(number)
        for width, numbers in by_width.items():
            self._searches += len(numbers)
            if not width or (self._searches <= FEW and width not in self._tables):
                for number in numbers:
                    words, hint = wanted[number], hints[number]
                    places = np.array(_around(self.text, words, hint or 0), np.int64)
                    found[number] = self._checked(words, places, hint)
                continue
            hashes, order = self._table(width)
            mine = _head_hashes([wanted[number] for number in numbers], width)
            firsts = np.searchsorted(hashes, mine)
            lasts = np.searchsorted(hashes, mine, side="right")
            only = order[np.minimum(firsts, len(order) - 1)] if len(order) else firsts
            columns = (firsts.tolist(), lasts.tolist(), only.tolist())
            for number, first, last, place in zip(numbers, *columns, strict=True):
                if last - first == 1:
                    if self.text.startswith(wanted[number], place):
                        found[number] = place, False
                elif last > first:
                    found[number] = self._checked(wanted[number], order[first:last], hints[number])
        return found

    def _checked(self, wanted: str, places: IntArray, hint: int | None) -> tuple[int, bool] | None:
        """Return the nearest of the candidate places where the text stands, and whether others."""
        if hint is not None:
            places = places[np.argsort(np.abs(places - hint), kind="stable")]
        found: int | None = None
        for place in places.tolist():
            if self.text.startswith(wanted, place):
                if found is not None:
                    return found, True
                found = place
        return None if found is None else (found, False)

    def occurrence(self, wanted: str, number: int) -> int:
        """Return the place of an occurrence, counted from 0; the last one if there are fewer.

        Occurrences do not overlap.
        """
        if wanted not in self._occurrences:
            self._occurrences[wanted] = occurrences(self.text, wanted)
        places = self._occurrences[wanted]
        return places[min(number, len(places) - 1)]

    def _table(self, width: int) -> tuple[FingerprintArray, IntArray]:
        """Return the hashes of all windows of that width, rising, and their places."""
        if width not in self._tables:
            hashes = window_hashes(self.text, width)
            order = np.argsort(hashes, kind="stable")
            self._tables[width] = hashes[order], order
        return self._tables[width]

    def shingles(self, wanted: str, width: int) -> tuple[IntArray, IntArray]:
        """Return places in the text, and in the wanted one, with equal windows of that width."""
        hashes, order = self._table(width)
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


def occurrences(text: str, wanted: str) -> list[int]:
    """Return the places where a text stands, rising, without those that overlap an earlier one."""
    places, place = [], text.find(wanted) if wanted else -1
    while place >= 0:
        places.append(place)
        place = text.find(wanted, place + len(wanted))
    return places


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


def _codes(text: str) -> FingerprintArray:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)


def _mixed(sums: FingerprintArray) -> FingerprintArray:
    return sums ^ (sums >> np.uint64(31))


class _Hasher:
    """A text whose stretches can be hashed; equal stretches have equal hashes."""

    def __init__(self, text: str) -> None:
        codes = _codes(text)
        powers = np.full(len(codes), _FACTOR)
        powers[:1] = 1
        np.multiply.accumulate(powers, out=powers)
        self._sums = np.zeros(len(codes) + 1, np.uint64)
        np.cumsum((codes + np.uint64(1)) * powers, out=self._sums[1:])
        self._back = np.full(len(codes), _INVERSE)
        self._back[:1] = 1
        np.multiply.accumulate(self._back, out=self._back)

    def between(self, starts: IntArray | slice, ends: IntArray | slice) -> FingerprintArray:
        """Return the hash of each stretch."""
        return _mixed((self._sums[ends] - self._sums[starts]) * self._back[starts])


def window_hashes(text: str, width: int) -> FingerprintArray:
    """Return a hash for each window of that many characters; equal windows have equal hashes."""
    count = len(text) - width + 1
    if count <= 0:
        return np.zeros(0, np.uint64)
    return _Hasher(text).between(slice(0, count), slice(width, width + count))


def _head_hashes(texts: Sequence[str], width: int) -> FingerprintArray:
    """Return the hash of the first characters of each text."""
    codes = _codes("".join([text[:width] for text in texts])).reshape(-1, width)
    powers = np.full(width, _FACTOR)
    powers[0] = 1
    np.multiply.accumulate(powers, out=powers)
    return _mixed(((codes + np.uint64(1)) * powers).sum(axis=1, dtype=np.uint64))


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
    (plain,) = normalised_all([text])
    return plain


def normalised_all(texts: Sequence[str]) -> list[Normalised]:
    """Return each text as it is compared; many texts take little more than one long one."""
    found: list[Normalised] = []
    if not texts:
        return found
    sizes = np.cumsum([len(text) for text in texts])
    cuts = np.unique(np.searchsorted(sizes, np.arange(1, int(sizes[-1]) // _BATCH + 1) * _BATCH))
    for begin, end in itertools.pairwise(np.unique([0, *cuts.tolist(), len(texts)]).tolist()):
        found += _normalised(texts[begin:end])
    return found


def plain_texts(texts: Sequence[str]) -> list[str]:
    """Return the normalised texts alone, without blanks around them."""
    plain = [" ".join(text.split()).lower().replace("`", "'") for text in texts]
    others = [number for number, text in enumerate(texts) if not text.isascii()]
    for number, one in zip(others, normalised_all([texts[n] for n in others]), strict=True):
        plain[number] = one.text.strip()
    return plain


_BATCH = 2_000_000
"""Number of characters from which texts are normalised and hashed in another batch."""


def _normalised(texts: Sequence[str]) -> list[Normalised]:
    lengths = np.array([len(text) for text in texts], np.int64)
    first = np.cumsum(lengths) - lengths
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    there = np.zeros(int(codes.max(initial=0)) + 1, np.bool_)
    there[codes] = True
    forms = {int(code): spelled(chr(code)) for code in np.flatnonzero(there).tolist()}
    blanks, sizes = np.zeros(len(there), np.bool_), np.zeros(len(there), np.int64)
    for code, form in forms.items():
        blanks[code], sizes[code] = form == " ", len(form)
    blank, widths = blanks[codes], sizes[codes]
    again = blank[1:] & blank[:-1]
    inner = first[(first > 0) & (first < len(codes))]
    again[inner - 1] = False
    widths[1:][again] = 0
    single = np.arange(len(there), dtype=np.uint32)
    for code, form in forms.items():
        single[code] = ord(form) if len(form) == 1 else code
    kept = codes[np.flatnonzero(widths)]
    plain = single[kept].tobytes().decode("utf-32-le", "surrogatepass")
    if len(kept) < int(widths.sum()):
        longer = {code: form for code, form in forms.items() if len(form) > 1}
        # a form may be a character that has a longer form itself, so nothing is replaced twice
        several = (sizes > 1)[kept]
        edges = np.concatenate([[0], np.flatnonzero(several[1:] != several[:-1]) + 1, [len(kept)]])
        plain = "".join(
            plain[a:b].translate(longer) if several[a] else plain[a:b]
            for a, b in itertools.pairwise(edges.tolist())
        )
    source = np.repeat(np.arange(len(codes)), widths)
    before = np.concatenate([[0], np.cumsum(widths)])
    columns = (before[first], before[first + lengths], first)
    return [
        Normalised(plain[begin:end], source[begin:end] - start)
        for begin, end, start in zip(*(one.tolist() for one in columns), strict=True)
    ]


# Placing ------------------------------------------------------------------------------------------

SIMILAR = 80.0
"""The minimum similarity, of 100, of an approximate place."""
AS_GOOD = 1.0
"""Two approximate places whose similarities differ by less are equally good."""
LEAST = 20
"""Number of characters from which a stretch of a text is placed as a piece."""
WORDS = 3
"""Number of whole words from which a shorter stretch is placed as a piece."""
LEAST_SHARE = 0.2
"""The minimum share of a text that its pieces must make up, or else it is unplaced."""
FOREIGN = 50.0
"""Similarity, of 100, below which the text between two pieces is not a spelling of another."""
_SHINGLE = 5
_PLACES = 4
_DOCUMENTS = 10
_PART = 8  # a document must share more than 1 / _PART of a text's windows to resemble it
_WINDOW = 8
_SHORTEST = 12


class Quote(NamedTuple):
    """A text, and its stated start; None if none was stated."""

    text: str
    start: int | None = None
    number: int = 0  # of equal texts before it in its ranking


class Part(NamedTuple):
    """A part of a text: its start in the document, or UNKNOWN, its length and place in the text."""

    start: int
    length: int
    offset: int


class Placement(NamedTuple):
    """The place of a text, and the label of how it was found.

    A text in pieces lies where its longest piece does. `parts` are its pieces and what lies between
    them, in its order.
    """

    start: int
    length: int
    label: int
    parts: tuple[Part, ...] = ()


NOWHERE = Placement(UNKNOWN, 0, LOST)


class Page:
    """A document in which texts are searched."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._finder = Finder(text)
        self._plain_quotes: dict[str, str] = {}

    def _plain_texts(self, quotes: Sequence[Quote]) -> list[str]:
        """Return the normalised texts of quotes, each computed once."""
        known = self._plain_quotes
        new = [text for text in dict.fromkeys(quote.text for quote in quotes) if text not in known]
        known.update(zip(new, plain_texts(new), strict=True))
        return [known[quote.text] for quote in quotes]

    @cached_property
    def plain(self) -> Normalised:
        """The text without regard to white space, case and the spelling of characters."""
        return normalised(self.text)

    @cached_property
    def _plain_finder(self) -> Finder:
        return Finder(self.plain.text)

    @cached_property
    def _plain_seeds(self) -> _PageSeeds:
        return _PageSeeds(self.plain.text)

    def placed(self, quote: Quote) -> Placement:
        """Return the place of a text, found in the most exact way that succeeds."""
        (found,) = self.placed_all([quote])
        return found

    def placed_all(self, quotes: Sequence[Quote]) -> list[Placement]:
        """Return the place of each text, found in the most exact way that succeeds."""
        different = list(dict.fromkeys(quotes))
        found = dict.fromkeys(different, NOWHERE)
        for way in WAYS:
            places = zip(different, way(self, different), strict=True)
            found |= {quote: place for quote, place in places if place is not None}
            different = [quote for quote in different if found[quote].label == LOST]
            if not different:
                break
        return [found[quote] for quote in quotes]

    def exactly(self, quotes: Sequence[Quote]) -> list[Placement | None]:
        """Return the place where each text occurs word for word."""
        found: list[Placement | None] = [None] * len(quotes)
        rest: list[int] = []
        for number, quote in enumerate(quotes):
            hint = quote.start
            if hint is not None and hint >= 0 and self.text.startswith(quote.text, hint):
                found[number] = Placement(hint, len(quote.text), EXACT) if quote.text else None
            elif quote.text:
                rest.append(number)
        hints = [_hint(quotes[number]) for number in rest]
        near = self._finder.nearest_of_each([quotes[number].text for number in rest], hints)
        for number, one in zip(rest, near, strict=True):
            if one is None:
                continue
            quote, (start, several) = quotes[number], one
            label = EXACT if quote.start is None else SHIFTED
            if several and quote.start is None and quote.number:
                start = self._finder.occurrence(quote.text, quote.number)
            found[number] = Placement(start, len(quote.text), AMBIGUOUS if several else label)
        return found

    def roughly(self, quotes: Sequence[Quote]) -> list[Placement | None]:
        """Return the place where each text occurs apart from white space, case and spelling."""
        texts = self._plain_texts(quotes)
        hints = [
            None
            if (hint := _hint(quote)) is None
            else int(np.searchsorted(self.plain.source, hint))
            for quote in quotes
        ]
        near = self._plain_finder.nearest_of_each(texts, hints)
        found: list[Placement | None] = []
        for quote, words, one in zip(quotes, texts, near, strict=True):
            if one is None or not words:
                found.append(None)
                continue
            start, several = one
            if several and quote.start is None and quote.number:
                start = self._plain_finder.occurrence(words, quote.number)
            place = self.plain.span(start, len(words))
            found.append(Placement(*place, AMBIGUOUS if several else NORMALISED))
        return found

    def similarly(self, quotes: Sequence[Quote]) -> list[Placement | None]:
        """Return an approximate place of each text, or the places of its pieces.

        Most texts that are not in the document are recognised together, by hashes of their parts.
        """
        found: list[Placement | None] = [None] * len(quotes)
        if not self.plain.text:
            return found
        sizes = np.cumsum([len(quote.text) + 1 for quote in quotes]) // _BATCH
        for batch in np.unique(sizes).tolist():
            numbers = np.flatnonzero(sizes == batch).tolist()
            seeds = _Seeds(self._plain_texts([quotes[number] for number in numbers]))
            resembles, holds = seeds.resembling(self._plain_seeds), seeds.holding(self._plain_seeds)
            for place in np.flatnonzero(resembles | holds).tolist():
                number = numbers[place]
                quote, plain = quotes[number], seeds.texts[place]
                pieces = self._in_pieces(quote.text, plain) if holds[place] else None
                whole = None
                if resembles[place] and not (pieces and pieces.foreign):
                    whole = self._alike(quote, plain)
                found[number] = whole or (pieces and pieces.placement)
        return found

    def _in_pieces(self, given: str, plain: str) -> _InPieces | None:
        """Return the pieces of a text that are in the document, in the order of both."""
        text = normalised(given)
        chain = _best_chain(self._plain_seeds.stretches(text.text))
        if sum(length for _, _, length in chain) < LEAST_SHARE * len(plain):
            return None
        parts: list[Part] = []
        read = reached = 0  # characters of the text, and of the document
        for begin, place, length in chain:
            lead, inner = self._core(text, given, (begin, place, length))
            if not inner:
                continue
            first, size = text.span(begin + lead, inner)
            start, there = self.plain.span(place + lead, inner)
            last, end = first + size, start + there
            while first > read and start > reached and given[first - 1] == self.text[start - 1]:
                first, start = first - 1, start - 1
            while (given[last : last + 1] or "\0") == self.text[end : end + 1]:
                last, end = last + 1, end + 1
            if first > read:
                parts.append(Part(UNKNOWN, first - read, read))
            parts.append(Part(start, end - start, first))
            read, reached = last, end
        if read < len(given):
            parts.append(Part(UNKNOWN, len(given) - read, read))
        return _InPieces(tuple(parts), self._has_foreign(text.text, chain))

    def _core(self, text: Normalised, given: str, stretch: Stretch) -> tuple[int, int]:
        """Return where a stretch begins and its length, without ends that only seem to fit.

        Such an end is white space, or too short for a piece and behind other white space.
        """
        begin, place, length = stretch
        words = text.text[begin : begin + length]
        blanks = np.flatnonzero(
            np.frombuffer(words.encode("utf-32-le", "surrogatepass"), np.uint32) == ord(" ")
        )
        other = [
            blank
            for blank in blanks.tolist()
            if _blanks(text, given, begin + blank) != _blanks(self.plain, self.text, place + blank)
        ]
        low, high = 0, length
        for blank in other:
            if _is_piece(words[low:blank]):
                break
            low = blank + 1
        for blank in reversed(other):
            if blank < low or _is_piece(words[blank + 1 : high]):
                break
            high = blank
        core = words[low:high]
        return low + len(core) - len(core.lstrip()), len(core.strip())

    def _has_foreign(self, plain: str, chain: Sequence[Stretch]) -> bool:
        """Return whether text between pieces differs from the document in more than spelling."""
        fuzz = _fuzz()
        document, read, place = self.plain.text, 0, None
        for begin, at, length in [*chain, (len(plain), -1, 0)]:
            gap = plain[read:begin]
            if len(gap) >= _WINDOW:
                if place is None:
                    there = document[max(at - len(gap), 0) : at]
                else:
                    there = document[place : place + len(gap) if at < 0 else at]
                if fuzz.ratio(gap, there) < FOREIGN:
                    return True
            read, place = begin + length, at + length
        return False

    def _alike(self, quote: Quote, plain: str) -> Placement | None:
        """Return the most similar stretch among those that share the most short windows."""
        hint = _hint(quote)
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
        fuzz = _fuzz()
        slack = len(plain) // 4 + 8
        low = max(begin - slack, 0)
        window = self.plain.text[low : begin + len(plain) + slack]
        found = fuzz.partial_ratio_alignment(plain, window, score_cutoff=SIMILAR)
        if found is None or found.dest_end <= found.dest_start:
            return None
        start, end = low + found.dest_start, low + found.dest_end
        score = fuzz.ratio(plain, self.plain.text[start:end])
        return (score, start, end) if score >= SIMILAR else None


def _blanks(text: Normalised, given: str, place: int) -> str:
    """Return the white space that a blank stands for."""
    after = int(text.source[place + 1]) if place + 1 < len(text.source) else len(given)
    return given[int(text.source[place]) : after]


def _is_piece(words: str) -> bool:
    """Return whether a text is long enough for a piece."""
    return len(words) >= LEAST or len(_words_in(words)[0]) >= WORDS


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


def _fuzz() -> Any:
    try:
        from rapidfuzz import fuzz
    except ImportError:
        purpose = "placing texts that do not occur word for word in their documents"
        raise MissingExtra("rapidfuzz", "chunks", purpose) from None
    return fuzz


# Pieces -------------------------------------------------------------------------------------------
#
# A stretch that a text and a document have in common consists of windows of 20 characters, or of
# phrases of 3 whole words. Both are looked up as hashes, for many texts at once.

Stretch = tuple[int, int, int]
"""Where a common stretch begins in the text and in the document, and its length."""

_SPARSE = 16
"""Number of slots for each hash of a document; most others fall into an empty one."""
_RARE = 5
"""Phrases shorter than 20 characters that are in more places of a document tell no place."""


class _Known:
    """A set of hashes, with their places."""

    def __init__(self, hashes: FingerprintArray, most: int | None = None) -> None:
        self._places = np.argsort(hashes, kind="stable")
        self._keys, self._first, self._counts = np.unique(
            hashes[self._places], return_index=True, return_counts=True
        )
        if most is not None:
            rare = self._counts <= most
            self._keys, self._first = self._keys[rare], self._first[rare]
            self._counts = self._counts[rare]
        slots = 1 << (_SPARSE * len(hashes)).bit_length()
        self._mask = np.uint64(slots - 1)
        self._there = np.zeros(slots, np.bool_)
        self._there[self._keys & self._mask] = True

    def among(self, hashes: FingerprintArray) -> tuple[IntArray, IntArray]:
        """Return the indexes of the hashes that are in the set, and their numbers there."""
        maybe = np.flatnonzero(self._there[hashes & self._mask])
        if not len(maybe):
            return maybe, maybe
        number = np.minimum(np.searchsorted(self._keys, hashes[maybe]), len(self._keys) - 1)
        there = self._keys[number] == hashes[maybe]
        return maybe[there], number[there]

    def pairs(self, hashes: FingerprintArray, common: bool = True) -> tuple[IntArray, IntArray]:
        """Return the places of those hashes that are in the set, and the index of each one.

        Of hashes in very many places, the first ones are returned, or none if `common` is not set.
        """
        index, number = self.among(hashes)
        counts = self._counts[number]
        counts = np.where(counts > _COMMON, _COMMON * common, counts)
        return self._places[ranges(self._first[number], counts)], np.repeat(index, counts)


def _words_in(text: str) -> tuple[IntArray, IntArray]:
    """Return the starts and ends of the words of a text."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    there = np.zeros(int(codes.max(initial=0)) + 1, np.bool_)
    there[codes] = True
    letters = np.zeros(len(there), np.bool_)
    letters[[code for code in np.flatnonzero(there).tolist() if chr(code).isalnum()]] = True
    inside = np.concatenate([[False], letters[codes], [False]])
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    return edges[::2], edges[1::2]


class _PageSeeds:
    """The parts of a document, hashed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._hasher = _Hasher(text)
        self.starts, self.ends = _words_in(text)
        self._windows: dict[int, _Known] = {}

    def windows(self, width: int) -> _Known:
        """Return the hashes of all windows of that width."""
        if width not in self._windows:
            count = max(len(self.text) - width + 1, 0)
            hashes = self._hasher.between(slice(0, count), slice(width, width + count))
            self._windows[width] = _Known(hashes[:count])
        return self._windows[width]

    @cached_property
    def phrases(self) -> _Known:
        """The hashes of all phrases of 3 words."""
        count = max(len(self.starts) - WORDS + 1, 0)
        hashes = self._hasher.between(self.starts[:count], self.ends[WORDS - 1 :])
        return _Known(hashes, _RARE)

    def stretches(self, plain: str) -> list[Stretch]:
        """Return the longest stretches that a text has in common with the document."""
        hasher = _Hasher(plain)
        starts, ends = _words_in(plain)
        count = max(len(starts) - WORDS + 1, 0)
        starts, ends = starts[:count], ends[WORDS - 1 :]
        phrase, which = self.phrases.pairs(hasher.between(starts, ends))
        every = np.arange(max(len(plain) - LEAST + 1, 0))
        window, where = self.windows(LEAST).pairs(hasher.between(every, every + LEAST))
        begins = np.concatenate([starts[which], where])
        lengths = np.concatenate([ends[which] - starts[which], np.full(len(where), LEAST)])
        shifts = np.concatenate([self.starts[phrase], window]) - begins + len(plain)
        shift, joined = merged_by(shifts, Spans(begins, lengths))
        columns = (joined.starts, joined.starts + shift - len(plain), joined.lengths)
        longest = np.sort(np.argsort(-joined.lengths, kind="stable")[:_STRETCHES])
        return sorted(zip(*(one[longest].tolist() for one in columns), strict=True))


_STRETCHES = 200
"""Maximum number of stretches among which those that rise are chosen."""


class _Seeds:
    """The parts of many texts, hashed."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        joined = "\n".join(texts) + "\n"  # which is in no normalised text
        self._sizes = np.array([len(text) for text in texts], np.int64)
        self._first = np.cumsum(self._sizes + 1) - (self._sizes + 1)
        self._hasher, self._length = _Hasher(joined), len(joined)
        self._starts, self._ends = _words_in(joined)

    def holding(self, page: _PageSeeds) -> BoolArray:
        """Return which texts may have enough pieces in the document; none with enough is missed."""
        count = max(len(self._starts) - WORDS + 1, 0)
        starts, ends = self._starts[:count], self._ends[WORDS - 1 :]
        phrase, _ = page.phrases.among(self._hasher.between(starts, ends))
        every = np.arange(max(self._length - LEAST + 1, 0))
        window, _ = page.windows(LEAST).among(
            self._hasher.between(slice(0, len(every)), slice(LEAST, LEAST + len(every)))
        )
        begins = np.concatenate([starts[phrase], window])
        ends = np.concatenate([ends[phrase], window + LEAST])
        depth = np.bincount(begins, minlength=self._length + 1)
        depth -= np.bincount(ends, minlength=self._length + 1)
        covered = np.concatenate([[0], np.cumsum(np.cumsum(depth)[:-1] > 0)])
        placed = covered[self._first + self._sizes] - covered[self._first]
        return (placed > 0) & (placed >= LEAST_SHARE * self._sizes)

    def resembling(self, page: _PageSeeds) -> BoolArray:
        """Return which texts have windows in the document at about the distances of the text."""
        found = np.zeros(len(self.texts), np.bool_)
        short = (self._sizes >= _SHORTEST) & (self._sizes < _LONG)
        for some, width, step, part in (
            (short, _SHINGLE, 1, 5),
            (self._sizes >= _LONG, 10, 8, 12),
        ):
            which = np.flatnonzero(some)
            counts = (self._sizes[which] - width) // step + 1
            if not len(which):
                continue
            owner = np.repeat(which, counts)
            offset = ranges(np.zeros_like(counts), counts) * step
            start = self._first[owner] + offset
            hashes = self._hasher.between(start, start + width)
            places, index = page.windows(width).pairs(hashes, common=False)
            bins = np.maximum(self._sizes[owner[index]] // 8, 16)
            diagonal = (places - offset[index] + _BATCH) // bins
            keys = np.sort(owner[index] * (1 << 32) + diagonal)
            new = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))[: len(keys)]
            votes = np.diff(np.append(new, len(keys)))
            enough = np.maximum(counts // part, 2)
            good = np.zeros(len(self.texts), np.int64)
            np.maximum.at(good, keys[new] >> 32, votes)
            found[which] = good[which] >= enough
        return found


_LONG = 200
"""Length from which fewer and longer windows of a text are looked up."""


class _InPieces(NamedTuple):
    """The parts of a text whose pieces are in a document."""

    parts: tuple[Part, ...]
    foreign: bool  # whether it also has text that is no spelling of the document's

    @property
    def placement(self) -> Placement:
        """The place of the text: that of its longest piece."""
        placed = [part for part in self.parts if part.start != UNKNOWN]
        longest = max(placed, key=lambda part: part.length)
        return Placement(longest.start, longest.length, PARTIAL, self.parts)


def _best_chain(stretches: Sequence[Stretch]) -> list[Stretch]:
    """Return the stretches of which most can be placed, rising in the text and in the document.

    A stretch loses what an earlier one has of it already. Of equally good choices the one that
    leaves the least text of the document between stretches is taken.
    """
    if not stretches:
        return []
    begins, places, lengths = np.array(stretches, np.int64).T
    best = lengths.astype(np.float64)
    before, cut = np.full(len(begins), -1), np.zeros(len(begins), np.int64)
    for number in range(1, len(begins)):
        lost = np.maximum(begins[:number] + lengths[:number] - begins[number], 0)
        lost = np.maximum(lost, places[:number] + lengths[:number] - places[number])
        lost = np.maximum(lost, 0)
        left = lengths[number] - lost
        gap = np.abs((places[number] - begins[number]) - (places[:number] - begins[:number]))
        possible = (places[:number] < places[number]) & ((lost == 0) | (left >= LEAST))
        value = np.where(possible, best[:number] + left - gap * 1e-9, -1.0)
        chosen = int(value.argmax())
        if value[chosen] > best[number]:
            best[number], before[number], cut[number] = value[chosen], chosen, lost[chosen]
    chain, number = [], int(best.argmax())
    while number >= 0:
        trim = int(cut[number])
        chain.append(
            (int(begins[number]) + trim, int(places[number]) + trim, int(lengths[number]) - trim)
        )
        number = int(before[number])
    return chain[::-1]


# Texts of unknown document ------------------------------------------------------------------------

WAYS = (Page.exactly, Page.roughly, Page.similarly)
"""Ways of finding texts, the most exact first."""
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
    if not others or place.label == PARTIAL:
        return page, place
    return page, place._replace(label=AMBIGUOUS)


def _hits(
    read: Callable[[Page], str], quotes: Mapping[int, Quote], pages: Callable[[], Iterator[Page]]
) -> Hits:
    """Return the documents in which texts occur word for word; others are not tried."""
    way, rows = WAYS[READ.index(read)], list(quotes)
    texts = [one.text.strip() for one in quotes.values()]
    wanted = SoughtTexts(texts if way is Page.exactly else plain_texts(texts))
    hits: Hits = {}
    for count, page in enumerate(pages()):
        some = [rows[one] for one in wanted.maybe_in(read(page))]
        places = way(page, [quotes[row] for row in some])
        for row, place in zip(some, places, strict=True):
            if place is not None:
                hits.setdefault(row, []).append((count, place))
    return hits


def _similar(quotes: Mapping[int, Quote], pages: Callable[[], Iterator[Page]]) -> Hits:
    """Return the documents in which similar texts occur; candidates share the most windows."""
    rows = list(quotes)
    alike = SimilarTexts(plain_texts([one.text for one in quotes.values()]), _WINDOW)
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
    for count, page in enumerate(pages() if tried else ()):
        some = tried.get(count, [])
        made = page.similarly([quotes[rows[one]] for _, one in some])
        for (votes, one), place in zip(some, made, strict=True):
            if place is not None:
                found.setdefault(rows[one], []).append((votes, count, place))
    return {row: [hit[1:] for hit in sorted(some)] for row, some in found.items()}
