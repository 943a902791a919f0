"""Experiments: collections, engines and parameters from a TOML file, run into a folder.

    FOLDER/stores/COLLECTION    documents
    FOLDER/runs/COLLECTION/     a run for each engine, grain and setting, with a record of its input
    FOLDER/results/             scores by topic, a file for each collection
    FOLDER/pages/               a page for each collection
    FOLDER/report.html          all tables and pages in one file

Stores and runs that already exist and were made from the same input are kept, so that an
interrupted experiment continues where it stopped.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from html import escape
from itertools import product
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from warnings import warn

from spanwise.collection.building import Plan, build, is_store
from spanwise.console import say, watched, write_atomically
from spanwise.errors import FormatError, InputError, SpanwiseError, SpanwiseWarning
from spanwise.evaluation.compare import compare_runs
from spanwise.evaluation.evaluate import PROCESSES
from spanwise.evaluation.profiles import find_profile, measure_names
from spanwise.evaluation.request import Request
from spanwise.formats import FORMATS, expanded, read_judgements, read_topics
from spanwise.measures.names import parse
from spanwise.model.comparison import BETTER, WORSE
from spanwise.retrieve.queries import TASKS
from spanwise.retrieve.registry import MissingEngine
from spanwise.stats.resampling import Draws
from spanwise.stats.statements import Question
from spanwise.workflows.convert import plainest
from spanwise.workflows.results import keep
from spanwise.workflows.search import Search, check_request, searched

if TYPE_CHECKING:
    from spanwise.model.comparison import Comparison
    from spanwise.model.run import Run

# Running ----------------------------------------------------------------------------------------


REPORT = "report.html"
"""All tables and pages in one file."""


def experiment(file: str, folder: str, data: str | None = None) -> dict[str, Comparison]:
    """Run the experiment of a TOML file in a folder; return a comparison for each collection.

    Relative paths in the file start at the folder `data`, by default that of the file. Stores and
    runs that already exist in `folder` and were made from the same input are kept.
    """
    planned = read_experiment(file, data)
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    found = conducted(planned, place)
    write_report(planned, found, place)
    return {one.name: comparison for one, comparison in found}


def conducted(experiment: Experiment, folder: Path) -> list[tuple[Data, Comparison]]:
    """Make the missing stores and runs, and compare the runs of each collection."""
    question = _validated(experiment)
    found = []
    for data in experiment.collections:
        store = _stored(data, folder / "stores")
        runs = [run for run in _runs(experiment, data, store, folder) if run is not None]
        if not runs:
            raise InputError(
                f"{experiment.source}: none of its engines is installed; expected at least one"
            )
        request = Request(
            data.judgements,
            [str(run) for run in runs],
            experiment.measures,
            experiment.profile,
            judgements_format=data.judgements_format,
            collection=str(store),
        )
        comparison = compare_runs(
            request, _baseline(experiment, runs), question, PROCESSES, watched
        )
        _keep(request, comparison, folder / "results", data.name)
        found.append((data, comparison))
        _page(request, comparison, folder / "pages" / f"{data.name}.html")
    return found


def _validated(experiment: Experiment) -> Question:
    """Return the tests of an experiment, after checking everything that can fail early."""
    try:
        find_profile(experiment.profile)
        for name in measure_names(list(experiment.measures)):
            parse(name)
        for search in (cell.search for cell in experiment.cells):
            check_request(search)
        question = Question(experiment.tests, draws=Draws(experiment.seed))
    except SpanwiseError as error:
        raise FormatError(experiment.source, None, str(error), "") from error
    for data in experiment.collections:
        read_topics(data.topics, data.topics_format)
        read_judgements(data.judgements, data.judgements_format)
    return question


def _baseline(experiment: Experiment, runs: list[Path]) -> str | None:
    if experiment.baseline is None:
        return None
    wanted = f"{run_name(experiment.baseline)}.run"
    return next((str(run) for run in runs if run.name == wanted), None)


def _stored(data: Data, folder: Path) -> Path:
    """Return the store of a collection, built if it is missing or its documents changed."""
    if is_store(Path(data.documents)):
        return Path(data.documents)
    folder.mkdir(parents=True, exist_ok=True)
    place, note = folder / data.name, folder / f"{data.name}.json"
    about = {"documents": _listing_digest(Path(data.documents))}
    if not is_store(place) or _read(note) != about:
        build([data.documents], str(place), Plan(fresh=place.exists()))
        write_atomically(note, json.dumps(about).encode() + b"\n")
    return place


def _listing_digest(documents: Path) -> str:
    """Return a digest of the names, sizes and dates of files."""
    digest = blake2b(digest_size=16)
    for file in sorted(documents.rglob("*")) if documents.is_dir() else [documents]:
        if file.is_file():
            about = file.stat()
            digest.update(
                f"{file}\0{about.st_size}\0{about.st_mtime_ns}\0".encode(errors="replace")
            )
    return digest.hexdigest()


def _runs(experiment: Experiment, data: Data, store: Path, folder: Path) -> Iterator[Path | None]:
    place = folder / "runs" / data.name
    place.mkdir(parents=True, exist_ok=True)
    documents = _content_digest(sorted(store.glob("*.json")))
    topics = _content_digest([Path(file) for file in expanded([data.topics])])
    for cell in experiment.cells:
        search = replace(
            cell.search,
            collection=str(store),
            topics=data.topics,
            topics_format=data.topics_format,
        )
        about = asdict(search) | {
            "collection": documents,
            "topics": topics,
            "settings": dict(search.settings),
        }
        name = run_name(cell.label)
        target, note = place / f"{name}.run", place / f"{name}.json"
        if target.is_file() and _read(note) == json.loads(json.dumps(about)):
            yield target
            continue
        run = _made(experiment, cell, search)
        if run is not None:
            write = FORMATS[plainest(run)].write
            assert write is not None
            write_atomically(target, b"".join(write(run)))
            write_atomically(note, json.dumps(about, indent=1).encode() + b"\n")
            say("done", f"{data.name}: {cell.label}")
        yield target if run is not None else None


def _made(experiment: Experiment, cell: Cell, search: Search) -> Run | None:
    try:
        return searched(search)
    except MissingEngine as error:
        if not experiment.skip_missing:
            raise
        warn(f"{cell.label} is skipped: {error}", SpanwiseWarning, stacklevel=2)
        return None


def _read(note: Path) -> Any:
    try:
        return json.loads(note.read_bytes())
    except (OSError, ValueError):
        return None


def _content_digest(files: list[Path]) -> str:
    digest = blake2b(digest_size=16)
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _keep(request: Request, comparison: Comparison, folder: Path, name: str) -> None:
    """Write the scores with their provenance, and the comparison as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    keep(request, comparison.scores, str(folder / f"{name}.jsonl"))
    content = json.dumps(comparison.to_dict(), indent=1)
    write_atomically(folder / f"{name}.comparison.json", content.encode() + b"\n")


def _page(request: Request, comparison: Comparison, file: Path) -> None:
    from spanwise.workflows.page import write_page

    file.parent.mkdir(parents=True, exist_ok=True)
    write_page(request, comparison, str(file))


# The file of an experiment ----------------------------------------------------------------------


class Kind(NamedTuple):
    """A kind of value of a key, with a description for messages."""

    words: str
    fits: Callable[[Any], bool]


def _choice(*names: str) -> Kind:
    return Kind(f"one of {', '.join(names)}", lambda value: value in names)


def _number(low: float, high: float, words: str, *kinds: type) -> Kind:
    return Kind(words, lambda value: type(value) in kinds and low <= value <= high)


TEXT = Kind("a text", lambda value: isinstance(value, str) and bool(value))
TEXTS = Kind(
    "a list of texts",
    lambda value: isinstance(value, list) and bool(value) and all(map(TEXT.fits, value)),
)
TABLE = Kind("a table", lambda value: isinstance(value, dict))
TABLES = Kind("tables", lambda value: isinstance(value, list) and all(map(TABLE.fits, value)))
FILE_NAME = Kind(
    "a name without / that does not begin with a dot",
    lambda value: TEXT.fits(value) and "/" not in value and "\0" not in value and value[0] != ".",
)
TOP: Mapping[str, Kind] = {
    **dict.fromkeys(("name", "about", "baseline", "profile"), TEXT),
    **dict.fromkeys(("measures", "tests", "grains"), TEXTS),
    "missing": _choice("stop", "skip"),
    "seed": _number(0, 2**63, "a whole number from 0 on", int),
    "search": TABLE,
    "collection": TABLES,
    "engine": TABLES,
}
COLLECTION: Mapping[str, Kind] = {
    "name": FILE_NAME,
    **dict.fromkeys(("documents", "topics", "judgements"), TEXT),
    **dict.fromkeys(("judgements_format", "topics_format"), TEXT),
}
ENGINE: Mapping[str, Kind] = {
    **dict.fromkeys(("name", "label"), TEXT),
    "grains": TEXTS,
    **dict.fromkeys(("set", "search"), TABLE),
}
SEARCH: Mapping[str, Kind] = {
    "top": _number(1, 2**31, "a whole number from 1 on", int),
    "query": TEXT,
    "structure": _choice("vague", "strict"),
    "task": _choice(*TASKS),
    "propagate": _number(0, 1, "a number from 0 to 1", int, float),
    "expand": _choice("rocchio", "rm3", "wordnet"),
}
"""Keys of each table of the file, with the kinds of their values."""


@dataclass(frozen=True, slots=True)
class Data:
    """The documents, topics and judgements of a collection."""

    name: str
    documents: str
    topics: str
    judgements: str
    judgements_format: str | None = None
    topics_format: str | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A search that makes one run on each collection."""

    label: str
    search: Search


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment: collections, and the searches that are run on each of them."""

    name: str
    about: str
    collections: tuple[Data, ...]
    cells: tuple[Cell, ...]
    measures: tuple[str, ...] = ("AP",)
    tests: tuple[str, ...] = ("randomisation",)
    baseline: str | None = None
    profile: str | None = None
    seed: int = 0
    skip_missing: bool = False
    source: str = field(default="", compare=False)


def read_experiment(file: str, data: str | None = None) -> Experiment:
    """Read the experiment of a file; paths are relative to `data` or to the file's folder."""
    try:
        tables = tomllib.loads(Path(file).read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(file, None, f"cannot be read ({error})", "") from error
    except tomllib.TOMLDecodeError as error:
        raise FormatError(file, None, f"invalid TOML ({error})", "") from error
    _check(tables, TOP, file, "the file")
    folder = Path(data) if data is not None else Path(file).parent
    collections = tuple(_data(one, folder, file) for one in _tables(tables, "collection", file))
    cells = tuple(_cells(tables, file))
    _refuse_duplicates([data.name for data in collections], "collections", "a name for each", file)
    _refuse_duplicates([cell.label for cell in cells], "runs", "a label for each engine", file)
    _refuse_duplicates(
        [run_name(cell.label) for cell in cells], "runs", "labels that differ as files", file
    )
    baseline = tables.get("baseline")
    if baseline is not None and baseline not in (names := [cell.label for cell in cells]):
        raise FormatError(file, None, f"baseline {baseline!r}", f"one of {', '.join(names)}")
    return Experiment(
        tables.get("name", Path(file).stem),
        tables.get("about", ""),
        collections,
        cells,
        tuple(tables.get("measures", ("AP",))),
        tuple(tables.get("tests", ("randomisation",))),
        baseline,
        tables.get("profile"),
        tables.get("seed", 0),
        tables.get("missing", "stop") == "skip",
        file,
    )


def run_name(label: str) -> str:
    """Return a label as the name of a file."""
    return "".join(c if c.isalnum() or c in "=.-_" else "_" for c in label)


def _refuse_duplicates(names: Sequence[str], what: str, due: str, file: str) -> None:
    again = next((name for name in names if names.count(name) > 1), None)
    if again is not None:
        raise FormatError(file, None, f"two {what} named {again!r}", due)


def _tables(parent: Mapping[str, Any], name: str, file: str) -> Sequence[Mapping[str, Any]]:
    tables: list[Mapping[str, Any]] = parent.get(name, [])
    if not tables:
        raise FormatError(file, None, f"no [[{name}]]", f"at least one [[{name}]]")
    return tables


def _check(table: Mapping[str, Any], known: Mapping[str, Kind], file: str, what: str) -> None:
    for key, value in table.items():
        if key not in known:
            raise FormatError(file, None, f"{key!r} in {what}", ", ".join(known))
        if not known[key].fits(value):
            raise FormatError(file, None, f"{key} = {value!r} in {what}", known[key].words)


def _data(table: Mapping[str, Any], folder: Path, file: str) -> Data:
    _check(table, COLLECTION, file, "[[collection]]")
    keys = list(COLLECTION)
    missing = next((key for key in keys[:4] if key not in table), None)
    if missing is not None:
        raise FormatError(file, None, f"a [[collection]] without {missing!r}", "this key")
    documents, topics, judgements = (str(folder / table[key]) for key in keys[1:4])
    return Data(table["name"], documents, topics, judgements, *map(table.get, keys[4:]))


def _cells(tables: Mapping[str, Any], file: str) -> Iterator[Cell]:
    for table in _tables(tables, "engine", file):
        _check(table, ENGINE, file, "[[engine]]")
        if "name" not in table:
            raise FormatError(file, None, "an [[engine]] without 'name'", "this key")
        options = dict(tables.get("search", {})) | dict(table.get("search", {}))
        _check(options, SEARCH, file, "search")
        grains = table.get("grains", tables.get("grains", ["document"]))
        empty = next((key for key, value in table.get("set", {}).items() if value == []), None)
        if empty is not None:
            raise FormatError(file, None, f"{empty} = [] in set", "at least one value")
        for grain, settings in product(grains, _settings(table.get("set", {}))):
            search = replace(Search("", "", table["name"], grain, **options), settings=settings)
            several = [grain] if len(grains) > 1 else []
            varied = [f"{k}={v}" for k, v in settings.items() if isinstance(table["set"][k], list)]
            parts = [str(table.get("label", table["name"])), *several, *varied]
            label = " ".join(parts)
            yield Cell(label, replace(search, name=label.replace(" ", "_")))


def _settings(choices: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield all combinations of values; a list holds alternative values."""
    values = [one if isinstance(one, list) else [one] for one in choices.values()]
    for chosen in product(*values):
        yield dict(zip(choices, chosen, strict=True))


# The report -------------------------------------------------------------------------------------

STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}"
    "table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .8rem;text-align:right}"
    "th:first-child,td:first-child{text-align:left}tr{border-bottom:1px solid #ddd}"
    "iframe{width:100%;height:60rem;border:1px solid #ccc}summary{cursor:pointer;margin:1rem 0}"
)

MARKS = BETTER + WORSE
Found = Sequence[tuple["Data", "Comparison"]]


class TableCell(NamedTuple):
    """The mean of a run on a collection, as the table shows it."""

    text: str
    is_best: bool = False


def heads_of(found: Found, measure: str) -> list[str]:
    """Return the heads of columns: collections, with the number of topics of their means."""
    return [f"{data.name} ({max(_topics(one, measure))})" for data, one in found]


def _topics(one: Comparison, measure: str) -> list[int]:
    return [mean.topics for mean in one.means if mean.measure == measure]


def rows_of(found: Found, measure: str) -> list[tuple[str, list[TableCell]]]:
    """Return a row for each run, with its mean on each collection or a dash."""
    names = list(dict.fromkeys(run for _, one in found for run in one.runs))
    return [(name, [_cell(one, name, measure) for _, one in found]) for name in names]


def _cell(one: Comparison, run: str, measure: str) -> TableCell:
    value = one.mean(run, measure).value if run in one.runs else nan
    if isnan(value):
        return TableCell("-")
    mark = ""
    if run != one.baseline and one.baseline in one.better(run, measure):
        mark = BETTER
    elif run != one.baseline and one.baseline in one.worse(run, measure):
        mark = WORSE
    return TableCell(f"{value:.4f}{mark}", run in one.best(measure))


def legend(found: Found) -> str:
    """Return the meaning of the marks; empty if there is no baseline."""
    one = next((one for _, one in found if one.baseline is not None), None)
    if one is None:
        return ""
    how = f"{one.tests[0]}, corrected by {one.correction}, p < {one.alpha:g}"
    return f"{BETTER} better and {WORSE} worse than {one.baseline} ({how})"


def summary(experiment: Experiment, found: Found) -> str:
    """Return a text table of means by run and collection for each measure."""
    parts = []
    for measure in found[0][1].measures:
        rows, heads = rows_of(found, measure), heads_of(found, measure)
        width = max(len(name) for name, _ in rows)
        columns = [max(len(head), 7) for head in heads]
        lines = [measure, f"{'':<{width}}  {_aligned(heads, columns)}"]
        lines += [
            f"{name:<{width}}  {_aligned([cell.text for cell in cells], columns)}"
            for name, cells in rows
        ]
        parts.append("\n".join(lines) + "\n")
    marks = f"\n{legend(found)}\n" if legend(found) else ""
    return f"{experiment.name}\n\n" + "\n".join(parts) + marks


def record(experiment: Experiment, found: Found, folder: Path) -> dict[str, Any]:
    """Return what was written, and the comparison of the runs of each collection."""
    return {
        "experiment": experiment.name,
        "path": str(folder / REPORT),
        "collections": [{"name": data.name, **one.to_dict()} for data, one in found],
    }


def _aligned(texts: Sequence[str], widths: Sequence[int]) -> str:
    """Return cells aligned to the right, with marks outside the columns."""
    shown = (
        f"{text.rstrip(MARKS):>{width}}{text[len(text.rstrip(MARKS)) :]:<1}"
        for text, width in zip(texts, widths, strict=True)
    )
    return " ".join(shown).rstrip()


def write_report(experiment: Experiment, found: Found, folder: Path) -> None:
    """Write the report: tables of means, and the pages of all collections, in one file."""
    body = [f"<h1>{escape(experiment.name)}</h1>", f"<p>{escape(experiment.about)}</p>"]
    body += [_table(found, measure) for measure in found[0][1].measures]
    body.append(f"<p>{escape(legend(found))}</p>" if legend(found) else "")
    for data, _ in found:
        page = (folder / "pages" / f"{data.name}.html").read_text("utf-8")
        body.append(
            f"<details><summary>{escape(data.name)}: intervals, tests, topics</summary>"
            f'<iframe title="{escape(data.name)}" srcdoc="{escape(page)}"></iframe></details>'
        )
    title = escape(experiment.name)
    html = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style></head><body>{''.join(body)}</body></html>\n"
    )
    write_atomically(folder / REPORT, html.encode())


def _table(found: Found, measure: str) -> str:
    head = "".join(f"<th>{escape(head)}</th>" for head in heads_of(found, measure))
    lines = [f"<h2>{escape(measure)}</h2><table><tr><th>run</th>{head}</tr>"]
    for name, cells in rows_of(found, measure):
        shown = (f"<b>{text}</b>" if is_best else text for text, is_best in cells)
        row = "".join(f"<td>{text}</td>" for text in shown)
        lines.append(f"<tr><td>{escape(name)}</td>{row}</tr>")
    return "".join(lines) + "</table>"
