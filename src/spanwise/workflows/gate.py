"""Gates for continuous integration: new results are compared with those of a baseline.

A run fails if a mean is below a floor, or if it dropped by more than is allowed and a paired test
over the topics of both finds the drop significant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from spanwise.console import say, watched
from spanwise.errors import FormatError, UsageError
from spanwise.evaluation.compare import less_is_better, refuse_none
from spanwise.evaluation.evaluate import PROCESSES, run
from spanwise.evaluation.request import Request, names_of
from spanwise.formats.results import holds_results, read_results
from spanwise.model.comparison import Rule, Verdict
from spanwise.model.scores import Scores
from spanwise.report.comparison import as_md
from spanwise.stats.resampling import Draws
from spanwise.stats.statements import Question, judged
from spanwise.workflows.anytime import looked


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
    max_drop: float = 0.0,
    alpha: float = 0.05,
    test: str = "randomisation",
    seed: int = 0,
    anytime: str | PathLike[str] | None = None,
) -> Gate:
    """Compare results with a baseline; a run fails if it got worse by more than is allowed.

    `results` and `baseline` are files of results, or scores. A run fails if its mean is below
    `floor`, or if it dropped by more than `max_drop` and a paired test over topics gives a p below
    `alpha`.

    With `anytime`, a file that keeps what was seen, the verdicts hold at every look: topics are
    taken in random order until the gate is decided, and each call goes on with topics not yet seen.

    >>> import spanwise
    >>> scores = spanwise.evaluate({"q1": {"a": 1}}, {"q1": {"a": 1.0}}, "AP")
    >>> gate(scores, scores, "AP").passed
    True
    """
    rules = [
        Rule(name, floor, max_drop, alpha, less_is_better(name)) for name in names_of(measures)
    ]
    if anytime is not None and test != "randomisation":
        raise UsageError(f"the test {test} has no effect on a gate at any time; expected none")
    question = Question((test,), draws=Draws(seed))
    return Gate(tuple(verdicts(results, baseline, rules, question, anytime)))


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
    """Return a verdict for each run of the results and each rule."""
    before, found = _read(baseline), []
    now = _read(results)
    if anytime is not None:
        pairs = [(one, _counterpart(one, before, baseline)) for one in now]
        return looked(Path(anytime), pairs, rules, question.draws.seed)
    for scores in watched(now, len(now), "judging"):
        old = _counterpart(scores, before, baseline)
        _warn_of_other_topics(scores, old)
        found += [judged(scores, old, rule, question) for rule in rules]
    return found


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
