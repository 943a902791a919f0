"""Tables of studies: agreement of assessors, pools, reliability, recall bases.

Tables of agreement and of pools are made from the objects that `--format json` prints.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from spanwise.report.scores import null, shown
from spanwise.report.tables import Table, as_latex, as_markdown, as_text, counted, wrapped

Answer = Mapping[str, Any]


def as_tables(answer: Answer, width: int | None = None) -> str:
    """Return the tables of pairs, all assessors, entry points and rankings."""
    return "\n".join(as_text(table, width) for table in _tables(answer))


def _tables(answer: Answer) -> Iterator[Table]:
    yield _pairs(answer)
    yield _all(answer)
    if any(pair["documents"] for pair in answer["bep"]):
        yield _entries(answer["bep"])
    if answer.get("per_topic"):
        yield _topics(answer["per_topic"])
    for effect in answer.get("ranking", ()):
        yield _means(effect)
        yield _rankings(effect)


def _pairs(answer: Answer) -> Table:
    names = ("overlap", "f1", "kappa", *answer["details"][0]["values"])
    rows = []
    for pair, more in zip(answer["pairs"], answer["details"], strict=True):
        values = {**pair, **more["values"]}
        cells = [_number(values[name]) for name in names]
        rows.append((f"{pair['a']} - {pair['b']}", *cells))
    below = (f"mean over topics: {answer['topics']}, unit: {answer['unit']}",)
    return Table(("assessors", *names), tuple(rows), below)


def _all(answer: Answer) -> Table:
    rows = []
    for name, value in answer["all"].items():
        low, high = answer["intervals"]["all"].get(name) or (None, None)
        rows.append((name, _number(value), _number(low), _number(high)))
    for size, value in answer["overlap_of"].items():
        rows.append((f"overlap of {size} assessors", _number(value), "-", "-"))
    below = ("95 % intervals: topics drawn with replacement; none below 5 topics",)
    return Table(("all assessors", "value", "low", "high"), tuple(rows), below)


def _entries(pairs: Sequence[Answer]) -> Table:
    rows = [
        (
            f"{pair['a']} - {pair['b']}",
            str(pair["documents"]),
            _number(pair["median"], 1),
            *(_number(share) for share in pair["within"].values()),
            _number(pair["chance"], 1),
        )
        for pair in pairs
    ]
    within = tuple(f"within {most}" for most in pairs[0]["within"])
    header = ("best entry points", "documents", "median distance", *within, "by chance")
    return Table(header, tuple(rows), ())


def _topics(lines: Sequence[Answer]) -> Table:
    names = [name for name in lines[0] if name != "topic"]
    rows = tuple((line["topic"], *(_number(line[name]) for name in names)) for line in lines)
    return Table(("topic", *names), rows)


def _means(effect: Answer) -> Table:
    header = (effect["measure"], *effect["judges"])
    rows = tuple(
        (run, *(_number(mean) for mean in means)) for run, means in effect["means"].items()
    )
    return Table(header, rows, (f"topics judged by all: {effect['topics']}",))


def _rankings(effect: Answer) -> Table:
    rows = [
        (
            f"{pair['a']} - {pair['b']}",
            *(_number(pair[name]) for name in ("tau", "tau_ap", "spearman")),
            str(len(pair["swaps"])),
        )
        for pair in effect["pairs"]
    ]
    return Table(
        ("rankings", "tau", "tau_ap", "Spearman", "swaps"), tuple(rows), tuple(_verdict(effect))
    )


def _verdict(effect: Answer) -> Iterator[str]:
    """Yield sentences that summarise the effect on the ranking."""
    swaps = [(pair, swap) for pair in effect["pairs"] for swap in pair["swaps"]]
    for pair, swap in swaps:
        yield (
            f"{swap['better_for_a']} is better for {pair['a']}"
            f" (by {_number(swap['difference_a'])}, p {_number(swap['p_a'], 3)}),"
            f" {swap['better_for_b']} for {pair['b']}"
            f" (by {_number(swap['difference_b'])}, p {_number(swap['p_b'], 3)})"
        )
    mixed = effect["mixtures"]
    yield (
        f"{mixed['count']} mixtures of assessors: mean tau {_number(mixed['tau_mean'])},"
        f" 95 % above {_number(mixed['tau_low'])}, the best run stays the best in"
        f" {100 * mixed['same_best']:.1f} %"
    )
    sure = [swap for _, swap in swaps if min(swap["p_a"], swap["p_b"]) < 0.05]
    if not swaps:
        yield "The disagreement does not change the ranking."
    elif not sure:
        yield "The disagreement swaps runs, but only runs that no assessor separates (p >= 0.05)."
    else:
        yield f"The disagreement changes the ranking: {len(sure)} swaps of p < 0.05."


def _number(value: float | None, digits: int = 4) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


# Pools --------------------------------------------------------------------------------------------

PARTS = ("value", "low", "high", "topics_low", "topics_high")


def check_tables(found: Mapping[str, Any]) -> str:
    """Return a table of runs and their coverage, with the size and cost of the pool."""
    flat = [_with_scores(run) for run in found["runs"]]
    names = [name for name in flat[0] if name != "run"]
    rows = tuple((run["run"], *(_cell(run.get(name)) for name in names)) for run in flat)
    sizes = sorted(found["sizes"].values())
    below = [
        f"pool: {found['topics']} topics, {found['documents']} documents"
        f" ({sizes[0]} to {sizes[-1]} for a topic)",
        f"expected: {found['hours']:.1f} hours at {found['minutes']:g} minutes a document",
        "unique: pooled documents that none of the other runs contributed",
    ]
    if "judged" in found:
        below.insert(1, f"judged: {found['judged']} of them")
    return as_text(Table(("run", *names), rows, tuple(below)))


def _with_scores(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a run, with two for each measure."""
    columns = {name: value for name, value in run.items() if name != "scores"}
    for measure, values in run.get("scores", {}).items():
        columns |= {measure: values["score"], f"{measure} without own": values["without_own"]}
    return columns


def estimate_tables(found: Mapping[str, Any]) -> str:
    """Return tables of the relevant text by topic and of the measures by run."""
    totals = tuple(
        (topic, *(_cell(one[name], 1) for name in PARTS[:3]))
        for topic, one in [*found["relevant"].items(), ("all", found["all"])]
    )
    text = as_text(Table(("topic", "relevant", "low", "high"), totals, ("95 % intervals",)))
    if not found["runs"]:
        return text
    rows = tuple(
        (run["run"], name, *(_cell(value[part]) for part in PARTS))
        for run in found["runs"]
        for name, value in run.items()
        if isinstance(value, Mapping) and "value" in value
    )
    header = ("run", "measure", "mean", "low", "high", "low*", "high*")
    below = (
        f"mean over topics: {found['topics']}",
        "low, high: sampling of documents; low*, high*: sampling of documents and topics",
    )
    return text + "\n" + as_text(Table(header, rows, below))


def _cell(value: float | None, digits: int = 4) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.{digits}f}"


# Reliability of measures --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """The values and ranks of runs under several measures, and the overlap of each run."""

    runs: tuple[str, ...]
    overlap: tuple[float, ...]
    values: Mapping[str, tuple[float, ...]]
    ranks: Mapping[str, tuple[int, ...]]

    def table(self) -> Table:
        """Return a table with a row for each run."""
        rows = [
            (
                run,
                *(f"{shown(self.values[m][row])} ({self.ranks[m][row]})" for m in self.values),
                _percent(self.overlap[row]),
            )
            for row, run in enumerate(self.runs)
        ]
        return Table(("run", *self.values, "overlap %"), tuple(rows))

    def best(self, measure: str, other: str, most: int = 10) -> Table:
        """Return a table of the best runs under a measure, with their ranks under another."""
        order = sorted(range(len(self.runs)), key=lambda row: self.ranks[measure][row])[:most]
        rows = [
            (
                f"{self.ranks[measure][row]} ({self.ranks[other][row]})",
                self.runs[row],
                shown(self.values[measure][row]),
                _percent(self.overlap[row]),
            )
            for row in order
        ]
        header = ("rank", "run", measure, "overlap %")
        return Table(header, tuple(rows), (f"in brackets: rank by {other}",), words=(0, 1))


@dataclass(frozen=True, slots=True)
class Agreement:
    """The correlation of the orders of real runs under two measures."""

    first: str
    second: str
    kendall: float
    tau_ap: float
    rbo: float
    swapped: float


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """The results of a reliability study."""

    simulated: Ranked
    violations: tuple[Any, ...]  # str() describes each
    signature: str
    notes: tuple[str, ...] = ()  # about ignored or missing input
    real: Ranked | None = None
    agreements: tuple[Agreement, ...] = ()
    halves: Mapping[str, float] | None = None  # swaps between halves of the topics, by measure

    def tables(self) -> list[tuple[str, Table]]:
        """Return the titles and tables of the study, in order."""
        found = [("Simulated runs", self.simulated.table())]
        if self.real is None:
            return found
        found.append(("Runs", self.real.table()))
        for one in self.agreements:
            for measure, other in ((one.first, one.second), (one.second, one.first)):
                found.append((f"Best by {measure}", self.real.best(measure, other)))
        if self.agreements:
            found.append(("Agreement of measures", _agreements(self.agreements)))
        if self.halves:
            rows = tuple((name, shown(rate)) for name, rate in self.halves.items())
            found.append(("Two halves of the topics", Table(("measure", "pairs swapped"), rows)))
        return found


def _percent(share: float) -> str:
    return shown(100 * share, 1)


def _agreements(agreements: Sequence[Agreement]) -> Table:
    rows = tuple(
        (one.first, one.second, *map(shown, (one.kendall, one.tau_ap, one.rbo, one.swapped)))
        for one in agreements
    )
    header = ("measure", "and", "Kendall's tau", "tau-AP", "RBO", "pairs swapped")
    return Table(header, rows, words=(0, 1))


def rendered_study(study: Study, layout: str, width: int | None = None) -> str:
    """Render the study as text, Markdown, LaTeX, CSV or JSON."""
    if layout == "json":
        return json.dumps(_as_objects(study), ensure_ascii=False, indent=2) + "\n"
    if layout == "csv":
        return _as_csv(study)
    draw = {"md": as_markdown, "latex": as_latex}.get(layout)
    parts = []
    for title, table in study.tables():
        heading = {"md": f"## {title}\n\n", "latex": f"% {title}\n"}.get(layout, f"{title}\n\n")
        drawn = draw(table) if draw else as_text(table, width)
        parts.append(heading + drawn.rstrip("\n") + "\n")
    footer = [f"{counted(len(study.violations), 'violation')} of the expected orders"]
    footer += [f"- {violation}" for violation in study.violations]
    footer += ["", study.signature, *study.notes]
    begin = "% " if layout == "latex" else ""
    lines = [begin + line if line else "" for text in footer for line in wrapped(text, width)]
    return "\n".join([*parts, *lines]) + "\n"


def _as_csv(study: Study) -> str:
    lines = ["runs,run,measure,value,rank,overlap"]
    for kind, ranked in (("simulated", study.simulated), ("real", study.real)):
        for row, run in enumerate(ranked.runs) if ranked else ():
            assert ranked is not None
            name = '"' + run.replace('"', '""') + '"'
            for measure, values in ranked.values.items():
                rank, overlap = ranked.ranks[measure][row], ranked.overlap[row]
                lines.append(f'{kind},{name},"{measure}",{values[row]!r},{rank},{overlap!r}')
    return "\n".join(lines) + "\n"


def _as_objects(study: Study) -> dict[str, Any]:
    def ranked(one: Ranked | None) -> list[dict[str, Any]]:
        return [
            {
                "run": run,
                "measure": measure,
                "value": null(values[row]),
                "rank": one.ranks[measure][row],
                "overlap": null(one.overlap[row]),
            }
            for row, run in enumerate(one.runs if one else ())
            for measure, values in (one.values if one else {}).items()
            if one is not None
        ]

    return {
        "simulated": ranked(study.simulated),
        "violations": [
            {
                "measure": one.measure,
                "rule": one.rule,
                "better": one.better,
                "worse": one.worse,
                "values": list(one.values),
            }
            for one in study.violations
        ],
        "runs": ranked(study.real),
        "agreements": [
            {
                "measures": [one.first, one.second],
                "kendall": null(one.kendall),
                "tau_ap": null(one.tau_ap),
                "rbo": null(one.rbo),
                "swapped": null(one.swapped),
            }
            for one in study.agreements
        ],
        "halves": {name: null(rate) for name, rate in (study.halves or {}).items()},
        "signature": study.signature,
        "notes": list(study.notes),
    }


# Recall bases -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Entry:
    """A relevant element of a recall base."""

    topic: str
    document: str
    path: str
    value: float
    ideal: bool
    size: int | None  # in characters; None if unknown
    highlighted: int | None


NAMES = tuple(field.name for field in fields(Entry))


def drawn(entries: Sequence[Entry], layout: str, quant: str, width: int | None) -> str:
    """Render the elements as a table, as JSON lines or as CSV."""
    if layout == "jsonl":
        return "".join(json.dumps(asdict(entry)) + "\n" for entry in entries)
    if layout == "csv":
        lines = io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(NAMES)
        writer.writerows([getattr(entry, name) for name in NAMES] for entry in entries)
        return lines.getvalue()
    rows = tuple(tuple(_value_cell(getattr(entry, name)) for name in NAMES) for entry in entries)
    topics = counted(len({entry.topic for entry in entries}), "topic")
    elements = counted(len(entries), "element")
    ideal = sum(entry.ideal for entry in entries)
    below = f"{elements} of {topics}, {ideal} of them ideal; quant={quant}"
    return as_text(Table(NAMES, rows, below=(below,), words=(0, 1, 2)), width)


def _value_cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, float):
        return f"{value:.4f}"
    return "-" if value is None else str(value)
