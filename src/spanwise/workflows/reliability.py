"""What `spanwise simulate` and `spanwise reliability` do with their words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from spanwise.console import emit_bytes, write_atomically
from spanwise.errors import InputError
from spanwise.evaluation.pipeline import asked, score
from spanwise.formats import FORMATS, expanded, read_run
from spanwise.formats.io.files import STDIN
from spanwise.model.policy import Policy
from spanwise.model.scores import run_names
from spanwise.report.studies import Agreement, Ranked, Study
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
    from spanwise.model.measure import MeasureRequest
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

    def scores(self, run: Run, measures: Sequence[MeasureRequest]) -> Scores:
        """The scores of a run, which is taken as it stands."""
        return score(self.judgements, run, measures, Policy(ties="file"), self.collection)


def simulate(ground: Ground, kind: str, target: str) -> None:
    """Write a simulated run."""
    run = ground.simulated(kind)
    if not len(run.rows):
        raise _empty(ground, kind)
    write = FORMATS[FORM].write
    assert write is not None
    pieces = write(run)
    if target == STDIN:
        emit_bytes(b"".join(pieces))
    else:
        write_atomically(Path(target), pieces)


def _empty(ground: Ground, kind: str) -> InputError:
    base = ground.base
    found = f"there are no {SIMULATED[kind]}" if base.full.any() else "nothing is relevant"
    return InputError(
        f"{base.judged.source}: {found} under quant={base.quant}, so {kind} is empty;"
        " use another quantisation"
    )


def study(ground: Ground, names: Sequence[str], runs: Sequence[str], seed: int) -> Study:
    """Score the simulated runs, and real ones if there are some; see what measures do."""
    measures = _measures(ground, names)
    if not ground.base.full.any():
        raise _empty(ground, "irb")
    made = [ground.scores(ground.simulated(kind), measures) for kind in SIMULATED]
    shown = {one.label: one.measure.less_is_better for one in measures if one.label != OVERLAP}
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
    real = [ground.scores(read_run(file), measures) for file in expanded(runs)]
    return _with_runs(found, real, shown, seed)


def _measures(ground: Ground, names: Sequence[str]) -> list[MeasureRequest]:
    """What was asked for, under one quantisation and one rule for ties; and the overlap."""
    assumed = {"quant": ground.base.quant, "ideal": ground.ties}
    wanted = [one.assuming(assumed) for one in asked(names or MEASURES)]
    return [*(one for one in wanted if one.label != OVERLAP), *asked([OVERLAP])]


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
