"""Units of text: costs of reading, tokenizers, sentences, and conversion of positions.

A budget may count code units (bytes of UTF-8, or UTF-16), tokens or stated costs instead of
characters. A character is read only if all its code units are paid for. A token is paid for when
its first character is read, so that cutting a text in two changes no price, and text between tokens
is free. A stated cost is paid evenly along the text.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from spanwise.errors import InputError, MissingExtra, UnknownName, UsageError
from spanwise.model.spans import UNKNOWN, Spans

if TYPE_CHECKING:
    from spanwise.matching.documents import Results
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.documents import Collection
    from spanwise.model.run import Run
    from spanwise.model.spans import Unit


@dataclass(frozen=True, slots=True, eq=False)
class Passed:
    """The text that is read, result by result or part by part."""

    spans: Spans  # empty if a text is not in its document
    size: IntArray
    offsets: IntArray  # where each part begins in the text of its result


class Meter(Protocol):
    """A cost model of reading results."""

    @property
    def whole(self) -> bool:
        """Return whether a result has one cost, not each of its parts."""

    def spending(self, results: Results, text: Passed, topics: int) -> Spending:
        """Return what budgets pay for in a block of results."""


@dataclass(frozen=True, slots=True, eq=False)
class Spending:
    """The prices of a block of results: budgets in characters, and characters in units."""

    results: Results
    costs: IntArray  # per result
    size: IntArray  # per result
    topics: int
    inside: Callable[[int, float], int]  # characters of a result that some units pay for
    priced: Callable[[int, int], float]  # units that the first characters of a result cost

    @property
    def total(self) -> IntArray:
        """The units that all results of each topic cost."""
        sums = np.bincount(self.results.topic, weights=self.costs, minlength=self.topics)
        return sums.astype(np.int64)

    def _bounds(self) -> Iterator[tuple[int, tuple[int, int]]]:
        """Yield the topics with their first result and the one after their last."""
        cuts = np.searchsorted(self.results.topic, np.arange(self.topics + 1)).tolist()
        yield from enumerate(itertools.pairwise(cuts))

    def reach(self, budget: float) -> IntArray:
        """Return the characters of each topic that a budget pays for: whole results, then a part.

        The part is the beginning of the first result that the budget does not pay for.
        """
        limits = np.zeros(self.topics, np.int64)
        for topic, (begin, end) in self._bounds():
            paid = np.cumsum(self.costs[begin:end])
            whole = int(np.searchsorted(paid, budget, side="right"))
            limits[topic] = self.size[begin : begin + whole].sum()
            if begin + whole < end:
                rest = budget - (int(paid[whole - 1]) if whole else 0)
                limits[topic] += self.inside(begin + whole, rest)
        return limits

    def price(self, characters: IntArray) -> FloatArray:
        """Return the units that the first characters of each topic cost."""
        prices = np.zeros(self.topics)
        for topic, (begin, end) in self._bounds():
            read = np.cumsum(self.size[begin:end])
            whole = int(np.searchsorted(read, characters[topic], side="right"))
            prices[topic] = self.costs[begin : begin + whole].sum()
            if begin + whole < end:
                rest = int(characters[topic]) - (int(read[whole - 1]) if whole else 0)
                prices[topic] += self.priced(begin + whole, rest)
        return prices


@dataclass(frozen=True, slots=True, eq=False)
class TextMeter:
    """A meter that counts tokens or code units in the text of documents.

    A text that could not be placed in its document is counted itself.
    """

    run: Run
    begins: Callable[[bytes], IntArray]  # gives the places of a document's units, rising
    counted: Callable[[str], IntArray]  # gives the places of a text's units, rising
    whole = False

    def spending(self, results: Results, text: Passed, topics: int) -> Spending:
        """Return what budgets of units pay for in a block of results."""
        names = self.run.documents.take(results.row)
        starts, ends = text.spans.starts, text.spans.ends
        lost = self._lost(results, text)
        if lost:
            starts, ends = starts.copy(), ends.copy()
            starts[list(lost)] = 0
            ends[list(lost)] = text.size[list(lost)]
        nothing = np.zeros(0, np.int64)
        units = [
            self.counted(lost[place]) if place in lost else self.begins(name) if full else nothing
            for place, (name, full) in enumerate(zip(names, (ends > starts).tolist(), strict=True))
        ]
        first = np.array(
            [np.searchsorted(u, s) for u, s in zip(units, starts, strict=True)], np.int64
        )
        last = np.array([np.searchsorted(u, e) for u, e in zip(units, ends, strict=True)], np.int64)

        def inside(result: int, budget: float) -> int:
            begins, number = units[result], int(first[result]) + int(budget)
            end = int(ends[result])
            stop = int(begins[number]) if number < len(begins) else end
            return min(stop, end) - int(starts[result])

        def priced(result: int, characters: int) -> float:
            place = int(starts[result]) + characters
            return float(np.searchsorted(units[result], place) - first[result])

        return Spending(results, last - first, text.size, topics, inside, priced)

    def _lost(self, results: Results, text: Passed) -> dict[int, str]:
        """Return the texts that are read without a place in their document."""
        lost = np.flatnonzero((text.spans.lengths == 0) & (text.size > 0))
        if not len(lost) or self.run.chunks is None:
            return {}
        chunks = self.run.chunks.texts.take(results.row[lost])
        found = {}
        for part, chunk in zip(lost.tolist(), chunks, strict=True):
            offset = int(text.offsets[part])
            words = chunk.decode("utf-8", "surrogatepass")[offset:]
            found[part] = words[: int(text.size[part])]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class CostMeter:
    """A meter that uses the costs stated in a run."""

    run: Run
    whole = True

    def spending(self, results: Results, text: Passed, topics: int) -> Spending:
        """Return what budgets of stated costs pay for in a block of results."""
        chunks = self.run.chunks
        costs = None if chunks is None else chunks.costs[results.row]
        if costs is None or (costs < 0).any():
            row = int(results.row[0 if costs is None else int(np.argmax(costs < 0))])
            raise InputError(f"{self.run.rows.place(row)}: found no cost; expected a 'cost'")

        def inside(result: int, budget: float) -> int:
            return int(text.size[result] * budget // max(int(costs[result]), 1))

        def priced(result: int, characters: int) -> float:
            return float(costs[result] * characters / max(int(text.size[result]), 1))

        return Spending(results, costs, text.size, topics, inside, priced)


# Tokenizers ---------------------------------------------------------------------------------------
#
# `whitespace` and `words` are built in. `o200k_base` and the like, also written `tiktoken:NAME`,
# are tiktoken's; `hf:NAME` is a file `tokenizer.json`, or a model whose tokenizer is on this
# machine.

TOKEN = "token:"
PATTERNS = {"whitespace": r"\S+", "words": r"\w+|[^\w\s]"}
"""Patterns of a token for the built-in tokenizers: no white space; words and single marks."""
TIKTOKEN = ("o200k_base", "o200k_harmony", "cl100k_base", "p50k_base", "p50k_edit", "r50k_base")

Bounds = tuple["IntArray", "IntArray"]


def tokens_of(text: str, unit: str) -> Bounds:
    """Return the starts and the ends of the tokens of a text, rising; `unit` is `token:NAME`."""
    return find_tokenizer(unit.removeprefix(TOKEN))(text)


@cache
def find_tokenizer(name: str) -> Callable[[str], Bounds]:
    """Return the tokenizer of that name."""
    if name in PATTERNS:
        return _by_pattern(re.compile(PATTERNS[name]))
    family, colon, rest = name.partition(":")
    if family == "tiktoken" and colon:
        return _tiktoken(rest)
    if name in TIKTOKEN:
        return _tiktoken(name)
    if family == "hf" and colon:
        return _hugging_face(rest)
    known = [*PATTERNS, *TIKTOKEN, "tiktoken:NAME", "hf:NAME"]
    raise UnknownName("tokenizer", name, known)


def _by_pattern(pattern: re.Pattern[str]) -> Callable[[str], Bounds]:
    def bounds(text: str) -> Bounds:
        places = [match.span() for match in pattern.finditer(text)]
        begins, ends = np.array(places, np.int64).reshape(-1, 2).T
        return begins, ends

    return bounds


def _tiktoken(name: str) -> Callable[[str], Bounds]:
    try:
        import tiktoken
    except ImportError:
        raise MissingExtra("tiktoken", "tokens", f"tokenizer {name!r}") from None
    try:
        encoding = tiktoken.get_encoding(name)
    except Exception as error:  # unknown, or its table is not on this machine
        raise UsageError(f"tokenizer {name!r} cannot be loaded ({error})") from error

    def bounds(text: str) -> Bounds:
        tokens = encoding.encode_ordinary(text)
        _, offsets = encoding.decode_with_offsets(tokens)
        begins = np.array(offsets, np.int64)
        return begins, np.append(begins[1:], len(text))[: len(begins)]

    return bounds


def _hugging_face(name: str) -> Callable[[str], Bounds]:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtra("tokenizers", "tokens", f"tokenizer 'hf:{name}'") from None
    try:
        made: Any = (
            Tokenizer.from_file(name) if Path(name).is_file() else _from_hub(Tokenizer, name)
        )
    except Exception as error:
        raise UsageError(f"tokenizer 'hf:{name}' cannot be loaded ({error})") from error

    def bounds(text: str) -> Bounds:
        offsets = made.encode(text, add_special_tokens=False).offsets
        begins, ends = np.array(offsets, np.int64).reshape(-1, 2).T
        return begins, ends

    return bounds


def _from_hub(kind: Any, name: str) -> Any:
    return kind.from_pretrained(name)


# Tokens, sentences and elements -------------------------------------------------------------------

WORD = re.compile(r"\w+|[^\w\s]")
SENTENCE = re.compile(
    r"\S(?:[^.!?\n。！？]|[.!?](?=[^\s\"'”’)\]])|\n(?!\s*\n))*[.!?。！？]*[\"'”’)\]]*", re.DOTALL
)


def tokens(text: str) -> Spans:
    """Return the words of a text, and its marks other than white space.

    >>> tokens("It's 3.5").starts.tolist()
    [0, 2, 3, 5, 6, 7]
    """
    return _matches(WORD, text)


def sentences(text: str) -> Spans:
    """Return the sentences of a text.

    A sentence ends with a full stop, question or exclamation mark before white space, or before an
    empty line.

    >>> sentences("A b. C 3.5 d! E").starts.tolist()
    [0, 5, 14]
    """
    return _matches(SENTENCE, text)


def _matches(pattern: re.Pattern[str], text: str) -> Spans:
    places = [match.span() for match in pattern.finditer(text)]
    columns = np.array(places, np.int64).reshape(-1, 2)
    return Spans(columns[:, 0], columns[:, 1] - columns[:, 0])


def units_of(collection: Collection, document: bytes, unit: str) -> Spans:
    """Return the tokens, sentences or elements with text of a document."""
    if unit == "element":
        tree = collection.tree(document)
        full = np.flatnonzero(tree.length > 0)
        return Spans(tree.start[full], tree.length[full])
    text = collection.text(document)
    return tokens(text) if unit == "token" else sentences(text)


# Conversion of positions --------------------------------------------------------------------------
#
# All conversions go through code points. A position inside a character, or past the end of the
# text, has no counterpart.

UNITS = ("codepoint", "utf16", "byte")


def boundaries(text: str, unit: Unit) -> IntArray:
    """Return where each code point begins in the unit, and where the last one ends.

    >>> boundaries("aé\U0001f600", "byte").tolist(), boundaries("aé\U0001f600", "utf16").tolist()
    ([0, 1, 3, 7], [0, 1, 2, 4])
    """
    if unit not in UNITS:
        raise UnknownName("unit", unit, [*UNITS, "token:NAME"])
    if unit == "codepoint" or text.isascii():
        return np.arange(len(text) + 1)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    if unit == "utf16":
        widths = 1 + (codes > 0xFFFF)
    else:
        widths = 1 + (codes > 0x7F).astype(np.int64) + (codes > 0x7FF) + (codes > 0xFFFF)
    return np.concatenate([[0], np.cumsum(widths, dtype=np.int64)])


CODE_UNITS: dict[str, Unit] = {"bytes": "byte", "utf16": "utf16"}
"""The unit of positions that a budget of this name counts."""


def places_of_units(text: str, unit: str) -> IntArray:
    """Return where the units that a budget counts lie in a text, in code points, rising.

    `unit` is `bytes`, `utf16` or `tokens:NAME`.

    >>> places_of_units("aé", "bytes").tolist(), places_of_units("a b", "tokens:words").tolist()
    ([0, 1, 1], [0, 2])
    """
    if unit in CODE_UNITS:
        widths = np.diff(boundaries(text, CODE_UNITS[unit]))
        return np.repeat(np.arange(len(widths)), widths)
    return tokens_of(text, f"{TOKEN}{unit.partition(':')[2]}")[0]


def in_codepoints(text: str, spans: Spans, unit: Unit) -> Spans:
    """Return spans of a unit in code points; UNKNOWN if they have no counterpart."""
    if unit in ("codepoint", "opaque"):
        return spans
    if unit.startswith(TOKEN):
        return _from_tokens(text, spans, unit)
    bounds = boundaries(text, unit)
    starts, ends = _found(bounds, spans.starts), _found(bounds, spans.ends)
    return _spans(starts, ends)


def in_unit(text: str, spans: Spans, unit: Unit) -> Spans:
    """Return spans of code points in another unit; UNKNOWN if they have no counterpart."""
    if unit in ("codepoint", "opaque"):
        return spans
    if unit.startswith(TOKEN):
        begins, ends = tokens_of(text, unit)
        first, last = _found(begins, spans.starts), _found(ends, spans.ends)
        empty = spans.lengths == 0
        return _spans(first, np.where(empty, first, np.where(last == UNKNOWN, UNKNOWN, last + 1)))
    bounds = boundaries(text, unit)
    inside = (spans.starts >= 0) & (spans.ends < len(bounds))
    starts = np.where(inside, bounds[np.where(inside, spans.starts, 0)], UNKNOWN)
    return _spans(starts, np.where(inside, bounds[np.where(inside, spans.ends, 0)], UNKNOWN))


def _from_tokens(text: str, spans: Spans, unit: Unit) -> Spans:
    begins, ends = tokens_of(text, unit)
    inside = (spans.starts >= 0) & (spans.ends <= len(begins)) & (spans.lengths >= 0)
    begins, ends = np.append(begins, len(text)), np.append(ends, len(text))
    starts = begins[np.where(inside, spans.starts, 0)]
    stops = np.where(spans.lengths > 0, ends[np.where(inside, spans.ends - 1, 0)], starts)
    return _spans(np.where(inside, starts, UNKNOWN), np.where(inside, stops, UNKNOWN))


def _found(bounds: IntArray, places: IntArray) -> IntArray:
    """Return the index of each position among the bounds; UNKNOWN if it is not one of them."""
    if not len(bounds):
        return np.full(len(places), UNKNOWN)
    number = np.minimum(np.searchsorted(bounds, places), len(bounds) - 1)
    return np.where(bounds[number] == places, number, UNKNOWN)


def _spans(starts: IntArray, ends: IntArray) -> Spans:
    known = (starts != UNKNOWN) & (ends != UNKNOWN)
    return Spans(np.where(known, starts, UNKNOWN), np.where(known, ends - starts, 0))
