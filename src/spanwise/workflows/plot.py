"""Pictures of scores: curves, differences between two runs, and measures against each other.

`plot` takes finished scores, and `write_plot` scores the runs of a request first. Both compute the
data of the picture and a Vega-Lite specification that draws it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanwise.console import write_atomically
from spanwise.errors import UnknownName, UsageError
from spanwise.evaluation.compare import only, place_of, refuse_none, scores_of, stated
from spanwise.evaluation.evaluate import run as score_all
from spanwise.evaluation.grouping import groupings_of, without_idle_topics
from spanwise.evaluation.kinds import kinds_of
from spanwise.formats import expanded, read_judgements
from spanwise.formats.io.files import lasts
from spanwise.formats.results import holds_results
from spanwise.measures.names import parse
from spanwise.model.comparison import Comparison
from spanwise.model.groups import GroupedMeans
from spanwise.model.policy import unit_in_words
from spanwise.model.scores import Scores, run_names
from spanwise.report import plots
from spanwise.report.plots import CURVES, curve_points, find_curve
from spanwise.stats.groups import grouped
from spanwise.stats.paired import grid, student
from spanwise.stats.resampling import Draws

if TYPE_CHECKING:
    from spanwise.evaluation.request import Request
    from spanwise.model.groups import Groupings
    from spanwise.report.plots import Curve, Spec

KINDS = (*CURVES, "curve", "differences", "scatter", "groups", "ranks")
"""Names of all kinds of pictures."""
Values = list[dict[str, Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture with its data, which notebooks show and which can be saved."""

    spec: Spec
    values: Values = field(repr=False)

    def save(self, file: str | PathLike[str]) -> None:
        """Write the picture to a file that ends in .png, .svg, .pdf or .json (Vega-Lite)."""
        ending = _ending_of(fspath(file))
        write_atomically(Path(file), plots.drawn(self.spec, self.values, ending))

    def _repr_svg_(self) -> str:
        return plots.drawn(self.spec, self.values, "svg").decode()

    def __repr__(self) -> str:
        return f"<Picture of {len(self.values)} marks>"


def plot(
    kind: str,
    scores: Comparison | Scores | Mapping[str, Scores] | Sequence[Scores],
    *,
    baseline: str | None = None,
    run: str | None = None,
    groups: Any = None,
) -> Picture:
    """Draw a picture of scores: "differences" of two runs by topic, or a "scatter" of two measures.

    "ranks" are the intervals of the runs' ranks in the first measure, with the probability that
    each is the best.

    "groups" are the means of groups of topics, with intervals; `groups` is what `compare` takes. A
    comparison by groups has them already. A curve, such as "recall-precision", needs scores that
    have all measures of the curve. `baseline` and `run` name the two runs to compare if there are
    more than two.
    """
    _check_kind(kind)
    if isinstance(scores, Comparison):
        groups = scores.groups if groups is None and kind == "groups" else groups
        results = list(scores.scores)
    elif isinstance(scores, Scores):
        results = [scores]
    else:
        results = list(scores.values() if isinstance(scores, Mapping) else scores)
    if kind != "groups" and groups is not None:
        raise UsageError(f"groups have no effect on {kind}; expected the picture groups")
    if kind == "differences":
        return Picture(*of_differences(results, baseline, run))
    if kind == "scatter":
        return Picture(*of_scatter(results))
    if kind == "ranks":
        return Picture(*of_ranks(results))
    if kind == "groups":
        known = isinstance(groups, GroupedMeans)
        return Picture(*of_groups(results, groups if known else groupings_of(groups)))
    curve = find_curve(kind, list(results[0].means)[:1] if kind == "curve" else (), ["rankings"])
    curve = completed(curve)
    lacking = [name for name in curve.measures() if name not in results[0].values]
    if lacking:
        raise UsageError(
            f"the scores have no {lacking[0]}; a {kind} picture needs"
            f" {', '.join(curve.measures())}; evaluate these measures"
        )
    points = curve_points(curve, results, run_names(results), student)
    return Picture(plots.curve_spec(curve), points)


def _check_kind(kind: str) -> None:
    if kind not in KINDS:
        raise UnknownName("picture", kind, list(KINDS))


def _ending_of(output: str) -> str:
    ending = plots.ending_of(output)
    if ending not in plots.ENDINGS[:4]:
        raise UsageError(f"{output}: expected a file name that ends in .png, .svg, .pdf or .json")
    return ending


def write_plot(
    kind: str,
    request: Request,
    baseline: str | None,
    output: str,
    run: str | None = None,
    groups: str | None = None,
) -> None:
    """Score the runs of a request, and write a picture of the scores to a file."""
    _check_kind(kind)
    _ending_of(output)
    if kind == "groups":
        found = groupings_of(groups, request.topics)
        results = scores_of(without_idle_topics(request, groups))
        Picture(*of_groups(results, found)).save(output)
    else:
        Picture(*picture(kind, request, baseline, run)).save(output)


def picture(
    kind: str, request: Request, baseline: str | None, run: str | None = None
) -> tuple[Spec, Values]:
    """Return the specification and the data of a picture of a request."""
    if kind == "differences":
        return of_differences(scores_of(request, baseline), baseline, run)
    if kind == "scatter":
        return of_scatter(scores_of(request, baseline))
    if kind == "ranks":
        return of_ranks(scores_of(request, baseline))
    return of_curve(kind, request)


def of_curve(kind: str, request: Request) -> tuple[Spec, Values]:
    """Return a curve for each run, with the intervals of its points."""
    if holds_results(request.judgements):
        curve = find_curve(kind, request.measures, ["rankings"])
        results = scores_of(replace(request, measures=curve.measures()))
    else:
        refuse_none(request.judgements, list(expanded(request.runs)))
        curve = find_curve(kind, request.measures, _kinds(kind, request))
        results = score_all(replace(request, measures=curve.measures()))
    spec = plots.curve_spec(completed(curve, (request.policy or {}).get("unit")))
    return spec, curve_points(curve, results, run_names(results), student)


def completed(curve: Curve, unit: str | None = None) -> Curve:
    """Return a curve with the bounds of its measure, and the unit of its reading budgets."""
    measures = curve.measures()
    x = f"{unit_in_words(unit)} read" if unit and "budget=" in measures[0] else curve.x
    return replace(curve, x=x, bounds=parse(measures[0]).measure.bounds)


def _kinds(kind: str, request: Request) -> list[str]:
    """Return the kinds of blocks of the judgements, if the curve depends on them."""
    if not any(one.reads for one in CURVES.get(kind, ())):
        return []
    if not lasts(request.judgements):
        raise UsageError(f"{request.judgements}: cannot be read twice; this picture needs a file")
    return kinds_of(read_judgements(request.judgements, request.judgements_format))


def of_differences(
    results: Sequence[Scores], baseline: str | None, chosen: str | None = None
) -> tuple[Spec, Values]:
    """Return a bar for each topic: the difference of a run from the baseline."""
    if len(results) < 2:
        raise UsageError("found one run; differences need two runs, or one run and --baseline")
    base = place_of(baseline, results)
    if chosen is None and len(results) > 2:
        message = f"found {len(results)} runs; differences need two: name one with --run"
        raise UsageError(message)
    other = next(n for n in range(len(results)) if n != base)
    run = other if chosen is None else place_of(chosen, results)
    names, measure = run_names(results), next(iter(results[0].means))
    g = grid(results, measure)
    rows = []
    for topic, values in zip(g.topics, g.values.tolist(), strict=True):
        difference = values[run] - values[base]
        if difference == difference:
            side = "better" if difference > 0 else "worse" if difference < 0 else "same"
            rows.append(
                {"topic": topic, "difference": difference, "side": side,
                 "run": values[run], "baseline": values[base]}
            )  # fmt: skip
    rows.sort(key=lambda row: -row["difference"])
    return plots.differences_spec(measure, names[run], names[base]), rows


def of_groups(
    results: Sequence[Scores], groups: GroupedMeans | Groupings | None
) -> tuple[Spec, Values]:
    """Return a point with an interval for each group of topics and run, in the first measure."""
    if groups is None:
        raise UsageError("no groups are given; expected groups of topics (--groups FILE)")
    measure = next(iter(results[0].means))
    if not isinstance(groups, GroupedMeans):
        names, undecided = run_names(results), Draws(resamples=1)  # a picture shows no test
        groups = grouped(
            results,
            names,
            [grid(results, measure)],
            groups,
            order=range(len(names)),
            baseline=None,
            draws=undecided,
        )
    return plots.groups_spec(measure), plots.group_points(groups, measure)


def of_ranks(results: Sequence[Scores]) -> tuple[Spec, Values]:
    """Return the interval of each run's rank in the first measure, the best run first."""
    measure = next(iter(results[0].means))
    if len(results) < 2:
        raise UsageError("found one run; ranks need two runs or more")
    first = [only(scores, [measure]) for scores in results]
    contest = stated(first).contests.get(measure)
    if contest is None:
        raise UsageError(f"{measure} is not a mean over topics of each run; ranks need one")
    order = sorted(range(len(contest.runs)), key=lambda run: contest.gap[run])
    return plots.ranks_spec(measure), plots.rank_points(contest, order)


def of_scatter(results: Sequence[Scores]) -> tuple[Spec, Values]:
    """Return a point for each run, or for each topic of a single run, in two measures."""
    measures = list(results[0].means)
    if len(measures) < 2:
        raise UsageError("found one measure; a scatter needs two: give -m twice")
    x, y = measures[:2]
    if len(results) == 1:
        names = list(results[0].topics)
        pairs = [results[0].values[x].tolist(), results[0].values[y].tolist()]
    else:
        names = run_names(results)
        pairs = [[scores.means[m] for scores in results] for m in (x, y)]
    apart = plots.disagreements(*pairs)
    few = len(names) <= plots.LABELLED
    rows = [
        {"name": name, "x": a, "y": b, "disagrees": odd, "label": name if few else ""}
        for name, a, b, odd in zip(names, *pairs, apart, strict=True)
        if a == a and b == b
    ]
    return plots.scatter_spec(x, y), rows
