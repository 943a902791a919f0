"""Explaining measures of elements: which case each result was, and what the bound took away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.ground.elements import element_rankings
from spanwise.kinds import element_setting
from spanwise.measure.cumulated import Curves, reached
from spanwise.measure.hixeval import highlighted_in_all
from spanwise.measure.next_generation import exhaustivity_in_all, parts
from spanwise.model.element_rankings import PARTLY, SEEN, UNSEEN, Gains
from spanwise.model.elements import NOBODY
from spanwise.report.cells import counted
from spanwise.report.elements import (
    GAIN_WORDS,
    Earnings,
    chance_table,
    columns_table,
    earnings_table,
    flag_table,
)

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray
    from spanwise.model.documents import Collection
    from spanwise.model.element_rankings import ElementRankings
    from spanwise.model.judgements import Judgements
    from spanwise.model.measures import Asked
    from spanwise.model.policy import Policy
    from spanwise.model.run import Run
    from spanwise.report.explanation import Listing
    from spanwise.report.tables import Table

Told = tuple["Table", list[str]]
CASES = {UNSEEN: "unseen", PARTLY: "partly", SEEN: "seen"}


def block_of(
    run: Run,
    judgements: Judgements,
    topic: bytes,
    asked: Asked,
    policy: Policy,
    collection: Collection | None,
) -> ElementRankings:
    """The topic's results, put together with what was judged."""
    setting = element_setting([asked], collection)
    (block,) = element_rankings(run, judgements, [topic], policy, setting)
    return block


def of_elements(block: ElementRankings, asked: Asked, listing: Listing) -> Told:
    """The rows, and what is to be said about them."""
    family, name = asked.measure.family, asked.measure.name
    if family == "cumulated":
        return _gains(block, asked, listing)
    if family == "precall":
        return _chances(block, asked, listing)
    if name in ("NGP", "NGR"):
        return _next_generation(block, asked, listing)
    if name == "Overlap":
        inside = asked.parameter("variant") == "inside"
        flags = block.inside() if inside else block.seen_before("anything")
        return flag_table(listing, "inside another" if inside else "seen before", flags), []
    return _highlighted(block, asked, listing)


def _gains(block: ElementRankings, asked: Asked, listing: Listing) -> Told:
    curves: Curves = asked.measure.made(block, **asked.parameters)
    gains, base = block.gains(curves.rule), block.base(curves.rule.quant)
    depth = len(gains.gain)
    worth = block.gains(type(curves.rule)(curves.rule.quant, 0.0)).gain
    ranks = np.arange(1, depth + 1)
    best = np.array([block.at(curves.best, rank)[0] for rank in ranks.tolist()])
    cases = _cases(gains, worth) if curves.rule.alpha else []
    seen = gains.seen.tolist()
    gained = np.cumsum(gains.gain)
    earned = Earnings(worth, cases, seen, gains.bare, gains.gain, gained, best)
    last, quotient = _quotient(block, asked, curves, earned)
    words = [GAIN_WORDS if cases else "overlap is ignored: every result earns its value"]
    total, count = float(curves.total[0]), int(curves.count[0])
    words.append(
        f"the recall base has {counted(count, 'element')}, worth {total:g} in all;"
        f" quant={base.quant}"
    )
    if asked.measure.name == "ep":
        words += _effort(curves, asked)
    return earnings_table(earned, listing, last, quotient), words


def _cases(gains: Gains, worth: FloatArray) -> list[str]:
    """The cases of the gain function; none for what is worth nothing, seen or not."""
    looked = (worth > 0) | (gains.case != UNSEEN)
    return [
        CASES[case] if known else ""
        for case, known in zip(gains.case.tolist(), looked.tolist(), strict=True)
    ]


def _quotient(
    block: ElementRankings, asked: Asked, curves: Curves, earned: Earnings
) -> tuple[str, Any]:
    """What a row comes to: the measure's own number at that rank."""
    name = asked.measure.name
    if name == "gr":
        return "gr", block.ratio(earned.gained, curves.total[0])
    if name in ("MAep", "ep"):
        ideal, beyond = reached(curves.best, earned.gained[None, :], curves.interpolate)
        ideal = np.where(beyond, curves.count[0], ideal)[0]
        ranks = np.arange(1, len(earned.gain) + 1)
        return "ep", np.where(earned.gain > 0, ideal / ranks, np.nan)
    return "nxCG", block.ratio(earned.gained, earned.best)


def _effort(curves: Curves, asked: Asked) -> list[str]:
    wanted = np.array([[asked.parameter("recall") * curves.total[0]]])
    ideal, _ = reached(curves.best, wanted, curves.interpolate)
    run, missed = reached(curves.run(), wanted, curves.interpolate)
    where = "never" if missed[0, 0] else f"at rank {run[0, 0]:.4f}"
    return [
        f"a gain of {wanted[0, 0]:g}: the ideal run at rank {ideal[0, 0]:.4f}, this run {where}"
    ]


def _chances(block: ElementRankings, asked: Asked, listing: Listing) -> Told:
    base = block.base(asked.parameter("quant"))
    element = block.results.element
    value = base.value / base.highest
    chance = np.where(element != NOBODY, value[element], 0.0) if len(value) else element * 0.0
    total = float(block.of_topics(base.judged.of_topics(value))[0])
    words = [f"all that is relevant adds up to {total:g}; quant={base.quant}"]
    return chance_table(listing, chance, block.results.level.tolist()), words


def _next_generation(block: ElementRankings, asked: Asked, listing: Listing) -> Told:
    exhaustivity, specificity, new = parts(block, asked.parameter("overlap"))
    size = block.results.size
    columns = [("size", size), ("new", new)]
    if asked.measure.name == "NGP":
        read = block.sizes() * new
        so_far = block.ratio(np.cumsum(specificity * read), np.cumsum(read), undefined=0)
        columns += [("specificity", specificity), ("precision", so_far)]
    else:
        so_far = block.ratio(np.cumsum(exhaustivity * new), exhaustivity_in_all(block)[0])
        columns += [("exhaustivity", exhaustivity), ("recall", so_far)]
    return columns_table(listing, columns), ["new: the share that earlier results have not shown"]


def _highlighted(block: ElementRankings, asked: Asked, listing: Listing) -> Told:
    results, alpha = block.results, asked.parameter("alpha")
    seen = block.seen_before("highlighted")
    found = np.cumsum(results.highlighted - alpha * seen)
    columns = [
        ("size", results.size),
        ("highlighted", results.highlighted),
        ("seen", seen),
        ("found", found),
    ]
    recall = block.ratio(found, highlighted_in_all(block, asked.parameter("base"))[0])
    columns.append(("recall", recall))
    if (results.size >= 0).all():
        precision = block.ratio(found, np.cumsum(results.size), undefined=0)
        columns.insert(-1, ("precision", precision))
        if asked.measure.name == "HiF":
            both = precision + recall
            columns.append(("F", block.ratio(2 * precision * recall, both, undefined=0)))
    return columns_table(listing, columns), ["seen: highlighted characters shown before"]
