"""Datasets: folders of files that together hold one run or one set of judgements.

Each file has some of the topics. A file `_spanwise.json` describes the folder and the number of
partitions of the topics; it distinguishes a dataset from a plain folder of files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from spanwise.errors import FormatError
from spanwise.formats.io.files import STDIN, is_remote, read_remote

MARK = "_spanwise.json"
FORM = "spanwise-dataset/1"


@dataclass(frozen=True, slots=True)
class Dataset:
    """The description of a dataset folder."""

    holds: str
    file_format: str
    name: str  # name of the run
    parts: int  # number of partitions of the topics
    files: Mapping[str, str]  # file names of the partitions that are not empty, by number

    def mark(self) -> bytes:
        """Return the content of the file that marks the folder as a dataset."""
        return json.dumps({"format": FORM, **asdict(self)}, indent=1).encode() + b"\n"


def dataset_at(place: str) -> Dataset | None:
    """Return the dataset in a folder, or None if the folder is not a dataset."""
    if place in ("", STDIN):
        return None
    mark = f"{place.rstrip('/')}/{MARK}"
    content = read_remote(mark, absent=b"") if is_remote(place) else _beside(mark)
    if not content:
        return None
    try:
        known = json.loads(content)
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
    """Return the files of a dataset by partition number."""
    files = {int(number): name for number, name in dataset.files.items()}
    return {number: f"{place.rstrip('/')}/{files[number]}" for number in sorted(files)}


@dataclass(frozen=True, slots=True)
class Stored:
    """Some partitions of a dataset."""

    format: str
    paths: tuple[str, ...]
    name: str  # name of the run


def stored(place: str, dataset: Dataset, numbers: Iterable[int]) -> Stored:
    """Return the partitions with these numbers."""
    paths = paths_in(place, dataset)
    there = tuple(paths[number] for number in numbers if number in paths)
    return Stored(dataset.file_format, there, dataset.name)
