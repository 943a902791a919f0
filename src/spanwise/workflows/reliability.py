"""Reliability of measures: their behaviour on simulated runs of known merit.

Six runs are simulated from judgements of elements, such as the ideal recall base. `reliability`
scores them and reports measures by which another run beats the ideal one, or that reward overlap.
With real runs, it also reports how far measures agree on their order.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from spanwise.errors import InputError
from spanwise.evaluation.compare import less_is_better
from spanwise.evaluation.evaluate import run as score_all
from spanwise.evaluation.request import Request, names_of
from spanwise.formats import expanded
from spanwise.model.scores import Findings, run_names
from spanwise.report.studies import Agreement, Ranked, Study, rendered_study
from spanwise.stats.correlation import (
    competition_ranks,
    ideal_beaten,
    kendall,
    overlap_rewarded,
    rbo,
    swapped,
    swapped_by_halves,
    tau_ap,
)
from spanwise.workflows.recallbase import Wish, base_of
from spanwise.workflows.simulate import SIMULATED, simulated

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanwise.model.documents import Collection
    from spanwise.model.elements import RecallBase, Ties
    from spanwise.model.judgements import Judgements
    from spanwise.model.run import Run
    from spanwise.model.scores import Scores

MEASURES = ("inex_eval", "MAncG")
"""Measures that the study compares by default."""
OVERLAP = "Overlap"
FORM = "inex_submission_2006"


@dataclass(frozen=True, slots=True)
class StudySetting:
    """The judgements of a study, quantised, and its choices."""

    judgements: Judgements
    base: RecallBase
    ties: Ties
    collection: Collection | None

    @classmethod
    def of(cls, file: str, quant: str | None, ties: str, collection: str | None) -> StudySetting:
        """Read and quantise the judgements of a study."""
        judgements, base, documents = base_of(Wish(file, quant, collection=collection))
        return cls(judgements, base, cast("Ties", ties), documents)

    def simulated(self, kind: str) -> Run:
        """Return the simulated run of a kind."""
        return simulated(self.judgements, self.base, kind, self.ties)

    def scores(self, runs: Sequence[Any], names: Sequence[str]) -> list[Scores]:
        """Score runs under the quantisation of the study, with results in file order."""
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


def _empty(setting: StudySetting, kind: str) -> InputError:
    base = setting.base
    found = f"found no {SIMULATED[kind]}" if base.full.any() else "nothing is relevant"
    return InputError(
        f"{base.judged.source}: {found} under quant={base.quant}, so the run {kind} would be"
        " empty; choose another quantisation"
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
    """Test measures on simulated runs of known merit, and compare them on real runs.

    Six runs are simulated from judgements of elements. No run should score higher than the ideal
    recall base, and no run should score higher for more overlap; the findings list violations.
    """
    found = study(
        StudySetting.of(judgements, quant, ideal, collection), names_of(measures), runs, seed
    )
    data = json.loads(rendered_study(found, "json"))
    return Findings("reliability", data, lambda: rendered_study(found, "table"))


def study(setting: StudySetting, names: Sequence[str], runs: Sequence[str], seed: int) -> Study:
    """Score simulated and real runs, and return the violations and agreements of measures."""
    if not setting.base.full.any():
        raise _empty(setting, "irb")
    made = setting.scores([setting.simulated(kind) for kind in SIMULATED], names)
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
    real = setting.scores(expanded(runs), names)
    return _with_runs(found, real, shown, seed)


def _ranked(results: Sequence[Scores], shown: Mapping[str, bool]) -> Ranked:
    """Rank runs by each measure; `shown` tells for which measures less is better."""
    values = {label: tuple(scores.means[label] for scores in results) for label in shown}
    return Ranked(
        tuple(run_names(results)),
        tuple(scores.means[OVERLAP] for scores in results),
        values,
        {label: tuple(competition_ranks(values[label], less)) for label, less in shown.items()},
    )


def _notes(results: Sequence[Scores]) -> tuple[str, ...]:
    """Return the notes of runs; a note of several runs is printed once, with their names."""
    runs_of: dict[str, list[str]] = {}
    for name, scores in zip(run_names(results), results, strict=True):
        for note in scores.notes:
            runs_of.setdefault(note, []).append(name)
    return tuple(f"{', '.join(names)}: {note}" for note, names in runs_of.items())


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
    """Return the agreement of two measures on the order of runs."""
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
