"""Datasets: a folder of files that hold one run, or one set of judgements, some topics each.

A file `_spanwise.json` says what the folder is, and in how many parts the topics were taken apart:
that file makes the folder one thing, where others stand for the files in them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from spanwise.errors import FormatError
from spanwise.formats.io.files import STDIN, is_remote, whole

MARK = "_spanwise.json"
FORM = "spanwise-dataset/1"


@dataclass(frozen=True, slots=True)
class Dataset:
    """What a folder holds."""

    holds: str
    file_format: str
    name: str  # of the run
    parts: int  # in how many the topics were taken apart
    files: Mapping[str, str]  # those that something is in, by their numbers

    def mark(self) -> bytes:
        """What says so."""
        return json.dumps({"format": FORM, **asdict(self)}, indent=1).encode() + b"\n"


def dataset_at(place: str) -> Dataset | None:
    """The dataset that a folder is, if it is one."""
    if place in ("", STDIN):
        return None
    mark = f"{place.rstrip('/')}/{MARK}"
    said = whole(mark, absent=b"") if is_remote(place) else _beside(mark)
    if not said:
        return None
    try:
        known = json.loads(said)
        if known.pop("format") != FORM:
            raise ValueError(FORM)
        return Dataset(**known)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise FormatError(
            mark, None, "not what spanwise convert --partition writes", FORM
        ) from error


def _beside(mark: str) -> bytes:
    from pathlib import Path

    path = Path(mark)
    return path.read_bytes() if path.is_file() else b""


def paths_in(place: str, dataset: Dataset) -> dict[int, str]:
    """The files of a dataset, by their numbers."""
    files = {int(number): name for number, name in dataset.files.items()}
    return {number: f"{place.rstrip('/')}/{files[number]}" for number in sorted(files)}


@dataclass(frozen=True, slots=True)
class Stored:
    """Some parts of a dataset."""

    format: str
    paths: tuple[str, ...]
    name: str  # of the run


def stored(place: str, dataset: Dataset, numbers: Iterable[int]) -> Stored:
    """Those of these numbers."""
    paths = paths_in(place, dataset)
    there = tuple(paths[number] for number in numbers if number in paths)
    return Stored(dataset.file_format, there, dataset.name)
