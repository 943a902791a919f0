"""An experiment as a file says it: collections, engines, grains, parameters, measures."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from spanwise.app.searching import Search
from spanwise.errors import FormatError
from spanwise.retrieve.shaping import TASKS


class Kind(NamedTuple):
    """What may stand behind a key."""

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
"""What each table of a file may say."""


@dataclass(frozen=True, slots=True)
class Data:
    """Documents with topics and judgements."""

    name: str
    documents: str
    topics: str
    judgements: str
    judgements_format: str | None = None
    topics_format: str | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """One run to be made on every collection."""

    label: str
    search: Search


@dataclass(frozen=True, slots=True)
class Experiment:
    """Collections x engines x grains x parameters."""

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
    """The experiment of a file; paths are relative to the file, or to a folder of data."""
    try:
        said = tomllib.loads(Path(file).read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(file, None, f"cannot be read ({error})", "") from error
    except tomllib.TOMLDecodeError as error:
        raise FormatError(file, None, f"not TOML ({error})", "") from error
    _check(said, TOP, file, "the file")
    folder = Path(data) if data is not None else Path(file).parent
    collections = tuple(_data(one, folder, file) for one in _tables(said, "collection", file))
    cells = tuple(_cells(said, file))
    _once([data.name for data in collections], "collections", "a name for each", file)
    _once([cell.label for cell in cells], "runs", "a label for each engine", file)
    _once([run_name(cell.label) for cell in cells], "runs", "labels that differ as files", file)
    baseline = said.get("baseline")
    if baseline is not None and baseline not in (names := [cell.label for cell in cells]):
        raise FormatError(file, None, f"baseline {baseline!r}", f"one of {', '.join(names)}")
    return Experiment(
        said.get("name", Path(file).stem),
        said.get("about", ""),
        collections,
        cells,
        tuple(said.get("measures", ("AP",))),
        tuple(said.get("tests", ("randomisation",))),
        baseline,
        said.get("profile"),
        said.get("seed", 0),
        said.get("missing", "stop") == "skip",
        file,
    )


def run_name(label: str) -> str:
    """A label as the name of a file."""
    return "".join(c if c.isalnum() or c in "=.-_" else "_" for c in label)


def _once(names: Sequence[str], what: str, due: str, file: str) -> None:
    again = next((name for name in names if names.count(name) > 1), None)
    if again is not None:
        raise FormatError(file, None, f"two {what} are called {again!r}", due)


def _tables(said: Mapping[str, Any], name: str, file: str) -> Sequence[Mapping[str, Any]]:
    tables: list[Mapping[str, Any]] = said.get(name, [])
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
        raise FormatError(file, None, f"a [[collection]] without {missing!r}", "")
    documents, topics, judgements = (str(folder / table[key]) for key in keys[1:4])
    return Data(table["name"], documents, topics, judgements, *map(table.get, keys[4:]))


def _cells(said: Mapping[str, Any], file: str) -> Iterator[Cell]:
    for table in _tables(said, "engine", file):
        _check(table, ENGINE, file, "[[engine]]")
        if "name" not in table:
            raise FormatError(file, None, "an [[engine]] without 'name'", "")
        options = dict(said.get("search", {})) | dict(table.get("search", {}))
        _check(options, SEARCH, file, "search")
        grains = table.get("grains", said.get("grains", ["document"]))
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


def _settings(said: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """All combinations of values; a list stands for each of its members."""
    values = [one if isinstance(one, list) else [one] for one in said.values()]
    for chosen in product(*values):
        yield dict(zip(said, chosen, strict=True))
