"""What came out: values by topic and measure, their means, and the choices that made them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from html import escape
from math import isfinite, isnan
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import InputError, MissingExtra
from spanwise.model.columns import text
from spanwise.model.notes import Note, added, within
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
        """A frame with the columns topic, measure, value."""
        import polars as pl

        schema = {"topic": pl.String, "measure": pl.String, "value": pl.Float64}
        rows = [(printable(topic), name, value) for topic, name, value in self.rows()]
        return pl.DataFrame(rows, schema=schema, orient="row")

    def to_pandas(self) -> pd.DataFrame:
        """A frame with the columns topic, measure, value."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtra("pandas", "pandas", "to_pandas()") from None
        rows = [(printable(topic), name, value) for topic, name, value in self.rows()]
        frame = pd.DataFrame(rows, columns=["topic", "measure", "value"])
        return frame.astype({"value": "float64"})  # also where everything is undefined

    def to_arrow(self) -> pa.Table:
        """A table with the columns topic, measure, value."""
        try:
            import pyarrow as pa
        except ImportError:
            raise MissingExtra("pyarrow", "arrow", "to_arrow()") from None
        rows = list(self.rows())
        columns = list(zip(*rows, strict=True)) or [(), (), ()]
        return pa.table(
            {
                "topic": pa.array(map(printable, columns[0]), pa.string()),
                "measure": pa.array(columns[1], pa.string()),
                "value": pa.array(columns[2], pa.float64()),
            }
        )

    def _repr_html_(self) -> str:
        rows = [[name, number(mean), str(self.counts[name])] for name, mean in self.means.items()]
        return html_table(["measure", self.run, "topics"], rows, [self.signature, *self.notes])

    def __repr__(self) -> str:
        means = ", ".join(f"{name} {value:.4f}" for name, value in self.means.items())
        return f"<Scores of {self.run!r}: {means}; {self.signature}>"


def printable(topic: str) -> str:
    """Bytes that are not UTF-8 are escaped where a library insists on Unicode."""
    return topic.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def run_names(results: Sequence[Scores]) -> list[str]:
    """What the runs are called: no two alike.

    Where two have one name, the name of the file stands beside it; where that is the same too, the
    whole path, and at last a number.
    """
    names = [scores.run for scores in results]
    for more in (lambda s: PurePath(s.source).name, lambda s: s.source):
        count = Counter(names)
        names = [
            f"{scores.run} ({more(scores)})" if count[name] > 1 and more(scores) else name
            for name, scores in zip(names, results, strict=True)
        ]
    count, seen = Counter(names), Counter[str]()
    for place, name in enumerate(names):
        seen[name] += 1
        if count[name] > 1:
            names[place] = f"{name} #{seen[name]}"
    return names


# Values of some topics of a run, before they are summed up; several can be put together. ----------

Values = dict[str, Any]
"""For each measure one value per topic."""


class Scattered(InputError):
    """Pieces of a run do not fit together: one topic's results stand in several of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What is known of a run, or of a piece of it, once its topics have been measured.

    Plain data. `joined` is associative, and putting pieces together says the same as measuring
    the whole.
    """

    run: str  # its name
    source: str  # its file
    shape: tuple[Any, ...]  # what its results are: documents, spans, elements; counted in what
    answered: frozenset[bytes]  # the topics that it has results for
    judged: frozenset[bytes]  # those that were judged, as far as this piece was to look at them
    topics: tuple[bytes, ...]  # those that were measured, in byte order
    values: Values
    placing: tuple[Note, ...] = ()  # found while things were placed
    measuring: tuple[Note, ...] = ()  # found while they were measured


def joined(pieces: Sequence[Measured], *, in_order: bool = True) -> Measured:
    """Pieces of a run as one: in the order in which they stand in it, or the last one last."""
    if len(pieces) == 1:
        return pieces[0]
    _refuse_scattered(pieces)
    owner: dict[bytes, tuple[int, int]] = {}  # where the value of each topic is to be had
    for number, piece in enumerate(pieces):
        for row, topic in enumerate(piece.topics):
            if topic not in owner or topic in piece.answered:
                owner[topic] = number, row
    topics = tuple(sorted(owner))
    valued = [number for number, piece in enumerate(pieces) if piece.topics]
    begins = dict(
        zip(valued, np.cumsum([0, *(len(pieces[n].topics) for n in valued)]), strict=False)
    )
    order = np.array([begins[n] + row for n, row in map(owner.__getitem__, topics)], np.int64)
    names = pieces[valued[0]].values if valued else ()
    return Measured(
        pieces[-1].run,
        pieces[0].source,
        pieces[0].shape,
        frozenset().union(*(piece.answered for piece in pieces)),
        frozenset().union(*(piece.judged for piece in pieces)),
        topics,
        {name: np.concatenate([pieces[n].values[name] for n in valued])[order] for name in names},
        tuple(reduce(added, _numbered([piece.placing for piece in pieces], in_order))),
        tuple(reduce(added, (piece.measuring for piece in pieces))),
    )


def _numbered(notes: Sequence[tuple[Note, ...]], in_order: bool) -> Iterable[Sequence[Note]]:
    """Lines are counted from the beginning of each piece, unless pieces are not in order."""
    return [within(some, number) for number, some in enumerate(notes)] if in_order else notes


def _refuse_scattered(pieces: Sequence[Measured]) -> None:
    seen: set[bytes] = set()
    for piece in pieces:
        again = seen & piece.answered
        if again:
            raise Scattered(f"{piece.source}: topic {text(min(again))!r} is in several pieces")
        if piece.shape != pieces[0].shape:
            raise Scattered(f"{piece.source}: results of different kinds")
        seen |= piece.answered


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
