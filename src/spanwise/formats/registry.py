"""The table of formats. Nothing else in the package lists them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from spanwise.errors import FormatError, UnknownName
from spanwise.formats.opening import STDIN, chunks

Holds = Literal["run", "judgements", "preferences", "statistics", "topics", "pool"]


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is to be read, beyond its format."""

    ranks: bool = False  # keep the stated ranks of a run
    comments: bool = True  # lines that begin with '#' are comments, not data
    whole_grades: bool = False  # a grade must be a whole number
    literal: bool = False  # nothing is repaired: repeated lines and impossible sizes stay
    report: Callable[[FormatError], None] | None = None  # None: the first problem is raised

    def note(self, problem: FormatError) -> None:
        """Report a problem that need not end the reading, or raise it if nobody listens."""
        if self.report is None:
            raise problem
        self.report(problem)


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

    @property
    def description(self) -> str:
        """The reader's docstring: what the format looks like."""
        from inspect import getdoc

        return getdoc(self.parse) or ""


FORMATS: dict[str, Format] = {}


def reader(
    name: str, *, holds: Holds, recognise: Callable[[bytes], bool] = lambda _: False
) -> Callable[[Any], Any]:
    """Enter the decorated function in the table; hand it back unchanged.

    `recognise` is shown the first piece of a file and says whether it looks like this format.
    """

    def enter(parse: Any) -> Any:
        FORMATS[name] = Format(name, holds, parse, recognise)
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
    """Read a file in the named format, or in the one its content looks like."""
    pieces = chunks(file)
    entry = find_format(name, holds) if name else None
    if entry is None:
        first = next(pieces)
        entry = recognised(first, holds)
        pieces = chain([first], pieces)
    return entry.parse(pieces, file, how or Reading())


def recognised(head: bytes, holds: tuple[Holds, ...]) -> Format:
    """The format that the beginning of a file looks like, else the commonest of its kind.

    Formats that were entered later are more special and are asked first. The commonest one's
    reader says what is wrong with a file that nobody recognises, line by line.
    """
    candidates = [entry for entry in FORMATS.values() if entry.holds in holds]
    common = [FORMATS[name] for name in COMMONEST.get(head.lstrip()[:1], COMMONEST[b""])]
    fallback = next((entry for entry in common if entry in candidates), candidates[0])
    return next((entry for entry in reversed(candidates) if entry.recognise(head)), fallback)


COMMONEST = {
    b"": ("trec_run", "qrels"),
    b"<": ("inex_assessments_2007", "inex_submission_2007"),
    b"{": ("span_qrels", "span_run"),
}
"""The commonest formats of text, XML and JSON, by how they begin."""


def recognised_file(file: str, holds: tuple[Holds, ...]) -> Format:
    """The format that a file's beginning looks like; standard input must be named."""
    if file == STDIN:
        raise FormatError(file, None, "standard input is read only once", "the name of its format")
    return recognised(next(chunks(file)), holds)


def expanded(names: Sequence[str]) -> list[str]:
    """Files as given; a folder stands for all files in it, in byte order.

    A release of assessments, which is a tree of folders, stands for its official files.
    """
    from spanwise.formats.beir import beir_qrels
    from spanwise.formats.release import official_pools

    files: list[str] = []
    for name in names:
        path = Path(name)
        folder = bool(name) and name != STDIN and path.is_dir()
        pools = (beir_qrels(path) or official_pools(path)) if folder else None
        if pools is not None:
            files += pools
        elif folder:
            inside = sorted((p for p in path.iterdir() if p.is_file()), key=lambda p: bytes(p))
            if not inside:
                raise FormatError(name, None, "the folder has no files", "at least one file")
            files += [str(file) for file in inside]
        else:
            files.append(name)
    return files
