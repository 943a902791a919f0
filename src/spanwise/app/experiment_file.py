"""An experiment as a file says it: collections, engines, grains, parameters, measures."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from spanwise.app.searching import Search
from spanwise.errors import FormatError

TOP = ("name", "about", "measures", "tests", "baseline", "missing", "grains", "collection")
TOP_ALL = (*TOP, "engine", "profile", "seed", "search")
COLLECTION = ("name", "documents", "topics", "judgements", "judgements_format", "topics_format")
ENGINE = ("name", "label", "set", "grains", "search")
SEARCH = ("top", "query", "structure", "task", "propagate", "expand")


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
    _check(said, TOP_ALL, file, "the file")
    folder = Path(data) if data is not None else Path(file).parent
    collections = tuple(_data(one, folder, file) for one in _tables(said, "collection", file))
    cells = tuple(_cells(said, file))
    labels = [cell.label for cell in cells]
    again = next((label for label in labels if labels.count(label) > 1), None)
    if again is not None:
        raise FormatError(file, None, f"two runs are called {again!r}", "a label for each engine")
    return Experiment(
        str(said.get("name", Path(file).stem)),
        str(said.get("about", "")),
        collections,
        cells,
        tuple(said.get("measures", ("AP",))),
        tuple(said.get("tests", ("randomisation",))),
        said.get("baseline"),
        said.get("profile"),
        int(said.get("seed", 0)),
        said.get("missing", "stop") == "skip",
        file,
    )


def _tables(said: Mapping[str, Any], name: str, file: str) -> Sequence[Mapping[str, Any]]:
    tables = said.get(name)
    if not isinstance(tables, list) or not tables:
        raise FormatError(file, None, f"no [[{name}]]", f"at least one [[{name}]]")
    return tables


def _check(table: Mapping[str, Any], known: Sequence[str], file: str, what: str) -> None:
    unknown = next((key for key in table if key not in known), None)
    if unknown is not None:
        raise FormatError(file, None, f"{unknown!r} in {what}", ", ".join(known))


def _data(table: Mapping[str, Any], folder: Path, file: str) -> Data:
    _check(table, COLLECTION, file, "[[collection]]")
    missing = next((key for key in COLLECTION[:4] if key not in table), None)
    if missing is not None:
        raise FormatError(file, None, f"a [[collection]] without {missing!r}", "")
    documents, topics, judgements = (str(folder / table[key]) for key in COLLECTION[1:4])
    formats = (table.get(key) for key in COLLECTION[4:])
    return Data(str(table["name"]), documents, topics, judgements, *formats)


def _cells(said: Mapping[str, Any], file: str) -> Iterator[Cell]:
    for table in _tables(said, "engine", file):
        _check(table, ENGINE, file, "[[engine]]")
        if "name" not in table:
            raise FormatError(file, None, "an [[engine]] without 'name'", "")
        options = dict(said.get("search", {})) | dict(table.get("search", {}))
        _check(options, SEARCH, file, "search")
        grains = table.get("grains", said.get("grains", ["document"]))
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
