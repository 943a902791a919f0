"""TEMPORARY module docstring to replace."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from spanwise.errors import UsageError

if TYPE_CHECKING:
    from spanwise.retrieve.registry import Engine, Searcher
    from spanwise.retrieve.units import Units

NOTE = "spanwise-index.json"


@contextmanager
def indexed(
    engine: Engine, name: str, units: Units, folder: str | None = None
) -> Iterator[Searcher]:
    """Open an index of units, in a permanent folder or in a temporary one."""
    place = Path(folder) if folder is not None else Path(mkdtemp(prefix="spanwise-index-"))
    try:
        if folder is None:
            engine.build(units.texts(), place)
        else:
            _prepare(engine, place, _about(engine, name, units), units)
        with engine.open(place) as searcher:
            yield searcher
    finally:
        if folder is None:
            shutil.rmtree(place, ignore_errors=True)


def _about(engine: Engine, name: str, units: Units) -> dict[str, Any]:
    """Return the description that must be equal for an index to be used again."""
    digest = blake2b(digest_size=16)
    for text in units.texts():
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return {
        "format": "spanwise index/1",
        "engine": name,
        "settings": repr(engine),
        "grain": str(units.grain) + (" (own text)" if units.own else ""),
        "units": len(units),
        "texts": digest.hexdigest(),
    }


def _known(note: Path) -> dict[str, Any]:
    try:
        said = json.loads(note.read_bytes())
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{note}: cannot be read; name another folder or remove this one"
        ) from error
    return said if isinstance(said, dict) else {}


def _prepare(engine: Engine, place: Path, about: dict[str, Any], units: Units) -> None:
    """Reuse an index or build it; the description file is written last."""
    note = place / NOTE
    if note.is_file():
        known = _known(note)
        if known == about:
            return
        other = next(key for key in about if known.get(key) != about[key])
        raise UsageError(
            f"{place}: the index is of another {other}: {known.get(other)!r}, not"
            f" {about[other]!r}; name another folder or remove this one"
        )
    if place.exists() and not (place.is_dir() and not any(place.iterdir())):
        raise UsageError(f"{place}: is there already and no index; expected a new folder")
    part = place.parent / f".{place.name}.part"
    shutil.rmtree(part, ignore_errors=True)
    try:
        part.mkdir(parents=True)
        engine.build(units.texts(), part)
        (part / NOTE).write_text(json.dumps(about, indent=1) + "\n")
        if place.exists():
            place.rmdir()
        part.rename(place)
    except OSError as error:
        raise UsageError(f"{place}: cannot be written ({error.strerror})") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
