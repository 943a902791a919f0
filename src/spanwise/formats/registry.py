"""The registry of formats, the only list of them, and reading through it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from spanwise.errors import FormatError, UnknownName
from spanwise.formats.io.dataset import Dataset, Stored, dataset_at, stored
from spanwise.formats.io.files import PARQUET, chunks

END = 1 << 16
"""Bytes at the end of a Parquet file that are inspected to recognise its format."""
Holds = Literal["run", "judgements", "preferences", "statistics", "topics", "pool"]


@dataclass(frozen=True, slots=True)
class Reading:
    """Options of reading a file, beyond its format."""

    ranks: bool = False  # keep the stated ranks of a run
    comments: bool = True  # lines that begin with '#' are comments, not data
    whole_grades: bool = False  # a grade must be a whole number
    literal: bool = False  # repeated lines and impossible sizes are kept as they are
    guessed: bool = False  # the format was recognised from the content, not named
    above: int = 0  # number of lines of the file before those that are read
    report: Callable[[FormatError], None] | None = None  # None: the first problem is raised

    def note(self, problem: FormatError) -> None:
        """Report a problem that does not stop reading; raise it if problems are not collected."""
        if self.report is None:
            raise problem
        self.report(problem)


@dataclass(frozen=True, slots=True)
class Lines:
    """What must be known about the lines of a format to cut a file into pieces."""

    topic: Callable[[bytes], bytes | None]  # the topic of a line; None for a line without data
    is_header: Callable[[bytes], bool] = lambda _: False  # a first line that all pieces need


@dataclass(frozen=True, slots=True)
class Format:
    """An entry of the registry of formats."""

    name: str
    holds: Holds
    parse: Callable[[Iterator[bytes], str, Reading], Any]
    recognise: Callable[[bytes], bool]
    write: Callable[[Any], Iterator[bytes]] | None = None  # None: read only
    loses: Callable[[Any], Mapping[str, int]] = lambda _: {}  # counts of what it cannot hold
    files: Callable[[Any], Iterator[tuple[str, Any]]] | None = None  # a folder's files, if several
    lines: Lines | None = None  # None: a file can only be read as a whole

    @property
    def description(self) -> str:
        """Return the docstring of the reader, which describes the format."""
        from inspect import getdoc

        return getdoc(self.parse) or ""


FORMATS: dict[str, Format] = {}


def reader(
    name: str,
    *,
    holds: Holds,
    recognise: Callable[[bytes], bool] = lambda _: False,
    lines: Lines | None = None,
) -> Callable[[Any], Any]:
    """Register the decorated function as the reader of a format, and return it unchanged.

    `recognise` gets the first piece of a file and returns whether it looks like this format.
    A format with `lines` can be read piece by piece.
    """

    def enter(parse: Any) -> Any:
        FORMATS[name] = Format(name, holds, parse, recognise, lines=lines)
        return parse

    return enter


def writer(
    name: str,
    *,
    loses: Callable[[Any], Mapping[str, int]] = lambda _: {},
    files: Callable[[Any], Iterator[tuple[str, Any]]] | None = None,
) -> Callable[[Any], Any]:
    """Register the decorated function as the writer of a format that already has a reader.

    The function turns content into pieces of bytes. `loses` counts, by kind, the content that the
    format cannot hold. If one file cannot hold everything, `files` yields file names and parts.
    """

    def enter(write: Any) -> Any:
        FORMATS[name] = replace(FORMATS[name], write=write, loses=loses, files=files)
        return write

    return enter


def find_format(name: str, holds: tuple[Holds, ...]) -> Format:
    """Return the format with this name, which must hold one of the requested kinds."""
    known = [entry.name for entry in FORMATS.values() if entry.holds in holds]
    if name not in known:
        raise UnknownName(" or ".join(holds) + " format", name, known, "see: spanwise formats")
    return FORMATS[name]


def read(
    file: str, holds: tuple[Holds, ...], name: str | None = None, options: Reading | None = None
) -> Any:
    """Read a file in the named or recognised format, or a dataset."""
    dataset = dataset_at(file)
    if dataset is not None:
        return _of_dataset(file, dataset, holds, options)
    entry, pieces = format_and_pieces(file, holds, name)
    options = options or Reading()
    return entry.parse(pieces, file, options if name else replace(options, guessed=True))


def format_and_pieces(
    file: str, holds: tuple[Holds, ...], name: str | None = None
) -> tuple[Format, Iterator[bytes]]:
    """Return the named or recognised format of a file, and the pieces of the file."""
    pieces = chunks(file)
    if name:
        return find_format(name, holds), pieces
    head, pieces = _looked_at(pieces, file)
    return recognised(head, holds), pieces


def recognised(head: bytes, holds: tuple[Holds, ...]) -> Format:
    """Return the format that the beginning of a file looks like, else the most common of its kind.

    Formats registered later are more specific and are tried first. The reader of the most common
    format reports, line by line, what is wrong with a file that no format recognises.
    """
    candidates = [entry for entry in FORMATS.values() if entry.holds in holds]
    mark = next(mark for mark in COMMONEST if head.lstrip().startswith(mark))
    common = [FORMATS[name] for name in COMMONEST[mark]]
    fallback = next((entry for entry in common if entry in candidates), candidates[0])
    if mark == PARQUET:  # binary data may look like anything
        candidates = [entry for entry in common if entry in candidates]
    return next((entry for entry in reversed(candidates) if entry.recognise(head)), fallback)


COMMONEST = {
    PARQUET: ("span_qrels_parquet", "span_run_parquet"),
    b"<": ("inex_assessments_2007", "inex_submission_2007"),
    b"{": ("span_qrels", "span_run"),
    b"": ("trec_run", "qrels", "tsv_topics"),
}
"""The most common formats of Parquet, XML, JSON and text, by the first bytes of a file."""


def _looked_at(pieces: Iterator[bytes], file: str) -> tuple[bytes, Iterator[bytes]]:
    """Return the bytes by which a file is recognised (for Parquet the end), and its pieces."""
    first = next(pieces)
    if not first.startswith(PARQUET):
        return first, chain([first], pieces)
    path = Path(file)
    if path.is_file():
        with path.open("rb") as stream:
            if stream.read(len(PARQUET)) == PARQUET:
                stream.seek(max(0, path.stat().st_size - END))
                return first + stream.read(), chain([first], pieces)
    whole = b"".join([first, *pieces])
    return whole, iter([whole])


def _of_dataset(
    place: str, dataset: Dataset, holds: tuple[Holds, ...], options: Reading | None
) -> Any:
    """Read all parts of a dataset as one file."""
    from spanwise.model.judgements import combined
    from spanwise.model.run import joined

    find_format(dataset.file_format, holds)
    parts = read_stored(stored(place, dataset, range(dataset.parts)), options)
    return joined(parts, dataset.name, place) if dataset.holds == "run" else combined(parts, place)


def read_stored(some: Stored, options: Reading | None = None) -> list[Any]:
    """Read the parts of a dataset one by one."""
    entry = FORMATS[some.format]
    return [entry.parse(chunks(path), path, options or Reading()) for path in some.paths]
