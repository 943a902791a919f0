"""Gates for continuous integration: new results are compared with those of a baseline.

A run fails if the interval of a mean reaches below a floor or above a ceiling, or if the mean
dropped by more than is allowed and a paired test over the topics of both finds the drop
significant. With a margin, the interval of the difference decides about the drop. All of this may
be asked of every group of topics too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.console import say, watched
from spanwise.errors import FormatError, UnknownName, UsageError
from spanwise.evaluation.compare import clusters_of, less_is_better, only, refuse_none, stated
from spanwise.evaluation.evaluate import PROCESSES, run
from spanwise.evaluation.grouping import groupings_of
from spanwise.evaluation.request import Request, names_of
from spanwise.formats.results import holds_results, read_results
from spanwise.model.comparison import Rule, Verdict
from spanwise.model.scores import Scores
from spanwise.report.comparison import as_md, worst_groups
from spanwise.stats.groups import group_cautions, members, restricted
from spanwise.stats.margins import margin_of
from spanwise.stats.resampling import Draws
from spanwise.stats.statements import Question, judged
from spanwise.workflows.anytime import looked

if TYPE_CHECKING:
    from spanwise.model.groups import Groupings, WorstGroup


@dataclass(frozen=True, slots=True)
class Gate:
    """The outcome of a gate: a verdict for each run and rule."""

    verdicts: tuple[Verdict, ...]

    @property
    def passed(self) -> bool:
        """Tell whether every run satisfies every rule."""
        return all(one.passed for one in self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome and its verdicts as plain data."""
        return {"passed": self.passed, "verdicts": [asdict(one) for one in self.verdicts]}

    @property
    def worst_groups(self) -> tuple[WorstGroup, ...]:
        """The group in which each run has its worst value, for each measure and grouping."""
        return tuple(worst_groups(self.verdicts))

    def __str__(self) -> str:
        return as_md(self.verdicts)

    def __repr__(self) -> str:
        failed = sum(not one.passed for one in self.verdicts)
        return f"<Gate: {len(self.verdicts)} verdicts, {failed} failed>"


def gate(
    results: Any,
    baseline: Any,
    measures: Iterable[object] | str,
    *,
    floor: float | None = None,
    ceiling: float | None = None,
    by: str | None = None,
    max_drop: float | None = None,
    alpha: float | None = None,
    margin: float | str | None = None,
    strict: bool = False,
    groups: Any = None,
    worst_group: bool = False,
    test: str = "randomisation",
    seed: int = 0,
    clusters: Any = None,
    anytime: str | PathLike[str] | None = None,
) -> Gate:
    """Compare results with a baseline; a run fails if it got worse by more than is allowed.

    `results` and `baseline` are files of results, or scores. A run fails if the interval of its
    mean is not wholly above `floor` and below `ceiling`; `by="mean"` holds the mean to them
    instead. It also fails if the mean dropped by more than `max_drop` (0) and a paired test over
    topics gives a p below `alpha` (0.05).

    With a `margin` (0.01, or "1%" of the baseline's mean), it fails instead if the difference is
    worse, and with `strict` also if it is not known. With `worst_group`, all of this holds for each
    group of topics too; `groups` are what `compare` takes.
    `clusters` says which topics belong together, as for `compare`.

    With `anytime`, a file that keeps what was seen, the verdicts hold at every look: topics are
    taken in random order until the gate is decided, and each call goes on with topics not yet seen.

    >>> import spanwise
    >>> scores = spanwise.evaluate({"q1": {"a": 1}}, {"q1": {"a": 1.0}}, "AP")
    >>> gate(scores, scores, "AP").passed
    True
    """
    if anytime is not None and test != "randomisation":
        raise UsageError(f"the test {test} has no effect on a gate at any time; expected none")
    rules = rules_of(
        names_of(measures),
        floor=floor,
        ceiling=ceiling,
        by=by,
        max_drop=max_drop,
        alpha=alpha,
        margin=margin,
        strict=strict,
    )
    question = question_of(test, seed, margin, groups, worst_group=worst_group, clusters=clusters)
    return Gate(tuple(verdicts(results, baseline, rules, question, anytime)))


def rules_of(
    measures: Iterable[str],
    *,
    floor: float | None = None,
    ceiling: float | None = None,
    by: str | None = None,
    max_drop: float | None = None,
    alpha: float | None = None,
    margin: float | str | None = None,
    strict: bool = False,
) -> list[Rule]:
    """Return a rule for each measure, and refuse choices without effect."""
    if by not in (None, "interval", "mean"):
        raise UnknownName("choice of by", str(by), ["interval", "mean"])
    if by is not None and floor is None and ceiling is None:
        raise UsageError(f"by {by} has no effect; it is for a minimum or maximum (--min, --max)")
    if strict and margin is None:
        raise UsageError("strict has no effect without a margin (--margin)")
    for name, value in (("max-drop", max_drop), ("alpha", alpha)):
        if value is not None and margin is not None:
            raise UsageError(f"{name} has no effect with a margin, which decides about the drop")
    return [
        Rule(
            name,
            floor,
            0.0 if max_drop is None else max_drop,
            0.05 if alpha is None else alpha,
            less_is_better(name),
            ceiling,
            by_mean=by == "mean",
            decides=margin is not None,
            strict=strict,
        )
        for name in measures
    ]


def question_of(
    test: str,
    seed: int,
    margin: float | str | None = None,
    groups: Any = None,
    topics: Any = None,
    *,
    worst_group: bool = False,
    clusters: Any = None,
) -> Question:
    """Return the question that a gate asks of each run and group."""
    if worst_group and groups is None:
        raise UsageError("worst-group needs groups of topics (--groups FILE)")
    if groups is not None and not worst_group:
        raise UsageError("groups have no effect without worst-group (--worst-group)")
    return Question(
        (test,),
        draws=Draws(seed),
        margin=margin_of(margin),
        groupings=groupings_of(groups, topics),
        clusters=clusters_of(clusters),
    )


def scored_runs(request: Request, baseline: str, on: str | None = None) -> tuple[Any, Any]:
    """Return what a gate compares: files of results as they are, or the scores of runs."""
    if holds_results(request.judgements):
        if request.runs:
            raise UsageError(
                f"{request.judgements} holds results, so {request.runs[0]} has no judgements"
            )
        if request != Request(request.judgements, (), request.measures, policy={}):
            raise UsageError("options of scoring have no effect on a file of results")
        return request.judgements, baseline
    refuse_none(request.judgements, request.runs)
    if Path(baseline).is_file() and holds_results(baseline):
        return run(request, on or PROCESSES, watched), baseline
    names = (*(request.names or [None] * len(request.runs)), None)
    both = replace(request, runs=[*request.runs, baseline], names=names)
    *new, old = run(both, on or PROCESSES, watched)
    return new, old


def verdicts(
    results: Any,
    baseline: Any,
    rules: Sequence[Rule],
    question: Question,
    anytime: str | PathLike[str] | None = None,
) -> list[Verdict]:
    """Return a verdict for each run of the results, each rule and each group of topics."""
    before, found = _read(baseline), []
    now = _read(results)
    if anytime is not None:
        pairs = [(one, _counterpart(one, before, baseline)) for one in now]
        return looked(Path(anytime), pairs, rules, question.draws.seed)
    for scores in watched(now, len(now), "judging"):
        old = _counterpart(scores, before, baseline)
        _warn_of_other_topics(scores, old)
        here = [judged(scores, old, rule, question) for rule in rules]
        said = _sentences(scores, old, rules, question)
        found += [replace(one, sentence=said.get(one.rule.measure, "")) for one in here]
        if question.groupings is not None:
            found += _of_groups(scores, old, rules, question, question.groupings)
    return found


def _sentences(
    scores: Scores, old: Scores, rules: Sequence[Rule], question: Question
) -> dict[str, str]:
    """Return what a comparison of a run with its baseline says, by measure."""
    both = [topic for topic in old.topics if topic in set(scores.topics)]
    name = old.run if old.run != scores.run else "the baseline"
    pair = [replace(restricted(old, both), run=name), restricted(scores, both)]
    measures = list(dict.fromkeys(rule.measure for rule in rules))
    asked = replace(question, correction="none", groupings=None)
    found = stated([only(one, measures) for one in pair], name, asked)
    return {one.measure: one.sentence for one in found.verdict}


def _of_groups(
    scores: Scores, old: Scores, rules: Sequence[Rule], question: Question, groupings: Groupings
) -> Iterator[Verdict]:
    """Yield the verdicts on each group of the topics that a run shares with its baseline."""
    both = [topic for topic in scores.topics if topic in set(old.topics)]
    for warning in group_cautions(both, groupings):
        say("warning", f"{scores.run}: {warning}")
    for grouping, (groups, numbers) in members(both, groupings).items():
        for number, group in enumerate(groups):
            mine = [both[place] for place in np.flatnonzero(numbers == number).tolist()]
            new, before = (restricted(one, mine) for one in (scores, old))
            for rule in rules:
                one = judged(new, before, rule, question)
                yield replace(one, grouping=grouping, group=group)


def _warn_of_other_topics(new: Scores, old: Scores) -> None:
    """Warn of topics in only one of the two results, which do not count for the drop."""
    lacking, added = (len(set(a.topics) - set(b.topics)) for a, b in ((old, new), (new, old)))
    if lacking or added:
        shared = len(old.topics) - lacking
        say(
            "warning",
            f"{new.run}: {lacking} topics of the baseline are missing and {added} are new;"
            f" the drop is computed over the {shared} topics of both",
        )


def _read(file: Any) -> tuple[Scores, ...]:
    if isinstance(file, Scores):
        return (file,)
    if not isinstance(file, str | PathLike):
        return tuple(file.values()) if isinstance(file, Mapping) else tuple(file)
    file = fspath(file)
    if not Path(file).is_file():
        raise FormatError(
            file, None, "no such file", "a file made with: spanwise eval -o RESULTS.jsonl"
        )
    return read_results(file).scores


def _counterpart(scores: Scores, before: Sequence[Scores], file: Any) -> Scores:
    """Return the baseline of a run: the run of the same name, or the only run."""
    same = [one for one in before if one.run == scores.run]
    if same:
        return same[0]
    if len(before) == 1:
        return before[0]
    name = file if isinstance(file, str) else "the baseline"
    raise UsageError(
        f"{name}: found {len(before)} runs, none named {scores.run!r};"
        " expected this name, or a single run"
    )
