"""Folders given in place of files: official assessments of a release, or all files of a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from warnings import warn

from spanwise.errors import FormatError, SpanwiseWarning
from spanwise.formats.io.files import STDIN, dataset_at
from spanwise.formats.trec.beir import beir_qrels

# Releases of assessments -------------------------------------------------------------------------
#
# A release is a tree of folders, of which only a part is official:
# `done/<query type>/main/topic-<n>/pool-<n>.xml`, with `others` beside `main` for further assessors
# and `in_progress` beside `done` for unfinished pools. Older releases have neither `main` nor
# `others`.

POOLS = "topic-*/pool-*.xml*"
ASIDE = ("others", "in_progress")


def official_pools(folder: Path) -> list[str] | None:
    """Return the official files of a release in byte order, or None if the folder is not one.

    The number of skipped files is reported. The folder may be any level of a release: naming
    `others` explicitly selects it.

    """
    if not any(inside.is_dir() for inside in folder.iterdir()):
        return None
    every = sorted(folder.rglob(POOLS), key=bytes)
    if not every:
        return None
    aside = {name: [f for f in every if name in f.relative_to(folder).parts] for name in ASIDE}
    official = [file for file in every if not any(file in files for files in aside.values())]
    if not official:
        raise FormatError(
            str(folder), None, "no official pool", "pool-*.xml under main", "name the folder"
        )
    counts = [f"{len(files)} under {name}" for name, files in aside.items() if files]
    if counts:
        passed = len(every) - len(official)
        warn(
            f"{folder}: {passed} of {len(every)} pools are not official and were skipped"
            f" ({', '.join(counts)})",
            SpanwiseWarning,
            stacklevel=2,
        )
    return [str(file) for file in official]


# Expanding folders -------------------------------------------------------------------------------

ABOUT = ".about.json"
"""Suffix of a file that documents the origin of the file whose name precedes it."""


def expanded(names: Sequence[str]) -> list[str]:
    """Return the files, with each folder replaced by its files in byte order.

    The folder of a release of assessments is replaced by its official files; a dataset is kept.
    dataset for itself.
    """
    files: list[str] = []
    for name in names:
        path = Path(name)
        folder = bool(name) and name != STDIN and path.is_dir()
        pools = (beir_qrels(path) or official_pools(path)) if folder else None
        if folder and dataset_at(name) is not None:
            files.append(name)
        elif pools is not None:
            files += pools
        elif folder:
            inside = sorted((p for p in path.iterdir() if _is_data(p)), key=lambda p: bytes(p))
            if not inside:
                raise FormatError(name, None, "the folder has no files", "at least one file")
            files += [str(file) for file in inside]
        else:
            files.append(name)
    return files


def _is_data(file: Path) -> bool:
    """Return whether a file of a folder contains data."""
    of = file.with_name(file.name.removesuffix(ABOUT))
    return file.is_file() and (of == file or not of.is_file())
