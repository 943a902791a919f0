"""Which engines work can be spread on, and how they are addressed.

An engine is a module of this room with one function, `workers(address, folder)`: a context in
which a map is at hand that works like Python's own and runs on the engine. It is a generator that
gives NOT_YET when it has waited for a while: that is when requests to end are heard. Workers that
it starts itself write their temporary files into the folder, which is removed even if they are
killed. Who schedules, moves data and tries again is the engine.
"""

from __future__ import annotations

import os
import re
import signal
import socket
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import resource_tracker
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from spanwise.errors import ClusterError, MissingExtra, SpanwiseError, UnknownName
from spanwise.executors.cleanup import calmly, tidily, undisturbed
from spanwise.version import __version__

# Manners of engines: to wait for a short while at a time, to be quiet, to leave Ctrl-C to us. -----

NOT_YET = object()
"""What a map gives instead of a result that takes longer: whoever waits can change their mind."""
A_WHILE = 0.2
"""Seconds after which it does."""


@contextmanager
def hushed() -> Iterator[None]:
    """What a library writes to standard error by itself, past Python, is not heard meanwhile."""
    errors = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(errors, 2)
        os.close(errors)
        os.close(nowhere)


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Threads and processes that are started meanwhile never hear of Ctrl-C."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # it would let interrupts through again when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# A function that visits another process: it finds the files that it would find at home. -----------

_one_at_a_time = Lock()
"""The current folder and the warnings of a process belong to all of its threads."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A function with what it needs to work elsewhere as it does here."""

    function: Callable[[Any], Any]
    folder: str
    version: str

    @classmethod
    def here(cls, function: Callable[[Any], Any]) -> Visit:
        """A function that is about to leave."""
        return cls(function, str(Path.cwd()), __version__)

    def __call__(self, item: Any) -> Any:
        """The result for one item, in the folder from which it was sent if that is there too."""
        if self.version != __version__:
            raise ClusterError("a worker", f"it has spanwise {__version__}, not {self.version}")
        with _one_at_a_time:
            before = Path.cwd()
            with suppress(OSError):
                os.chdir(self.folder)
            try:
                return self.function(item)
            finally:
                os.chdir(before)


# Which engines work can be spread on, and how they are addressed. ---------------------------------
#
# An engine is a module of this room with one function, `workers(address, folder)`: a context in
# which a map is at hand that works like Python's own and runs on the engine. It is a generator that
# gives NOT_YET when it has waited for a while: that is when requests to end are heard. Workers that
# it starts itself write their temporary files into the folder, which is removed even if they are
# killed. Who schedules, moves data and tries again is the engine.

Map = Callable[[Callable[[Any], Any], Sequence[Any]], Generator[Any, None, None]]
"""The results of a function for each item, in the order of the items."""
END = object()
"""What stands behind the last result."""
ERROR = re.compile(r"[\w.]*(Error|Exception): ")
"""How the last line of a traceback begins."""
LISTENING = re.compile(r"(?:(?:tcp|tls|spark|ray)://)?(\[.+\]|[^:/,\[\]]+):(\d+)")
"""The address of one machine and its port."""
PATIENCE = 10.0
"""Seconds that it may take to answer."""


class Engine(NamedTuple):
    """One line of the table: what has to be installed, and what an address looks like."""

    title: str
    library: str
    address: str


ENGINES: dict[str, Engine] = {
    "dask": Engine("Dask", "distributed", "tcp://HOST:8786"),
    "spark": Engine("Spark", "pyspark", "spark://HOST:7077"),
    "ray": Engine("Ray", "ray", "HOST:6379"),
}
"""Every engine; the name is that of its module and of its extra."""


class Place(NamedTuple):
    """Where to run: an engine, and the address of a cluster; None: two workers of our own."""

    engine: str
    address: str | None


def place(words: str) -> Place:
    """An engine with or without an address.

    >>> place("dask:tcp://10.0.0.1:8786")
    Place(engine='dask', address='tcp://10.0.0.1:8786')
    """
    name, _, address = words.partition(":")
    if name not in ENGINES:
        raise UnknownName("engine", name, list(ENGINES), "with an address: dask:tcp://HOST:8786")
    return Place(name, address or None)


def refuse_missing(name: str) -> None:
    """Every engine is an extra."""
    if find_spec(ENGINES[name].library) is None:
        raise MissingExtra(ENGINES[name].title, name, f"to run on {name}")


@contextmanager
def workers(words: str) -> Iterator[Map]:
    """A map on an engine for as long as the context lasts; what was started is stopped then.

    Nothing is started before the map is used, so that mistakes are found without waiting.
    """
    name, address = place(words)
    refuse_missing(name)
    with ExitStack() as stack:
        started: list[Map] = []

        def mapped(
            function: Callable[[Any], Any], items: Sequence[Any]
        ) -> Generator[Any, None, None]:
            if not started:
                with _said_in_one_line(name):
                    started.append(stack.enter_context(_started(name, address)))
            results = _each(name, started[0], Visit.here(function), items)
            stack.callback(results.close)  # not all of them may be wanted
            return results

        yield mapped


def _each(
    name: str, mapped: Map, function: Callable[[Any], Any], items: Sequence[Any]
) -> Generator[Any, None, None]:
    """What comes from an engine, whose code is undisturbed while it runs."""
    coming = mapped(function, items)
    try:
        while True:
            with _said_in_one_line(name), undisturbed():
                result = next(coming, END)
            if result is END:
                return
            if result is not NOT_YET:
                yield result
    finally:
        with undisturbed():
            coming.close()


@contextmanager
def _started(name: str, address: str | None) -> Iterator[Map]:
    if address is not None:
        _refuse_silence(name, address)
    with (
        tidily(name) as folder,
        calmly(import_module(f"spanwise.executors.{name}").workers(address, folder)) as mapped,
    ):
        yield mapped


def _refuse_silence(name: str, address: str) -> None:
    """Where nobody listens some engines would go on trying for minutes."""
    found = LISTENING.fullmatch(address)
    if found is None:
        return
    try:
        socket.create_connection((found[1].strip("[]"), int(found[2])), PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise ClusterError(name, f"nobody answers at {address} ({error})") from error


@contextmanager
def _said_in_one_line(name: str) -> Iterator[None]:
    """What goes wrong in an engine is said in one line; mistakes of the user come as data."""
    try:
        yield
    except SpanwiseError:
        raise
    except Exception as error:
        raise ClusterError(name, _cause(error)) from error


def _cause(error: BaseException) -> str:
    """The line of an error that says most: the last one of a worker's traceback, else the first."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if ERROR.match(line)]
    return told[-1] if told else ": ".join([type(error).__name__, *lines[:1]])
