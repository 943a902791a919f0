"""Scores of runs: values by topic, means, and the choices that the numbers depend on.

`Scores` holds one run and `ScoreTable` several; both export the columns run, topic, measure and
value. `Results` is the content of a file of results: scores with the provenance that is needed to
compute them again. Functions that lay out tables as text and HTML are shared with comparisons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from math import isfinite, isnan, nan
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from spanwise.errors import MissingExtra
from spanwise.version import __version__

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from spanwise.model.arrays import BoolArray, FloatArray

# Scores -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Repeats:
    """Values of the repeated runs of one system."""

    count: int
    values: Mapping[str, FloatArray]  # of each measure: a row per topic, a column per repeat
    consistency: float  # mean rank-biased overlap of pairs of rankings; nan if unknown


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Scores of one run; an undefined value is not-a-number."""

    run: str
    topics: tuple[str, ...]
    values: Mapping[str, FloatArray]  # of each measure, one per topic
    means: Mapping[str, float]  # of each measure, the aggregate over topics
    counts: Mapping[str, int]  # of each measure, the number of topics for which it is defined
    signature: str
    notes: tuple[str, ...] = ()  # on what was ignored, missing or undefined
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of measures with text
    source: str = ""  # the file that the run was read from
    facts: Mapping[str, int] = field(
        default_factory=dict
    )  # counts of results that were read and placed
    sums: frozenset[str] = frozenset()  # the measures whose aggregate is a sum
    returned: FloatArray | None = None  # of each topic, in the unit of budgets; None if unknown
    budgets: Mapping[str, float] = field(default_factory=dict)  # of the measures that have one
    repeats: Repeats | None = None  # whose means the values are; None: a single run

    def reached(self, measure: str) -> BoolArray | None:
        """Return the topics in which the run reaches the budget of a measure.

        A topic for which the measure is undefined is none of them. The result is None if the
        measure has no budget, or if it is unknown how much was returned.
        """
        budget = self.budgets.get(measure)
        if budget is None or self.returned is None:
            return None
        enough: BoolArray = (self.returned >= budget) & (
            self.values[measure] == self.values[measure]
        )
        return enough

    def reach(self, measure: str) -> int | None:
        """Return the number of topics in which the run reaches the budget of a measure."""
        reached = self.reached(measure)
        return None if reached is None else int(reached.sum())

    def far(self, measure: str) -> bool:
        """Tell whether the budget of a measure is reached in at least half of its topics."""
        reach = self.reach(measure)
        return reach is None or 2 * reach >= self.counts[measure]

    def short(self, measure: str) -> bool:
        """Tell whether there are topics in which the budget of a measure is not reached."""
        reach = self.reach(measure)
        return reach is not None and reach < self.counts[measure]

    @property
    def end(self) -> float:
        """The largest amount that the run returns in at least half of the topics."""
        if self.returned is None or not self.budgets:
            return nan
        column = self.values[next(name for name in self.budgets if name in self.values)]
        amounts = sorted(self.returned[column == column].tolist(), reverse=True)
        return amounts[(len(amounts) - 1) // 2] if amounts else nan

    @property
    def per_topic(self) -> dict[str, dict[str, float]]:
        """Return the values as {topic: {measure: value}}."""
        columns = {name: values.tolist() for name, values in self.values.items()}
        return {
            topic: {name: values[row] for name, values in columns.items()}
            for row, topic in enumerate(self.topics)
        }

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return the values as {topic: {measure: value}}, the layout of pytrec_eval."""
        return self.per_topic

    def rows(self) -> Iterator[tuple[str, str, float | None]]:
        """Yield topic, measure and value, topic by topic; an undefined value is None."""
        columns = {name: values.tolist() for name, values in self.values.items()}
        for row, topic in enumerate(self.topics):
            for name, values in columns.items():
                value = values[row]
                yield topic, name, None if isnan(value) else value

    def to_polars(self) -> pl.DataFrame:
        """Return a frame with the columns run, topic, measure, value."""
        return _to_polars([self])

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with the columns run, topic, measure, value."""
        return _to_pandas([self])

    def to_arrow(self) -> pa.Table:
        """Return a table with the columns run, topic, measure, value."""
        return _to_arrow([self])

    def plot(self, kind: str, **options: Any) -> Any:
        """Draw a picture of these scores, such as "scatter"; see `spanwise.plot`."""
        return plotted(kind, [self], **options)

    def _repr_html_(self) -> str:
        rows = [[name, number(mean), str(self.counts[name])] for name, mean in self.means.items()]
        return html_table(["measure", self.run, "topics"], rows, [self.signature, *self.notes])

    def __repr__(self) -> str:
        means = ", ".join(f"{name} {value:.4f}" for name, value in self.means.items())
        return f"<Scores of {self.run!r}: {means}; {self.signature}>"


class ScoreTable(Mapping[str, Scores]):
    """Scores of several runs by name, with the same exports as those of one run."""

    def __init__(self, scores: Iterable[Scores]) -> None:
        self._scores = {one.run: one for one in scores}

    def __getitem__(self, run: str) -> Scores:
        return self._scores[run]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    @property
    def means(self) -> dict[str, dict[str, float]]:
        """Return the means as {run: {measure: mean}}."""
        return {run: dict(scores.means) for run, scores in self.items()}

    @property
    def per_topic(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return the values as {run: {topic: {measure: value}}}."""
        return {run: scores.per_topic for run, scores in self.items()}

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """Return the number of topics with a defined value as {run: {measure: number}}."""
        return {run: dict(scores.counts) for run, scores in self.items()}

    @property
    def signature(self) -> str:
        """Return the choices that the scores depend on; they are the same for all runs."""
        return next((scores.signature for scores in self.values()), "")

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the notes of all runs, each prefixed with the name of its run."""
        return tuple(f"{run}: {note}" for run, one in self.items() for note in one.notes)

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return the values as {run: {topic: {measure: value}}}."""
        return self.per_topic

    def to_polars(self) -> pl.DataFrame:
        """Return a frame with the columns run, topic, measure, value."""
        return _to_polars(self.values())

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with the columns run, topic, measure, value."""
        return _to_pandas(self.values())

    def to_arrow(self) -> pa.Table:
        """Return a table with the columns run, topic, measure, value."""
        return _to_arrow(self.values())

    def plot(self, kind: str, **options: Any) -> Any:
        """Draw a picture of these scores, such as "differences"; see `spanwise.plot`."""
        return plotted(kind, list(self.values()), **options)

    def table(self) -> str:
        """Return the means as a text table with a row for each run."""
        return plain_table(*self._cells(), [self.signature, *self.notes])

    def _repr_html_(self) -> str:
        return html_table(*self._cells(), [self.signature, *self.notes])

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        names = list(dict.fromkeys(name for scores in self.values() for name in scores.means))
        rows = [
            [run, *(number(scores.means.get(name, nan)) for name in names)]
            for run, scores in self.items()
        ]
        return ["run", *names], rows

    def __repr__(self) -> str:
        measures = list(dict.fromkeys(name for one in self.values() for name in one.means))
        return f"<ScoreTable of {len(self)} runs in {', '.join(measures)}>"


# Scores with their provenance -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Source:
    """A file or folder that was read, with a hash of its content."""

    path: str
    sha256: str | None = None  # None: it was read from standard input


@dataclass(frozen=True, slots=True)
class Provenance:
    """The inputs, choices and version that the scores of a run were computed from."""

    judgements: Source
    run: Source
    collection: Source | None = None
    measures: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)  # profile, task, policy, formats
    spanwise: str = __version__
    topics: Source | None = None  # with the structure that they ask for


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """The content of a file of results: runs, each with its provenance if known."""

    file: str
    scores: tuple[Scores, ...]
    made: tuple[Provenance | None, ...]


# Reading budgets that are not reached -----------------------------------------------------------

SHORT = "§"
"""Mark of a mean at a budget that is not reached on every topic."""
UNREACHED = "not reached"


def unreached(results: Sequence[Scores], measure: str) -> bool:
    """Tell whether no run reaches the budget of a measure in half of the topics."""
    asked = [one for one in results if measure in one.values]
    return bool(asked) and not any(one.far(measure) for one in asked)


def on_reach(results: Sequence[Scores], names: Sequence[str]) -> list[str]:
    """Return the lines of a footer that tell which budgets each run reaches, and where it ends."""
    lines = []
    for name, one in zip(names, results, strict=True):
        found: dict[float, tuple[int, int]] = {}
        for measure, budget in sorted(one.budgets.items(), key=lambda item: item[1]):
            reach = one.reach(measure) if measure in one.values and one.short(measure) else None
            if reach is not None:
                found.setdefault(budget, (reach, one.counts[measure]))
        if found:
            parts = [
                f"{budget:,g} in {reach} of {count} topics"
                for budget, (reach, count) in found.items()
            ]
            lines.append(
                f"{SHORT} {name} reaches the budget of {', '.join(parts)};"
                f" half of its topics return {one.end:,.0f} or more"
            )
    return lines


# Names ------------------------------------------------------------------------------------------


def printable(topic: str) -> str:
    """Return a name that is valid Unicode: bytes that are not UTF-8 are escaped."""
    return topic.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def run_names(results: Sequence[Scores]) -> list[str]:
    """Return a distinct name for each run.

    Runs with equal names get the shortest part of their paths that distinguishes them: the file
    name without extension, the file name, or the file name with its last folders. Runs from the
    same file are numbered.
    """
    names = [scores.run for scores in results]
    for name, count in Counter(names).items():
        if count > 1:
            same = [place for place, one in enumerate(names) if one == name]
            others = {one for one in names if one != name}
            parts = _parts_of_paths([results[place].source for place in same], others)
            for place, part in zip(same, parts or [name] * count, strict=True):
                names[place] = part
    again, seen = Counter(names), Counter[str]()
    for place, name in enumerate(names):
        seen[name] += 1
        if again[name] > 1:
            names[place] = f"{name} #{seen[name]}"
    return names


def _parts_of_paths(files: Sequence[str], others: set[str]) -> list[str] | None:
    """Return the shortest parts of paths that differ from each other and from `others`."""
    if not all(files) or len(set(files)) == 1:
        return None
    paths = [PurePath(file) for file in files]
    depth = max(len(path.parts) for path in paths)
    stems = [path.name.partition(".")[0] or path.name for path in paths]
    parts = [["/".join(path.parts[-n:]) for path in paths] for n in range(1, depth + 1)]
    fits = (some for some in (stems, *parts) if len(set(some)) == len(set(files)))
    return next((some for some in fits if not others & set(some)), None)


# Tables as text and HTML ------------------------------------------------------------------------


def number(value: float, digits: int = 4) -> str:
    """Return a number as tables show it: a dash where it is undefined."""
    return f"{value:.{digits}f}" if isfinite(value) else "-"


def plain_table(header: Sequence[str], rows: Sequence[Sequence[str]], below: Sequence[str]) -> str:
    """Return rows as aligned columns of text, followed by lines of notes."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in (header, *rows)]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:], "", *below])


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]], below: Sequence[str]) -> str:
    """Return rows as an HTML table, followed by lines of notes."""

    def cells(row: Sequence[str], tag: str) -> str:
        return "".join(f"<{tag}>{safe(cell)}</{tag}>" for cell in row)

    head = f"<thead><tr>{cells(header, 'th')}</tr></thead>"
    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    notes = "".join(f"<div>{safe(line)}</div>" for line in below)
    return f"<table>{head}<tbody>{body}</tbody></table><small>{notes}</small>"


def safe(text: str) -> str:
    """Return text escaped for HTML; names come from files and may contain anything."""
    return escape(text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))


# Exports ----------------------------------------------------------------------------------------

COLUMNS = ("run", "topic", "measure", "value")


def _rows(several: Iterable[Scores]) -> list[tuple[str, str, str, float | None]]:
    return [
        (printable(scores.run), printable(topic), name, value)
        for scores in several
        for topic, name, value in scores.rows()
    ]


def _to_polars(several: Iterable[Scores]) -> pl.DataFrame:
    import polars as pl

    kinds = (pl.String, pl.String, pl.String, pl.Float64)
    schema = dict(zip(COLUMNS, kinds, strict=True))
    return pl.DataFrame(_rows(several), schema=schema, orient="row")


def _to_pandas(several: Iterable[Scores]) -> pd.DataFrame:
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtra("pandas", "pandas", "to_pandas()") from None
    frame = pd.DataFrame(_rows(several), columns=list(COLUMNS))
    return frame.astype({"value": "float64"})  # also where everything is undefined


def _to_arrow(several: Iterable[Scores]) -> pa.Table:
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtra("pyarrow", "arrow", "to_arrow()") from None
    columns = list(zip(*_rows(several), strict=True)) or [()] * len(COLUMNS)
    kinds = (pa.string(), pa.string(), pa.string(), pa.float64())
    arrays = map(pa.array, columns, kinds)
    return pa.table(dict(zip(COLUMNS, arrays, strict=True)))


def plotted(kind: str, scores: Sequence[Scores], **options: Any) -> Any:
    """Draw a picture of scores with the workflow of pictures, which is imported on use."""
    from importlib import import_module

    return import_module("spanwise.workflows.plot").plot(kind, scores, **options)


# Findings of studies ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Findings(Mapping[str, Any]):
    """The findings of a study: a mapping as JSON has it, which prints as tables."""

    study: str
    data: Mapping[str, Any]
    draw: Callable[[], str] = field(repr=False)

    def __getitem__(self, name: str) -> Any:
        return self.data[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)

    def to_dict(self) -> dict[str, Any]:
        """Return the same as `--format json` prints."""
        return dict(self.data)

    def __str__(self) -> str:
        return self.draw()

    def __repr__(self) -> str:
        return f"<Findings of {self.study}: {', '.join(self.data)}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.draw())}</pre>"
