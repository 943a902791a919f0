"""Comparisons: means with intervals, differences with tests, analyses of variance, gates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, isnan, nan
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from spanwise.errors import UnknownName, UsageError
from spanwise.model.scores import (
    SHORT,
    UNREACHED,
    ScoreTable,
    number,
    on_reach,
    plotted,
    unreached,
)

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from spanwise.model.groups import GroupedMeans
    from spanwise.model.scores import Scores

BETTER, WORSE = "†", "‡"
MOST_CAUTIONS = 10
"""Maximum number of lines of warnings that are shown unless all are asked for."""


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a run in a measure, with its interval."""

    run: str
    measure: str
    value: float
    low: float  # the interval is undefined if the value is not a mean over topics
    high: float
    topics: int
    reached: int | None = None  # topics in which its budget is reached; None if it has none
    repeats: int | None = None  # of the system; None: a single run
    variance_topics: float = nan  # of values, between topics
    variance_repeats: float = nan  # and between repeats of a topic
    consistency: float = nan  # mean rank-biased overlap of the rankings of pairs of repeats
    interval: str = "student"  # wilson or clopper-pearson if all values are 0 or 1


@dataclass(frozen=True, slots=True)
class Losses:
    """The recall that a system loses at a budget, as means over topics; together 1 - recall."""

    run: str
    budget: float
    chunker: float  # nan if not all chunks are known; then the retriever's is nan as well
    retriever: float
    ranker: float


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between a run and another in a measure, with one test."""

    run: str
    baseline: str
    measure: str
    test: str
    p: float  # two-sided, uncorrected
    p_adjusted: float
    difference: float  # the mean over topics of run minus baseline
    low: float
    high: float
    wins: int
    ties: int
    losses: int
    topics: int
    effect: float  # Cohen's d of paired differences
    topics_needed: float  # to detect this effect with power 0.8
    margin: float | None = None  # below which it does not matter; None if none was stated
    decision: str | None = None  # better, worse, equivalent or not known; None without a margin
    clusters: int | None = None  # of topics; None: topics are independent
    se: float = nan  # of the difference, where there are clusters
    df: float = nan  # Satterthwaite's degrees of freedom of it


@dataclass(frozen=True, slots=True)
class Power:
    """What the topics of a comparison can show by one test."""

    run: str
    baseline: str
    measure: str
    test: str
    topics: int
    smallest_p: float  # if all topics differ, all in one direction
    detectable: float  # difference found with power 0.8 at the observed spread, p uncorrected


@dataclass(frozen=True, slots=True)
class Contest:
    """What resampled topics show about who is best in a measure, run by run."""

    runs: tuple[str, ...]
    topics: int  # for which all runs have a value
    probability: tuple[float, ...]  # of being the best; equal runs share it
    rank_low: tuple[int, ...]  # the interval of the rank, from 1
    rank_high: tuple[int, ...]
    behind: tuple[tuple[int, ...], ...]  # the runs that are clearly better than each run
    leader: int  # the run with the best mean over these topics; of equal runs the first
    gap: tuple[float, ...]  # from each run to the leader, 0 or more
    gap_low: tuple[float, ...]  # an interval for all pairs of runs that were left together
    gap_high: tuple[float, ...]
    clusters: int | None = None  # of these topics; None: topics are independent

    @property
    def contenders(self) -> tuple[int, ...]:
        """The runs that cannot be told from the best."""
        return tuple(run for run, better in enumerate(self.behind) if not better)

    def odds(self, confidence: float) -> str:
        """Return how probable it is that each run is the best, and which runs are out.

        >>> Contest(("a", "b", "c"), 9, (0.62, 0.38, 0.0), (1, 1, 3), (2, 2, 3), ((), (), (0,)),
        ...     0, (0, 0, 0), (0, 0, 0), (0, 0, 0)).odds(0.95)
        'not settled: a 62 %, b 38 %; c is out'
        """
        chances = sorted(((self.probability[run], -run) for run in self.contenders), reverse=True)
        shown = [f"{self.runs[-run]} {share(round(p, 2))}" for p, run in chances if p >= 0.005]
        out = [run for run, better in zip(self.runs, self.behind, strict=True) if better]
        words = "settled" if self.winner(confidence) is not None else "not settled"
        line = f"{words}: {', '.join(shown) or 'unknown'}"
        return f"{line}; {listed(out)} {'is' if len(out) == 1 else 'are'} out" if out else line

    def winner(self, confidence: float) -> int | None:
        """Return the run that all others are clearly behind, or None if nothing is settled."""
        if len(self.behind) < 2 or len(self.contenders) != 1:
            return None
        (run,) = self.contenders
        return run if self.probability[run] >= confidence else None


@dataclass(frozen=True, slots=True)
class Answer:
    """The verdict on one measure as a sentence, and the runs that it names."""

    measure: str
    sentence: str
    best: tuple[str, ...]  # the winner, if there is one
    out: tuple[str, ...]  # clearly worse than another run
    open: tuple[str, ...]  # cannot be told from the best
    budget: float | None = None

    def followed_by(self, sentences: Sequence[str]) -> Answer:
        """Return the answer with further sentences."""
        return replace(self, sentence=" ".join([self.sentence, *sentences]))


class Caution(str):
    """A warning about one run, which can be joined with warnings of its kind about other runs.

    `kind` is the sentence for several runs: it may contain `{runs}` and `{amount}`, the smallest
    and the largest of their amounts.
    """

    run: str
    kind: str
    amount: float

    def __new__(cls, sentence: str, run: str, kind: str, amount: float = nan) -> Caution:
        """Return a warning with what is needed to join it with others."""
        made = super().__new__(cls, sentence)
        made.run, made.kind, made.amount = run, kind, amount
        return made

    def __getnewargs__(self) -> tuple[str, str, str, float]:  # type: ignore[override]
        return str(self), self.run, self.kind, self.amount


def joined_cautions(warnings: Sequence[str]) -> list[str]:
    """Return a line for each kind of warning, with the runs that it concerns.

    >>> rest = [Caution(f"{run} is long.", run, "{runs} are long.") for run in "abc"]
    >>> joined_cautions(["few topics", *rest[:1]]), joined_cautions(rest)
    (['few topics', 'a is long.'], ['a, b and c are long.'])
    """
    kinds: dict[str, list[str]] = {}
    for warning in warnings:
        kinds.setdefault(getattr(warning, "kind", warning), []).append(warning)
    return [
        some[0] if len(some) == 1 else _joined([one for one in some if isinstance(one, Caution)])
        for some in kinds.values()
    ]


def _joined(some: Sequence[Caution]) -> str:
    amounts = [one.amount for one in some]
    low, high = share(min(amounts)), share(max(amounts))
    amount = low if low == high else f"{low} to {high}"
    return some[0].kind.format(runs=listed([one.run for one in some]), amount=amount)


def listed(names: Sequence[str], most: int = 3) -> str:
    """List names as a sentence does; of many, the first, and how many others there are.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c", "d", "e"])
    ('a', 'a and b', 'a, b, c and 2 others')
    """
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most} others"
    return " and ".join([", ".join(names[:-1]), *names[-1:]] if len(names) > 1 else names)


def share(value: float) -> str:
    """Format a share in percent, with a decimal if it is not whole.

    >>> share(0.41), share(0.379)
    ('41 %', '37.9 %')
    """
    if isnan(value):
        return ""
    percent = round(100 * value, 1)
    return f"{percent:.0f} %" if percent.is_integer() else f"{percent:.1f} %"


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A comparison of runs, sorted by the first measure, best first."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    means: tuple[Mean, ...]  # run by run, measure by measure
    differences: tuple[Difference, ...]
    scores: tuple[Scores, ...]  # of the runs, topic by topic
    baseline: str | None  # None: all pairs are compared
    tests: tuple[str, ...]
    correction: str
    confidence: float
    lowest: frozenset[str] = frozenset()  # the measures for which lower values are better
    warnings: tuple[str, ...] = ()
    anova: Mapping[str, Anova] = field(default_factory=dict)  # of each measure: runs and topics
    drawn: Callable[[str], list[dict[str, Any]]] | None = None  # values over reading budgets
    contests: Mapping[str, Contest] = field(default_factory=dict)  # who is best in each measure
    verdict: tuple[Answer, ...] = ()  # one per measure
    systems: bool = False  # whether systems of chunks are compared at reading budgets
    ungrouped: bool = False  # whether each warning is shown on a line of its own
    losses: tuple[Losses, ...] = ()  # at reading budgets, where ceilings are known
    groups: GroupedMeans | None = None  # if they were asked for
    margin: str = ""  # within which differences are equivalent, as it was stated
    clusters: int | None = None  # of topics; None: topics are independent
    more_repeats: bool = False  # whether intervals and tests are for more repeats of systems
    power: tuple[Power, ...] = ()  # of each difference

    @property
    def budgeted(self) -> bool:
        """Whether systems are compared at reading budgets."""
        return bool(self.scores) and self.measures[0] in self.scores[0].budgets

    @property
    def headline(self) -> tuple[str, ...]:
        """The sentences to read first."""
        return tuple(one.sentence for one in self.verdict[: None if self.budgeted else 1])

    @property
    def alpha(self) -> float:
        """The adjusted p below which a difference is called significant."""
        return round(1 - self.confidence, 12)

    def mean(self, run: str, measure: str) -> Mean:
        """Return the mean of a run in a measure."""
        return self.means[self.runs.index(run) * len(self.measures) + self.measures.index(measure)]

    def best(self, measure: str) -> tuple[str, ...]:
        """Return the runs with the best value; several if they are equal.

        A run that reaches the budget of the measure in fewer than half of the topics is none.
        """
        pairs = zip(self.runs, self.scores, strict=True)
        values = {run: self.mean(run, measure).value for run, one in pairs if one.far(measure)}
        defined = [value for value in values.values() if isfinite(value)]
        if not defined:
            return ()
        top = min(defined) if measure in self.lowest else max(defined)
        return tuple(run for run, value in values.items() if value == top)

    def better(self, run: str, measure: str) -> tuple[str, ...]:
        """Return the runs that a run is significantly better than, by the first test."""
        return self._significant(run, measure, 1)

    def worse(self, run: str, measure: str) -> tuple[str, ...]:
        """Return the runs that a run is significantly worse than, by the first test."""
        return self._significant(run, measure, -1)

    def _significant(self, run: str, measure: str, way: int) -> tuple[str, ...]:
        sign = -way if measure in self.lowest else way
        found: list[str] = []
        if self.unreached(measure):
            return ()
        for one in self.differences:
            if one.measure != measure or one.test != self.tests[0]:
                continue
            if run in (one.run, one.baseline) and one.p_adjusted < self.alpha:
                forwards = one.difference if run == one.run else -one.difference
                if forwards * sign > 0:
                    found.append(one.baseline if run == one.run else one.run)
        return tuple(found)

    def unreached(self, measure: str) -> bool:
        """Tell whether no run reaches the budget of a measure in half of the topics."""
        return unreached(self.scores, measure)

    def limited(self, measure: str) -> bool:
        """Tell whether some run does not reach the budget of a measure on every topic."""
        return any(one.short(measure) for one in self.scores)

    def select(
        self, *, measure: str | None = None, test: str | None = None, run: str | None = None
    ) -> list[Difference]:
        """Return the differences of a measure, a test or a run."""
        return [
            one
            for one in self.differences
            if measure in (None, one.measure)
            and test in (None, one.test)
            and run in (None, one.run)
        ]

    def diff(self, topic: str) -> dict[str, dict[str, float | None]]:
        """Return the values of one topic as `{run: {measure: value}}`; None if undefined."""
        found: dict[str, dict[str, float | None]] = {}
        for name, scores in zip(self.runs, self.scores, strict=True):
            if topic in scores.topics:
                row = scores.topics.index(topic)
                found[name] = {
                    measure: defined(float(scores.values[measure][row]))
                    for measure in self.measures
                }
        if not found:
            raise UsageError(
                f"topic {topic!r} was not evaluated; expected a topic of the comparison"
            )
        return found

    def curve(self, measure: str = "SpanR") -> pl.DataFrame:
        """Return a measure over reading budgets: a table of run, budget, measure and value."""
        if self.drawn is None:
            raise UsageError("a curve needs reading budgets; compare with budget=[500, 2000]")
        import polars as pl

        return pl.DataFrame(self.drawn(measure))

    def assert_no_regression(
        self,
        measure: str | None = None,
        *,
        run: str | None = None,
        max_drop: float = 0.0,
        alpha: float | None = None,
    ) -> None:
        """Raise AssertionError if a run is worse than the baseline by more than `max_drop`.

        The drop must be both larger than allowed and significant: adjusted p below `alpha`.
        """
        for what, name, known in (("measure", measure, self.measures), ("run", run, self.runs)):
            if name not in (None, *known):
                raise UnknownName(what, str(name), list(known))
        if not self.differences:
            raise UsageError("found one run; expected a run and a baseline to compare it with")
        level = self.alpha if alpha is None else alpha
        for one in self.select(measure=measure, test=self.tests[0], run=run):
            drop = one.difference if one.measure in self.lowest else -one.difference
            if drop > max_drop and one.p_adjusted < level:
                raise AssertionError(
                    f"{one.run} is worse than {one.baseline} in {one.measure}: by {drop:.4f}"
                    f" [{one.low:.4f}, {one.high:.4f}], p = {one.p_adjusted:.4f};"
                    f" the allowed drop is {max_drop:g}"
                )

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the object that `--format json` prints."""
        return {
            "scores": [
                {
                    "run": one.run,
                    "measure": one.measure,
                    "value": defined(one.value),
                    "low": defined(one.low),
                    "high": defined(one.high),
                    **(
                        {}
                        if one.reached is None
                        else {"topics": one.topics, "reached": one.reached}
                    ),
                    **(
                        {}
                        if one.repeats is None
                        else {
                            "repeats": one.repeats,
                            "variance_topics": defined(one.variance_topics),
                            "variance_repeats": defined(one.variance_repeats),
                            "consistency": defined(one.consistency),
                        }
                    ),
                }
                for one in self.means
            ],
            "comparisons": [
                {
                    "run": one.run,
                    "baseline": one.baseline,
                    "measure": one.measure,
                    "test": one.test,
                    "p": defined(one.p),
                    "p_adjusted": defined(one.p_adjusted),
                    "difference": defined(one.difference),
                    "low": defined(one.low),
                    "high": defined(one.high),
                    "wins": one.wins,
                    "ties": one.ties,
                    "losses": one.losses,
                    "topics": one.topics,
                    **(
                        {}
                        if one.margin is None
                        else {"margin": defined(one.margin), "decision": one.decision}
                    ),
                    **(
                        {}
                        if one.clusters is None
                        else {
                            "clusters": one.clusters,
                            "se": defined(one.se),
                            "df": defined(one.df),
                        }
                    ),
                }
                for one in self.differences
            ],
            **(
                {
                    "losses": [
                        {
                            "run": one.run,
                            "budget": one.budget,
                            "chunker": defined(one.chunker),
                            "retriever": defined(one.retriever),
                            "ranker": defined(one.ranker),
                        }
                        for one in self.losses
                    ]
                }
                if self.losses
                else {}
            ),
            "power": [
                {
                    "run": one.run,
                    "baseline": one.baseline,
                    "measure": one.measure,
                    "test": one.test,
                    "topics": one.topics,
                    "smallest_p": defined(one.smallest_p),
                    "detectable": defined(one.detectable),
                }
                for one in self.power
            ],
            "warnings": list(self.warnings),
            "verdict": [
                {
                    "measure": one.measure,
                    **({} if one.budget is None else {"budget": one.budget}),
                    "sentence": one.sentence,
                    "best": list(one.best),
                    "out": list(one.out),
                    "open": list(one.open),
                }
                for one in self.verdict
            ],
            "best": [
                {
                    "measure": measure,
                    "run": run,
                    "probability": defined(one.probability[place]),
                    "rank_low": one.rank_low[place],
                    "rank_high": one.rank_high[place],
                    "in_set": place in one.contenders,
                }
                for measure, one in self.contests.items()
                for place, run in enumerate(one.runs)
            ],
            **({} if self.groups is None else self.groups.to_dict()),
        }

    def to_polars(self) -> pl.DataFrame:
        """Return a frame of the values by topic: run, topic, measure, value."""
        return self._table().to_polars()

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame of the values by topic: run, topic, measure, value."""
        return self._table().to_pandas()

    def to_arrow(self) -> pa.Table:
        """Return a table of the values by topic: run, topic, measure, value."""
        return self._table().to_arrow()

    def _table(self) -> ScoreTable:
        return ScoreTable(self.scores)

    def plot(self, kind: str = "differences", **options: Any) -> Any:
        """Draw a picture of the compared runs; see `spanwise.plot`."""
        if kind == "groups" and self.groups is not None:
            options.setdefault("groups", self.groups)
        return plotted(kind, self.scores, **options)

    def to_html(self, path: str | PathLike[str]) -> None:
        """Write the comparison as one page that can be mailed."""
        from importlib import import_module

        import_module("spanwise.workflows.page").write_comparison(self, fspath(path))

    def table(self) -> str:
        """Return the verdict, means and differences as the command line prints them."""
        from importlib import import_module

        return str(import_module("spanwise.report.comparison").rendered(self, "table"))

    def _repr_html_(self) -> str:
        from importlib import import_module

        return str(import_module("spanwise.report.comparison").as_html(self))

    @property
    def allowing(self) -> str:
        """Return the correction for multiple comparisons of the first test."""
        if "tukey" in self.tests[0]:
            return "corrected for all pairs of runs"
        return "uncorrected" if self.correction == "none" else f"corrected ({self.correction})"

    @property
    def lettered(self) -> bool:
        """Whether runs are marked by letters, because all pairs are compared."""
        return self.baseline is None and bool(self.differences)

    def named(self, run: str) -> str:
        """Return the name of a run, after its letter if runs are marked by letters."""
        return f"{letter(self.runs.index(run))} {run}" if self.lettered else run

    def cell(self, run: str, measure: str) -> str:
        """Return a mean with its mark and its interval as text."""
        if self.unreached(measure):
            return UNREACHED
        mean = self.mean(run, measure)
        bounds = f" [{number(mean.low)}, {number(mean.high)}]" if isfinite(mean.low) else ""
        return f"{number(mean.value)}{self.mark(run, measure)}{bounds}"

    def mark(self, run: str, measure: str) -> str:
        """Return the marks of a mean: its significance, and whether its budget is reached.

        Significance is shown by daggers relative to the baseline, or by letters of the runs that
        this one beats.
        """
        short = self.scores[self.runs.index(run)].short(measure) and not self.unreached(measure)
        return self.significance(run, measure) + (SHORT if short else "")

    def significance(self, run: str, measure: str) -> str:
        """Return daggers relative to the baseline, or letters of the runs that this one beats."""
        better = self.better(run, measure)
        if self.baseline is None:
            return letters(sorted(map(self.runs.index, better)))
        if run == self.baseline:
            return ""
        return BETTER if better else WORSE if self.worse(run, measure) else ""

    def legend(self, *, cautions: bool = True) -> list[str]:
        """Return lines that explain the marks, the test, and the cautions."""
        lines = [f"[low, high]: {self.confidence:.0%} interval of the mean", *self._of_shares()]
        if self.lettered:
            lines.append("letters: significantly better than the runs of these letters")
        elif self.differences:
            lines.append(f"{BETTER} {WORSE}: significantly better, worse than {self.baseline}")
        if self.differences:
            lines.append(f"{self.tests[0]} test, p < {self.alpha:g}, {self.allowing}")
        if self.margin:
            lines.append(
                f"margin {self.margin}, stated beforehand: equivalent if the {self.confidence:.0%}"
                " interval of the difference is inside, better or worse if it excludes 0"
            )
        if self.clusters is not None:
            lines.append(f"intervals and tests respect the {self.clusters} clusters of topics")
        lines += self.on_repeats()
        short = on_reach(self.scores, self.runs)
        lines += short
        if short and self.differences:
            lines.append("differences at a budget are over the topics in which both runs reach it")
        return [*lines, *self.cautions()] if cautions else lines

    def on_repeats(self) -> list[str]:
        """Return a line for each system with repeats, and one on what intervals hold for."""
        lines = []
        for run in self.runs:
            one = self.mean(run, self.measures[0])
            if one.repeats is None:
                continue
            line = f"{run}: mean of {one.repeats} repeats"
            total = one.variance_topics + one.variance_repeats
            if total > 0:
                part = share(one.variance_repeats / total)
                line += f"; {part} of the variance of {one.measure} is between repeats,"
                line += f" {share(one.variance_topics / total)} between topics"
            if isfinite(one.consistency):
                line += f"; consistency of rankings {one.consistency:.2f} (RBO)"
            lines.append(line)
        which = "more repeats of the same systems" if self.more_repeats else "these repeats"
        return [*lines, f"intervals and tests are for {which}"] if lines else []

    def _of_shares(self) -> list[str]:
        """Return a line about the measures whose values are all 0 or 1, if there are any."""
        kinds = {one.measure: one.interval for one in self.means if one.interval != "student"}
        if not kinds:
            return []
        name = " and ".join(part.capitalize() for part in next(iter(kinds.values())).split("-"))
        return [f"values of 0 and 1 ({listed(list(kinds))}): {name}'s interval"]

    def odds(self) -> list[str]:
        """Return a line for each measure that decides: which runs may be the best."""
        shown = self.contests if self.systems else list(self.contests)[:1]
        return [
            f"best on {measure}, {self.contests[measure].odds(self.confidence)}"
            for measure in shown
        ]

    def cautions(self) -> list[str]:
        """Return the warnings grouped by kind, a line for each; the rest is counted."""
        if self.ungrouped:
            return [f"beware: {warning}" for warning in self.warnings]
        lines = [f"beware: {warning}" for warning in joined_cautions(self.warnings)]
        more = len(lines) - MOST_CAUTIONS
        rest = f"beware: {more} more kinds of warnings; --warnings all shows them"
        return lines if more <= 0 else [*lines[:MOST_CAUTIONS], rest]

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return (
            f"<Comparison of {len(self.runs)} runs in {listed(self.measures)};"
            f" best: {listed(self.best(self.measures[0])) or 'none'}>"
        )


def letter(place: int) -> str:
    """Return a short name for a run: a, b, ..., z, then a1, b1, ...

    >>> letter(0), letter(27)
    ('a', 'b1')
    """
    turn, place = divmod(place, 26)
    return chr(ord("a") + place) + (str(turn) if turn else "")


FEW = 6
"""Up to this many letters are listed one by one; longer lists use ranges."""


def letters(places: Sequence[int]) -> str:
    """Return the letters of runs, given by their positions in rising order.

    >>> letters([0, 2, 3]), letters([0, 2, 3, 4, 5, 6, 9, 30])
    ('acd', 'a c-g j e1')
    """
    if len(places) <= FEW:
        return "".join(map(letter, places))
    stretches: list[list[int]] = []
    for place in places:
        if stretches and place == stretches[-1][-1] + 1:
            stretches[-1].append(place)
        else:
            stretches.append([place])
    return " ".join(
        "-".join(letter(end) for end in dict.fromkeys((stretch[0], stretch[-1])))
        for stretch in stretches
    )


def defined(value: float) -> float | None:
    """Return a number as JSON has it: None if it is undefined or infinite."""
    return value if isfinite(value) else None


# Analysis of variance -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Anova:
    """A two-way analysis of variance: sums of squares, degrees of freedom, F and p."""

    squares_runs: float
    squares_topics: float
    squares_left: float
    freedom_runs: int
    freedom_topics: int
    freedom_left: int
    f_runs: float
    p_runs: float
    f_topics: float
    p_topics: float

    @property
    def error(self) -> float:
        """The variance that neither runs nor topics explain."""
        return self.squares_left / self.freedom_left if self.freedom_left else float("nan")

    @property
    def omega_squared(self) -> float:
        """The share of variance that runs explain in the population of topics (partial)."""
        gain = self.freedom_runs * (self.f_runs - 1)
        cells = (self.freedom_runs + 1) * (self.freedom_topics + 1)
        return gain / (gain + cells)

    def words(self) -> str:
        """Return the analysis in the form used in papers.

        >>> print(Anova(2.0, 3.0, 1.0, 2, 3, 6, 6.0, 0.037, 6.0, 0.031).words())
        runs F(2, 6) = 6.00, p = 0.0370, omega squared 0.45; topics F(3, 6) = 6.00, p = 0.0310
        """
        parts = (
            ("runs", self.freedom_runs, self.f_runs, self.p_runs),
            ("topics", self.freedom_topics, self.f_topics, self.p_topics),
        )
        runs, topics = (
            f"{name} F({free}, {self.freedom_left}) = {f:.2f}, p"
            + (" < 0.0001" if p < 0.0001 else f" = {p:.4f}")
            for name, free, f, p in parts
        )
        return f"{runs}, omega squared {self.omega_squared:.2f}; {topics}"


# Gate ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a gate: what a run must reach in one measure."""

    measure: str
    floor: float | None = None  # a mean below it fails
    max_drop: float = 0.0  # largest allowed drop below the baseline
    alpha: float = 0.05  # a drop counts only if its p is below this
    less_is_better: bool = False
    ceiling: float | None = None  # a mean above it fails
    by_mean: bool = False  # whether limits hold for the mean, not for the end of its interval
    decides: bool = False  # whether the margin decides about a drop, not max_drop and alpha
    strict: bool = False  # whether a difference that is not known fails

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise UsageError(f"alpha is {self.alpha:g}; it must be between 0 and 1")
        if not self.max_drop >= 0:
            raise UsageError(f"the allowed drop is {self.max_drop:g}; it must be 0 or more")
        for name, limit in (("minimum", self.floor), ("maximum", self.ceiling)):
            if limit is not None and isnan(limit):
                raise UsageError(f"the {name} is not a number; expected a number")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of a rule on one run."""

    run: str
    rule: Rule
    value: float
    before: float
    drop: float  # positive if the run is worse
    low: float  # interval of the drop
    high: float
    p: float
    topics: int
    reasons: tuple[str, ...]  # why the run fails; empty if it passes
    value_low: float = nan  # interval of the value
    value_high: float = nan
    margin: float | None = None
    decision: str | None = None  # better, worse, equivalent or not known; None without a margin
    grouping: str = ""  # empty: all topics
    group: str = ""
    of: int = 0  # number of topics of the baseline, where there is such a decision
    sentence: str = ""  # what a comparison with the baseline says

    @property
    def saved(self) -> float | None:
        """The share of topics that a decision did not need."""
        if self.decision in (None, "open") or not self.of:
            return None
        return 1 - self.topics / self.of

    @property
    def passed(self) -> bool:
        """Whether the run passes the gate."""
        return not self.reasons
