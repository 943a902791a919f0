"""Building a store, shard by shard.

A store is written to a folder beside the final one and renamed at the end. An interrupted build
continues where it stopped: a shard is kept if its documents (by name, size and date) and the policy
are the same. The bytes of a store depend only on its sources, not on the number of workers.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from warnings import warn

from spanwise.collection.archives import Source
from spanwise.collection.names import NAMES, write_names
from spanwise.collection.shards import (
    FORMAT_VERSION,
    Failure,
    Note,
    OnError,
    Task,
    build_shard,
    note_file,
    read_note,
)
from spanwise.collection.sources import sources
from spanwise.errors import InputError, SpanwiseWarning, UsageError
from spanwise.model.documents import CharacterPolicy

SHARD_BYTES = 32_000_000
"""Bytes of source text in a shard."""
FEW_SHARDS = 2
"""Number of shards that one process makes faster than others would start."""
HEADER = "store.json"
LOCK = "lock"
DEFAULT_POLICY = CharacterPolicy()
KIND = "spanwise collection"

Progress = Callable[[int, int], None]
"""A function called after every shard with the bytes on disk and the documents processed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Options of building a store."""

    policy: CharacterPolicy = DEFAULT_POLICY
    on_error: OnError = "stop"
    fresh: bool = False  # ignore what an earlier build left, and replace an existing store
    workers: int = 1
    shard_bytes: int = SHARD_BYTES


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of a finished build."""

    documents: int
    elements: int
    characters: int
    skipped: int
    unknown: int  # references to unknown entities, one character each
    reused: int  # shards from an earlier, interrupted build


def build(
    paths: Sequence[str],
    output: str,
    plan: Plan | None = None,
    progress: Progress = lambda _weight, _documents: None,
) -> Summary:
    """Build a store from folders, archives, lists and files.

    Every skipped document is reported by a warning. The store appears under its name only when it
    is complete.
    """
    plan = plan or Plan()
    target = Path(output)
    if target.is_symlink():
        target = target.resolve()
    _check_target(target, plan.fresh)
    part = target.parent / f".{target.name}.part"
    try:
        with _locked(part), _kept_if_useful(part):
            _check_target(target, plan.fresh)  # another build may have finished meanwhile
            if plan.fresh:
                _clear(part)
            summary, notes = _build_shards(paths, part, plan, progress)
            _finish(part, notes, plan.policy)
            _move(part, target)
    except OSError as error:  # reading raises errors of its own
        raise InputError(f"{output}: cannot be written ({error.strerror or error})") from error
    return summary


def is_store(path: Path) -> bool:
    """Return whether a folder is a store, of any version."""
    try:
        return json.loads((path / HEADER).read_bytes())["format"] == KIND
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _check_target(target: Path, fresh: bool) -> None:
    if not target.parent.is_dir():
        raise UsageError(f"{target.parent}: no such folder; create it first")
    if target.exists() and not is_store(target):
        raise UsageError(f"{target}: already exists and is not a store; choose another name")
    if target.exists() and not fresh:
        raise UsageError(f"{target}: already exists; use --fresh to build it again")


@contextmanager
def _locked(part: Path) -> Iterator[None]:
    """Hold the lock of a build, which the system releases if the process dies."""
    try:
        part.mkdir(exist_ok=True)
        stream = (part / LOCK).open("w")
    except OSError as error:
        raise UsageError(f"{part}: cannot be written ({error.strerror})") from error
    with stream:
        with suppress(ImportError):
            import fcntl

            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                is_ours = os.fstat(stream.fileno()).st_nlink > 0
            except OSError:
                is_ours = False
            if not is_ours:
                raise UsageError(f"{part}: another build is writing this store")
        yield


@contextmanager
def _kept_if_useful(part: Path) -> Iterator[None]:
    """Keep the finished shards of a build that fails, and remove the folder if there are none."""
    try:
        yield
    except BaseException:
        if not any(part.glob("shard-*.json")):
            shutil.rmtree(part, ignore_errors=True)
        raise


def _clear(part: Path) -> None:
    """Remove what an earlier build left; the lock must be held."""
    for file in part.iterdir():
        if file.name != LOCK:
            file.unlink()


def _build_shards(
    paths: Sequence[str], part: Path, plan: Plan, progress: Progress
) -> tuple[Summary, list[Note]]:
    notes: list[Note] = []
    reused = 0
    for shard, note in _results(_tasks(paths, part, plan), part, plan.workers):
        if isinstance(note, Failure):
            raise note.error()
        if note.skipped and plan.on_error == "stop":
            raise note.skipped[0].error()
        for failure in note.skipped:
            warn(f"skipped: {failure.error()}", SpanwiseWarning, stacklevel=2)
        reused += shard.is_old
        notes.append(note)
        progress(shard.weight, shard.documents)
    summary = Summary(
        sum(note.documents for note in notes),
        sum(note.elements for note in notes),
        sum(note.characters for note in notes),
        sum(len(note.skipped) for note in notes),
        sum(note.unknown for note in notes),
        reused,
    )
    if not summary.documents:
        raise InputError(f"{', '.join(paths)}: no document could be read")
    return summary, notes


def _tasks(paths: Sequence[str], part: Path, plan: Plan) -> Iterator[Task]:
    """Yield tasks of documents grouped into shards by size."""
    number, group, size = 0, list[Source](), 0
    for source in sources(paths):
        if group and size + source.size > plan.shard_bytes:
            yield Task(number, group, plan.policy, plan.on_error, str(part))
            number, group, size = number + 1, [], 0
        group.append(source)
        size += source.size
    if group:
        yield Task(number, group, plan.policy, plan.on_error, str(part))


@dataclass(frozen=True, slots=True)
class _UnderWay:
    """A shard that is being made, or was made by an earlier build, without its documents."""

    weight: int
    documents: int
    result: Future[Note | Failure]
    is_old: bool

    def awaited(self) -> Note | Failure:
        try:
            return self.result.result()
        except BrokenExecutor as error:
            raise InputError(
                "a worker process died, probably for lack of memory; try --workers 1"
            ) from error


def _results(
    tasks: Iterator[Task], part: Path, workers: int
) -> Iterator[tuple[_UnderWay, Note | Failure]]:
    """Yield every shard with its result, in order; some are made ahead."""
    waiting: deque[_UnderWay] = deque()
    first = deque(islice(tasks, FEW_SHARDS + 1 if workers > 1 else 0))
    processes = workers if len(first) > FEW_SHARDS else 1
    ahead = processes if processes > 1 else 0
    with submitting(processes) as submit:
        while (task := first.popleft() if first else next(tasks, None)) is not None:
            waiting.append(_started(task, part, submit))
            del task  # it may hold members of an archive
            while len(waiting) > ahead:
                shard = waiting.popleft()
                yield shard, shard.awaited()
        for shard in waiting:
            yield shard, shard.awaited()


def _started(task: Task, part: Path, submit: Callable[[Task], Future[Note | Failure]]) -> _UnderWay:
    """Start making a shard, unless an equal one exists."""
    weight = sum(source.weight for source in task.sources)
    old = read_note(part, task.number)
    if old is None or old.fingerprint != task.fingerprint():
        return _UnderWay(weight, len(task.sources), submit(task), False)
    done: Future[Note | Failure] = Future()
    done.set_result(old)
    return _UnderWay(weight, len(task.sources), done, True)


def _finish(part: Path, notes: Sequence[Note], policy: CharacterPolicy) -> None:
    """Turn finished shards into a store: write names and header, remove other files."""
    names = write_names(part, notes)
    header = {
        "format": KIND,
        "version": FORMAT_VERSION,
        "policy": asdict(policy),
        "documents": sum(note.documents for note in notes),
        "elements": sum(note.elements for note in notes),
        "characters": sum(note.characters for note in notes),
        "skipped": sum(len(note.skipped) for note in notes),
        "shards": [note.documents for note in notes],
        "names": names,
    }
    belongs = {HEADER, NAMES, LOCK}
    for note in notes:
        belongs |= {*note.files, note_file(part, note.number).name}
    for file in part.iterdir():
        if file.name not in belongs:
            file.unlink()
    (part / HEADER).write_text(json.dumps(header, indent=1) + "\n")


def _move(part: Path, target: Path) -> None:
    """Rename the folder to the store's name; only then remove a previous store."""
    old = target.parent / f".{target.name}.old"
    if target.exists():
        shutil.rmtree(old, ignore_errors=True)
        target.rename(old)
    (part / LOCK).unlink()
    part.rename(target)
    shutil.rmtree(old, ignore_errors=True)


# Worker processes --------------------------------------------------------------------------------


@contextmanager
def submitting(workers: int) -> Iterator[Callable[[Task], Future[Note | Failure]]]:
    """Provide a function that has shards made, in this process or in workers."""
    pool: ProcessPoolExecutor | None = None

    def here(task: Task) -> Future[Note | Failure]:
        result: Future[Note | Failure] = Future()
        result.set_result(build_shard(task))
        return result

    def elsewhere(task: Task) -> Future[Note | Failure]:
        nonlocal pool
        if pool is None:
            context = multiprocessing.get_context("spawn")
            pool = ProcessPoolExecutor(workers, context, initializer=_serve)
        with _interrupts_held():
            return pool.submit(build_shard, task)

    try:
        yield here if workers == 1 else elsewhere
    finally:
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Delay Ctrl-C while a process is started, and hide it from that process."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    received: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: received.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # inherited by the new process
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)
        if received:
            signal.raise_signal(signal.SIGINT)


def _serve() -> None:
    """Set up a worker, which ignores Ctrl-C and ends with the main process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Exit when the parent process ends, because a killed parent cannot stop its workers."""
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)
