"""Documents of a run matched with judgements: blocks of rankings, ready to be measured.

Results are ordered by falling score, and equal scores as the policy says (`by_score`). They are
joined with the judgements (`judged_rows`), cut (`align`), and laid out as blocks
(`Aligned.blocks`). Results that are parts of documents are numbered and ordered here as well
(`ordered_results`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import DuplicateError, UsageError
from spanwise.model.columns import text
from spanwise.model.judgements import by_assessor
from spanwise.model.rankings import JUDGED, SET_ASIDE, Rankings
from spanwise.model.spans import UNKNOWN, ranges

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, FingerprintArray, FloatArray, IntArray
    from spanwise.model.columns import Ids, Rows
    from spanwise.model.judgements import Judgements
    from spanwise.model.policy import Policy
    from spanwise.model.run import Run


# Order of results ---------------------------------------------------------------------------------
#
# A run is usually in order already, so that is checked first. Ids are compared only within groups
# of equal scores that hold something judged, because the order of the rest changes nothing.


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """The rows of a run in the order of their scores, topic by topic."""

    scores: FloatArray  # falling within each topic; negated if the policy's order is rising
    rows: IntArray | None  # the row at each place; None: the rows are in order already
    tied: IntArray  # places whose score equals the next one's in the same topic


def by_score(run: Run, policy: Policy) -> Ordered:
    """Order the rows by score; equal scores keep file order."""
    if policy.ties == "rank" and run.ranks is None and run.spans is None:
        raise UsageError(f"ties: rank needs stated ranks, and {run.rows.source} was read without")
    scores = -run.scores if policy.order == "rising" else run.scores
    if policy.conventions.score_bits == 32:
        with np.errstate(over="ignore"):  # scores too large for 32 bits become infinite
            scores = scores.astype(np.float32)
    inner = np.ones(max(len(scores) - 1, 0), np.bool_)
    inner[run.rows.starts[1:-1] - 1] = False  # the score may rise from one topic to the next
    rising = np.flatnonzero((scores[1:] > scores[:-1]) & inner)
    rows = None
    if len(rising):
        rows = _sorted_rows(scores, run.rows, rising)
        scores = scores[rows]
    return Ordered(scores, rows, np.flatnonzero((scores[1:] == scores[:-1]) & inner))


def _sorted_rows(scores: FloatArray, rows: Rows, rising: IntArray) -> IntArray:
    order = np.arange(len(scores))
    topics = np.searchsorted(rows.starts, rising, side="right") - 1
    for topic in distinct(topics, len(rows.topics)).tolist():
        first, last = rows.starts[topic], rows.starts[topic + 1]
        order[first:last] = first + np.argsort(-scores[first:last], kind="stable")
    return order


def places_of(
    ordered: Ordered, run: Run, policy: Policy, rows: IntArray, *, rising: bool = False
) -> IntArray:
    """Return the place of each of these rows in the order, with ties broken.

    If document ids break ties, the greater id comes first, or last if `rising` is set.
    """
    places = rows
    if ordered.rows is not None:
        place_of_row = np.empty(len(ordered.rows), np.int64)
        place_of_row[ordered.rows] = np.arange(len(ordered.rows))
        places = place_of_row[rows]
    unranked = policy.ties == "rank" and run.ranks is None  # chunks may lack ranks
    if policy.ties == "file" or unranked or not len(ordered.tied):
        return places
    return _untied(ordered, run, policy, rows, places, rising)


def tie_groups(ordered: Ordered) -> tuple[IntArray, IntArray]:
    """Return the first and last place of every group of equal scores."""
    tied = ordered.tied
    begins = np.concatenate([[True], np.diff(tied) != 1])
    ends = np.concatenate([np.diff(tied) != 1, [True]])
    return tied[begins], tied[ends] + 1


def _untied(
    ordered: Ordered, run: Run, policy: Policy, rows: IntArray, places: IntArray, rising: bool
) -> IntArray:
    firsts, lasts = tie_groups(ordered)
    group = np.searchsorted(firsts, places, side="right") - 1
    inside = (group >= 0) & (places <= lasts[group])
    groups = distinct(group[inside], len(firsts))
    sizes = lasts[groups] - firsts[groups] + 1
    members = ranges(firsts[groups], sizes)
    member_rows = members if ordered.rows is None else ordered.rows[members]
    numbers = np.repeat(np.arange(len(groups)), sizes)
    if run.ranks is not None and policy.ties == "rank":
        sorted_rows = member_rows[np.lexsort((run.ranks[member_rows], numbers))]
    elif rising:
        sorted_rows = run.documents.falling(member_rows, -numbers)[::-1]
    else:
        sorted_rows = run.documents.falling(member_rows, numbers)
    by_row = np.argsort(sorted_rows)
    new_places = places.copy()
    at = np.searchsorted(sorted_rows, rows[inside], sorter=by_row)
    new_places[inside] = members[by_row[at]]
    return new_places


def distinct(numbers: IntArray, below: int) -> IntArray:
    """Return the different numbers, rising; unlike `np.unique` it imports no further subpackage.

    >>> distinct(np.array([3, 1, 3]), 5).tolist()
    [1, 3]
    """
    present = np.zeros(below, np.bool_)
    present[numbers] = True
    return np.flatnonzero(present)


# Judged results -----------------------------------------------------------------------------------
#
# Most results of a large run are unjudged, so 64-bit fingerprints of ids are compared first, and
# the ids themselves only where the fingerprints agree.

TOPICS_AT_ONCE = 256
"""Number of topics of a block, so that its columns stay in the cache."""
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def judged_rows(
    run: Run, prints: FingerprintArray, judgements: Judgements
) -> tuple[IntArray, IntArray]:
    """Return the rows of the run that were judged, rising, and the judgement's row of each.

    `prints` are the fingerprints of the run's documents.
    """
    index = judgements.once(
        ("index", type(run.documents)), lambda: Index.of(judgements, run.documents)
    )
    run_codes = np.array([index.codes.get(topic, 0) for topic in run.rows.topics])
    rows, found = [], []
    for first, last in _blocks(run.rows):
        start, stop = run.rows.starts[first], run.rows.starts[last]
        lengths = np.diff(run.rows.starts[first : last + 1])
        theirs = prints[start:stop] ^ np.repeat(_spread(run_codes[first:last]), lengths)
        candidates = index.sieve.passing(theirs)
        places = index.sieve.places(theirs[candidates])
        same = index.keys.take(places) == theirs[candidates]
        rows.append(candidates[same] + start)
        found.append(index.order[places[same]])
    run_rows, judged = np.concatenate(rows), np.concatenate(found)
    if not run_codes.all():  # keys of unjudged topics may match by accident
        run_rows, judged = _of_judged_topics(run.rows, run_codes, run_rows, judged)
    if run.documents.same_at(run_rows, index.ids, judged):
        return run_rows, judged
    return _joined_exactly(run, judgements)  # two ids share a fingerprint, which is very unlikely


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """An index of judgements by fingerprint, made once for all runs."""

    ids: Ids  # stored in the same way as the run's
    codes: dict[bytes, int]  # of the topics, from 1 on
    keys: FingerprintArray  # of topic and document, rising
    order: IntArray  # the row of the judgement of each key
    sieve: Sieve

    @classmethod
    def of(cls, judgements: Judgements, like: Ids) -> Index:
        """Sort the judgements by topic and document."""
        ids = like.same_kind(judgements.documents)
        codes = {topic: code for code, topic in enumerate(judgements.rows.topics, start=1)}
        keys = ids.fingerprints() ^ _per_row(np.arange(1, len(codes) + 1), judgements.rows)
        order = np.argsort(keys)
        return cls(ids, codes, keys[order], order, Sieve(keys[order]))


def _of_judged_topics(
    rows: Rows, codes: IntArray, run_rows: IntArray, judged: IntArray
) -> tuple[IntArray, IntArray]:
    topics = np.searchsorted(rows.starts, run_rows, side="right") - 1
    kept = codes[topics] > 0
    return run_rows[kept], judged[kept]


def _spread(codes: IntArray) -> FingerprintArray:
    return codes.astype(np.uint64) * _SPREAD


def topic_keys(prints: FingerprintArray, topic: IntArray) -> FingerprintArray:
    """Return fingerprints of topic and document together."""
    return prints ^ _spread(topic + 1)


def _per_row(codes: IntArray, rows: Rows) -> FingerprintArray:
    return np.repeat(_spread(codes), np.diff(rows.starts))


def _blocks(rows: Rows) -> Iterator[tuple[int, int]]:
    """Yield ranges of topics small enough that their columns stay in the cache."""
    for first in range(0, len(rows.topics), TOPICS_AT_ONCE):
        yield first, min(first + TOPICS_AT_ONCE, len(rows.topics))


class Sieve:
    """A fast search for keys in a sorted array.

    A table of the first bits excludes most keys that are not there, and gives the position where
    the search for the others begins.
    """

    def __init__(self, keys: FingerprintArray) -> None:
        bits = min(24, max(16, len(keys).bit_length() + 4))
        self._keys = keys
        self._shift = np.uint64(64 - bits)
        counts = np.bincount(self._slots(keys), minlength=1 << bits)
        self._seen: BoolArray = counts > 0
        self._begins = (np.cumsum(counts) - counts).astype(np.int32)

    def _slots(self, keys: FingerprintArray) -> IntArray:
        """Return the first bits of each key as a signed index."""
        return (keys >> self._shift).view(np.int64)

    def passing(self, keys: FingerprintArray) -> IntArray:
        """Return the positions of the keys that may be in the array."""
        return np.flatnonzero(self._seen.take(self._slots(keys)))

    def places(self, keys: FingerprintArray) -> IntArray:
        """Return the position of each key, all of which passed, if it is in the array."""
        places = self._begins.take(self._slots(keys)).astype(np.int64)
        last = len(self._keys) - 1
        behind = np.flatnonzero((self._keys[places] < keys) & (places < last))
        while len(behind):  # few keys share their first bits, and fewer at each step
            places[behind] += 1
            there = places[behind]
            behind = behind[(self._keys[there] < keys[behind]) & (there < last)]
        return places


def _joined_exactly(run: Run, judgements: Judgements) -> tuple[IntArray, IntArray]:
    """Join run and judgements by the ids themselves."""
    places = {pair: row for row, pair in enumerate(_pairs(judgements.rows, judgements.documents))}
    matched = [
        (row, places[pair])
        for row, pair in enumerate(_pairs(run.rows, run.documents))
        if pair in places
    ]
    both = np.array(matched, np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _pairs(rows: Rows, ids: Ids) -> Iterator[tuple[bytes, bytes]]:
    for topic, first, last in zip(rows.topics, rows.starts[:-1], rows.starts[1:], strict=True):
        for identifier in ids.take(np.arange(first, last)):
            yield topic, identifier


# Duplicates ---------------------------------------------------------------------------------------


def repeated_rows(rows: Rows, ids: Ids, prints: FingerprintArray) -> Iterator[tuple[int, int]]:
    """Yield pairs of rows of one topic with the same id: the first row and the repeating one."""
    for first, last in _blocks(rows):
        starts = rows.starts[first : last + 1]
        for topic in np.flatnonzero(_suspicious(prints, starts)):
            yield from _repeated(ids, np.arange(starts[topic], starts[topic + 1]))


def _suspicious(prints: FingerprintArray, starts: IntArray) -> BoolArray:
    """Return which topics have two equal fingerprints; comparing half of each is enough."""
    lengths = np.diff(starts)
    halves = (prints[starts[0] : starts[-1]] >> np.uint64(32)).astype(np.uint32)
    longest = int(lengths.max(initial=0))
    if (lengths == longest).all():
        table = halves.reshape(len(lengths), longest)
    else:
        table = np.full((len(lengths), longest), np.iinfo(np.uint32).max)
        table[np.arange(longest) < lengths[:, None]] = halves
    table = np.sort(table, axis=-1)
    real = np.arange(1, longest) < lengths[:, None]
    return ((table[:, 1:] == table[:, :-1]) & real).any(axis=-1)


def _repeated(ids: Ids, rows: Iterable[int]) -> Iterator[tuple[int, int]]:
    seen: dict[bytes, int] = {}
    rows = np.asarray(rows)
    for row, identifier in zip(rows.tolist(), ids.take(rows), strict=True):
        if identifier in seen:
            yield seen[identifier], row
        else:
            seen[identifier] = row


def refuse_duplicate_results(
    run: Run,
    prints: FingerprintArray,
    codes: dict[bytes, int],
    policy: Policy,
    places_of_rows: Callable[[IntArray], IntArray],
) -> None:
    """Raise an error if the same document occurs twice in one topic.

    The drop-in programs check only topics that they evaluate; trec_eval 9 and 10 check only the
    results above their cut-off.
    """
    pairs = np.array(list(repeated_rows(run.rows, run.documents, prints)), np.int64).reshape(-1, 2)
    if not len(pairs):
        return
    owners = owners_of(run.rows, codes, pairs[:, 0])
    if policy.follow != "spanwise":
        pairs, owners = pairs[owners >= 0], owners[owners >= 0]
        if policy.depth is not None and policy.follow != "trec_eval 8":
            places = places_of_rows(pairs.ravel()).reshape(-1, 2)
            topics = np.searchsorted(run.rows.starts, places, side="right") - 1
            kept = ((places - run.rows.starts[topics]) < policy.depth).all(axis=-1)
            pairs, owners = pairs[kept], owners[kept]
    if len(pairs):
        first, again = pairs[np.argmin(owners)].tolist()
        raise _duplicate_document(run.rows, run.documents, first, again)


def refuse_duplicate_judgements(
    judgements: Judgements, topics: Sequence[bytes] | None = None
) -> None:
    """Raise an error if an assessor judged the same document twice in one topic.

    With `topics` only duplicates in those count.
    """
    codes = {topic: code for code, topic in enumerate(topics or judgements.rows.topics)}
    worst: tuple[int, DuplicateError] | None = None
    for part in by_assessor(judgements):
        for first, again in part.once("repeated", partial(_repeated_judgements, part)):
            owner = int(owners_of(part.rows, codes, np.array([again]))[0])
            if owner >= 0 and (worst is None or owner < worst[0]):
                worst = owner, _duplicate_document(part.rows, part.documents, first, again)
    if worst:
        raise worst[1]


def _repeated_judgements(judgements: Judgements) -> list[tuple[int, int]]:
    prints = judgements.documents.fingerprints()
    return list(repeated_rows(judgements.rows, judgements.documents, prints))


def _duplicate_document(rows: Rows, ids: Ids, first: int, again: int) -> DuplicateError:
    name = text(ids.take(np.array([again]))[0])
    return duplicate_error(rows, first, again, f"document {name!r}", "each document once")


def duplicate_error(rows: Rows, first: int, again: int, found: str, due: str) -> DuplicateError:
    """Return the error for a row that repeats an earlier one of its topic."""
    topic = rows.topics[int(np.searchsorted(rows.starts, again, side="right")) - 1]
    before = rows.line(first)
    where = f", first on line {before}" if before is not None else ""
    return DuplicateError(
        topic,
        f"{rows.place(again)}: {found} occurs twice for topic {text(topic)!r}{where};"
        f" expected {due}; remove one of the two",
    )


# Documents of results -----------------------------------------------------------------------------


def same_documents(
    ids: Ids, prints: FingerprintArray, rows: IntArray, topic: IntArray
) -> tuple[IntArray, IntArray]:
    """Assign numbers to the documents of results, topic by topic.

    Return for each row the number of its document, in order of first appearance, and for each
    document the position of its first row.
    """
    keys = topic_keys(prints[rows], topic)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    begins = np.concatenate([[True], keys[1:] != keys[:-1]])[: len(keys)]
    opening = order[begins]
    number = np.empty(len(opening), np.int64)
    number[np.argsort(opening)] = np.arange(len(opening))
    document = np.empty(len(rows), np.int64)
    document[order] = number[np.cumsum(begins) - 1]
    opening = np.sort(opening)
    if (topic[opening[document]] == topic).all() and ids.distinct() == _different(prints):
        return document, opening
    return _numbered_exactly(
        ids, rows, topic
    )  # two ids share a fingerprint, which is very unlikely


def _different(prints: FingerprintArray) -> int:
    ordered = np.sort(prints)
    return 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))


def _numbered_exactly(ids: Ids, rows: IntArray, topic: IntArray) -> tuple[IntArray, IntArray]:
    """Assign numbers to the documents by the ids themselves."""
    numbers: dict[tuple[int, bytes], int] = {}
    pairs = zip(topic.tolist(), ids.take(rows), strict=True)
    document = np.array([numbers.setdefault(pair, len(numbers)) for pair in pairs], np.int64)
    opening = np.zeros(len(numbers), np.int64)
    opening[document[::-1]] = np.arange(len(rows))[::-1]
    return document, opening


# Blocks of rankings -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """The judged results as columns: topic, rank and grade."""

    owner: IntArray  # number of the topic
    rank: IntArray  # 0 is the top
    grade: FloatArray
    stood: IntArray  # the rank before unjudged results were dropped

    def in_order(self) -> Marks:
        """Return the results by topic and rank; a stable sort is fast as they are nearly sorted."""
        place = self.owner * (int(self.rank.max(initial=0)) + 1) + self.rank
        return self.where(np.argsort(place, kind="stable"))

    def where(self, chosen: BoolArray | IntArray) -> Marks:
        """Return some of the results."""
        return Marks(self.owner[chosen], self.rank[chosen], self.grade[chosen], self.stood[chosen])

    def of(self, first: int, last: int) -> Marks:
        """Return the results of some topics, renumbered from 0."""
        begin, end = np.searchsorted(self.owner, [first, last])
        span = slice(begin, end)
        return Marks(self.owner[span] - first, self.rank[span], self.grade[span], self.stood[span])


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """The judged documents of each topic, retrieved or not, best first."""

    starts: IntArray
    grades: FloatArray
    set_aside: IntArray  # per topic: judgements with a negative grade

    @classmethod
    def of(cls, judgements: Judgements, codes: dict[bytes, int]) -> Known:
        """Sort the grades of the topics that are evaluated."""
        owner = owners_of(judgements.rows, codes, np.arange(len(judgements.rows)))
        aside = np.bincount(owner[(owner >= 0) & (judgements.grades < 0)], minlength=len(codes))
        kept = (owner >= 0) & (judgements.grades >= 0)
        owner, grades = owner[kept], judgements.grades[kept]
        order = np.lexsort((-grades, owner))
        counts = np.bincount(owner, minlength=len(codes))
        return cls(np.concatenate([[0], np.cumsum(counts)]), grades[order], aside)

    def spread(self, first: int, last: int) -> tuple[FloatArray, IntArray]:
        """Return the grades of some topics as rows padded with 0, and the number of each topic."""
        counts = np.diff(self.starts[first : last + 1])
        table = np.zeros((last - first, int(counts.max(initial=0))))
        real = np.arange(table.shape[-1]) < counts[:, None]
        table[real] = self.grades[self.starts[first] : self.starts[last]]
        return table, counts


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """The number of results of each topic, and the ranks of its judged results."""

    topics: tuple[bytes, ...]
    policy: Policy
    retrieved: IntArray  # per topic
    marks: Marks
    known: Known
    ordered: Ordered
    places: IntArray  # per topic: index of its first result in the ordered run
    shown: IntArray  # per topic: number of results before any were cut or dropped

    def blocks(self, *, with_scores: bool = False) -> Iterator[Rankings]:
        """Yield the rankings in blocks of `TOPICS_AT_ONCE` topics."""
        for first in range(0, len(self.topics), TOPICS_AT_ONCE):
            yield self._block(first, min(first + TOPICS_AT_ONCE, len(self.topics)), with_scores)

    def _block(self, first: int, last: int, with_scores: bool) -> Rankings:
        retrieved = self.retrieved[first:last]
        marks = self.marks.of(first, last)
        shape = (last - first, int(retrieved.max(initial=0)))
        grade, status = np.zeros(shape), np.zeros(shape, np.int8)
        grade[marks.owner, marks.rank] = np.maximum(marks.grade, 0)
        status[marks.owner, marks.rank] = np.where(marks.grade >= 0, JUDGED, SET_ASIDE)
        ideal, judged = self.known.spread(first, last)
        expected = self.policy.ties == "expected"
        score = self._scores(first, marks, retrieved, shape) if with_scores or expected else None
        groups = _tie_groups(score, retrieved) if score is not None and expected else (None, None)
        return Rankings(
            self.topics[first:last],
            retrieved,
            grade,
            status,
            ideal,
            judged,
            self.known.set_aside[first:last],
            self.policy,
            score,
            *groups,
        )

    def _scores(
        self, first: int, marks: Marks, retrieved: IntArray, shape: tuple[int, int]
    ) -> FloatArray:
        score = np.zeros(shape)
        begins = self.places[first : first + shape[0]]
        if self.policy.unjudged == "drop":  # only judged results are left
            score[marks.owner, marks.rank] = self.ordered.scores[begins[marks.owner] + marks.stood]
        else:
            real = np.arange(shape[1]) < retrieved[:, None]
            score[real] = self.ordered.scores[(begins[:, None] + np.arange(shape[1]))[real]]
        return -score if self.policy.order == "rising" else score

    def split_ties(self, cutoff: int) -> int:
        """Return the number of topics in which a cut-off separates equal scores."""
        deep = self.shown > cutoff
        last = self.places[deep] + cutoff - 1
        scores = self.ordered.scores
        return int(np.count_nonzero(scores[last] == scores[last + 1])) if cutoff > 0 else 0


def _tie_groups(score: FloatArray, retrieved: IntArray) -> tuple[IntArray, IntArray]:
    """Return the first and last index of every result's group of equal scores."""
    columns = np.arange(score.shape[-1])
    real = columns < retrieved[:, None]
    differs = np.ones(score.shape, np.bool_)
    differs[:, 1:] = (score[:, 1:] != score[:, :-1]) | ~real[:, 1:]
    first = np.maximum.accumulate(np.where(differs, columns, 0), axis=-1)
    ends = np.ones(score.shape, np.bool_)
    ends[:, :-1] = differs[:, 1:]
    last = np.minimum.accumulate(np.where(ends, columns, len(columns))[:, ::-1], axis=-1)[:, ::-1]
    return first, last


def align(run: Run, judgements: Judgements, topics: Sequence[bytes], policy: Policy) -> Aligned:
    """Put the results of each topic in order and look up their grades."""
    if policy.ties == "expected" and (policy.depth is not None or policy.unjudged == "drop"):
        raise UsageError(
            "ties: expected needs whole rankings; set no depth and keep unjudged results"
        )
    codes = {topic: code for code, topic in enumerate(topics)}
    prints = run.documents.fingerprints()
    ordered = by_score(run, policy)
    refuse_duplicate_results(run, prints, codes, policy, partial(places_of, ordered, run, policy))
    run_rows, judged = judged_rows(run, prints, judgements)
    del prints  # as large as the scores
    places, shown = segments(run.rows, codes)
    owner = owners_of(run.rows, codes, run_rows)
    kept = owner >= 0
    rank = places_of(ordered, run, policy, run_rows[kept]) - places[owner[kept]]
    marks = Marks(owner[kept], rank, judgements.grades[judged[kept]], rank).in_order()
    retrieved = shown
    if policy.depth is not None:
        marks = marks.where(marks.rank < policy.depth)
        retrieved = np.minimum(shown, policy.depth)
    retrieved = np.where(shown > 0, retrieved, policy.conventions.missing_results)
    if policy.unjudged == "drop":
        marks, retrieved = _without_unjudged(marks, retrieved, policy)
    evaluated = tuple(topics)
    known = judgements.once(("known", evaluated), lambda: Known.of(judgements, codes))
    return Aligned(evaluated, policy, retrieved, marks, known, ordered, places, shown)


def owners_of(rows: Rows, codes: dict[bytes, int], of_rows: IntArray) -> IntArray:
    """Return the code of the topic that each row belongs to; -1 if it is not evaluated."""
    owners = np.array([codes.get(topic, -1) for topic in rows.topics], np.int64)
    return owners[np.searchsorted(rows.starts, of_rows, side="right") - 1]


def segments(rows: Rows, codes: dict[bytes, int]) -> tuple[IntArray, IntArray]:
    """Return the position of the first result of each topic, and the number of its results."""
    places, shown = np.zeros(len(codes), np.int64), np.zeros(len(codes), np.int64)
    evaluated = [(codes[t], n) for n, t in enumerate(rows.topics) if t in codes]
    if evaluated:
        mine, theirs = np.array(evaluated).T
        places[mine] = rows.starts[theirs]
        shown[mine] = np.diff(rows.starts)[theirs]
    return places, shown


def _without_unjudged(marks: Marks, retrieved: IntArray, policy: Policy) -> tuple[Marks, IntArray]:
    """Return the judged results, moved up. trec_eval 8 also keeps pool members without a grade."""
    stay = marks if policy.conventions.every_line_counts else marks.where(marks.grade >= 0)
    counts = np.bincount(stay.owner, minlength=len(retrieved))
    firsts = np.cumsum(counts) - counts
    rank = np.arange(len(stay.owner)) - firsts[stay.owner]
    return Marks(stay.owner, rank, stay.grade, stay.stood), counts


# Reading order ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """The results of some topics, topic by topic and in the order in which they are read."""

    topic: IntArray  # rising
    row: IntArray  # of the run
    document: IntArray  # number of the document, in order of first appearance
    opening: IntArray  # per document: number of its first result
    judged: IntArray  # per document: row of the judgements, -1 if there is none

    def of_topics(self, first: int, last: int) -> Results:
        """Return the results of some topics; topics, results and documents are counted from 0."""
        begin, end = np.searchsorted(self.topic, [first, last])
        lowest, highest = np.searchsorted(self.opening, [begin, end])
        return Results(
            self.topic[begin:end] - first,
            self.row[begin:end],
            self.document[begin:end] - lowest,
            self.opening[lowest:highest] - begin,
            self.judged[lowest:highest],
        )

    def cut(self, owner: IntArray) -> Results:
        """Return the parts of the results as results, given the result of each part, rising."""
        if len(owner) == len(self.row):
            return self
        return Results(
            self.topic[owner],
            self.row[owner],
            self.document[owner],
            np.searchsorted(owner, self.opening),
            self.judged,
        )

    def stated(self, column: IntArray, otherwise: int) -> IntArray:
        """Return a column of the judgements for each document, `otherwise` if it was not judged."""
        return np.where(self.judged >= 0, column[self.judged], otherwise)


def has_unplaced_paths(run: Run) -> bool:
    """Return whether results are named by element paths, and the place of none of them is known."""
    if run.paths is None or run.lengths is not None:  # lengths are known only after placing
        return False
    if run.spans is None:
        return True
    paths = run.paths.coded()
    named = np.array([bool(path) for path in paths.names], np.bool_)[paths.codes]
    return bool(named.any() and (run.spans.starts[named] == UNKNOWN).all())


def ordered_results(
    run: Run, judgements: Judgements, topics: Sequence[bytes], policy: Policy
) -> Results:
    """Return the results of the evaluated topics in order, and the documents they come from."""
    codes = {topic: code for code, topic in enumerate(topics)}
    places, shown = segments(run.rows, codes)
    rows = rows_in_order(run, policy)[ranges(places, shown)]
    topic = np.repeat(np.arange(len(topics)), shown)
    prints = run.documents.fingerprints()
    judged = np.full(len(run.rows), -1)
    judged_run_rows, judgement = judged_rows(run, prints, judgements)
    judged[judged_run_rows] = judgement
    kept = np.ones(len(rows), np.bool_)
    if policy.depth is not None:
        kept &= ranges(np.zeros(len(shown), np.int64), shown) < policy.depth
    if policy.unjudged == "drop":
        kept &= judged[rows] >= 0
    if not kept.all():
        topic, rows = topic[kept], rows[kept]
    document, opening = same_documents(run.documents, prints, rows, topic)
    return Results(topic, rows, document, opening, judged[rows[opening]])


def rows_in_order(run: Run, policy: Policy) -> IntArray:
    """Return the rows in reading order: as in the file, by stated rank, or by score."""
    every = np.arange(len(run.rows))
    if policy.ties == "file":
        return every
    if policy.ties == "rank" and run.spans is not None:
        return _by_rank(run)
    if policy.ties == "rank" and run.ranks is not None:
        owner = np.repeat(np.arange(len(run.rows.topics)), np.diff(run.rows.starts))
        return np.lexsort((run.ranks, owner))
    order = np.empty(len(every), np.int64)
    order[places_of(by_score(run, policy), run, policy, every)] = every
    return order


def reading_order(run: Run) -> IntArray:
    """Return the rows topic by topic in the default reading order.

    Documents are read by score, chunks by stated rank or by score, parts of documents of INEX in
    file order.
    """
    if run.paths is None and run.spans is None:
        owner = np.repeat(np.arange(len(run.rows.topics)), np.diff(run.rows.starts))
        return np.lexsort((-run.scores, owner))
    chunks = run.paths is None and run.unit != "opaque"
    return _by_rank(run) if chunks else np.arange(len(run.rows))


def _by_rank(run: Run) -> IntArray:
    """Return the rows by stated rank, or by score in topics where ranks are missing.

    Equal ranks go by document, offset and length; equal scores keep file order.
    """
    owner = np.repeat(np.arange(len(run.rows.topics)), np.diff(run.rows.starts))
    if run.ranks is None or run.spans is None:
        return np.lexsort((-run.scores, owner))
    missing = np.bincount(owner, np.isnan(run.ranks), len(run.rows.topics)) > 0
    ranked = ~missing[owner]
    ranks = np.where(ranked, run.ranks, -run.scores)
    order = np.lexsort((ranks, owner))
    after, before = order[1:], order[:-1]
    tied = (ranks[after] == ranks[before]) & (owner[after] == owner[before]) & ranked[after]
    if not tied.any():
        return order
    names = run.documents.take(np.arange(len(order)))
    number = {name: place for place, name in enumerate(sorted(set(names)))}
    document = np.array([number[name] for name in names])
    places = (run.spans.lengths, run.spans.starts, document)
    return np.lexsort((*(column * ranked for column in places), ranks, owner))
