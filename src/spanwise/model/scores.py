"""What came out: values by topic and measure, their means, and the choices that made them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from pathlib import PurePath
from typing import TYPE_CHECKING

from spanwise.errors import MissingExtra
from spanwise.model.notebook import html_table, number

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from spanwise.model.arrays import FloatArray


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
