"""Writing INEX submissions: what each form can hold, and how it looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanwise.formats.returned import (
    Result,
    number,
    places,
    results_at,
    topics_of,
)
from spanwise.formats.xml_out import DECLARATION, escaped, tag
from spanwise.model import holdings
from spanwise.model.ids import text
from spanwise.model.spans import UNKNOWN

if TYPE_CHECKING:
    from spanwise.model.arrays import BoolArray, IntArray
    from spanwise.model.run import Run

ROOT_PATH = "/article[1]"
"""Every document of the campaigns is an article: so a whole document has a path."""
WHOLE = f"whole documents, written as {ROOT_PATH}"
KINDS = {
    "path": holdings.PATHS,
    "passage": holdings.RANGES,
    "fol": holdings.SPANS,
    "lost": holdings.LOST,
    "whole": WHOLE,
}


@dataclass(frozen=True, slots=True)
class Shape:
    """How the submissions of some years look."""

    attributes: tuple[str, ...]
    fields: bool = True  # whether it says which parts of a topic were used
    points: tuple[str, ...] = ("path",)  # how a result may be placed
    root: str = "inex-submission"
    descriptions: tuple[str, ...] = ("description",)
    collections: bool = True

    def loses(self, run: Run) -> Mapping[str, int]:
        """What of a run does not fit, counted by kind."""
        counts = {
            KINDS[place]: int(np.count_nonzero(flags))
            for place, flags in places(run).items()
            if place not in self.points
        }
        counts |= holdings.of_chunks(run) | {holdings.PLACED: _placed_too(run)}
        known = set(map(text, run.rows.topics))
        counts[holdings.HEADER] = sum(not self._keeps(key, known) for key in run.header or ())
        return holdings.without(counts)

    def _keeps(self, key: str, topics: set[str]) -> bool:
        """Whether an entry of the header has a place."""
        if key.startswith("topic/"):
            topic, _, name = key.removeprefix("topic/").rpartition("/")
            return topic in topics and (name == "collections") == self.collections
        if key.startswith("topic-fields/"):
            return self.fields
        if key == "collections":
            return self.collections
        return key in self.attributes or key in self.descriptions

    def write(self, run: Run) -> Iterator[bytes]:
        """The file, topic by topic."""
        header = run.header or {}
        said = {key: header[key] for key in self.attributes if key in header}
        if "run-id" not in said:
            said = {"run-id": run.name, **said}
        yield (DECLARATION + tag(self.root, said) + "\n" + self._head(header)).encode()
        holds = self._holds(run)
        for topic, rows in topics_of(run):
            yield self._topic(run, topic, rows[holds[rows]], header).encode()
        yield f"</{self.root}>\n".encode()

    def _holds(self, run: Run) -> BoolArray:
        found = places(run)
        return np.logical_or.reduce([found[place] for place in (*self.points, "whole")])

    def _head(self, header: Mapping[str, str]) -> str:
        lines = []
        fields = {
            key.removeprefix("topic-fields/"): value
            for key, value in header.items()
            if key.startswith("topic-fields/")
        }
        if fields and self.fields:
            lines.append(tag("topic-fields", fields, empty=True))
        lines += [
            f"<{name}>{escaped(header[name])}</{name}>"
            for name in self.descriptions
            if name in header
        ]
        if self.collections:
            lines += _collections(header.get("collections", ""))
        return "".join(f"{line}\n" for line in lines)

    def _topic(self, run: Run, topic: bytes, rows: IntArray, header: Mapping[str, str]) -> str:
        start = f"topic/{text(topic)}/"
        said = {
            key.removeprefix(start): value for key, value in header.items() if key.startswith(start)
        }
        collections = said.pop("collections", "")
        named = {"topic-id": text(topic), **({} if self.collections else said)}
        lines = [tag("topic", named)]
        if self.collections:
            lines += _collections(collections)
        lines += [_result(result) for result in results_at(run, rows)]
        return "\n".join([*lines, "</topic>\n"])


def _placed_too(run: Run) -> int:
    """How many results have offsets beside their paths: a place is said once."""
    if run.paths is None or run.spans is None:
        return 0
    return int(np.count_nonzero(holdings.filled(run.paths) & (run.spans.starts != UNKNOWN)))


def _collections(names: str) -> list[str]:
    if not names:
        return []
    inside = "".join(f"<collection>{escaped(name)}</collection>" for name in names.split())
    return [f"<collections>{inside}</collections>"]


def _result(result: Result) -> str:
    parts = [f"<file>{escaped(text(result.document))}</file>"]
    if result.end:
        said = {"start": text(result.path), "end": text(result.end)}
        parts.append(tag("passage", said, empty=True))
    elif result.path:
        parts.append(f"<path>{escaped(text(result.path))}</path>")
    elif result.start is not None:
        parts.append(tag("fol", {"offset": result.start, "length": result.length}, empty=True))
    else:
        parts.append(f"<path>{ROOT_PATH}</path>")
    if result.rank is not None:
        parts.append(f"<rank>{number(result.rank)}</rank>")
    if result.score is not None:
        parts.append(f"<rsv>{number(result.score)}</rsv>")
    return f"<result>{''.join(parts)}</result>"


NAMED = ("participant-id", "run-id", "task", "query")
SHAPES = {
    "inex_submission_2002": Shape((*NAMED, "topic-part"), fields=False),
    "inex_submission_2005": Shape((*NAMED, "submission-type")),
    "inex_submission_2006": Shape(NAMED),
    "inex_submission_2007": Shape((*NAMED, "result-type"), points=("path", "passage", "fol")),
    "inex_efficiency": Shape(
        (
            "participant-id",
            "run-id",
            "task",
            "type",
            "query",
            "sequential",
            "no_cpu",
            "ram",
            "no_nodes",
            "hardware_cost",
            "hardware_year",
            "topk",
            "index_size_bytes",
            "indexing_time_sec",
        ),
        root="efficiency-submission",
        descriptions=(
            "general_description",
            "ranking_description",
            "indexing_description",
            "caching_description",
        ),
        collections=False,
    ),
}
