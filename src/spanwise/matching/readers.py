"""Navigating readers matched with judgements: which results lead to which targets."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanwise.errors import InputError, UsageError
from spanwise.matching.cuts import refuse_duplicates
from spanwise.matching.documents import TOPICS_AT_ONCE, Results, ordered_results, owners_of
from spanwise.matching.elements import refuse_points
from spanwise.matching.text import refuse_paths
from spanwise.matching.trees import NOT_FOUND, ByPath
from spanwise.model.columns import Coded, text
from spanwise.model.element_rankings import Behaviour, NavigationRankings, NavigationSteps, Place
from spanwise.model.notes import Tally
from spanwise.model.spans import UNKNOWN, Spans, ranges

if TYPE_CHECKING:
    from spanwise.matching.elements import Setting
    from spanwise.model.arrays import BoolArray, FloatArray, IntArray
    from spanwise.model.element_rankings import ChanceTable
    from spanwise.model.judgements import Highlights, Judgements
    from spanwise.model.policy import Policy
    from spanwise.model.run import Run

# Targets in results -------------------------------------------------------------------------------
#
# Pairs are found without comparing every result with every target. Targets of one document do not
# contain each other. So those in an element are adjacent when targets are ordered by path, and
# those that begin in a span when they are ordered by start.

AFTER_SLASH = b"0"
"""Appended to a path, it gives a string that sorts after every path of a descendant."""


class Pairs(NamedTuple):
    """Pairs of result and target, as two columns; results rise."""

    result: IntArray
    target: IntArray


def by_path(
    owner: IntArray, targets: Sequence[bytes], row: IntArray, results: Coded, some: IntArray
) -> Pairs:
    """Pair some results with the targets that they are or contain; an empty path contains all.

    `owner` and `row` give the documents that targets and results belong to; -1 for none.
    """
    names = sorted(set(targets))
    number = {name: place for place, name in enumerate(names)}
    codes = np.array([number[name] for name in targets], np.int64)
    order = np.lexsort((codes, owner))
    width = len(names) + 1
    keys = (owner * width + codes)[order]
    lowest = np.array([bisect_left(names, name) for name in results.names])
    highest = np.array(
        [bisect_left(names, name + AFTER_SLASH) if name else len(names) for name in results.names]
    )
    mine, code = row[some] * width, results.codes[some]
    begin = np.searchsorted(keys, mine + lowest[code])
    end = np.searchsorted(keys, mine + highest[code])
    return _listed(some, begin, end, order)


def by_start(
    owner: IntArray, targets: Spans, row: IntArray, results: Spans, some: IntArray
) -> Pairs:
    """Pair some results with the targets that begin in them or at their start."""
    order = np.lexsort((targets.starts, owner))
    far = 1 + max(int(targets.ends.max(initial=0)), int(results.ends.max(initial=0)))
    keys = (owner * far + targets.starts)[order]
    mine, spans = row[some] * far, results.at(some)
    begin = np.searchsorted(keys, mine + spans.starts)
    end = np.searchsorted(keys, mine + spans.ends)
    return _listed(some, begin, end, order)


def _listed(some: IntArray, begin: IntArray, end: IntArray, order: IntArray) -> Pairs:
    count = np.maximum(end - begin, 0)
    return Pairs(np.repeat(some, count), order[ranges(begin, count)])


# Navigation ---------------------------------------------------------------------------------------


def navigation_rankings(
    run: Run,
    judgements: Judgements,
    topics: Sequence[bytes],
    policy: Policy,
    setting: Setting,
    chances: Mapping[str, ChanceTable] | None = None,
) -> Iterator[NavigationRankings]:
    """Yield rankings for navigation in blocks of `TOPICS_AT_ONCE` topics.

    `chances` are tables of probabilities by file.
    """
    results = ordered_results(run, judgements, topics, policy)
    refuse_duplicates(run, results)
    for first in range(0, len(topics), TOPICS_AT_ONCE):
        some = tuple(topics[first : first + TOPICS_AT_ONCE])
        here = results.of_topics(first, first + len(some))
        guide = Navigator(run, judgements, some, here, setting, chances or {})
        yield NavigationRankings(some, policy, guide.browse)


def later_results(
    run: Run, judgements: Judgements, topics: Sequence[bytes], policy: Policy
) -> Tally:
    """Count the results of documents of which an earlier one was returned: BEPD ignores them."""
    results = ordered_results(run, judgements, topics, policy)
    what = "results that BEPD ignored, since only the first of a document counts"
    return Tally(what, len(results.row) - len(results.opening))


class Targets(NamedTuple):
    """The targets of readers, in order of their rows of the judgements."""

    row: IntArray
    worth: FloatArray
    paths: Sequence[bytes] | None  # of elements
    spans: Spans  # start -1 if unknown


class Steps(NamedTuple):
    """Results and the targets that they lead to, with probabilities."""

    result: IntArray
    target: IntArray
    chance: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Navigator:
    """Some topics of a run, with everything needed to find the targets of each result."""

    run: Run
    judgements: Judgements
    topics: tuple[bytes, ...]
    results: Results
    setting: Setting
    chances: Mapping[str, ChanceTable]

    def browse(self, behaviour: Behaviour) -> list[NavigationSteps]:
        """Return the steps of each topic for a behaviour."""
        if callable(behaviour.name):
            targets = self._ideal(behaviour)
            return self._by_topic(targets, self._asked(targets, behaviour.name))
        find = {
            "bep": self._to_entry_points,
            "t2i": self._to_passages,
            "identity": self._to_itself,
            "containment": self._to_contents,
            "table": self._by_table,
        }[behaviour.name]
        return self._by_topic(*find(behaviour))

    def _by_topic(self, targets: Targets, steps: Steps) -> list[NavigationSteps]:
        """Return targets and steps by topic, both numbered from the topic's first."""
        codes = {topic: code for code, topic in enumerate(self.topics)}
        owner = owners_of(self.judgements.rows, codes, targets.row)
        order = np.argsort(owner, kind="stable")
        number = np.empty(len(order), np.int64)
        number[order] = np.arange(len(order))
        of_targets = np.searchsorted(owner[order], np.arange(len(codes) + 1))
        by_rank = np.argsort(steps.result, kind="stable")
        result = steps.result[by_rank]
        target, chance = number[steps.target[by_rank]], steps.chance[by_rank]
        of_results = np.searchsorted(self.results.topic, np.arange(len(codes) + 1))
        of_steps = np.searchsorted(result, of_results)
        return [
            NavigationSteps(
                int(of_results[code + 1] - of_results[code]),
                targets.worth[order[of_targets[code] : of_targets[code + 1]]],
                result[mine] - of_results[code] + 1,
                target[mine] - of_targets[code],
                chance[mine],
            )
            for code, mine in enumerate(map(slice, of_steps[:-1], of_steps[1:]))
        ]

    # Places ---------------------------------------------------------------------------------------

    def _judged(self) -> IntArray:
        """Return the row of the judgements of each result's document; -1 if there is none."""
        return self.results.judged[self.results.document]

    def _starts(self) -> IntArray:
        """Return the start of each result; -1 if unknown. A whole document begins at 0."""
        refuse_paths(self.run)
        if self.run.spans is not None:
            return self.run.spans.starts[self.results.row]
        return np.zeros(len(self.results.row), np.int64)

    def _marked(self, purpose: str) -> Highlights:
        if self.judgements.highlights is None:
            raise UsageError(
                f"{self.judgements.rows.source}: positions of {purpose} are unknown;"
                " expected assessments that have them; pass --collection"
            )
        return self.judgements.highlights

    # Best entry points and passages ---------------------------------------------------------------

    def _to_entry_points(self, behaviour: Behaviour) -> tuple[Targets, Steps]:
        """Find the best entry point of each result's document; the nearer, the more probable."""
        entries = self._marked("best entry points").entries
        row = np.flatnonzero(entries >= 0)
        spans = Spans(entries[row], np.zeros(len(row), np.int64))
        judged, starts = self._judged(), self._starts()
        result = np.flatnonzero((judged >= 0) & (entries[judged] >= 0))
        distance = np.abs(starts[result] - entries[judged[result]])
        near = behaviour.A * self._mean_length(behaviour.L)
        chance = np.where(starts[result] == UNKNOWN, 0.0, near / (near + distance))
        target = np.searchsorted(row, judged[result])
        return Targets(row, np.ones(len(row)), None, spans), Steps(result, target, chance)

    def _mean_length(self, given: float | None) -> float:
        if given is not None:
            return given
        if self.setting.collection is None:
            raise UsageError(
                "distances are compared with L, the mean length of all documents of the"
                " collection; pass --collection, or L=... as in EPRUM(A=0.1,L=5000)"
            )
        return self.setting.collection.mean_length()

    def _to_passages(self, behaviour: Behaviour) -> tuple[Targets, Steps]:
        """Find the passage that follows the start of each result within the tolerance."""
        marked = self._marked("highlighted passages")
        row = np.repeat(np.arange(len(marked.counts)), marked.counts)
        judged, starts = self._judged(), self._starts()
        result = np.flatnonzero((judged >= 0) & (starts != UNKNOWN))
        far = 1 + max(int(marked.passages.ends.max(initial=0)), int(starts.max(initial=0)))
        keys = row * far + marked.passages.ends
        target = np.searchsorted(keys, judged[result] * far + starts[result], side="right")
        hit = target < len(row)
        result, target = result[hit], target[hit]
        way = marked.passages.starts[target] - starts[result]
        hit = (row[target] == judged[result]) & (way <= behaviour.tolerance)
        result, target = result[hit], target[hit]
        worth = np.ones(len(row))
        return Targets(row, worth, None, marked.passages), Steps(result, target, worth[target])

    # Ideal elements -------------------------------------------------------------------------------

    def _ideal(self, behaviour: Behaviour) -> Targets:
        """Return the ideal elements, each with its quantised value as a share of the highest."""
        base = self.setting.base(self.judgements, behaviour.quant)
        judged = base.judged
        chosen = np.flatnonzero(base.ideal(behaviour.ideal, behaviour.paths))
        value = base.value[chosen] / base.highest
        worth = value if behaviour.worth == "graded" else np.ones(len(chosen))
        spans = Spans(judged.start[chosen], judged.size[chosen])
        return Targets(judged.row[chosen], worth, [judged.paths[n] for n in chosen.tolist()], spans)

    def _to_itself(self, behaviour: Behaviour) -> tuple[Targets, Steps]:
        """Find the target that each result is: a reader stays at the result."""
        targets = self._ideal(behaviour)
        return targets, self._related(targets, _same, lambda a, b: _within(a, b) & _within(b, a))

    def _to_contents(self, behaviour: Behaviour) -> tuple[Targets, Steps]:
        """Find the targets in each result: a reader reads all of it."""
        targets = self._ideal(behaviour)
        return targets, self._related(targets, _holds, _within)

    def _related(
        self,
        targets: Targets,
        paths: Callable[[bytes, bytes], bool],
        spans: Callable[[Spans, Spans], BoolArray],
    ) -> Steps:
        """Return the pairs of a document that satisfy a relation: by paths, else by offsets."""
        assert targets.paths is not None
        judged, names = self._judged(), self._paths()
        placed = np.zeros(len(judged), np.bool_)
        if self.run.spans is not None:
            placed = np.array([not name for name in names.names], np.bool_)[names.codes]
        named = by_path(targets.row, targets.paths, judged, names, np.flatnonzero(~placed))
        there = [targets.paths[number] for number in named.target.tolist()]
        kept = np.array(list(map(paths, names.at(named.result), there)), np.bool_)
        pairs = [Pairs(named.result[kept], named.target[kept])]
        if placed.any():
            pairs.append(self._placed_pairs(targets, np.flatnonzero(placed), spans))
        result = np.concatenate([part.result for part in pairs])
        return Steps(result, np.concatenate([part.target for part in pairs]), np.ones(len(result)))

    def _placed_pairs(
        self, targets: Targets, some: IntArray, related: Callable[[Spans, Spans], BoolArray]
    ) -> Pairs:
        """Return the related pairs of some results that are spans."""
        assert self.run.spans is not None
        judged, spans = self._judged(), self.run.spans.at(self.results.row)
        if np.isin(judged[some], targets.row[targets.spans.starts == UNKNOWN]).any():
            raise InputError(
                f"{self.judgements.rows.source}: positions of the judged elements are"
                f" unknown, and {self.run.rows.source} has offsets; pass --collection"
            )
        some = some[spans.starts[some] != UNKNOWN]
        pairs = by_start(targets.row, targets.spans, judged, spans, some)
        kept = related(targets.spans.at(pairs.target), spans.at(pairs.result))
        return Pairs(pairs.result[kept], pairs.target[kept])

    def _paths(self) -> Coded:
        """Return the paths of results that are elements; empty for spans and documents."""
        rows = self.results.row
        paths = self.run.element_paths(rows)
        if self.run.paths is not None and self.run.spans is None:
            refuse_points(self.run, rows, paths)
        return paths

    # Tables and functions -------------------------------------------------------------------------

    def _by_table(self, behaviour: Behaviour) -> tuple[Targets, Steps]:
        """Find the targets of each result in a table of probabilities."""
        if behaviour.table is None:
            raise UsageError("behaviour=table needs the name of a file, as in table=chances.txt")
        listed: dict[tuple[bytes, bytes], list[tuple[bytes, float]]] = {}
        for (document, name, path), chance in self.chances[behaviour.table].items():
            listed.setdefault((document, name), []).append((path, chance))
        targets = self._ideal(behaviour)
        assert targets.paths is not None
        documents = self.run.documents.take(self.results.row)
        names = map(_named, self._places())
        rows = [
            (result, path, chance)
            for result, key in enumerate(zip(documents, names, strict=True))
            for path, chance in listed.get(key, ())
            if chance
        ]
        result = np.array([number for number, _, _ in rows], np.int64)
        ends = Coded.of([path for _, path, _ in rows])
        known = ByPath(targets.row, Coded.of(targets.paths))
        target = known.find(self._judged()[result], ends)
        kept = target != NOT_FOUND
        chances = np.array([chance for _, _, chance in rows], np.float64)
        return targets, Steps(result[kept], target[kept], chances[kept])

    def _asked(self, targets: Targets, function: Callable[[Place, Place], float]) -> Steps:
        """Apply a function to every pair of a result and a target of one topic."""
        codes = {topic: code for code, topic in enumerate(self.topics)}
        owner = owners_of(self.judgements.rows, codes, targets.row)
        ends = self._targets_as_places(targets)
        rows: list[tuple[int, int, float]] = []
        for result, place in enumerate(self._places()):
            for target in np.flatnonzero(owner == self.results.topic[result]).tolist():
                chance = float(function(place, ends[target]))
                if not 0 <= chance <= 1:
                    raise InputError(
                        f"behaviour: the probability from {place} to {ends[target]} is {chance:g};"
                        " expected a number from 0 to 1"
                    )
                if chance:
                    rows.append((result, target, chance))
        table = np.array(rows or np.zeros((0, 3)))
        return Steps(table[:, 0].astype(int), table[:, 1].astype(int), table[:, 2])

    def _places(self) -> list[Place]:
        rows = self.results.row
        documents = map(text, self.run.documents.take(rows))
        paths = self._paths()
        spans = self.run.spans
        none = np.full(len(rows), UNKNOWN)
        starts = none if spans is None else spans.starts[rows]
        # Unplaced results have no length either.
        lengths = none if spans is None else np.where(starts < 0, UNKNOWN, spans.lengths[rows])
        topic = self.results.topic
        ranks = np.arange(len(topic)) - np.searchsorted(topic, topic) + 1
        names = [text(self.topics[code]) for code in topic.tolist()]
        rest = zip(paths, starts.tolist(), lengths.tolist(), ranks.tolist(), strict=True)
        return [
            _place(name, document, *place)
            for name, document, place in zip(names, documents, rest, strict=True)
        ]

    def _targets_as_places(self, targets: Targets) -> list[Place]:
        rows = self.judgements.rows
        documents = map(text, self.judgements.documents.take(targets.row))
        topic = np.searchsorted(rows.starts, targets.row, side="right") - 1
        names = [text(rows.topics[code]) for code in topic.tolist()]
        starts, lengths = targets.spans.starts.tolist(), targets.spans.lengths.tolist()
        paths = [b""] * len(names) if targets.paths is None else targets.paths
        rest = zip(paths, starts, lengths, strict=True)
        return [
            _place(name, document, path, start, length, None)
            for name, document, (path, start, length) in zip(names, documents, rest, strict=True)
        ]


def _place(
    topic: str, document: str, path: bytes, start: int, length: int, rank: int | None
) -> Place:
    known = start != UNKNOWN
    return Place(
        topic,
        document,
        text(path) if path else None,
        start if known else None,
        length if length >= 0 and (known or path) else None,
        rank,
    )


def _named(place: Place) -> bytes:
    """Return a result's name in tables: its path, else offset and length, else a dash."""
    if place.path:
        return place.path.encode("utf-8", "surrogateescape")
    return b"-" if place.start is None else f"{place.start}:{place.length}".encode()


def _is_root(path: bytes) -> bool:
    return path.count(b"/") == 1


def _same(result: bytes, target: bytes) -> bool:
    """Return whether two paths name the same element; a document is its root element."""
    return result == target or (not result and _is_root(target))


def _holds(result: bytes, target: bytes) -> bool:
    return _same(result, target) or target.startswith(result + b"/")


def _within(inner: Spans, outer: Spans) -> BoolArray:
    return (inner.starts >= outer.starts) & (inner.ends <= outer.ends)
