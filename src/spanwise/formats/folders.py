"""Folders in place of files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from spanwise.errors import FormatError
from spanwise.formats.beir import beir_qrels
from spanwise.formats.dataset import dataset_at
from spanwise.formats.opening import STDIN
from spanwise.formats.release import official_pools

ABOUT = ".about.json"
"""What a file is called that says where another one comes from: that one's name, and this."""


def expanded(names: Sequence[str]) -> list[str]:
    """Files as given; a folder stands for all files in it, in byte order.

    A release of assessments, which is a tree of folders, stands for its official files, and a
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
            inside = sorted((p for p in path.iterdir() if _read(p)), key=lambda p: bytes(p))
            if not inside:
                raise FormatError(name, None, "the folder has no files", "at least one file")
            files += [str(file) for file in inside]
        else:
            files.append(name)
    return files


def _read(file: Path) -> bool:
    """Whether a file of a folder is one of its data."""
    of = file.with_name(file.name.removesuffix(ABOUT))
    return file.is_file() and (of == file or not of.is_file())
