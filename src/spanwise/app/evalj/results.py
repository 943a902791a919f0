"""What the files with the results of runs are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain, count
from pathlib import PurePath

ENDINGS = (".gz", ".xz", ".zst", ".xml", ".txt")


def file_names(sources: Sequence[str]) -> list[str]:
    """A name for each run: that of its file, with as many folders as tell it from the others.

    >>> file_names(["2006/a/run.xml", "2006/b/run.xml", "2006/b/mine.txt.gz"])
    ['a_run', 'b_run', 'mine']
    >>> file_names(["run.xml", "run.txt", "run.txt"])
    ['run', 'run_2', 'run_3']
    """
    parts = [(*PurePath(source).parts[:-1], _stem(source)) for source in sources]
    names = [path[-1] for path in parts]
    for depth in range(2, max(map(len, parts), default=0) + 1):
        there = Counter(names)
        names = [
            "_".join(path[-depth:]).lstrip("/_") if there[name] > 1 else name
            for name, path in zip(names, parts, strict=True)
        ]
    return numbered(names)


def _stem(source: str) -> str:
    name = PurePath(source).name
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    return name


def numbered(names: Sequence[str]) -> list[str]:
    """Names, with numbers behind those that are taken."""
    taken: dict[str, None] = {}
    for name in names:
        others = (f"{name}_{number}" for number in count(2))
        taken[next(one for one in chain([name], others) if one not in taken)] = None
    return list(taken)
