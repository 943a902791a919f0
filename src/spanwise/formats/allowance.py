"""How much memory may be used, and whether a file fits in it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from spanwise.errors import UsageError
from spanwise.formats.opening import PACKED

VARIABLE = "SPANWISE_MEMORY"
"""Says how many bytes may be used, such as 500M or 2G."""
SHARE = 0.5
"""Of the memory that is available."""
TIMES = 4
"""A run in memory takes up to so many times the bytes of its file."""
UNPACKED = 5
"""And a packed file so many times its bytes once it is unpacked."""
PIECE = 64 << 20
"""Bytes of a file that are measured together, where there is room for so many."""
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def allowance() -> int:
    """Bytes that may be used: what the user says, else half of what the system has to give."""
    said = os.environ.get(VARIABLE, "")
    if not said:
        return int(_available() * SHARE)
    found = re.fullmatch(r"(\d+)([KMGT]?)", said.strip().upper().removesuffix("B"))
    if found is None:
        raise UsageError(f"{VARIABLE} is {said!r}; expected bytes, such as 500M or 2G")
    return int(found[1]) * UNITS[found[2]]


def _available() -> int:
    """Memory that is free, or would be if caches were emptied, within the limits of a container."""
    figures = [_from_system(), _from_group()]
    return min((figure for figure in figures if figure is not None), default=4 << 30)


def _from_system() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    found = next((line.split()[1] for line in lines if line.startswith("MemAvailable:")), None)
    return None if found is None else int(found) << 10


def _from_group() -> int | None:
    folder = Path("/sys/fs/cgroup")
    try:
        most, used = ((folder / name).read_text() for name in ("memory.max", "memory.current"))
    except OSError:
        return None
    return None if most.strip() == "max" else max(int(most) - int(used), 0)


def piece_size() -> int:
    """Bytes of a file that are measured together; one that is not longer is not cut."""
    return max(1, min(PIECE, allowance() // (4 * TIMES)))


def fits(file: str) -> bool:
    """Whether a file can be expected to fit in memory as a whole."""
    return size_in_memory(file) <= allowance()


def size_in_memory(file: str) -> int:
    """Bytes that the content of a file may take."""
    path = Path(file)
    if not path.is_file():
        return 0
    with path.open("rb") as stream:
        packed = stream.read(6).startswith(PACKED)
    return path.stat().st_size * TIMES * (UNPACKED if packed else 1)
