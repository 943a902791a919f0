"""The registry of formats, the only list of them, and reading through it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args
from warnings import warn

from spanwise.errors import FormatError, SpanwiseWarning, UnknownName, UsageError
from spanwise.formats.io.files import PARQUET, Dataset, Stored, chunks, dataset_at, stored
from spanwise.plugin_loading import F, Registry, home_of, load

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
    resemble: Callable[[bytes], bool] = lambda _: False  # asked if no format recognises a file
    write: Callable[[Any], Iterator[bytes]] | None = None  # None: it is only read
    loses: Callable[[Any], Mapping[str, int]] = lambda _: {}  # what it cannot hold, counted
    files: Callable[[Any], Iterator[tuple[str, Any]]] | None = None  # a folder's files, if several
    lines: Lines | None = None  # None: a file can only be read as a whole

    @property
    def description(self) -> str:
        """Return the docstring of the reader, which describes the format."""
        from inspect import getdoc

        return getdoc(self.parse) or ""


OURS = "spanwise.formats."
XML_FILES, JSON_FILES, JSON_LISTS, TABLES, TEXT_FILES = b"<", b"{", b"[", b",", b""
"""How files begin, besides Parquet; a table has a comma in its first line."""


class Family(NamedTuple):
    """What is known of a module of formats before it is imported."""

    holds: tuple[Holds, ...]
    begins: tuple[bytes, ...]


BOTH: tuple[Holds, ...] = ("run", "judgements")
CHUNKS = Family(BOTH, (JSON_FILES, JSON_LISTS, TABLES))
FAMILIES = {
    "trec.columns": Family((*BOTH, "preferences", "statistics"), (TEXT_FILES,)),
    "pools": Family(("pool",), (XML_FILES, JSON_FILES)),
    "chunks.datasets": CHUNKS,
    "chunks.rag_exports": CHUNKS,
    "classic.judgements": Family(("judgements",), (TEXT_FILES,)),
    "classic.reuters": Family(("judgements",), (XML_FILES,)),
    "inex.assessments": Family(("judgements",), (XML_FILES,)),
    "inex.qrels": Family(("judgements",), (TEXT_FILES,)),
    "inex.runs": Family(("run",), (TEXT_FILES,)),
    "inex.submissions": Family(("run",), (XML_FILES,)),
    "spans.runs": Family(("run",), (JSON_FILES,)),
    "spans.judgements": Family(("judgements",), (JSON_FILES,)),
    "spans.annotations": Family(("judgements",), (JSON_FILES,)),
    "spans.parquet": Family(BOTH, (PARQUET,)),
    "topics.inex": Family(("topics",), (XML_FILES,)),
    "topics.plain": Family(("topics",), (XML_FILES, JSON_FILES, TEXT_FILES)),
    "trec.beir": Family(("judgements",), (TEXT_FILES,)),
    "trec.genomics": Family(BOTH, (TEXT_FILES,)),
}
"""The modules that define our formats. The least specific formats come first: those registered
later are tried first."""


def load_families() -> None:
    """Import all families of formats."""
    for family in FAMILIES:
        import_module(OURS + family)
    FORMATS.arrange([OURS + family for family in FAMILIES])


FORMATS: Registry[Format] = Registry("format", load_families)


def reader(
    name: str,
    *,
    holds: Holds,
    recognise: Callable[[bytes], bool] = lambda _: False,
    resemble: Callable[[bytes], bool] = lambda _: False,
    lines: Lines | None = None,
) -> Callable[[F], F]:
    """Register the decorated function as the reader of a format, and return it unchanged.

    The function takes the pieces of a file, already decompressed, in order; the name of the file;
    and a `Reading`. It returns what the format holds, such as a `Run` or `Judgements`. For these
    two it may return a dict as `spanwise.evaluate` takes it. A problem is a `FormatError`: raise
    it, or pass it to `Reading.note` to go on reading. The docstring describes the format, in one
    line and then in full.

    For example:

        from spanwise.plugins import FormatError, reader

        @reader("pairs", holds="judgements", recognise=lambda head: head.startswith(b"%pairs"))
        def read_pairs(pieces, file, how):
            '''Relevant documents: `topic document`, after a line that says %pairs.'''
            found = {}
            for number, line in enumerate(b"".join(pieces).splitlines(), start=1):
                columns = line.split()
                if line.startswith(b"%"):
                    continue
                if len(columns) != 2:
                    how.note(FormatError(file, number, f"{len(columns)} columns", "2 columns"))
                    continue
                found.setdefault(columns[0], {})[columns[1]] = 1
            return found

    name: the name of the format.
    holds: what a file holds: run, judgements, preferences, statistics, topics or pool.
    recognise: a function that takes the first piece of a file and returns whether it looks like
        this format. The formats of spanwise are asked first; without it the format must be named.
    resemble: the same for a file that no format recognises: whether it was meant to be this one,
        so that the reader says what is wrong with it.
    lines: what is needed to read the file in pieces.
    """

    def enter(parse: F) -> F:
        if str(parse.__module__).startswith("spanwise."):
            entry = Format(name, holds, parse, recognise, resemble, lines=lines)
            if name in FORMATS.registered:
                raise ValueError(f"two formats are called {name!r}")
            FORMATS.registered[name], FORMATS.homes[name] = entry, parse.__module__
            return parse
        home = home_of(parse)
        if holds not in get_args(Holds):
            due = ", ".join(get_args(Holds))
            raise UsageError(f"format {name!r} of {home}: holds={holds!r}; expected {due}")
        entry = Format(name, holds, parse, recognise, resemble, lines=lines)
        if not entry.description:
            raise UsageError(f"format {name!r} of {home} has no docstring; describe it there")
        entry = _careful(entry, home)
        before = FORMATS.registered.get(name)
        if before is not None:  # the writer stays when a cell of a notebook runs again
            entry = replace(entry, write=before.write, loses=before.loses, files=before.files)
        FORMATS.enter(name, entry, home)
        return parse

    return enter


def _careful(entry: Format, home: str) -> Format:
    """Return the format of a plug-in so that its mistakes are reported as such."""
    recognise, parse = entry.recognise, entry.parse

    def recognised_safely(head: bytes) -> bool:
        try:
            return bool(recognise(head))
        except Exception as error:
            what = f"{type(error).__name__}: {error}".splitlines()[0]
            warn(
                f"format {entry.name!r} of {home}: recognise failed ({what}); it was not asked",
                SpanwiseWarning,
                stacklevel=2,
            )
            return False

    @wraps(parse)
    def parse_safely(pieces: Iterator[bytes], file: str, how: Reading) -> Any:
        return _content(parse(pieces, file, how), file, entry, home)

    return replace(entry, parse=parse_safely, recognise=recognised_safely)


def _content(content: Any, file: str, entry: Format, home: str) -> Any:
    """Return what a reader returned as what its format holds; dicts become columns."""
    from spanwise.formats.frames.tables import judgements_of, run_of
    from spanwise.model.judgements import Judgements, Preferences
    from spanwise.model.pools import Pool
    from spanwise.model.run import Run
    from spanwise.model.topics import Topics

    kinds: dict[str, type] = {
        "run": Run,
        "judgements": Judgements,
        "preferences": Preferences,
        "topics": Topics,
        "pool": Pool,
    }
    due = kinds.get(entry.holds, object)
    if isinstance(content, due):
        return content
    made: Any = None
    if isinstance(content, Mapping) and due in (Run, Judgements):
        made = run_of(content) if due is Run else judgements_of(content)
    if made is None:
        raise UsageError(
            f"format {entry.name!r} of {home}: its reader returned {type(content).__name__};"
            f" expected {due.__name__}"
        )
    made = replace(made, rows=replace(made.rows, source=file))
    return replace(made, name=Path(file).name.split(".")[0]) if due is Run else made


def writer(
    name: str,
    *,
    loses: Callable[[Any], Mapping[str, int]] = lambda _: {},
    files: Callable[[Any], Iterator[tuple[str, Any]]] | None = None,
) -> Callable[[F], F]:
    r"""Register the decorated function as the writer of a format, and return it unchanged.

    The format must have a reader already. The function takes what the format holds, such as a
    `Run`, and yields pieces of bytes. It is a plain function, not a method.

    For example, for a format of runs called `lines`:

        from spanwise.plugins import results_of, writer

        @writer("lines")
        def write_lines(run):
            for topic, result in results_of(run):
                yield b"%b %b %r\n" % (topic, result.document, result.score)

    name: the name of the format.
    loses: a function that counts, by kind, what of some content the format cannot hold. Users are
        warned of it.
    files: a function that yields names and parts, where one file cannot hold everything.
    """

    def enter(write: F) -> F:
        entry = FORMATS.registered.get(name)
        if entry is not None and str(write.__module__).startswith("spanwise."):
            entry = replace(entry, write=write, loses=loses, files=files)
            FORMATS.registered[name] = entry
            return write
        home = home_of(write)
        if entry is None:
            raise UsageError(
                f"format {name!r} of {home} has a writer but no reader; register the reader first"
            )
        if entry.write is not None and FORMATS.homes[name] != home:
            raise UsageError(
                f"format {name!r} of {home} already has a writer in {FORMATS.homes[name]};"
                " choose another name"
            )
        FORMATS.enter(
            name, replace(entry, write=write, loses=loses, files=files), FORMATS.homes[name]
        )
        return write

    return enter


def find_format(name: str, holds: tuple[Holds, ...]) -> Format:
    """Return the format with this name, which must hold one of the requested kinds."""
    if name in FORMATS and FORMATS[name].holds in holds:
        return FORMATS[name]
    known = [entry.name for entry in FORMATS.values() if entry.holds in holds]
    raise UnknownName(" or ".join(holds) + " format", name, known, "see: spanwise formats")


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
    """Return the format that the beginning of a file looks like, else the commonest of its kind.

    Our formats are asked before those of plug-ins, so that a plug-in never changes how a file of
    ours is read. Of ours, and then of theirs, those registered later are more special and are asked
    first. The reader of a format that a file resembles, or of the commonest one, says what is wrong
    with a file that no format recognises, line by line.
    """
    begins = _begins(head)
    fitting = [
        name
        for name, family in FAMILIES.items()
        if not begins.isdisjoint(family.begins) and not set(holds).isdisjoint(family.holds)
    ]
    for family in fitting:
        import_module(OURS + family)
    ours = [
        entry
        for family in fitting
        for entry in FORMATS.registered.values()
        if FORMATS.homes[entry.name] == OURS + family and entry.holds in holds
    ]
    for entry in reversed(ours):
        if entry.recognise(head):
            return entry
    load()
    theirs = [entry for entry in FORMATS.of(ours=False) if entry.holds in holds]
    if PARQUET not in begins:
        for entry in theirs:
            if entry.recognise(head):
                return entry
    every = [*ours, *theirs] or [entry for entry in FORMATS.values() if entry.holds in holds]
    near = (entry for entry in every if PARQUET not in begins and entry.resemble(head))
    names = next(names for mark, names in COMMONEST.items() if mark in begins)
    common = (FORMATS.registered.get(name) for name in names)
    return next(chain(near, (entry for entry in common if entry in every), every))


def _begins(head: bytes) -> set[bytes]:
    """Return which of the beginnings of files this is."""
    begun = head.lstrip()
    for mark in (PARQUET, XML_FILES, JSON_FILES):
        if begun.startswith(mark):
            return {mark}
    if begun.startswith(JSON_LISTS):
        return {JSON_LISTS, TEXT_FILES}
    end = begun.find(b"\n")
    columns = begun[: end if end >= 0 else None]
    comma = b"," in columns and not columns.startswith(b"#")
    return {TABLES, TEXT_FILES} if comma else {TEXT_FILES}


COMMONEST = {
    PARQUET: ("span_qrels_parquet", "span_run_parquet"),
    XML_FILES: ("inex_assessments_2007", "inex_submission_2007"),
    JSON_FILES: ("span_qrels", "span_run"),
    TEXT_FILES: ("trec_run", "qrels", "tsv_topics"),
}
"""The most common formats of Parquet, XML, JSON and text."""


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
