"""Setup of a judging store: creation from a pool, opening, locking, safety copies."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from spanwise.errors import FormatError, InputError, UsageError
from spanwise.formats.io.files import chunks
from spanwise.judge.store import Document, Store, create, is_store
from spanwise.judge.views import fingerprint, refuse_bytes
from spanwise.model.topics import Topic

if TYPE_CHECKING:
    from spanwise.model.documents import Collection
    from spanwise.model.pools import Pool, Pooled
    from spanwise.model.topics import Topics

SHOWN = ("title", "description", "narrative", "castitle", "keywords", "ontopic_keywords")
COPIES = 5


@dataclass(frozen=True, slots=True)
class Campaign:
    """The settings of a new judging store."""

    mode: str = "highlight"
    aspects: tuple[str, ...] = ()
    order: str = "shuffle"
    seed: int = 0
    support: bool = True
    guidelines: str = ""
    assessors: tuple[str, ...] = field(default_factory=tuple)


def made(path: str, pool: Pool, topics: Topics, collection: Collection, plan: Campaign) -> Store:
    """Create a store.

    Every document of the pool must be in the collection, and every topic must be known.
    """
    refuse_bytes(collection)
    if plan.mode == "aspects" and not plan.aspects:
        raise UsageError("--mode aspects needs --aspect NAME, once for each aspect")
    if plan.mode != "aspects" and plan.aspects:
        raise UsageError(f"--aspect has no effect with --mode {plan.mode}; expected --mode aspects")
    if not all(one.strip() for one in plan.aspects) or len({*plan.aspects}) < len(plan.aspects):
        raise UsageError("--aspect is empty or repeated; expected distinct names")
    known = {topic.id: topic for topic in topics}
    lost = [name for name in pool.topics if name not in known]
    if lost:
        raise InputError(f"{topics.source}: topic {lost[0]!r} of the pool is missing")
    absent = [one for one in pool if one.document not in collection]
    if absent:
        raise InputError(
            f"{pool.source}: {len(absent)} documents are not in the collection, such as"
            f" {absent[0].document!r} of topic {absent[0].topic!r}"
        )
    about = {
        "mode": plan.mode,
        "aspects": list(plan.aspects),
        "order": plan.order,
        "seed": plan.seed,
        "support": plan.support,
        "guidelines": plan.guidelines,
        "characters": str(collection.policy),
        "pool": {key: value for key, value in pool.about.items() if key != "runs"},
        "pool_file": Path(pool.source).name,
    }
    statements = [(name, _statement(known[name])) for name in pool.topics]
    return create(path, about, statements, _documents(pool, collection))


def guidelines_of(file: str) -> str:
    """Read the guidelines that assessors see beside every topic."""
    data = b"".join(chunks(file))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{data[error.start]:02X} is not UTF-8"
        raise FormatError(file, line, found, "text in UTF-8") from error


def _statement(topic: Topic) -> dict[str, Any]:
    shown = {one.name: getattr(topic, one.name) for one in fields(Topic) if one.name in SHOWN}
    return {name: value for name, value in shown.items() if value}


def _documents(pool: Pool, collection: Collection) -> Iterator[Document]:
    for topic, documents in enumerate(pool.topics.values()):
        for number, one in enumerate(documents):
            text = collection.text(one.document)
            about: dict[str, Any] = {"p": one.p, "stratum": one.stratum, "round": one.round}
            if one.ranks:
                about["ranks"] = list(one.ranks)
            about["spans"] = _support(one, collection)
            yield Document(topic, number, one.document, fingerprint(text), len(text), about)


def _support(one: Pooled, collection: Collection) -> list[list[int]]:
    """Return the parts that systems returned, as spans in an order that reveals nothing."""
    found = []
    for part in one.support:
        if isinstance(part, str):
            spans = collection.spans([one.document], [part])
            if spans.starts[0] >= 0:
                found.append([int(spans.starts[0]), int(spans.ends[0])])
        elif isinstance(part[0], int):
            found.append([part[0], int(part[1])])
        else:
            spans = collection.spans([one.document] * 2, [str(part[0]), str(part[1])])
            if (spans.starts >= 0).all():
                found.append([int(spans.starts[0]), int(spans.ends[1])])
    unique = sorted({tuple(span) for span in found})
    random.Random(one.document).shuffle(unique)
    return [list(span) for span in unique]


def open_or_create(
    path: str, drawn: Pool, topics: Topics, collection: Collection, plan: Campaign
) -> Store:
    """Open the store of a pool, or create it if the file does not exist."""
    pool = drawn.drawable()
    if not Path(path).exists():
        return made(path, pool, topics, collection, plan)
    if not is_store(path):
        raise UsageError(
            f"{path}: already exists and is not a judging store; choose another --store"
        )
    store = Store(path)
    theirs = {
        (name, one.id)
        for number, name, _ in store.topics()
        for one in store.documents(number)
        if not one.added_by
    }
    if theirs != pool.keys():
        raise UsageError(f"{path}: was made from another pool; choose another --store")
    if store.about["mode"] != plan.mode:
        raise UsageError(f"{path}: found mode {store.about['mode']!r}; expected {plan.mode!r}")
    if plan.aspects and list(plan.aspects) != store.about["aspects"]:
        raise UsageError(
            f"{path}: expected the store's aspects: {', '.join(store.about['aspects']) or 'none'}"
        )
    unsaid = replace(Campaign(), order=str(drawn.about.get("order", Campaign().order)))
    for name in ("order", "seed", "support", "guidelines"):
        if getattr(plan, name) not in (getattr(unsaid, name), store.about.get(name)):
            raise UsageError(f"{path}: was made with another --{name}; choose another --store")
    return store


def locked(path: str) -> IO[str]:
    """Lock a store against other servers until the handle is closed."""
    handle = Path(f"{path}.lock").open("a+")  # noqa: SIM115
    try:
        _lock(handle)
    except OSError:
        handle.seek(0)
        raise UsageError(f"{path}: is in use by another server ({handle.read().strip()})") from None
    handle.truncate(0)
    handle.write(f"process {os.getpid()}\n")
    handle.flush()
    return handle


def _lock(handle: IO[str]) -> None:
    """Lock an open file without waiting; OSError if another process has locked it."""
    if sys.platform == "win32":
        import msvcrt

        handle.seek(FAR)  # a locked byte cannot be read, and the message must be
        msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
        handle.seek(0)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


FAR = 1 << 30
"""The byte that is locked on Windows, behind everything that is written."""


def copy_safely(store: Store) -> None:
    """Make a verified copy beside the store, and keep the last five."""
    from datetime import datetime

    from spanwise.console import say

    place = Path(store.path)
    folder = place.with_name(f"{place.name}.copies")
    try:
        folder.mkdir(exist_ok=True)
        problem = store.copy_to(folder / f"{datetime.now():%Y%m%d-%H%M%S}.sqlite")
        for old in sorted(folder.glob("*.sqlite"))[:-COPIES]:
            old.unlink()
    except OSError as error:
        problem = error.strerror or str(error)
    if problem:
        say("warning", f"{folder}: no safety copy could be made ({problem})")


# Demonstration ------------------------------------------------------------------------------------

BUDGET = 6


def demo_files(store: str | None) -> tuple[str, str, str, str]:
    """Return pool, collection, topics and store of the demonstration with the handbook.

    The pool is made from the handbook's runs if it does not exist.
    """
    from spanwise.console import write_atomically
    from spanwise.formats.pools import write_pool
    from spanwise.judge.pooling import Plan, contributions, pooled

    folder = Path(__file__).parents[1] / "data" / "handbook"
    runs = [str(folder / f"{name}.run") for name in ("articles", "elements", "passages")]
    place = Path(store) if store else Path("handbook.judged")
    pool = place.with_suffix(".pool.jsonl")
    if not pool.exists():
        write_atomically(pool, write_pool(pooled(contributions(runs), Plan(budget=BUDGET))))
    return str(pool), str(folder / "articles"), str(folder / "topics.xml"), str(place)
