"""Notes on the evaluation of a run, kept as data until they are printed.

A run may be evaluated in pieces. The notes of pieces are added before they are put into words, so
that a run gets the same notes whether it was evaluated as a whole or in pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from spanwise.model.spans import LABELS, LOST, in_words

N = TypeVar("N", bound="Note")


def counted(topics: int) -> str:
    """Return a number of topics in words.

    >>> counted(1)
    '1 topic'
    """
    return f"{topics} topic{'s' if topics != 1 else ''}"


class Note(Protocol):
    """A note on an evaluation, which can be added to that of another piece."""

    @property
    def about(self) -> str:
        """Return the subject of the note; notes on the same subject are added."""

    def plus(self: N, other: N) -> N:
        """Return the sum of this note and that of a later piece."""

    def lines(self) -> list[str]:
        """Return the note in words; empty if it counts nothing."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A note that is the same for every piece."""

    about: str

    def plus(self, other: Remark) -> Remark:  # noqa: ARG002
        """Return this note, which is printed once."""
        return self

    def lines(self) -> list[str]:
        """Return the text of the note."""
        return [self.about]


@dataclass(frozen=True, slots=True)
class Tally:
    """A number of things of one kind, with the first of them as an example if known."""

    about: str
    count: int
    first: str = ""
    at: tuple[int, ...] = ()  # position of the first one; () if it has none, which sorts first

    def plus(self, other: Tally) -> Tally:
        """Return the sum of two counts, with the example that comes first."""
        first = min((one for one in (self, other) if one.count), key=_place, default=self)
        return Tally(self.about, self.count + other.count, first.first, first.at)

    def lines(self) -> list[str]:
        """Return the subject, the count and the example, unless the count is 0."""
        if not self.count:
            return []
        more = ", ..." if self.count > 1 else ""
        example = f" ({self.first}{more})" if self.first else ""
        return [f"{self.about}: {self.count}{example}"]


def _place(tally: Tally) -> tuple[int, ...]:
    return tally.at


UNPLACED = "check whether these texts come from another corpus, or were paraphrased or rewritten"
"""What to do if no text can be placed."""


@dataclass(frozen=True, slots=True)
class Largest:
    """The largest of several numbers."""

    about: str
    number: int

    def plus(self, other: Largest) -> Largest:
        """Return the larger of two numbers."""
        return Largest(self.about, max(self.number, other.number))

    def lines(self) -> list[str]:
        """Return the subject and the number."""
        return [f"{self.about}: {self.number}"]


@dataclass(frozen=True, slots=True)
class Placed:
    """The number of texts that were placed in documents, by label of the placement."""

    about: str
    counts: Mapping[str, int]

    def plus(self, other: Placed) -> Placed:
        """Return the sum of two counts, label by label."""
        labels = {**self.counts, **other.counts}
        counts = {n: self.counts.get(n, 0) + other.counts.get(n, 0) for n in labels}
        return Placed(self.about, counts)

    def lines(self) -> list[str]:
        """Return the counts in words, unless there was nothing to place."""
        words = in_words(self.counts)
        if words and self.counts[LABELS[LOST]] == sum(self.counts.values()):
            words += f"; {UNPLACED}"
        return [f"{self.about}: {words}"] if words else []


@dataclass(frozen=True, slots=True)
class Share:
    """A number of characters among others, as a share."""

    about: str
    part: int
    whole: int

    def plus(self, other: Share) -> Share:
        """Return the share of both together."""
        return Share(self.about, self.part + other.part, self.whole + other.whole)

    def lines(self) -> list[str]:
        """Return the share in words, unless there is nothing it is of."""
        return [f"{self.about}: {100 * self.part / self.whole:.0f} %"] if self.whole else []


@dataclass(frozen=True, slots=True)
class Straddling:
    """The number of topics with equal scores on both sides of a cut-off, for each assessor."""

    order: str  # the rule that orders equal scores
    counts: Mapping[bytes, Mapping[int, int]] = field(default_factory=dict)

    @property
    def about(self) -> str:
        """Return the subject of the note, which names the order of equal scores."""
        return f"equal scores: {self.order}"

    def plus(self, other: Straddling) -> Straddling:
        """Return the sum of two counts for each assessor and cut-off."""
        names = {*self.counts, *other.counts}
        both = {
            name: {
                cutoff: self.counts.get(name, {}).get(cutoff, 0)
                + other.counts.get(name, {}).get(cutoff, 0)
                for cutoff in {**self.counts.get(name, {}), **other.counts.get(name, {})}
            }
            for name in names
        }
        return Straddling(self.order, both)

    def lines(self) -> list[str]:
        """Return the counts in words, without repeated lines."""
        every = [line for name in sorted(self.counts) for line in self._of(self.counts[name])]
        return list(dict.fromkeys(every))

    def _of(self, counts: Mapping[int, int]) -> list[str]:
        across = [(cutoff, counts[cutoff]) for cutoff in sorted(counts) if counts[cutoff]]
        if len(across) > 2:  # in one line
            ranks = ", ".join(f"{cutoff} ({count})" for cutoff, count in across)
            return [f"equal scores across ranks (number of topics) {ranks}: {self.order}"]
        return [f"{counted(n)} with equal scores across rank {k}: {self.order}" for k, n in across]


def in_lines(notes: Iterable[Note]) -> list[str]:
    """Return the lines of all notes."""
    return [line for note in notes for line in note.lines()]


def within(notes: Iterable[Note], number: int) -> list[Note]:
    """Return the notes of a piece, with positions that begin with the number of the piece."""
    return [replace(n, at=(number, *n.at)) if isinstance(n, Tally) else n for n in notes]


def added(notes: Iterable[Note], more: Iterable[Note]) -> list[Note]:
    """Add the notes of two successive pieces of a run, by subject."""
    later = {note.about: note for note in more}
    both = [note.plus(later.pop(note.about)) if note.about in later else note for note in notes]
    return [*both, *later.values()]


def merged(notes: Iterable[Note]) -> list[Note]:
    """Add the notes of one list that have the same subject."""
    found: dict[str, Note] = {}
    for note in notes:
        found[note.about] = found[note.about].plus(note) if note.about in found else note
    return list(found.values())
