"""The table of formats. Nothing else in the package lists them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from spanwise.errors import FormatError, UnknownName
from spanwise.formats.io.dataset import Dataset, Stored, dataset_at, stored
from spanwise.formats.io.files import chunks

PARQUET = b"PAR1"
END = 1 << 16
"""So many of its last bytes are looked at."""
Holds = Literal["run", "judgements", "preferences", "statistics", "topics", "pool"]


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is to be read, beyond its format."""

    ranks: bool = False  # keep the stated ranks of a run
    comments: bool = True  # lines that begin with '#' are comments, not data
    whole_grades: bool = False  # a grade must be a whole number
    literal: bool = False  # nothing is repaired: repeated lines and impossible sizes stay
    guessed: bool = False  # nobody named the format: the file looks like it
    above: int = 0  # lines of the file before those that are read
    report: Callable[[FormatError], None] | None = None  # None: the first problem is raised

    def note(self, problem: FormatError) -> None:
        """Report a problem that need not end the reading, or raise it if nobody listens."""
        if self.report is None:
            raise problem
        self.report(problem)


@dataclass(frozen=True, slots=True)
class Lines:
    """What is to be known of a format's lines to cut its files into pieces."""

    topic: Callable[[bytes], bytes | None]  # whose a line is; None: it is no line of data
    is_header: Callable[[bytes], bool] = lambda _: False  # a first line that all pieces need


@dataclass(frozen=True, slots=True)
class Format:
    """One line of the table of formats."""

    name: str
    holds: Holds
    parse: Callable[[Iterator[bytes], str, Reading], Any]
    recognise: Callable[[bytes], bool]
    write: Callable[[Any], Iterator[bytes]] | None = None  # None: it is only read
    loses: Callable[[Any], Mapping[str, int]] = lambda _: {}  # what it cannot hold, counted
    files: Callable[[Any], Iterator[tuple[str, Any]]] | None = None  # a folder's files, if several
    lines: Lines | None = None  # None: a file can only be read as a whole

    @property
    def description(self) -> str:
        """The reader's docstring: what the format looks like."""
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
    """Enter the decorated function in the table; hand it back unchanged.

    `recognise` is shown the first piece of a file and says whether it looks like this format.
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
    """Enter the decorated function as the writer of a format that has a reader already.

    It turns content into pieces of bytes. `loses` counts by kind what of some content the format
    cannot hold. Where one file cannot hold everything, `files` gives names and parts.
    """

    def enter(write: Any) -> Any:
        FORMATS[name] = replace(FORMATS[name], write=write, loses=loses, files=files)
        return write

    return enter


def find_format(name: str, holds: tuple[Holds, ...]) -> Format:
    """The format of that name; it must hold one of the things asked for."""
    known = [entry.name for entry in FORMATS.values() if entry.holds in holds]
    if name not in known:
        raise UnknownName(" or ".join(holds) + " format", name, known, "see: spanwise formats")
    return FORMATS[name]


def read(
    file: str, holds: tuple[Holds, ...], name: str | None = None, how: Reading | None = None
) -> Any:
    """Read a file in the named format, or in the one its content looks like; or a dataset."""
    dataset = dataset_at(file)
    if dataset is not None:
        return _of_dataset(file, dataset, holds, how)
    entry, pieces = told(file, holds, name)
    how = how or Reading()
    return entry.parse(pieces, file, how if name else replace(how, guessed=True))


def told(
    file: str, holds: tuple[Holds, ...], name: str | None = None
) -> tuple[Format, Iterator[bytes]]:
    """The format of a file, named or as its content looks like, and all of it, to be had once."""
    pieces = chunks(file)
    if name:
        return find_format(name, holds), pieces
    head, pieces = _looked_at(pieces, file)
    return recognised(head, holds), pieces


def recognised(head: bytes, holds: tuple[Holds, ...]) -> Format:
    """The format that the beginning of a file looks like, else the commonest of its kind.

    Formats that were entered later are more special and are asked first. The commonest one's
    reader says what is wrong with a file that nobody recognises, line by line.
    """
    candidates = [entry for entry in FORMATS.values() if entry.holds in holds]
    mark = next(mark for mark in COMMONEST if head.lstrip().startswith(mark))
    common = [FORMATS[name] for name in COMMONEST[mark]]
    fallback = next((entry for entry in common if entry in candidates), candidates[0])
    if mark == PARQUET:  # it is no text, whatever the bytes look like
        candidates = [entry for entry in common if entry in candidates]
    return next((entry for entry in reversed(candidates) if entry.recognise(head)), fallback)


COMMONEST = {
    PARQUET: ("span_qrels_parquet", "span_run_parquet"),
    b"<": ("inex_assessments_2007", "inex_submission_2007"),
    b"{": ("span_qrels", "span_run"),
    b"": ("trec_run", "qrels", "tsv_topics"),
}
"""The commonest formats of Parquet, XML, JSON and text, by how they begin."""


def _looked_at(pieces: Iterator[bytes], file: str) -> tuple[bytes, Iterator[bytes]]:
    """What a file is recognised by, and all of it. Parquet says at its end what it holds."""
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


def _of_dataset(place: str, dataset: Dataset, holds: tuple[Holds, ...], how: Reading | None) -> Any:
    """All parts of a dataset as if they stood in one file."""
    from spanwise.model.judgements import combined
    from spanwise.model.run import joined

    find_format(dataset.file_format, holds)
    parts = read_stored(stored(place, dataset, range(dataset.parts)), how)
    return joined(parts, dataset.name, place) if dataset.holds == "run" else combined(parts, place)


def read_stored(some: Stored, how: Reading | None = None) -> list[Any]:
    """What parts of a dataset hold, part by part."""
    entry = FORMATS[some.format]
    return [entry.parse(chunks(path), path, how or Reading()) for path in some.paths]
