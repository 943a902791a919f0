"""Gates for continuous integration: rules that a run must meet against a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import InputError, UnknownName
from spanwise.model.comparison import Rule, Verdict
from spanwise.stats.statements import Question, compared

if TYPE_CHECKING:
    from spanwise.model.scores import Scores


def judged(run: Scores, baseline: Scores, rule: Rule, question: Question) -> Verdict:
    """Check a run against a rule, topic by topic against its baseline."""
    for scores in (run, baseline):
        if rule.measure not in scores.values:
            raise UnknownName(f"measure of {scores.source}", rule.measure, list(scores.values))
    common = [topic for topic in baseline.topics if topic in set(run.topics)]
    if not common:
        raise InputError(
            f"{run.source} and {baseline.source} have no topic in common; expected one"
        )
    new, old = (_only(one, common, rule.measure) for one in (run, baseline))
    lowest = frozenset({rule.measure} if rule.less_is_better else ())
    pair = [replace(old, run="baseline"), replace(new, run="run")]
    found = compared(pair, 0, replace(question, correction="none", lowest=lowest))
    (one,) = found.select(measure=rule.measure, test=question.tests[0])
    sign = 1 if rule.less_is_better else -1
    low, high = sorted((sign * one.low + 0.0, sign * one.high + 0.0))  # no -0
    drop, value = sign * one.difference + 0.0, float(run.means[rule.measure])
    return Verdict(
        run.run,
        rule,
        value,
        float(baseline.means[rule.measure]),
        drop,
        low,
        high,
        one.p,
        one.topics,
        tuple(_reasons(rule, value, drop, one.p)),
    )


def _reasons(rule: Rule, value: float, drop: float, p: float) -> Sequence[str]:
    reasons = []
    if rule.floor is not None:
        below = value > rule.floor if rule.less_is_better else value < rule.floor
        if below or isnan(value):
            word, limit = ("above", "maximum") if rule.less_is_better else ("below", "minimum")
            reasons.append(f"{value:.4f} is {word} the {limit} of {rule.floor:g}")
    if drop > rule.max_drop and p < rule.alpha:
        reasons.append(f"worse by {drop:.4f}, the maximum is {rule.max_drop:g}, p = {p:.4f}")
    return reasons


def _only(scores: Scores, topics: Sequence[str], measure: str) -> Scores:
    rows = {topic: row for row, topic in enumerate(scores.topics)}
    values = scores.values[measure][np.array([rows[topic] for topic in topics])]
    defined = values[~np.isnan(values)]
    mean = float(defined.mean()) if len(defined) else float("nan")
    return replace(
        scores,
        topics=tuple(topics),
        values={measure: values},
        means={measure: mean},
        counts={measure: len(defined)},
        texts={},
    )
