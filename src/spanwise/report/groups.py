"""Groups of topics as a table below a comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import TYPE_CHECKING

from spanwise.model.scores import UNREACHED, number
from spanwise.report.tables import Table

if TYPE_CHECKING:
    from spanwise.model.comparison import Comparison
    from spanwise.model.groups import GroupedMeans, GroupMean

HEADING = "by group of topics:\n"


def groups_table(
    c: Comparison, worded: Callable[[str], str] = str, measures: Sequence[str] = ()
) -> Table:
    """Return a table with a row for each group and run, the worst groups below it.

    It has the measures of the comparison unless some are named.
    """
    if c.groups is None:
        return Table(("group",), ())
    shown = measures or c.measures
    several = len(c.groups.groupings) > 1
    header = [*(["grouping"] if several else []), *(["measure"] if len(shown) > 1 else [])]
    header += ["group", "run"]
    words = tuple(range(len(header)))
    header += ["topics", "mean", "interval"]
    against = c.baseline is not None and bool(c.differences)
    header += ["difference", "interval"] if against else []
    rows: list[tuple[str, ...]] = []
    rules: list[int] = []
    last = ""
    for one in c.groups.means:
        if one.measure not in shown:
            continue
        cells = [*([one.grouping] if several else []), *([worded(one.measure)] * (len(shown) > 1))]
        if last not in ("", one.measure):
            rules.append(len(rows))
        last = one.measure
        numbers = _numbers(one, against=against)
        if c.unreached(one.measure):
            numbers[1:3] = [UNREACHED, "-"]
        rows.append((*cells, one.group, one.run, *numbers))
    interval = len(words) + 2
    return Table(
        tuple(header),
        tuple(rows),
        tuple(_below(c.groups, shown, worded, c.baseline if against else None)),
        rules=tuple(rules),
        words=words,
        attached=frozenset({interval, interval + 2} if against else {interval}),
    )


def _numbers(one: GroupMean, *, against: bool) -> list[str]:
    between = _signed(one.difference, one.difference_low, one.difference_high) if against else []
    bounds = f"[{number(one.low)}, {number(one.high)}]" if isfinite(one.low) else "-"
    return [str(one.topics), number(one.value), bounds, *between]


def _signed(value: float, low: float, high: float) -> list[str]:
    return [
        f"{value:+.4f}" if isfinite(value) else "-",
        f"[{low:+.4f}, {high:+.4f}]" if isfinite(low) else "-",
    ]


def _below(
    groups: GroupedMeans, shown: Sequence[str], worded: Callable[[str], str], baseline: str | None
) -> list[str]:
    """Return a line for each run and measure: its worst group, and whether its groups differ."""
    tests = {(one.run, one.measure, one.grouping): one for one in groups.tests}
    lines = []
    for one in groups.worst:
        if one.measure not in shown:
            continue
        of = f" of {one.grouping}" if len(groups.groupings) > 1 else ""
        test = tests[one.run, one.measure, one.grouping]
        chance = []
        if isfinite(test.p):
            chance.append(f"groups differ: p {_p(test.p)}")
        if isfinite(test.p_difference):
            chance.append(f"differences to {baseline} differ: p {_p(test.p_difference)}")
        line = f"worst group{of} for {one.run} on {worded(one.measure)}: {one.group}"
        why = f" ({'; '.join(chance)})" if chance else ""
        lines.append(f"{line}, {number(one.value)}{why}")
    if lines:
        lines.append("p of groups: permutation of groups over topics, uncorrected")
    return lines


def _p(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"= {p:.4f}"
