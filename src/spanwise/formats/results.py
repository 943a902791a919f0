"""Result files: values by topic, means, and their provenance.

JSON lines have the form that `--format jsonl` prints: objects with run, topic, measure and value,
first for each topic, then for `all`. The lines for `all` also have `topics` (the number behind the
mean), `signature`, `notes`, and, with the first measure of each run, `made`: the inputs with their
hashes, the choices and the version. For measures at reading budgets, they also have `budgets`, and
how much was `returned` for each topic. Parquet files have the same four columns, and the rest in
their metadata, as JSON under the key `spanwise`.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from io import BytesIO
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import FormatError
from spanwise.formats.io.files import PACKED, PARQUET, STDIN, chunks
from spanwise.model.scores import Provenance, Results, Scores, Source, printable

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray

ALL = "all"
ROWS_AT_ONCE = 1 << 18
"""Number of Parquet rows that are read together."""
FIELDS = ("run", "topic", "measure", "value")
WHOLE = "a file written by `spanwise eval -o`"
EXPECTED = 'lines like {"run": "bm25", "topic": "q1", "measure": "AP", "value": 0.5}'


# Writing -----------------------------------------------------------------------------------------


def results_jsonl(results: Results) -> bytes:
    """Return results as JSON lines."""
    lines = [json.dumps(record) + "\n" for record in _records(results)]
    return "".join(lines).encode()


def results_parquet(results: Results) -> bytes:
    """Return results as a Parquet file."""
    import polars as pl

    records = list(_records(results))
    rows = [[printable(one["run"]), printable(one["topic"]), one["measure"], one["value"]]
            for one in records]  # fmt: skip
    more = [one for one in records if one["topic"] == ALL]
    schema = {"run": pl.String, "topic": pl.String, "measure": pl.String, "value": pl.Float64}
    buffer = BytesIO()
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    frame.write_parquet(buffer, metadata={"spanwise": json.dumps(more)})
    return buffer.getvalue()


def _records(results: Results) -> Iterator[dict[str, Any]]:
    for scores, made in zip(results.scores, results.made, strict=True):
        for topic, measure, value in scores.rows():
            yield {"run": scores.run, "topic": topic, "measure": measure, "value": value}
        for number, (measure, mean) in enumerate(scores.means.items()):
            line: dict[str, Any] = {"run": scores.run, "topic": ALL, "measure": measure}
            line["value"] = None if isnan(mean) else mean
            line |= {"topics": scores.counts[measure], "signature": scores.signature}
            line |= {"notes": list(scores.notes)} if scores.notes and not number else {}
            line |= {"made": asdict(made)} if made is not None and not number else {}
            if scores.returned is not None and scores.budgets and not number:
                line |= {"returned": scores.returned.tolist(), "budgets": dict(scores.budgets)}
            yield line


# Reading -----------------------------------------------------------------------------------------


def holds_results(file: str) -> bool:
    """Return whether a file contains results, judged by its content."""
    path = Path(file)
    if file == STDIN or not path.is_file():
        return False
    with path.open("rb") as stream:
        start = stream.read(1 << 16)
    if start.startswith(PARQUET):
        import polars as pl

        try:
            return set(FIELDS) <= set(pl.read_parquet_schema(file))
        except Exception:  # polars has several kinds; read_results reports what is wrong
            return False
    if not start.startswith((b"{", *PACKED)):
        return False
    first = next(iter(chunks(file)), b"").split(b"\n", 1)[0]
    return _is_result(first)


def _is_result(line: bytes) -> bool:
    try:
        record = json.loads(line)
    except ValueError:
        return False
    return isinstance(record, dict) and set(FIELDS) <= set(record)


def read_results(file: str) -> Results:
    """Read the scores in a file, run by run."""
    try:
        with Path(file).open("rb") as stream:
            columnar = stream.read(4) == PARQUET
    except OSError as error:
        raise FormatError(file, None, f"cannot be opened ({error.strerror})", "") from error
    records = _parquet_records(file) if columnar else _json_records(file)
    runs: dict[str, _RunLines] = {}
    for record in records:
        runs.setdefault(record["run"], _RunLines()).take(record)
    scores = tuple(_scores(file, run, lines) for run, lines in runs.items())
    made = tuple(_provenance(file, lines.last) for lines in runs.values())
    return Results(file, scores, made)


class _RunLines:
    """The lines of one run, stored as arrays so that memory can hold many."""

    def __init__(self) -> None:
        self.topics: dict[str, int] = {}
        self.last: list[dict[str, Any]] = []  # the lines for all topics
        self.twice: tuple[str, str] | None = None
        self._values: dict[str, array[float]] = {}
        self._there: dict[str, bytearray] = {}

    def take(self, record: dict[str, Any]) -> None:
        """Add the next line of the run."""
        topic, measure = record["topic"], record["measure"]
        if topic == ALL:
            if any(one["measure"] == measure for one in self.last):
                self.twice = self.twice or (topic, measure)
            self.last.append(record)
            return
        row = self.topics.setdefault(topic, len(self.topics))
        values = self._values.setdefault(measure, array("d"))
        there = self._there.setdefault(measure, bytearray())
        missing = row + 1 - len(values)
        if missing > 0:
            values.extend([float("nan")] * missing)
            there.extend(bytes(missing))
        if there[row]:
            self.twice = self.twice or (topic, measure)
        values[row], there[row] = _number(record["value"]), 1

    def column(self, measure: str) -> FloatArray:
        """Return the values of a measure, topic by topic."""
        column = np.full(len(self.topics), np.nan)
        known = np.array(self._values.get(measure, ()), np.float64)
        column[: len(known)] = known
        return column


def _json_records(file: str) -> Iterator[dict[str, Any]]:
    number = 0
    for piece in chunks(file):
        for line in piece.splitlines():
            number += 1
            if not _is_result(line):
                shown = line[:60].decode("utf-8", "backslashreplace")
                raise FormatError(file, number, f"found {shown!r}", EXPECTED)
            record = json.loads(line)
            _check_types(record, file, number)
            yield record


def _check_types(record: dict[str, Any], file: str, number: int) -> None:
    value = record["value"]
    names = all(isinstance(record[name], str) for name in FIELDS[:3])
    if not names or isinstance(value, bool) or not isinstance(value, int | float | None):
        raise FormatError(file, number, f"found {json.dumps(record)[:60]}", EXPECTED)


def _parquet_records(file: str) -> Iterator[dict[str, Any]]:
    import polars as pl

    try:
        more = json.loads(pl.read_parquet_metadata(file).get("spanwise", "[]"))
        extras = {(one["run"], one["measure"]): one for one in more}
        table = pl.scan_parquet(file).select(FIELDS)
        count = table.select(pl.len()).collect().item()
    except Exception as error:  # polars has several kinds
        found = f"not a Parquet file of results ({str(error)[:80]})"
        raise FormatError(file, None, found, WHOLE) from error
    some = (table.slice(first, ROWS_AT_ONCE).collect() for first in range(0, count, ROWS_AT_ONCE))
    for record in (record for part in some for record in part.iter_rows(named=True)):
        extra = extras.get((record["run"], record["measure"]), {}) if record["topic"] == ALL else {}
        yield {**extra, **record}


def _scores(file: str, run: str, lines: _RunLines) -> Scores:
    means = {one["measure"]: _number(one["value"]) for one in lines.last}
    if not means:
        raise FormatError(file, None, f"run {run!r} has no line for {ALL!r}", "a complete file")
    if not lines.topics:
        raise FormatError(
            file,
            None,
            f"run {run!r} has no values for single topics",
            "a file made with -o RESULTS.jsonl, or with -q --format jsonl",
        )
    _refuse_twice(file, run, lines.twice)
    values = {measure: lines.column(measure) for measure in means}
    return Scores(
        run=run,
        topics=tuple(lines.topics),
        values=values,
        means=means,
        counts={m: int(np.count_nonzero(~np.isnan(column))) for m, column in values.items()},
        signature=next((one["signature"] for one in lines.last if "signature" in one), "unknown"),
        notes=tuple(next((one["notes"] for one in lines.last if "notes" in one), ())),
        source=file,
        returned=_returned(file, run, lines),
        budgets=next((one["budgets"] for one in lines.last if "budgets" in one), {}),
    )


def _returned(file: str, run: str, lines: _RunLines) -> FloatArray | None:
    """Return how much a run returned for each topic, or None if the file does not state it."""
    amounts = next((one["returned"] for one in lines.last if "returned" in one), None)
    if amounts is None:
        return None
    if not isinstance(amounts, list) or len(amounts) != len(lines.topics):
        found = f"run {run!r} states not one amount of returned text for each of its topics"
        raise FormatError(file, None, found, WHOLE)
    return np.array(amounts, np.float64)


def _refuse_twice(file: str, run: str, twice: tuple[str, str] | None) -> None:
    """Raise an error for a duplicate value, as two runs with one name would cause."""
    if twice is not None:
        found = f"run {run!r} has two values for topic {twice[0]!r} in {twice[1]}"
        raise FormatError(file, None, found, "runs with different names")


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _provenance(file: str, lines: Iterable[dict[str, Any]]) -> Provenance | None:
    made = next((one["made"] for one in lines if one.get("made")), None)
    if made is None:
        return None
    try:
        collection, topics = made.get("collection"), made.get("topics")
        return Provenance(
            judgements=Source(**made["judgements"]),
            run=Source(**made["run"]),
            collection=None if collection is None else Source(**collection),
            measures=tuple(made["measures"]),
            options=made["options"],
            spanwise=made["spanwise"],
            topics=None if topics is None else Source(**topics),
        )
    except (AttributeError, KeyError, TypeError) as error:
        found = f"the provenance of the results cannot be read ({error})"
        raise FormatError(file, None, found, WHOLE) from error
