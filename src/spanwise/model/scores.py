"""What came out: values by topic and measure, their means, and the choices that made them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
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

    from spanwise.model.arrays import FloatArray


# Results show themselves: as text where there is nothing better, as a table in a notebook. --------
#
# Names come from files, so everything is escaped.


def number(value: float, digits: int = 4) -> str:
    """A number in a table; a dash where it is undefined."""
    return f"{value:.{digits}f}" if isfinite(value) else "-"


def plain_table(header: Sequence[str], rows: Sequence[Sequence[str]], below: Sequence[str]) -> str:
    """Aligned columns, then lines of explanation."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in (header, *rows)]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:], "", *below])


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]], below: Sequence[str]) -> str:
    """The same as HTML."""

    def cells(row: Sequence[str], tag: str) -> str:
        return "".join(f"<{tag}>{safe(cell)}</{tag}>" for cell in row)

    head = f"<thead><tr>{cells(header, 'th')}</tr></thead>"
    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    notes = "".join(f"<div>{safe(line)}</div>" for line in below)
    return f"<table>{head}<tbody>{body}</tbody></table><small>{notes}</small>"


def safe(text: str) -> str:
    """Text that a page shows as it is, whatever stands in it."""
    return escape(text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))


# What came out: values by topic and measure, their means, and the choices that made them. ---------


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The scores of one run. Undefined is not-a-number."""

    run: str
    topics: tuple[str, ...]
    values: Mapping[str, FloatArray]  # for each measure one value per topic
    means: Mapping[str, float]  # for each measure the number for all topics
    counts: Mapping[str, int]  # for each measure the number of topics it is defined for
    signature: str
    notes: tuple[str, ...] = ()  # what was ignored, missing or left open
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # likewise, in words
    source: str = ""  # the file that the run was read from
    facts: Mapping[str, int] = field(default_factory=dict)  # counts of what was read and placed
    sums: frozenset[str] = frozenset()  # the measures whose number for all topics is a total

    @property
    def per_topic(self) -> dict[str, dict[str, float]]:
        """{topic: {measure: value}}."""
        columns = {name: values.tolist() for name, values in self.values.items()}
        return {
            topic: {name: values[row] for name, values in columns.items()}
            for row, topic in enumerate(self.topics)
        }

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The same as `per_topic`, as pytrec_eval gives it."""
        return self.per_topic

    def rows(self) -> Iterator[tuple[str, str, float | None]]:
        """Topic, measure, value: topic by topic; None is undefined."""
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
    """The scores of several runs by their names, with the exports of a single run's."""

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
        """Return {run: {measure: mean}}."""
        return {run: dict(scores.means) for run, scores in self.items()}

    @property
    def per_topic(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return {run: {topic: {measure: value}}}."""
        return {run: scores.per_topic for run, scores in self.items()}

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """Return {run: {measure: number of topics for which it is defined}}."""
        return {run: dict(scores.counts) for run, scores in self.items()}

    @property
    def signature(self) -> str:
        """Return the choices that made the scores; they are the same for all runs."""
        return next((scores.signature for scores in self.values()), "")

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the notes of all runs, each behind the name of its run."""
        return tuple(f"{run}: {note}" for run, one in self.items() for note in one.notes)

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return the same as `per_topic`."""
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
        """Return the means as text, a row for each run."""
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
    """Draw a picture of scores; pictures are a workflow, which is looked up when it is needed."""
    from importlib import import_module

    return import_module("spanwise.workflows.plot").plot(kind, scores, **options)


# Names ------------------------------------------------------------------------------------------


def printable(topic: str) -> str:
    """Bytes that are not UTF-8 are escaped where a library insists on Unicode."""
    return topic.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def run_names(results: Sequence[Scores]) -> list[str]:
    """Return names for runs of which no two are equal.

    Runs of one name are called by the shortest part of their path that tells them apart: the name
    of the file without its extension, the name, or the last folders with it. What is the same file
    gets a number.
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
    """Return the shortest parts of paths that differ, and differ from other names."""
    if not all(files) or len(set(files)) == 1:
        return None
    paths = [PurePath(file) for file in files]
    depth = max(len(path.parts) for path in paths)
    stems = [path.name.partition(".")[0] or path.name for path in paths]
    parts = [["/".join(path.parts[-n:]) for path in paths] for n in range(1, depth + 1)]
    fits = (some for some in (stems, *parts) if len(set(some)) == len(set(files)))
    return next((some for some in fits if not others & set(some)), None)


# Scores together with what they were made of, so that they can be made again. ---------------------


@dataclass(frozen=True, slots=True)
class Source:
    """A file or folder that was read, and a hash of what stood in it."""

    path: str
    sha256: str | None = None  # None: it was read from standard input


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a run's scores were made of: the inputs, the choices, the version."""

    judgements: Source
    run: Source
    collection: Source | None = None
    measures: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)  # profile, task, policy, formats
    spanwise: str = __version__


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """What a file of results holds: runs, each with its provenance if it is known."""

    file: str
    scores: tuple[Scores, ...]
    made: tuple[Provenance | None, ...]
