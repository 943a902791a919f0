"""XCGEval's property files: one `KEY: value` on a line, lists with commas, `#` before comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from spanwise.app.output import say
from spanwise.errors import FormatError, UnknownName
from spanwise.ground.quantise import QUANTISATIONS

KEYS = (
    *("TASK", "METRICS", "OVERLAP", "ALPHA", "DCV", "QUANT_FUNCTIONS"),
    *("ASSESSMENTS_DIR", "SUBMISSIONRUNS_DIR", "RESULTS_DIR"),
    *("EXPANDED_FULLRB", "INEXDOCCOLL_DIR"),
)
METRICS = ("nxCG", "xCG", "ep/gr")
TASKS = ("Thorough", "Focused")
USUAL_COLLECTION = "./inex-1.4"
RESULTS = "./results"
LINE = re.compile(r"\s*([^\s:=]+)\s*(?:[:=]\s*|\s+|$)(.*)")


@dataclass(frozen=True, slots=True)
class Properties:
    """What a property file asks for."""

    source: str
    task: str
    metrics: tuple[str, ...]
    overlap: tuple[str, ...]
    alpha: float
    ranks: tuple[int, ...]
    quantisations: tuple[str, ...]
    runs: tuple[str, ...]
    assessments: tuple[str, ...] = ()  # empty: only the file of all assessments is named
    everything: str | None = None  # one file with all assessments, made if it is not there
    results: str = RESULTS
    collection: str | None = None


@dataclass(frozen=True, slots=True)
class _Said:
    """Values as they stand in the file, with their lines."""

    file: str
    values: dict[str, tuple[str, int]]

    def one(self, key: str, otherwise: str) -> str:
        return self.values.get(key, (otherwise, 0))[0] or otherwise

    def several(self, key: str, otherwise: str = "") -> tuple[str, ...]:
        parts = [part.strip() for part in self.one(key, otherwise).split(",")]
        return tuple(part for part in parts if part)

    def wrong(self, key: str, found: str, due: str) -> FormatError:
        line = self.values[key][1] if key in self.values else None
        return FormatError(self.file, line, f"{key} {found}", due)

    def chosen(self, key: str, known: tuple[str, ...], otherwise: str = "") -> tuple[str, ...]:
        """Values of a list, in the spelling that is known."""
        spelled = {name.lower(): name for name in known}
        asked = self.several(key, otherwise)
        for part in asked:
            if part.lower() not in spelled:
                raise self.wrong(key, repr(part), f"one of {', '.join(known)}")
        if not asked:
            raise self.wrong(key, "is missing", f"one or more of {', '.join(known)}")
        return tuple(spelled[part.lower()] for part in asked)

    def files(self, key: str) -> tuple[str, ...]:
        """The files and folders that a list of names and patterns stands for."""
        for name in self.several(key):
            if not _matching(name):
                raise self.wrong(key, repr(name), "a file, a folder, or a pattern that fits some")
        return self.there(key)

    def there(self, key: str) -> tuple[str, ...]:
        """Those of them that are there, each once."""
        return tuple(dict.fromkeys(file for name in self.several(key) for file in _matching(name)))


def read_properties(file: str, data: bytes) -> Properties:
    """The properties in a file."""
    said = _Said(file, dict(_entries(file, data)))
    (task, *more) = said.chosen("TASK", TASKS, "Thorough")
    if more:
        raise said.wrong("TASK", "has two values", "one task")
    runs = said.files("SUBMISSIONRUNS_DIR")
    if not runs:
        raise said.wrong("SUBMISSIONRUNS_DIR", "is missing", "where the runs are")
    everything = said.one("EXPANDED_FULLRB", "") or None
    known = everything is not None and Path(everything).exists()
    assessments = () if known else said.files("ASSESSMENTS_DIR")
    if known and everything is not None:
        _warn_if_older(everything, said.there("ASSESSMENTS_DIR"))
    if not assessments and not known:
        found = "is missing" if everything is None else f"is missing, and there is no {everything}"
        raise said.wrong("ASSESSMENTS_DIR", found, "where the assessments are")
    return Properties(
        file,
        task,
        said.chosen("METRICS", METRICS),
        said.chosen("OVERLAP", ("on", "off"), "on" if task == "Focused" else "off"),
        _alpha(said),
        _ranks(said),
        _quantisations(said),
        runs,
        assessments,
        everything,
        said.one("RESULTS_DIR", RESULTS),
        _collection(said),
    )


def _warn_if_older(everything: str, assessments: tuple[str, ...]) -> None:
    """Say so if assessments have changed since they were put together in one file."""
    made = Path(everything).stat().st_mtime
    files = (file for name in assessments for file in (Path(name), *Path(name).rglob("*")))
    newer = next((file for file in files if file.is_file() and file.stat().st_mtime > made), None)
    if newer is not None:
        say(
            "warning",
            f"{everything}: older than {newer}, which is not looked at; remove it to have it made"
            " again",
        )


def _entries(file: str, data: bytes) -> Iterator[tuple[str, tuple[str, int]]]:
    """Keys and values with their lines."""
    seen: set[str] = set()
    for number, line in _lines(data.decode("utf-8", "surrogateescape")):
        match = LINE.fullmatch(line)
        if match is None:
            raise FormatError(file, number, repr(line), "KEY: value")
        key, value = match.groups()
        if key not in KEYS:
            unknown = UnknownName("key", key, list(KEYS), f"known are {', '.join(KEYS)}")
            raise FormatError(file, number, str(unknown), "")
        if key in seen:
            raise FormatError(file, number, f"{key} a second time", "each key once")
        seen.add(key)
        yield key, (value.strip(), number)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines that say something, and where they begin; one that ends in a backslash goes on."""
    begun: list[str] = []
    lines = text.splitlines()
    for number, raw in enumerate(lines, start=1):
        if not begun and (not raw.strip() or raw.lstrip()[0] in "#!"):
            continue
        begun.append(raw.removesuffix("\\").strip())
        if not raw.endswith("\\") or number == len(lines):
            yield number - len(begun) + 1, " ".join(begun)
            begun = []


def _matching(pattern: str) -> list[str]:
    """The file of that name, or all that a pattern such as `dir/*/16*.xml` fits, in byte order."""
    path = Path(pattern)
    if path.exists():
        return [pattern]
    return sorted(map(str, Path(path.anchor).glob(str(path.relative_to(path.anchor)))))


def _alpha(said: _Said) -> float:
    value = said.one("ALPHA", "1.0")
    try:
        alpha = float(value)
    except ValueError:
        alpha = -1.0
    if not 0 <= alpha <= 1:
        raise said.wrong("ALPHA", repr(value), "a number from 0 to 1")
    return alpha


def _ranks(said: _Said) -> tuple[int, ...]:
    ranks = said.several("DCV", "5, 10, 25, 50")
    for rank in ranks:
        if not re.fullmatch(r"[1-9]\d{0,8}", rank):
            raise said.wrong("DCV", repr(rank), "ranks, such as 5, 10, 25, 50")
    return tuple(map(int, ranks))


def _quantisations(said: _Said) -> tuple[str, ...]:
    """Names that are known, or files with tables."""
    asked = said.several("QUANT_FUNCTIONS", "gen")
    for name in asked:
        due = quantisation_due(name)
        if due:
            raise said.wrong("QUANT_FUNCTIONS", repr(name), due)
    return asked


def quantisation_due(name: str) -> str:
    """What should stand there if nothing has that name; empty where something has."""
    if name in QUANTISATIONS or Path(name).exists():
        return ""
    return f"one of {', '.join(QUANTISATIONS)}; or the name of a file"


def _collection(said: _Said) -> str | None:
    """Where the documents are; the usual place only if there is something."""
    named = said.one("INEXDOCCOLL_DIR", "")
    if not named:
        return USUAL_COLLECTION if Path(USUAL_COLLECTION).exists() else None
    if not Path(named).exists():
        raise said.wrong("INEXDOCCOLL_DIR", repr(named), "a folder of documents or a store")
    return named
