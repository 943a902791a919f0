"""Pools: the documents of several runs that assessors should judge."""

from __future__ import annotations

import hashlib
import os
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from warnings import warn

import numpy as np

from spanwise.errors import InputError, SpanwiseWarning, UnknownName, UsageError
from spanwise.formats import expanded, read_judgements, read_pool, read_run, read_topics
from spanwise.matching.documents import by_score, places_of
from spanwise.matching.topics import named_by_question
from spanwise.model.columns import text
from spanwise.model.judgements import Judgements
from spanwise.model.policy import Policy
from spanwise.model.pools import Pool, Pooled, Support, once_each
from spanwise.version import __version__

if TYPE_CHECKING:
    from spanwise.model.arrays import IntArray
    from spanwise.model.run import Run
    from spanwise.model.topics import Topics

# Which documents come into a pool: the methods, each a function of one topic's rankings. ----------
#
# A ranking is a list of documents with the rank of their best unit. Every method returns documents
# in the order in which it adds them, with the round of each. Adaptive methods need judgements, and
# ask for them one document at a time.

Ranking = Mapping[str, int]
"""Documents in order, each with the rank of its best unit, from 1."""

Method = Literal["depth", "rounds", "fusion", "mtf", "mm", "ts", "sample"]
Order = Literal["shuffle", "pool", "id"]
METHODS = ("depth", "rounds", "fusion", "mtf", "mm", "ts", "sample")
ADAPTIVE = ("mtf", "mm", "ts")
FORGETFUL = ("mm", "ts")
"""Methods for which earlier judgements may count less, by gamma."""
STRATA = ((10, 1.0), (50, 0.3), (200, 0.1))
"""For each stratum its last rank and the share of it that is drawn."""
FUSION = 60
DIGITS = 12
"""Sums that differ by rounding are equal."""
WARM_UP = 10
"""An adaptive pool takes one of this many documents from rounds, so that the assessor learns the
topic first."""


class Drawn(NamedTuple):
    """A document added to a pool."""

    document: str
    round: int
    p: float = 1.0
    stratum: int = 1


def ranked(run: Run) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield the ranking of each topic: parts in the order of the file, documents by score."""
    policy = Policy(ties="docno" if run.spans is None and run.paths is None else "file")
    order = _order(run, policy)
    starts = run.rows.starts
    for code, topic in enumerate(run.rows.topics):
        names = run.documents.take(order[starts[code] : starts[code + 1]])
        ranking: dict[str, int] = {}
        for rank, name in enumerate(names, 1):
            ranking.setdefault(name.decode("utf-8", "surrogateescape"), rank)
        yield topic.decode("utf-8", "surrogateescape"), ranking


def _order(run: Run, policy: Policy) -> IntArray:
    every = np.arange(len(run.rows))
    if policy.ties == "file":
        return every
    order = np.empty(len(every), np.int64)
    order[places_of(by_score(run, policy), run, policy, every)] = every
    return order


def depth(rankings: Sequence[Ranking], most: int) -> list[Drawn]:
    """Draw the documents with a unit in the first `most` ranks of any run, best rank first."""
    best = _best(rankings)
    chosen = [(rank, name) for name, rank in best.items() if rank <= most]
    return [Drawn(name, rank) for rank, name in sorted(chosen)]


def rounds(rankings: Sequence[Ranking], budget: int) -> list[Drawn]:
    """Draw the first document of every run, then the second, until a round reaches the budget."""
    columns = [list(ranking) for ranking in rankings]
    found: dict[str, Drawn] = {}
    for number in range(max(map(len, columns), default=0)):
        if len(found) >= budget:
            break
        for column in columns:
            if number < len(column):
                found.setdefault(column[number], Drawn(column[number], number + 1))
    return list(found.values())


def fusion(rankings: Sequence[Ranking], budget: int) -> list[Drawn]:
    """Draw the documents on which runs agree: those with the largest sums of 1 / (60 + rank)."""
    sums: dict[str, float] = {}
    for ranking in rankings:
        for name, rank in ranking.items():
            sums[name] = sums.get(name, 0.0) + 1 / (FUSION + rank)
    order = sorted(sums, key=lambda name: (-round(sums[name], DIGITS), name))[:budget]
    return [Drawn(name, number) for number, name in enumerate(order, 1)]


def sample(rankings: Sequence[Ranking], budget: int | None, seed: str) -> list[Drawn]:
    """Draw all documents of the first ranks, and a random sample of each later stratum."""
    draw = random.Random(seed)
    best = _best(rankings)
    drawn: list[Drawn] = []
    strata = [sorted(name for name in best if low < best[name] <= high) for low, high in _bounds()]
    sizes = _sizes([len(stratum) for stratum in strata], budget)
    for number, (stratum, size) in enumerate(zip(strata, sizes, strict=True), 1):
        p = size / len(stratum) if stratum else 1.0
        chosen = sorted(draw.sample(stratum, size), key=lambda name: (best[name], name))
        drawn += [Drawn(name, best[name], p, number) for name in chosen]
    return drawn


def _bounds() -> list[tuple[int, int]]:
    lasts = [last for last, _ in STRATA]
    return list(zip([0, *lasts], lasts, strict=False))


def _sizes(counts: Sequence[int], budget: int | None) -> list[int]:
    """Return the number of documents to draw from each stratum, scaled to fit the budget.

    A stratum with two or more documents gives at least two, because the variance cannot be
    estimated from one.
    """
    wanted = [share * count for (_, share), count in zip(STRATA, counts, strict=True)]
    if budget is not None:
        later = sum(wanted[1:])
        factor = max(budget - wanted[0], 0) / later if later else 1.0
        wanted = [wanted[0], *(size * factor for size in wanted[1:])]
    return [min(count, max(2, round(size))) for size, count in zip(wanted, counts, strict=True)]


def _best(rankings: Sequence[Ranking]) -> dict[str, int]:
    best: dict[str, int] = {}
    for ranking in rankings:
        for name, rank in ranking.items():
            if rank < best.get(name, rank + 1):
                best[name] = rank
    return best


# Adaptive methods -----------------------------------------------------------------------------


@dataclass(slots=True)
class Queue:
    """A queue of documents to judge, whose order depends on the judgements so far."""

    method: str
    rankings: Sequence[Ranking]
    budget: int
    seed: str
    gamma: float = 1.0

    def documents(self, relevant: Callable[[str], bool | None]) -> Iterator[Drawn]:
        """Yield documents to judge; `relevant` judges each one, and None ends the queue."""
        first = max(1, self.budget // WARM_UP)
        warm = rounds(self.rankings, first)[:first]
        state = _Mtf(self) if self.method == "mtf" else _Bandit(self)
        seen: set[str] = set()
        number = 0
        while len(seen) < self.budget:
            name = warm[number].document if number < len(warm) else state.choose(seen)
            if name is None:
                return
            number += 1
            yield Drawn(name, number)
            seen.add(name)
            answer = relevant(name)
            if answer is None:
                return
            state.learn(name, answer)


class _Columns:
    """The documents of each run, and the position up to which the run has been read."""

    def __init__(self, queue: Queue) -> None:
        self._columns = [list(ranking) for ranking in queue.rankings]
        self._next = [0] * len(self._columns)
        self._random = random.Random(queue.seed)

    def peek(self, run: int, seen: set[str]) -> str | None:
        """Return the first unjudged document of a run, or None if it has none."""
        column = self._columns[run]
        while self._next[run] < len(column) and column[self._next[run]] in seen:
            self._next[run] += 1
        return column[self._next[run]] if self._next[run] < len(column) else None

    def able(self, seen: set[str]) -> list[int]:
        """Return the runs that have an unjudged document."""
        return [run for run in range(len(self._columns)) if self.peek(run, seen) is not None]


class _Mtf(_Columns):
    """Move to front: a run keeps its turn as long as it brings relevant documents."""

    def __init__(self, queue: Queue) -> None:
        super().__init__(queue)
        self._priority = [0] * len(self._columns)
        self._turn: int | None = None

    def choose(self, seen: set[str]) -> str | None:
        """Return the next unjudged document of the run whose turn it is, or None."""
        if self._turn is None or self.peek(self._turn, seen) is None:
            able = self.able(seen)
            if not able:
                return None
            most = max(self._priority[run] for run in able)
            self._turn = self._random.choice([run for run in able if self._priority[run] == most])
        return self.peek(self._turn, seen)

    def learn(self, name: str, relevant: bool) -> None:  # noqa: ARG002
        """Keep the run if its document was relevant; else lower its priority and end its turn."""
        if self._turn is not None and not relevant:
            self._priority[self._turn] -= 1
            self._turn = None


class _Bandit(_Columns):
    """Max-mean, or Thompson sampling: the run whose judged documents were relevant most often."""

    def __init__(self, queue: Queue) -> None:
        super().__init__(queue)
        self._rankings, self._gamma = queue.rankings, queue.gamma
        self._relevant = [0.0] * len(self._columns)
        self._judged = [0.0] * len(self._columns)
        self._sampling = queue.method == "ts"

    def choose(self, seen: set[str]) -> str | None:
        """Return the next unjudged document of the most promising run; break ties at random."""
        able = self.able(seen)
        if not able:
            return None
        worth = [self._worth(run) for run in able]
        best = max(worth)
        turn = self._random.choice([r for r, w in zip(able, worth, strict=True) if w == best])
        return self.peek(turn, seen)

    def _worth(self, run: int) -> float:
        a = 1 + self._relevant[run]
        b = 1 + self._judged[run] - self._relevant[run]
        return self._random.betavariate(a, b) if self._sampling else a / (a + b)

    def learn(self, name: str, relevant: bool) -> None:
        """Update the counts of every run that returned the document."""
        for run, ranking in enumerate(self._rankings):
            if name in ranking:
                self._relevant[run] = self._gamma * self._relevant[run] + relevant
                self._judged[run] = self._gamma * self._judged[run] + 1


# Pools of runs: read runs, draw documents, extend a pool. -----------------------------------------

BUDGET = 500
DEPTH = {"documents": 100, "parts": 10}


@dataclass(frozen=True, slots=True)
class Plan:
    """The method of a pool and its parameters."""

    method: str = "rounds"
    budget: int | None = None  # documents of each topic
    depth: int | None = None
    seed: int = 0
    gamma: float = 1.0  # of the adaptive methods: weight of earlier judgements
    support: bool = True  # whether to note what systems returned
    topics: frozenset[str] | None = None  # only these
    order: str = "shuffle"  # in which assessors see documents
    of_each: int | None = None  # maximum number of runs of each participant


Relevant = dict[tuple[str, str], bool]


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """The runs of a pool, and the ranking of each for each topic."""

    files: tuple[str, ...]
    runs: tuple[Run, ...]
    rankings: tuple[dict[str, dict[str, int]], ...]

    @property
    def topics(self) -> list[str]:
        """All topics of the runs, in byte order."""
        found = {topic for ranking in self.rankings for topic in ranking}
        return sorted(found, key=lambda topic: topic.encode("utf-8", "surrogateescape"))

    @property
    def usual(self) -> int:
        """The default number of ranks of the method `depth`."""
        parts = any(run.spans is not None or run.paths is not None for run in self.runs)
        return DEPTH["parts" if parts else "documents"]

    def of(self, topic: str) -> list[Ranking]:
        """Return the ranking of each run for a topic."""
        return [ranking.get(topic, {}) for ranking in self.rankings]


def pool(
    runs: Iterable[Any],
    *,
    method: Method = "rounds",
    budget: int | None = None,
    depth: int | None = None,
    seed: int = 0,
    runs_per_team: int | None = None,
    gamma: float = 1.0,
    judgements: Any = None,
    support: bool = True,
    order: Order = "shuffle",
    add: Any = None,
    without: Any = None,
    topics: Topics | Iterable[str] | str | os.PathLike[str] | None = None,
) -> Pool:
    """Choose the documents of runs that assessors should judge.

    `runs` are paths of files or folders, `Run` objects, or other input of `read_run`. `method`
    is one of those that `spanwise pool --help` explains. `budget` is the number of documents for
    each topic, 500 by default; with the method "depth", `depth` is the number of ranks instead: 100
    by default, or 10 where parts of documents are ranked. `seed` is the seed of the random
    generator. `runs_per_team` is the maximum number of runs of each participant. `judgements` are
    the judgements that the methods "mtf", "mm" and "ts" learn from; without them the pool is drawn
    while it is judged. `gamma` is the weight of earlier judgements in these methods. `support`
    records what the runs returned of each document. `order` is the order in which assessors see
    documents. `add` are judgements whose documents are added, `without` judgements whose documents
    are left out. `topics` restricts the pool to some topics: a file, `Topics`, or ids.

    >>> pool([{"q1": {"a": 3.0, "b": 2.0}}, {"q1": {"b": 9.0, "c": 1.0}}], budget=2)
    <Pool 'pool': 2 documents of 1 topic, method rounds>
    """
    plan = _plan(method, budget, depth, seed, runs_per_team, gamma, judgements, support, order)
    plan = replace(plan, topics=_topic_ids(topics))
    given = contributions(runs, runs_per_team)
    found = pooled(given, plan, None if judgements is None else relevant_in(judgements))
    if add is not None:
        found = extra(found, given, relevant_in(add), plan)
    return found if without is None else less(found, set(relevant_in(without)))


def extend_pool(
    pool: Pool | str | os.PathLike[str],
    runs: Iterable[Any],
    *,
    method: Method | None = None,
    budget: int | None = None,
    depth: int | None = None,
    seed: int = 0,
    runs_per_team: int | None = None,
    gamma: float = 1.0,
    judgements: Any = None,
    support: bool = True,
    order: Order | None = None,
) -> Pool:
    """Return what new runs add to a pool: a second pool without the documents of the first.

    `pool` is a file or a `Pool`, and `runs` are the new runs. `method`, `budget`, `depth` and
    `order` default to those of the first pool. All options mean the same as in `pool`.

    >>> first = pool([{"q1": {"a": 3.0, "b": 2.0}}], depth=1, method="depth")
    >>> extend_pool(first, [{"q1": {"b": 9.0, "a": 1.0}}]).keys()
    {('q1', 'b')}
    """
    old = read_pool(pool)
    chosen = method or old.about.get("method", "rounds")
    if not budget and not depth:
        depth = old.about.get("depth") if chosen == "depth" else None
        budget = old.about.get("budget") if chosen != "depth" else None
    order = order or old.about.get("order") or "shuffle"
    plan = _plan(chosen, budget, depth, seed, runs_per_team, gamma, judgements, support, order)
    known = None if judgements is None else relevant_in(judgements)
    return extended(old, contributions(runs, runs_per_team), plan, known)


def _plan(
    method: str,
    budget: int | None,
    depth: int | None,
    seed: int,
    runs_per_team: int | None,
    gamma: float,
    judgements: object,
    support: bool,
    order: str,
) -> Plan:
    """Return the plan of a pool; raise an error for options without effect on it."""
    if method not in METHODS:
        raise UnknownName("pooling method", method, list(METHODS))
    if depth and method != "depth":
        raise UsageError(f"--depth is for --method depth, not for {method}; use --budget")
    if budget and method == "depth":
        raise UsageError("--budget is not for --method depth; use --depth")
    if judgements is not None and method not in ADAPTIVE:
        raise UsageError(f"--judgements is for {', '.join(ADAPTIVE)}; {method} does not learn")
    if gamma != 1 and method not in FORGETFUL:
        raise UsageError(f"--gamma has no effect on {method}; it is for {' and '.join(FORGETFUL)}")
    return Plan(method, budget, depth, seed, gamma, support, None, order, runs_per_team)


def _topic_ids(topics: Any) -> frozenset[str] | None:
    """Return the ids of topics given as a file, as `Topics` or as ids."""
    if topics is None:
        return None
    if isinstance(topics, (str, os.PathLike)):
        topics = read_topics(topics)
    return frozenset(getattr(topic, "id", topic) for topic in topics)


def contributions(runs: Iterable[Any], of_each: int | None = None) -> Contributions:
    """Read the runs to pool; keep at most the first `of_each` of each participant, if given."""
    read: list[tuple[str, Run]] = []
    for run in runs:
        if isinstance(run, (str, os.PathLike)):
            read += [(file, read_run(file)) for file in expanded([os.fspath(run)])]
        else:
            content = read_run(run)
            read.append((content.rows.source, content))
    if not read:
        raise UsageError("no runs; expected at least one")
    taken = Counter[str]()
    kept = []
    for file, run in read:
        team = (run.header or {}).get("participant-id", "")
        taken[team] += bool(team)  # runs without a participant are all kept
        if of_each is None or taken[team] <= of_each:
            kept.append((file, run))
    if len(kept) < len(read):
        told = f"{len(kept)} of {len(read)} runs are pooled, at most {of_each} of each participant"
        warn(told, SpanwiseWarning, stacklevel=2)
    files = tuple(file for file, _ in kept)
    named = tuple(named_by_question([run for _, run in kept]))
    return Contributions(files, named, tuple(dict(ranked(run)) for run in named))


def pooled(given: Contributions, plan: Plan, known: Relevant | None = None) -> Pool:
    """Return the pool of all topics; `known` is the relevance that adaptive methods ask for."""
    topics = [t for t in given.topics if plan.topics is None or t in plan.topics]
    if not topics:
        raise InputError("the runs have none of the topics asked for; expected the same ids")
    live = plan.method in ADAPTIVE and known is None
    documents: list[Pooled] = []
    candidates: list[Pooled] = []
    for topic in topics:
        rankings = given.of(topic)
        documents += _entries(topic, _drawn(rankings, plan, topic, given.usual, known), rankings)
        if live:
            reach = [one._replace(round=0) for one in depth(rankings, plan.budget or BUDGET)]
            for one in _entries(topic, reach, rankings):
                ranks = tuple(ranking.get(one.document) for ranking in rankings)
                candidates.append(replace(one, ranks=ranks))
    pool = Pool("pool", tuple(documents), about(given, plan, known), tuple(candidates))
    return with_support(pool, given) if plan.support else pool


def extra(pool: Pool, given: Contributions, keys: Iterable[tuple[str, str]], plan: Plan) -> Pool:
    """Return the pool with more documents, of its topics or of others."""
    wanted: dict[str, list[Drawn]] = {topic: [] for topic in pool.topics}
    for topic, name in keys:
        if plan.topics is None or topic in plan.topics:
            wanted.setdefault(topic, []).append(Drawn(name, 0))
    more = [one for topic, some in wanted.items() for one in _entries(topic, some, given.of(topic))]
    places = {topic: place for place, topic in enumerate(wanted)}
    found = once_each([*pool, *more])
    documents = tuple(sorted(found, key=lambda one: places[one.topic]))
    sampled = any(
        one.p < 1 for one in pool
    )  # and already represents what is added here for certain
    estimable = pool.about["estimable"] and not (sampled and len(documents) > len(pool))
    candidates = once_each([*pool.candidates, *more]) if pool.candidates else ()
    about = {**pool.about, "estimable": estimable}
    both = replace(pool, documents=documents, about=about, candidates=candidates)
    return with_support(both, given) if plan.support else both


def _entries(topic: str, found: Sequence[Drawn], rankings: Sequence[Ranking]) -> list[Pooled]:
    counts = _counts(rankings, {one.document for one in found})
    return [
        Pooled(topic, one.document, one.round, counts[one.document], one.p, one.stratum)
        for one in found
    ]


def _drawn(
    rankings: Sequence[Ranking], plan: Plan, topic: str, usual: int, known: Relevant | None
) -> list[Drawn]:
    """Draw the documents of one topic; unjudged ones count as not relevant."""
    budget = plan.budget or BUDGET
    if plan.method == "depth":
        return depth(rankings, plan.depth or usual)
    if plan.method == "rounds":
        return rounds(rankings, budget)
    if plan.method == "fusion":
        return fusion(rankings, budget)
    seed = f"{plan.seed} {topic}"
    if plan.method == "sample":
        return sample(rankings, plan.budget, seed)
    queue = Queue(plan.method, rankings, budget, seed, plan.gamma)
    return list(queue.documents(lambda name: (known or {}).get((topic, name), False)))


def _counts(rankings: Iterable[Ranking], names: set[str]) -> dict[str, int]:
    counts = dict.fromkeys(names, 0)
    for ranking in rankings:
        for name in ranking.keys() & names:
            counts[name] += 1
    return counts


def about(given: Contributions, plan: Plan, known: Relevant | None) -> dict[str, Any]:
    """Return the header: everything that is needed to make the pool again."""
    said: dict[str, Any] = {"method": plan.method, "seed": plan.seed, "version": __version__}
    if plan.method == "depth":
        said["depth"] = plan.depth or given.usual
    elif plan.method != "sample" or plan.budget:
        said["budget"] = plan.budget or BUDGET
    if plan.of_each is not None:
        said["runs_per_team"] = plan.of_each
    if plan.method in ADAPTIVE:
        said |= {"gamma": plan.gamma, "live": known is None}
    said |= {"estimable": plan.method not in ADAPTIVE, "order": plan.order}
    said["runs"] = [
        {"run": run.name, "file": Path(file).name, "sha256": _hash(file)}
        for file, run in zip(given.files, given.runs, strict=True)
    ]
    return said


def _hash(file: str) -> str | None:
    path = Path(file)
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def with_support(pool: Pool, given: Contributions) -> Pool:
    """Return the pool with the parts of each document that runs returned, but no run names."""
    every = (*pool.documents, *pool.candidates)
    wanted: dict[tuple[str, str], dict[Support, None]] = {(p.topic, p.document): {} for p in every}
    for run in given.runs:
        if run.spans is not None or run.paths is not None:
            _add_support(wanted, run)

    def supported(some: tuple[Pooled, ...]) -> tuple[Pooled, ...]:
        found = [tuple(sorted(wanted[one.topic, one.document], key=str)) for one in some]
        return tuple(replace(one, support=parts) for one, parts in zip(some, found, strict=True))

    return replace(pool, documents=supported(pool.documents), candidates=supported(pool.candidates))


def _add_support(wanted: dict[tuple[str, str], dict[Support, None]], run: Run) -> None:
    every = np.arange(len(run.rows))
    owners = np.repeat(np.arange(len(run.rows.topics)), np.diff(run.rows.starts)).tolist()
    names = [text(name) for name in run.documents.take(every)]
    topics = [text(topic) for topic in run.rows.topics]
    part = _part_of(run)
    for row, (owner, name) in enumerate(zip(owners, names, strict=True)):
        if (key := (topics[owner], name)) in wanted:
            found = part(row)
            if found is not None:
                wanted[key][found] = None


def _part_of(run: Run) -> Callable[[int], Support | None]:
    every = np.arange(len(run.rows))
    paths = [text(path) for path in run.paths.take(every)] if run.paths is not None else []
    ends = [text(path) for path in run.ends.take(every)] if run.ends is not None else []
    spans = run.spans

    def part(row: int) -> Support | None:
        if paths and paths[row]:
            return (paths[row], ends[row]) if ends and ends[row] else paths[row]
        if spans is None or spans.starts[row] < 0:
            return None
        return int(spans.starts[row]), int(spans.starts[row] + spans.lengths[row])

    return part


def relevant_in(source: Any) -> Relevant:
    """Return for every judged document whether it is relevant."""
    judgements = read_judgements(source)
    if not isinstance(judgements, Judgements):
        raise UsageError(f"{judgements.rows.source}: preferences; expected judgements")
    rows = judgements.rows
    owners = np.repeat(np.arange(len(rows.topics)), np.diff(rows.starts)).tolist()
    names = judgements.documents.take(np.arange(len(rows)))
    return {
        (text(rows.topics[owner]), text(name)): grade > 0
        for owner, name, grade in zip(owners, names, judgements.grades.tolist(), strict=True)
        if grade >= 0
    }


def less(pool: Pool, keys: set[tuple[str, str]]) -> Pool:
    """Return the pool without these documents; the rest is no longer a sample of all."""

    def kept(some: tuple[Pooled, ...]) -> tuple[Pooled, ...]:
        return tuple(one for one in some if (one.topic, one.document) not in keys)

    documents = kept(pool.documents)
    estimable = len(documents) == len(pool) and pool.about.get("estimable", True)
    return replace(
        pool,
        documents=documents,
        candidates=kept(pool.candidates),
        about={**pool.about, "estimable": estimable},
    )


def extended(old: Pool, given: Contributions, plan: Plan, known: Relevant | None = None) -> Pool:
    """Return what new runs add to a pool: their own pool without the documents of the old one."""
    fresh = less(pooled(given, plan, known), old.keys())
    names = [run["run"] for run in old.about.get("runs", ())]
    return replace(fresh, about={**fresh.about, "extends": names})
