"""A release of assessments as a tree of folders, of which only a part is official.

`done/<query type>/main/topic-<n>/pool-<n>.xml`, with `others` beside `main` for further assessors
and `in_progress` beside `done` for pools that nobody finished; older releases have neither `main`
nor `others`.
"""

from __future__ import annotations

from pathlib import Path
from warnings import warn

from spanwise.errors import FormatError, SpanwiseWarning

POOLS = "topic-*/pool-*.xml*"
ASIDE = ("others", "in_progress")


def official_pools(folder: Path) -> list[str] | None:
    """The official files of a release, in byte order; None if the folder is not one.

    What is passed over is counted and said. The folder may be any level of a release: somebody
    who names `others` himself gets it.
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
            str(folder), None, "no official pool in it", "pool-*.xml under main", "name the folder"
        )
    counts = [f"{len(files)} under {name}" for name, files in aside.items() if files]
    if counts:
        passed = len(every) - len(official)
        warn(
            f"{folder}: {passed} of {len(every)} pools are not official and were passed over"
            f" ({', '.join(counts)})",
            SpanwiseWarning,
            stacklevel=2,
        )
    return [str(file) for file in official]
