"""Building a store: shard by shard, in a folder beside the final one, which is renamed at the end.

A build that was interrupted goes on where it stopped: a shard that would come out the same (same
documents by name, size and date, same policy) is not made again. The bytes of a store depend on
its sources alone, not on the number of workers.
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

# Who makes the shards of a store: this process, or others that are started for it. ----------------


@contextmanager
def submitting(workers: int) -> Iterator[Callable[[Task], Future[Note | Failure]]]:
    """A way to have shards made: in this process, or in others."""
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
    """Ctrl-C waits meanwhile; a process that is started never hears of it, not even at first."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which is inherited
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)
        if heard:
            signal.raise_signal(signal.SIGINT)


def _serve() -> None:
    """An interruption is for the process that gives out the work; its end is the worker's end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A process that is killed cannot tell its workers, which would wait for ever."""
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)


# Building a store: shard by shard, in a folder beside the final one, which is renamed at the end.
#
# A build that was interrupted goes on where it stopped: a shard that would come out the same (same
# documents by name, size and date, same policy) is not made again. The bytes of a store depend on
# its sources alone, not on the number of workers.

SHARD_BYTES = 32_000_000
"""Bytes of source that make a shard."""
FEW = 2
"""So many shards are made sooner than other processes have started."""
HEADER = "store.json"
LOCK = "lock"
DEFAULT_POLICY = CharacterPolicy()
KIND = "spanwise collection"

Progress = Callable[[int, int], None]
"""Told, after every shard, how many bytes on disk and how many documents are done with."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a store is to be built."""

    policy: CharacterPolicy = DEFAULT_POLICY
    on_error: OnError = "stop"
    fresh: bool = False  # do not use what an earlier build left, replace an existing store
    workers: int = 1
    shard_bytes: int = SHARD_BYTES


@dataclass(frozen=True, slots=True)
class Summary:
    """What a build came to."""

    documents: int
    elements: int
    characters: int
    skipped: int
    unknown: int  # references to entities, one character each, whose text is not known
    reused: int  # shards of an earlier, interrupted build


def build(
    paths: Sequence[str],
    output: str,
    plan: Plan | None = None,
    progress: Progress = lambda _weight, _documents: None,
) -> Summary:
    """Build a store from folders, archives, lists and files.

    Every document that is skipped is a warning. The store appears under its name only when it
    is complete.
    """
    plan = plan or Plan()
    target = Path(output)
    if target.is_symlink():
        target = target.resolve()
    _check_target(target, plan.fresh)
    part = target.parent / f".{target.name}.part"
    try:
        with _locked(part), _kept_if_of_use(part):
            _check_target(target, plan.fresh)  # which another build may have made meanwhile
            if plan.fresh:
                _emptied(part)
            summary, notes = _build_shards(paths, part, plan, progress)
            _finish(part, notes, plan.policy)
            _move(part, target)
    except OSError as error:  # reading has errors of its own
        raise InputError(f"{output}: cannot be written ({error.strerror or error})") from error
    return summary


def is_store(path: Path) -> bool:
    """Whether there is a store, of any version."""
    try:
        return json.loads((path / HEADER).read_bytes())["format"] == KIND
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _check_target(target: Path, fresh: bool) -> None:
    if not target.parent.is_dir():
        raise UsageError(f"{target.parent}: there is no such folder to write into")
    if target.exists() and not is_store(target):
        raise UsageError(f"{target}: exists and is not a store; choose another name")
    if target.exists() and not fresh:
        raise UsageError(f"{target}: exists already; give --fresh to build it anew")


@contextmanager
def _locked(part: Path) -> Iterator[None]:
    """One build at a time; the lock goes with the process that holds it."""
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
def _kept_if_of_use(part: Path) -> Iterator[None]:
    """A build that stops leaves the shards that it finished, and where there are none nothing."""
    try:
        yield
    except BaseException:
        if not any(part.glob("shard-*.json")):
            shutil.rmtree(part, ignore_errors=True)
        raise


def _emptied(part: Path) -> None:
    """Take away what an earlier build left, once it is known that none is under way."""
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
    """The documents, grouped into shards by size."""
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
    """A shard that is being made, or was made by an earlier build; the documents are let go."""

    weight: int
    documents: int
    result: Future[Note | Failure]
    is_old: bool

    def awaited(self) -> Note | Failure:
        try:
            return self.result.result()
        except BrokenExecutor as error:
            raise InputError(
                "a worker process died, perhaps for want of memory; try --workers 1"
            ) from error


def _results(
    tasks: Iterator[Task], part: Path, workers: int
) -> Iterator[tuple[_UnderWay, Note | Failure]]:
    """Every shard with what came of it, in order; a few of them are under way at a time."""
    waiting: deque[_UnderWay] = deque()
    first = deque(islice(tasks, FEW + 1 if workers > 1 else 0))
    processes = workers if len(first) > FEW else 1
    ahead = processes if processes > 1 else 0
    with submitting(processes) as submit:
        while (task := first.popleft() if first else next(tasks, None)) is not None:
            waiting.append(_started(task, part, submit))
            del task  # members of an archive are in it
            while len(waiting) > ahead:
                shard = waiting.popleft()
                yield shard, shard.awaited()
        for shard in waiting:
            yield shard, shard.awaited()


def _started(task: Task, part: Path, submit: Callable[[Task], Future[Note | Failure]]) -> _UnderWay:
    """A shard to be made, unless there is one that came out the same."""
    weight = sum(source.weight for source in task.sources)
    old = read_note(part, task.number)
    if old is None or old.fingerprint != task.fingerprint():
        return _UnderWay(weight, len(task.sources), submit(task), False)
    done: Future[Note | Failure] = Future()
    done.set_result(old)
    return _UnderWay(weight, len(task.sources), done, True)


def _finish(part: Path, notes: Sequence[Note], policy: CharacterPolicy) -> None:
    """Make a store of finished shards: names, header, and nothing that does not belong to it."""
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
    """Give the store its name; one that was there before is taken away only then."""
    old = target.parent / f".{target.name}.old"
    if target.exists():
        shutil.rmtree(old, ignore_errors=True)
        target.rename(old)
    (part / LOCK).unlink()
    part.rename(target)
    shutil.rmtree(old, ignore_errors=True)
