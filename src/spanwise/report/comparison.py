"""Comparisons and gate verdicts as tables, Markdown, LaTeX, CSV, JSON and JUnit."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil, isfinite, isnan, log10
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from spanwise.model.comparison import defined, listed, share
from spanwise.model.groups import WorstGroup
from spanwise.model.scores import UNREACHED, html_table, number, safe
from spanwise.report.groups import HEADING, groups_table
from spanwise.report.tables import Cell, Table, as_latex, as_markdown, as_text, visible, wrapped

if TYPE_CHECKING:
    from spanwise.model.comparison import Comparison, Difference, Mean, Verdict

COLUMNS = (
    *("baseline", "test", "p", "p_adjusted", "difference", "low", "high"),
    *("wins", "ties", "losses", "topics", "effect", "topics_needed"),
)
"""Columns of a difference, besides its run and measure."""
OF_CLUSTERS = ("clusters", "se", "df")
"""Further columns where topics have clusters."""


# Tables -------------------------------------------------------------------------------------------


def means_table(c: Comparison) -> Table:
    """Return a table of means and intervals with a row for each run.

    The best value of each measure is bold; marks show significance.
    """
    header = ["run"]
    rows: list[list[str]] = [[c.named(run)] for run in c.runs]
    bold, marks = set(), {}
    for measure in c.measures:
        best = c.best(measure) if len(c.runs) > 1 else ()
        header += [measure, "interval"]
        for place, run in enumerate(c.runs):
            cell, mean = (place, len(header) - 2), c.mean(run, measure)
            if run in best:
                bold.add(cell)
            if mark := c.mark(run, measure):
                marks[cell] = mark
            rows[place] += mean_cells(c, mean)
    return _with_intervals(c, header, rows, bold, marks)


def _with_intervals(
    c: Comparison,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    bold: Iterable[Cell],
    marks: Mapping[Cell, str],
) -> Table:
    """Return a table in which every second column is the interval of the one before."""
    return Table(
        tuple(header),
        tuple(map(tuple, rows)),
        tuple(below(c)),
        bold=frozenset(bold),
        marks=marks,
        attached=frozenset(range(2, len(header), 2)),
    )


def mean_cells(c: Comparison, mean: Mean) -> list[str]:
    """Format a mean and its interval, or say that its budget is not reached."""
    if c.unreached(mean.measure):
        return [UNREACHED, "-"]
    return [number(mean.value), bounds(mean)]


def bounds(mean: Mean) -> str:
    """Format the interval of a mean, or a dash if it is undefined."""
    return f"[{number(mean.low)}, {number(mean.high)}]" if isfinite(mean.low) else "-"


def below(c: Comparison) -> list[str]:
    """Return the footer: topics, signature, legend of the marks, and notes."""
    counts = sorted({mean.topics for mean in c.means})
    topics = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    first = f"{topics} topic{'s' if topics != '1' else ''}"
    parts = (*c.legend(), *analysis(c), *strength(c), *_shared_notes(c))
    return [*c.odds(), first, c.scores[0].signature, *parts]


def analysis(c: Comparison) -> list[str]:
    """Describe the analysis of variance of the first measure, for three or more runs."""
    found = c.anova.get(c.measures[0])
    if found is None or len(c.runs) < 3:
        return []
    return [f"analysis of variance, {c.measures[0]}: {found.words()}"]


def strength(c: Comparison) -> list[str]:
    """Describe what the topics can show by the first test, in the first measure that has a p."""
    found = [one for one in c.power if one.test == c.tests[0] and not isnan(one.smallest_p)]
    mine = [
        one for one in found if one.measure == found[0].measure and not c.unreached(one.measure)
    ]
    if not mine:
        return []
    least, most = (pick(one.topics for one in mine) for pick in (min, max))
    if most < 2:
        return []
    topics = str(least) if least == most else f"{least} to {most}"
    smallest = max(one.smallest_p for one in mine)
    line = f"with {topics} topics, a {c.tests[0]} test gives "
    line += f"no p below {smallest:.2g}" if smallest else "any p"
    sizes = sorted(one.detectable for one in mine if isfinite(one.detectable))
    if sizes:
        ends = dict.fromkeys(number(size) for size in (sizes[0], sizes[-1]))
        line += f"; 80 % of such topic sets show a difference of {' to '.join(ends)}"
    return [f"{line} ({mine[0].measure})"]


def differences_table(c: Comparison, worded: Callable[[str], str] = str) -> Table:
    """Return a table with a row for each comparison."""
    several = len(c.tests) > 1
    header = ["run", *(["against"] if c.baseline is None else []), "measure"]
    header += ["test"] if several else []
    words = tuple(range(len(header)))
    counted = any(map(c.limited, c.measures))  # then the number of topics differs
    header += ["topics"] if counted else []
    header += ["difference", "interval", "p", "adjusted", "effect", "+/=/-", "topics needed"]
    header += ["decision"] if c.margin else []
    rows, bold = [], set()
    for row, one in enumerate(c.differences):
        names = [one.run, *([one.baseline] if c.baseline is None else []), worded(one.measure)]
        names += [one.test] if several else []
        names += [str(one.topics)] if counted else []
        rows.append((*names, *_shown(one), *([one.decision or ""] if c.margin else [])))
        if one.p_adjusted < c.alpha and not c.unreached(one.measure):
            bold.add((row, len(names) + 3))
    interval = frozenset({len(words) + counted + 1})
    return Table(tuple(header), tuple(rows), words=words, bold=frozenset(bold), attached=interval)


def _shown(one: Difference) -> list[str]:
    return [
        "-" if isnan(one.difference) else f"{one.difference:+.4f}",
        f"[{one.low:+.4f}, {one.high:+.4f}]" if isfinite(one.low) else "-",
        probability(one.p),
        probability(one.p_adjusted),
        "-" if isnan(one.effect) else f"{one.effect:+.2f}",
        f"{one.wins}/{one.ties}/{one.losses}",
        f"{one.topics_needed:.0f}" if isfinite(one.topics_needed) else "-",
    ]


def probability(p: float) -> str:
    """Format a p-value with four digits; smaller values become `<0.0001`.

    >>> probability(0.03), probability(0.00001)
    ('0.0300', '<0.0001')
    """
    if isnan(p):
        return "-"
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def as_html(c: Comparison) -> str:
    """Return the verdict and the table as HTML, for a notebook."""
    table = (systems_table if c.systems else means_table)(c).in_one_line().written()
    sentences = "".join(f"<p><strong>{safe(sentence)}</strong></p>" for sentence in c.headline)
    return sentences + html_table(table.header, table.rows, table.below)


# JSON and CSV -------------------------------------------------------------------------------------


def as_json(c: Comparison) -> str:
    """Return the scores, comparisons and warnings as JSON."""
    return json.dumps(c.to_dict(), indent=2) + "\n"


def as_csv(c: Comparison) -> str:
    """Return CSV with a row for each mean, repeated for each of its comparisons."""
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    of_mean = ("run", "measure", "value", "value_low", "value_high", "value_topics")
    columns = (*COLUMNS, *(("margin", "decision") if c.margin else ()))
    columns = columns if c.clusters is None else (*columns, *OF_CLUSTERS)
    more = () if c.groups is None else ("grouping", "group")
    writer.writerow([*of_mean, *columns, *more])
    for mean in c.means:
        mine = (mean.run, mean.measure, mean.value, mean.low, mean.high, mean.topics)
        found = c.select(run=mean.run, measure=mean.measure)
        theirs = [[getattr(one, name) for name in columns] for one in found]
        for others in theirs or [[""] * len(columns)]:
            writer.writerow([_filled(value) for value in (*mine, *others)] + [""] * len(more))
    for one in () if c.groups is None else c.groups.means:
        mine = (one.run, one.measure, one.value, one.low, one.high, one.topics)
        between = {
            "baseline": c.baseline if isfinite(one.difference) else "",
            "difference": one.difference,
            "low": one.difference_low,
            "high": one.difference_high,
        }
        cells = [*mine, *(between.get(name, "") for name in columns), one.grouping, one.group]
        writer.writerow([_filled(value) for value in cells])
    return text.getvalue()


def _filled(value: Any) -> Any:
    """Replace undefined and infinite values by an empty string."""
    return ("" if defined(value) is None else value) if isinstance(value, float) else value


def against(c: Comparison) -> str:
    """Return the heading of the table of differences."""
    return "all pairs:\n" if c.baseline is None else f"against {visible(c.baseline)}:\n"


def rendered(
    c: Comparison,
    how: str,
    width: int | None = None,
    styled: bool = False,
    *,
    everything: bool = False,
) -> str:
    """Render a comparison in a layout of the command line.

    Of systems of chunks there is a row for each; with `everything`, all measures and differences.
    """
    if how == "json":
        return as_json(c)
    if how == "csv":
        return as_csv(c)
    if c.systems:
        drawn = _across if everything else _by_system
        return drawn(c, how, width, styled) + _groups(c, how, width, styled, every=everything)
    means, differences = means_table(c), differences_table(c)
    groups = _groups(c, how, width, styled)
    if how == "latex":
        return as_latex(means) + groups
    if how == "md":
        parts = [f"{sentence}\n" for sentence in c.headline]
        parts += [as_markdown(means), *([as_markdown(differences)] if c.differences else [])]
        return "\n".join(parts).rstrip("\n") + "\n" + groups
    parts = [*_headline(c, width), as_text(means, width, styled)]
    if c.differences:
        parts += [against(c), as_text(differences, width, styled).rstrip("\n") + "\n"]
    return "\n".join(parts) + groups


def _groups(c: Comparison, how: str, width: int | None, styled: bool, *, every: bool = True) -> str:
    """Render the table of groups of topics; of systems, unless `every`, that of their recall."""
    if c.groups is None:
        return ""
    some = () if every else [one for one in c.measures if base_of(one) == "SpanR"]
    table = groups_table(c, worded if c.systems else str, some)
    if how == "latex":
        return "\n" + as_latex(table)
    if how == "md":
        return "\n" + as_markdown(table)
    return f"\n{HEADING}\n" + as_text(table, width, styled).rstrip("\n") + "\n"


PROSE = 80
"""Width of sentences where the output is not a terminal."""


def _headline(c: Comparison, width: int | None) -> list[str]:
    """Return the sentences to read first, in lines of the width of the page."""
    lines = (wrapped(visible(one), width or PROSE, indent="") for one in c.headline)
    return ["\n".join(some) + "\n" for some in lines]


# Comparisons of chunks ----------------------------------------------------------------------------

WORDS = {
    "SpanR": "recall",
    "SpanP": "precision",
    "FullEvidence": "complete evidence",
    "Waste": "read twice",
    "Ceiling(of=chunks)": "ceiling of all chunks",
    "Ceiling(of=returned)": "ceiling of returned chunks",
    "Ceiling": "ceiling of returned chunks",
    "FirstEvidence": "cost to first evidence",
}
_BUDGET = re.compile(r"budget=([^,)]*),?")


def base_of(measure: str) -> str:
    """Return a measure without its reading budget.

    >>> base_of("Ceiling(of=chunks,budget=500)"), base_of("SpanR(budget=500)")
    ('Ceiling(of=chunks)', 'SpanR')
    """
    return _BUDGET.sub("", measure).replace(",)", ")").replace("()", "")


def at(measure: str) -> float | None:
    """Return the reading budget in the name of a measure."""
    found = _BUDGET.search(measure)
    return None if found is None else float(found[1])


def worded(measure: str) -> str:
    """Return a measure in plain words.

    >>> worded("SpanR(budget=2000)"), worded("FirstEvidence"), worded("MAiP")
    ('recall at 2,000', 'cost to first evidence', 'MAiP')
    """
    budget, base = at(measure), base_of(measure)
    words = WORDS.get(base, base)
    return words if budget is None else f"{words} at {budget:,g}"


def values_table(c: Comparison) -> Table:
    """Return a table with a row for each measure and two columns for each run.

    The columns are value and interval; the best value is bold.
    """
    header, bold, marks = [""], set(), {}
    rows = [[worded(measure)] for measure in c.measures]
    for column, run in enumerate(c.runs):
        header += [c.named(run), "interval"]
        for place, measure in enumerate(c.measures):
            mean, cell = c.mean(run, measure), (place, 1 + 2 * column)
            rows[place] += mean_cells(c, mean)
            if len(c.runs) > 1 and run in c.best(measure):
                bold.add(cell)
            if mark := c.mark(run, measure):
                marks[cell] = mark
    return _with_intervals(c, header, [*rows, *_losses(c)], bold, marks)


def fitting(value: float, low: float, high: float) -> tuple[str, str, str]:
    """Return a value and its bounds in as many digits as the interval justifies.

    >>> fitting(0.71234, 0.67111, 0.75222), fitting(1019.99, 526.1, 787.2)
    (('0.71', '0.67', '0.75'), ('1,020', '526', '787'))
    """
    half, digits = (high - low) / 2, 4
    if isfinite(half) and half > 0:
        digits = 0 if half >= 1 else min(max(ceil(-log10(half)), 2), 4)
    return tuple("-" if isnan(one) else f"{one:,.{digits}f}" for one in (value, low, high))  # type: ignore[return-value]


HEADINGS = {"FullEvidence": "complete", "FirstEvidence": "first found"}
"""Short headings of measures in a narrow table."""
PARTS = ("chunker", "retriever", "ranker")


def systems_table(c: Comparison) -> Table:
    """Return a table with a row for each system: what to look at first.

    It has recall and precision at each budget; complete evidence, losses and the cost of the first
    evidence at the largest that is reached.
    """
    sizes = {size: name for name in c.measures if (size := at(name)) is not None}
    most = max([size for size, name in sizes.items() if not c.unreached(name)] or sizes)
    shown = [m for base in ("SpanR", "SpanP") for m in c.measures if base_of(m) == base]
    last_ones = [f"{base}(budget={most:g})" for base in ("FullEvidence", "FirstEvidence")]
    shown += [m for m in c.measures if m in last_ones]
    header, attached, last = ["system"], set(), ""
    for measure in shown:
        base = base_of(measure)
        header.append(f"{HEADINGS.get(base, WORDS[base])}\nat {at(measure):,g}")
        if base == last:
            attached.add(len(header) - 1)
        last = base
    lost = [part for part in PARTS if _known(c, part, most)]
    header += [f"lost by\n{part}" for part in lost]
    rows, bold, marks = [], set(), {}
    losses = {(one.run, one.budget): one for one in c.losses}
    for place, run in enumerate(c.runs):
        cells = [c.named(run)]
        for measure in shown:
            if len(c.runs) > 1 and run in c.best(measure):
                bold.add((place, len(cells)))
            if mark := c.mark(run, measure):
                marks[place, len(cells)] = mark
            cells.append(_with_half(c, c.mean(run, measure), bare=base_of(measure) == "SpanP"))
        cells += [_loss(c, getattr(losses[run, most], part), most) for part in lost]
        rows.append(tuple(cells))
    first = len(header) - len(lost)
    attached |= set(range(first + 1, len(header)))
    return Table(
        tuple(header),
        tuple(rows),
        tuple(_below_systems(c)),
        bold=frozenset(bold),
        marks=marks,
        attached=frozenset(attached),
    )


def _known(c: Comparison, part: str, size: float) -> bool:
    return any(isfinite(getattr(one, part)) for one in c.losses if one.budget == size)


def _with_half(c: Comparison, mean: Mean, *, bare: bool) -> str:
    """Return a mean, and unless `bare`, half the width of its interval."""
    if c.unreached(mean.measure):
        return UNREACHED
    value, low, _ = fitting(mean.value, mean.low, mean.high)
    if low == "-" or bare:
        return value
    half = f"{(mean.high - mean.low) / 2:,.{len(value.partition('.')[2])}f}"
    return f"{value}±{half.removeprefix('0')}"


def _loss(c: Comparison, value: float, size: float) -> str:
    far = not any(c.unreached(name) for name in c.measures if at(name) == size)
    return number(value + 0.0, 2) if far else UNREACHED


def _below_systems(c: Comparison) -> list[str]:
    """Return the footer of the table of systems: cautions first, then what numbers depend on."""
    counts = sorted({mean.topics for mean in c.means if at(mean.measure) is not None})
    topics = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    topics += " topic" if topics == "1" else " topics"
    legend = [line for line in c.legend(cautions=False) if not line.startswith("[low")]
    return [
        *c.cautions(),
        f"{topics}; ±: half of the {c.confidence:.0%} interval of the mean",
        *legend,
        *strength(c),
        *_shared_notes(c),
        c.scores[0].signature,
    ]


def _shared_notes(c: Comparison) -> list[str]:
    """Return the notes of all runs; those that all share stand once."""
    notes: dict[str, list[str]] = {}
    for name, scores in zip(c.runs, c.scores, strict=True):
        for note in scores.notes:
            notes.setdefault(note, []).append(name)
    return [
        note if len(names) == len(c.runs) > 1 else f"{listed(names)}: {note}"
        for note, names in notes.items()
    ]


def _by_system(c: Comparison, how: str, width: int | None, styled: bool) -> str:
    """Render the verdict and the table of systems; with a margin, the decisions on recall too."""
    table = systems_table(c)
    if how == "latex":
        return as_latex(table)
    recall = tuple(one for one in c.differences if c.margin and base_of(one.measure) == "SpanR")
    more = [differences_table(replace(c, differences=recall), worded)] if recall else []
    if how == "md":
        parts = [*(f"{one}\n" for one in c.headline), *map(as_markdown, (table, *more))]
        return "\n".join(parts)
    parts = [*_headline(c, width), as_text(table, width, styled)]
    return "\n".join([*parts, *(against(c) + "\n" + as_text(one, width, styled) for one in more)])


def _losses(c: Comparison) -> Iterator[list[str]]:
    """Yield a row for each part of the systems and each budget, with what it loses of recall."""
    of_run = {(one.run, one.budget): one for one in c.losses}
    for part in ("chunker", "retriever", "ranker"):
        for budget in dict.fromkeys(one.budget for one in c.losses):
            values = [getattr(of_run[run, budget], part) for run in c.runs]
            if any(map(isfinite, values)):
                far = not any(c.unreached(name) for name in c.measures if at(name) == budget)
                cells = [number(value + 0.0) if far else UNREACHED for value in values]
                columns = (column for cell in cells for column in (cell, "-"))
                yield [f"lost by the {part} at {budget:,g}", *columns]


def _across(c: Comparison, how: str, width: int | None, styled: bool) -> str:
    """Render the table of values and the table of differences."""
    if how == "latex":
        return as_latex(values_table(c))
    tables = [values_table(c)]
    if c.differences:
        tables.append(differences_table(c, worded))
    if how == "md":
        parts = [*c.headline, *(as_markdown(table) for table in tables)]
    else:
        drawn = [as_text(table, width, styled) for table in tables]
        parts = [*_headline(c, width), *drawn[:1], *(against(c) for _ in drawn[1:]), *drawn[1:]]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


# Verdicts of gates --------------------------------------------------------------------------------


def as_md(verdicts: Sequence[Verdict]) -> str:
    """Render verdicts as a Markdown table below a line with the overall result."""
    grouped = any(one.grouping for one in verdicts)
    limited = any(_by_interval(one) for one in verdicts)
    decided = any(one.decision for one in verdicts)
    header = ("run", "measure", *(("group", "topics") if grouped else ()), "before", "now")
    header += (*(("interval of now",) if limited else ()), "drop", "interval", "p")
    header += (*(("decision",) if decided else ()), "verdict")
    rows = []
    for one in verdicts:
        low, high, drop = (value + 0.0 for value in (one.low, one.high, one.drop))  # no -0
        bounds = f"[{low:+.4f}, {high:+.4f}]" if isfinite(low) else "-"
        words: tuple[str, ...] = (one.run, one.rule.measure)
        words += (_group_of(one), str(one.topics)) if grouped else ()
        ends = f"[{number(one.value_low)}, {number(one.value_high)}]"
        ends = ends if isfinite(one.value_low) else "-"
        numbers = (number(one.before), number(one.value), *((ends,) if limited else ()))
        numbers += (f"{drop:+.4f}", bounds)
        result = "pass" if one.passed else f"FAIL: {'; '.join(one.reasons)}"
        decision = (one.decision or "-",) if decided else ()
        if one.of:
            result += _looks(one)
        rows.append((*words, *numbers, probability(one.p), *decision, result))
    failed = sum(not one.passed for one in verdicts)
    verdict = "Gate: passed" if not failed else f"Gate: failed ({failed} of {len(verdicts)})"
    texts = ("run", "measure", "group", "decision", "verdict")
    columns = tuple(place for place, name in enumerate(header) if name in texts)
    table = as_markdown(Table(header, tuple(rows), _below_gate(verdicts), words=columns))
    said = dict.fromkeys(visible(one.sentence) for one in verdicts if one.sentence)
    return "\n\n".join([f"**{verdict}**", *said, table])


def _by_interval(one: Verdict) -> bool:
    limits = (one.rule.floor, one.rule.ceiling)
    return not one.rule.by_mean and limits != (None, None)


def _group_of(one: Verdict) -> str:
    return f"{one.grouping}: {one.group}" if one.grouping else "all topics"


def _below_gate(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Name the worst groups."""
    return tuple(
        f"worst group of {one.grouping} for {one.run} on {one.measure}: {one.group},"
        f" {number(one.value)}"
        for one in worst_groups(verdicts)
    )


def worst_groups(verdicts: Sequence[Verdict]) -> list[WorstGroup]:
    """Return the group in which each run has its worst value, for each measure and grouping."""
    found: dict[tuple[str, str, str], Verdict] = {}
    for one in verdicts:
        if one.grouping and not isnan(one.value):
            key = (one.run, one.rule.measure, one.grouping)
            known = found.setdefault(key, one)
            less = one.rule.less_is_better
            worse = one.value > known.value if less else one.value < known.value
            found[key] = one if worse else known
    return [
        WorstGroup(run, measure, grouping, one.group, one.value)
        for (run, measure, grouping), one in found.items()
    ]


def _looks(one: Verdict) -> str:
    """Describe how many topics a decision at any time took."""
    if one.saved is None:
        return f", not decided after {one.topics} of {one.of} topics"
    return f", decided after {one.topics} of {one.of} topics ({share(one.saved)} saved)"


def as_junit(verdicts: Sequence[Verdict]) -> bytes:
    """Render verdicts as JUnit XML with a test case for each run and measure."""
    failed = sum(not one.passed for one in verdicts)
    suite = ElementTree.Element(
        "testsuite",
        name="spanwise gate",
        tests=str(len(verdicts)),
        failures=str(failed),
        errors="0",
        skipped="0",
    )
    for one in verdicts:
        case = ElementTree.SubElement(
            suite, "testcase", classname=_plain(one.run), name=_plain(_case(one)), time="0"
        )
        if not one.passed:
            message = _plain("; ".join(one.reasons))
            failure = ElementTree.SubElement(case, "failure", message=message, type="regression")
            failure.text = f"before {one.before!r}, now {one.value!r}, {one.topics} topics"
    root = ElementTree.Element("testsuites", tests=str(len(verdicts)), failures=str(failed))
    root.append(suite)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _case(one: Verdict) -> str:
    """Return the name of a test case: the measure, and its group of topics."""
    return f"{one.rule.measure} [{_group_of(one)}]" if one.grouping else one.rule.measure


def gate_as_json(verdicts: Sequence[Verdict]) -> str:
    """Return the verdicts of a gate as JSON."""
    records = [
        {
            "run": one.run,
            "measure": one.rule.measure,
            "before": defined(one.before),
            "now": defined(one.value),
            "drop": defined(one.drop),
            "low": defined(one.low),
            "high": defined(one.high),
            "p": defined(one.p),
            "topics": one.topics,
            "passed": one.passed,
            "reasons": list(one.reasons),
            **({"sentence": one.sentence} if one.sentence else {}),
            **(
                {"value_low": defined(one.value_low), "value_high": defined(one.value_high)}
                if _by_interval(one)
                else {}
            ),
            **(
                {}
                if one.margin is None
                else {"margin": defined(one.margin), "decision": one.decision}
            ),
            **({"grouping": one.grouping, "group": one.group} if one.grouping else {}),
            **({} if not one.of else {"decision": one.decision, "of": one.of, "saved": one.saved}),
        }
        for one in verdicts
    ]
    found: dict[str, Any] = {
        "passed": all(one.passed for one in verdicts),
        "verdicts": records,
    }
    if any(one.grouping for one in verdicts):
        found["worst_groups"] = [
            {"run": w.run, "measure": w.measure, "grouping": w.grouping, "group": w.group}
            for w in worst_groups(verdicts)
        ]
    return json.dumps(found, indent=1) + "\n"


def _plain(text: str) -> str:
    """Replace the characters that XML forbids."""
    return "".join(c if c.isprintable() else "?" for c in text)
