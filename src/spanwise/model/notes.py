"""What was found worth saying while a run was evaluated, as data: said once, at the end.

Notes of pieces of a run are added up before they are put into words, so that nothing shows whether
a run was evaluated as a whole or piece by piece. A note of nothing is the empty string.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from spanwise.model.spans import in_words

N = TypeVar("N", bound="Note")


def counted(topics: int) -> str:
    """So many topics, in words.

    >>> counted(1)
    '1 topic'
    """
    return f"{topics} topic{'s' if topics != 1 else ''}"


class Note(Protocol):
    """One thing to say."""

    @property
    def about(self) -> str:
        """Notes about the same are added up."""

    def plus(self: N, other: N) -> N:
        """The same of this piece and a later one."""

    def lines(self) -> list[str]:
        """In words; empty if there is nothing to say."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that is so whichever piece is looked at."""

    about: str

    def plus(self, other: Remark) -> Remark:  # noqa: ARG002
        """It is said once."""
        return self

    def lines(self) -> list[str]:
        """As it is."""
        return [self.about]


@dataclass(frozen=True, slots=True)
class Tally:
    """So many of something, perhaps with the first of them."""

    about: str
    count: int
    first: str = ""
    at: tuple[int, ...] = ()  # where the first one is; nothing comes before it

    def plus(self, other: Tally) -> Tally:
        """Together so many, and the one that comes first."""
        first = min((one for one in (self, other) if one.count), key=_place, default=self)
        return Tally(self.about, self.count + other.count, first.first, first.at)

    def lines(self) -> list[str]:
        """What, how many, the first one."""
        if not self.count:
            return []
        more = ", ..." if self.count > 1 else ""
        example = f" ({self.first}{more})" if self.first else ""
        return [f"{self.about}: {self.count}{example}"]


def _place(tally: Tally) -> tuple[int, ...]:
    return tally.at


@dataclass(frozen=True, slots=True)
class Placed:
    """How texts were placed, by label."""

    about: str
    counts: Mapping[str, int]

    def plus(self, other: Placed) -> Placed:
        """Label by label."""
        counts = {label: count + other.counts[label] for label, count in self.counts.items()}
        return Placed(self.about, counts)

    def lines(self) -> list[str]:
        """Unless there was nothing to place."""
        words = in_words(self.counts)
        return [f"{self.about}: {words}"] if words else []


@dataclass(frozen=True, slots=True)
class Straddling:
    """In how many topics equal scores stand on both sides of cut-offs, assessor by assessor."""

    order: str  # what decides among equal scores
    counts: Mapping[bytes, Mapping[int, int]] = field(default_factory=dict)

    @property
    def about(self) -> str:
        """Notes of one order are added up."""
        return f"equal scores: {self.order}"

    def plus(self, other: Straddling) -> Straddling:
        """Assessor by assessor, cut-off by cut-off."""
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
        """The same words are not said twice."""
        every = [line for name in sorted(self.counts) for line in self._of(self.counts[name])]
        return list(dict.fromkeys(every))

    def _of(self, counts: Mapping[int, int]) -> list[str]:
        across = [(cutoff, counts[cutoff]) for cutoff in sorted(counts) if counts[cutoff]]
        if len(across) > 2:  # in one line
            ranks = ", ".join(f"{cutoff} ({count})" for cutoff, count in across)
            return [f"equal scores across ranks (in so many topics) {ranks}: {self.order}"]
        return [f"{counted(n)} with equal scores across rank {k}: {self.order}" for k, n in across]


def in_lines(notes: Iterable[Note]) -> list[str]:
    """All notes in words."""
    return [line for note in notes for line in note.lines()]


def within(notes: Iterable[Note], number: int) -> list[Note]:
    """The notes of a piece that comes after so many others."""
    return [replace(n, at=(number, *n.at)) if isinstance(n, Tally) else n for n in notes]


def added(notes: Iterable[Note], more: Iterable[Note]) -> list[Note]:
    """The notes of two pieces of a run; both are in the order in which things are found."""
    later = {note.about: note for note in more}
    both = [note.plus(later.pop(note.about)) if note.about in later else note for note in notes]
    return [*both, *later.values()]
