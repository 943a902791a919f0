"""What measures make of runs whose merits are known."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from spanwise.errors import InputError
from spanwise.evaluation.evaluate import run as score_all
from spanwise.evaluation.gather import less_is_better
from spanwise.evaluation.request import Request, names_of
from spanwise.formats import expanded
from spanwise.model.findings import Findings
from spanwise.model.scores import run_names
from spanwise.report.studies import Agreement, Ranked, Study, rendered_study
from spanwise.stats.correlation import kendall, rbo, tau_ap
from spanwise.stats.studies import (
    competition_ranks,
    ideal_beaten,
    overlap_rewarded,
    swapped,
    swapped_by_halves,
)
from spanwise.workflows.recallbase import Wish, base_of
from spanwise.workflows.simulate import SIMULATED, simulated

if TYPE_CHECKING:
    from spanwise.model.documents import Collection
    from spanwise.model.elements import RecallBase, Ties
    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run
    from spanwise.model.scores import Scores

MEASURES = ("inex_eval", "MAncG")
"""The two that the study compares."""
OVERLAP = "Overlap"
FORM = "inex_submission_2006"


@dataclass(frozen=True, slots=True)
class Ground:
    """Judgements, and how they are looked at."""

    judgements: Judgements
    base: RecallBase
    ties: Ties
    collection: Collection | None

    @classmethod
    def of(cls, file: str, quant: str | None, ties: str, collection: str | None) -> Ground:
        """Read and quantise judgements."""
        judgements, base, documents = base_of(Wish(file, quant, collection=collection))
        return cls(judgements, base, cast("Ties", ties), documents)

    def simulated(self, kind: str) -> Run:
        """The simulated run of that kind."""
        return simulated(self.judgements, self.base, kind, self.ties)

    def scores(self, runs: Sequence[Any], names: Sequence[str]) -> list[Scores]:
        """Score runs, which are taken in the order of their files, under one quantisation."""
        request = Request(
            self.judgements,
            runs,
            [*(name for name in names or MEASURES if name != OVERLAP), OVERLAP],
            policy={"ties": "file", "average_over": "judged"},
            collection=self.collection,
            profile="documents",
            assume={"quant": self.base.quant, "ideal": self.ties},
        )
        return score_all(request)


def _empty(ground: Ground, kind: str) -> InputError:
    base = ground.base
    found = f"there are no {SIMULATED[kind]}" if base.full.any() else "nothing is relevant"
    return InputError(
        f"{base.judged.source}: {found} under quant={base.quant}, so {kind} is empty;"
        " use another quantisation"
    )


def reliability(
    judgements: str,
    runs: Sequence[Any] = (),
    measures: Iterable[object] | str | None = None,
    *,
    quant: str | None = None,
    ideal: Ties = "higher",
    collection: Any = None,
    seed: int = 0,
) -> Findings:
    """Test what measures make of simulated runs whose merits are known, and of real ones.

    Six runs are made of the judgements of elements. Nothing should beat the ideal recall base, and
    more overlap should not score higher; whatever does is among the violations found.
    """
    found = study(Ground.of(judgements, quant, ideal, collection), names_of(measures), runs, seed)
    data = json.loads(rendered_study(found, "json"))
    return Findings("reliability", data, lambda: rendered_study(found, "table"))


def study(ground: Ground, names: Sequence[str], runs: Sequence[str], seed: int) -> Study:
    """Score the simulated runs, and real ones if there are some; see what measures do."""
    if not ground.base.full.any():
        raise _empty(ground, "irb")
    made = ground.scores([ground.simulated(kind) for kind in SIMULATED], names)
    shown = {label: less_is_better(label) for label in made[0].means if label != OVERLAP}
    table = _ranked(made, shown)
    violations = [
        violation
        for label, less in shown.items()
        for violation in (
            *ideal_beaten(label, table.runs, table.values[label], less),
            *overlap_rewarded(label, table.runs, table.values[label], table.overlap, less),
        )
    ]
    found = Study(table, tuple(violations), made[0].signature, _notes(made))
    if not runs:
        return found
    real = ground.scores(expanded(runs), names)
    return _with_runs(found, real, shown, seed)


def _ranked(results: Sequence[Scores], shown: Mapping[str, bool]) -> Ranked:
    """Runs under measures, of which each says whether less of it is better."""
    values = {label: tuple(scores.means[label] for scores in results) for label in shown}
    return Ranked(
        tuple(run_names(results)),
        tuple(scores.means[OVERLAP] for scores in results),
        values,
        {label: tuple(competition_ranks(values[label], less)) for label, less in shown.items()},
    )


def _notes(results: Sequence[Scores]) -> tuple[str, ...]:
    """What is to be said of runs; what is to be said of several is said once."""
    told: dict[str, list[str]] = {}
    for name, scores in zip(run_names(results), results, strict=True):
        for note in scores.notes:
            told.setdefault(note, []).append(name)
    return tuple(f"{', '.join(names)}: {note}" for note, names in told.items())


def _with_runs(found: Study, real: Sequence[Scores], shown: Mapping[str, bool], seed: int) -> Study:
    table = _ranked(real, shown)
    several = len(real) > 1
    return replace(
        found,
        notes=(*found.notes, *_notes(real)),
        real=table,
        agreements=tuple(
            _agreement(table, one, other) for one, other in combinations(shown, 2) if several
        ),
        halves={label: _halves(real, label, seed) for label in shown} if several else None,
    )


def _agreement(table: Ranked, one: str, other: str) -> Agreement:
    """How far two measures agree on the order of runs; scores that differ by rounding are equal."""
    known = ~np.isnan([table.values[one], table.values[other]]).any(axis=0)
    first, second = (-np.array(table.ranks[name], np.float64)[known] for name in (one, other))
    if len(first) < 2:
        nothing = float("nan")
        return Agreement(one, other, nothing, nothing, nothing, nothing)
    return Agreement(
        one,
        other,
        kendall(first, second),
        tau_ap(first, second),
        rbo(first, second),
        swapped(first, second),
    )


def _halves(real: Sequence[Scores], label: str, seed: int) -> float:
    topics = sorted(set.intersection(*(set(scores.topics) for scores in real)))
    columns = [dict(zip(one.topics, one.values[label].tolist(), strict=True)) for one in real]
    return swapped_by_halves(np.array([[c[topic] for topic in topics] for c in columns]), seed)
