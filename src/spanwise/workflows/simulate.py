"""Runs made of relevant elements, for which the scores to expect of a measure are known.

| run | elements                                             |
|-----|------------------------------------------------------|
| irb | the ideal recall base                                |
| frb | the full recall base                                 |
| ia  | ideal elements, and all relevant ones around them    |
| id  | ideal elements, and all relevant ones in them        |
| lo  | relevant elements with nothing relevant in them      |
| ao  | relevant root elements                               |

Relevant paths end at elements with a value; with `paths=assessed` also at elements that assessors
found relevant and that have no value under the quantisation. Each run is sorted by decreasing
value; equal values are sorted by depth, deeper first, then by document, then by path.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from spanwise.errors import InputError, UnknownName, UsageError
from spanwise.model.columns import PlainIds, Rows
from spanwise.model.elements import NO_ELEMENT
from spanwise.model.run import Run
from spanwise.workflows.recallbase import Wish, base_of

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.documents import Collection
    from spanwise.model.elements import Paths, RecallBase, Ties
    from spanwise.model.judgements import Judgements

SIMULATED = {
    "irb": "the ideal recall base",
    "frb": "the full recall base",
    "ia": "ideal elements and the relevant ones around them",
    "id": "ideal elements and the relevant ones in them",
    "lo": "relevant elements with nothing relevant in them",
    "ao": "relevant root elements",
}
"""The simulated runs, in words."""
Kind = Literal["irb", "frb", "ia", "id", "lo", "ao"]


def simulate(
    kind: Kind,
    judgements: Any,
    *,
    quant: str | None = None,
    ideal: Ties | None = None,
    paths: Paths | None = None,
    collection: Collection | Mapping[Any, str] | str | os.PathLike[str] | None = None,
) -> Run:
    """Return a run made of what was judged relevant.

    `kind` is "irb" for the ideal recall base, "frb" for the full one, "ia" or "id" for the ideal
    elements with all relevant ones around or in them, "lo" for the relevant elements with nothing
    relevant in them, or "ao" for the relevant root elements. `judgements` is a file or `Judgements`
    of elements or of highlighted text. `quant` is a quantisation, `ideal` decides which of equally
    good elements on a path is ideal, "higher" by default, `paths` decides where relevant paths end,
    and `collection` holds the elements, as in `recallbase`. An empty run is an error.

    >>> from importlib.resources import files
    >>> handbook = files("spanwise") / "data" / "handbook"
    >>> simulate("irb", handbook / "qrels.txt", collection=handbook / "articles")
    <Run 'irb': 124 results for 12 topics, elements>
    """
    if paths is not None:
        refuse_idle_paths(kind)
    if ideal is not None and kind in ("frb", "lo", "ao"):
        raise UsageError(
            f"--ideal has no effect on {kind}, which holds {SIMULATED[kind]}; leave it out"
        )
    placed, base, _ = base_of(Wish(judgements, quant, collection=collection))
    run = simulated(placed, base, kind, ideal or "higher", paths or "valued")
    if not len(run.rows):
        found = f"found no {SIMULATED[kind]}" if base.full.any() else "nothing is relevant"
        raise InputError(
            f"{base.judged.source}: {found} under quant={base.quant}, so the run {kind} would be"
            " empty; use another quantisation"
        )
    return run


def simulated(
    judgements: Judgements, base: RecallBase, kind: str, ties: Ties, paths: Paths = "valued"
) -> Run:
    """Return the run of that kind, made of all topics that have elements for it."""
    chosen = np.flatnonzero(_chosen(base, kind, ties, paths))
    documents = judgements.documents.take(base.judged.row[chosen])
    names = [base.judged.paths[number] for number in chosen.tolist()]
    order = np.array(_ordered(base, chosen, documents, names), np.int64)
    topics = base.judged.topic[chosen[order]]
    counts = np.bincount(topics, minlength=len(base.judged.rows.topics))
    # An empty run keeps all topics, so that it scores 0 for each of them.
    present = np.flatnonzero(counts) if len(chosen) else np.arange(len(counts))
    asked = tuple(base.judged.rows.topics[code] for code in present.tolist())
    starts = np.concatenate([[0], np.cumsum(counts[present])])
    return Run(
        kind,
        Rows(f"{kind} of {base.judged.source}", asked, starts, has_lines=False),
        PlainIds([documents[number] for number in order.tolist()]),
        base.value[chosen[order]],
        paths=PlainIds([names[number] for number in order.tolist()]),
        header={
            "run-id": kind,
            "task": "Thorough",
            "query": "automatic",
            "description": f"simulated: {SIMULATED[kind]}, quantised by {base.quant}",
        },
    )


def refuse_idle_paths(kind: str) -> None:
    """Refuse the option `paths` for a kind of run that does not depend on it."""
    if kind in ("frb", "ao"):
        raise UsageError(
            f"--paths has no effect on {kind}, which holds {SIMULATED[kind]}; leave it out"
        )


def _chosen(base: RecallBase, kind: str, ties: Ties, paths: Paths) -> BoolArray:
    if kind not in SIMULATED:
        raise UnknownName("simulated run", kind, list(SIMULATED))
    if kind == "irb":
        return base.ideal(ties, paths)
    if kind == "frb":
        return base.full
    if kind == "ia":
        return base.full & _around(base, base.ideal(ties, paths))
    if kind == "id":
        return base.full & (base.home(ties, paths) != NO_ELEMENT)
    if kind == "lo":
        return base.last(paths)
    roots = [path.count(b"/") == 1 for path in base.judged.paths]
    return base.full & np.array(roots, np.bool_)


def _around(base: RecallBase, some: BoolArray) -> BoolArray:
    """Tell which elements are among these or hold one of them."""
    return some | base.judged.holding(some)


def _ordered(
    base: RecallBase, chosen: IntArray, documents: Sequence[bytes], paths: Sequence[bytes]
) -> list[int]:
    topic, value = base.judged.topic[chosen].tolist(), base.value[chosen].tolist()

    def key(number: int) -> tuple[int, float, int, bytes, bytes]:
        path = paths[number]
        return topic[number], -value[number], -path.count(b"/"), documents[number], path

    return sorted(range(len(chosen)), key=key)
