"""Executors of work: processes of this machine, and cluster engines with their registry.

The module of an engine has one function, `workers(address, folder)`: a context that provides a map
like Python's own, which runs on the engine. The map is a generator that yields PENDING after
waiting for a while, so that signals can be handled. Workers that it starts itself write their
temporary files into the folder, which is removed even if they are killed. The engine schedules the
items, moves data and repeats failed tasks.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from spanwise.errors import ClusterError, MissingExtra, SpanwiseError, UnknownName
from spanwise.executors.signals import safe_context, signals_deferred, temporary_folder
from spanwise.version import __version__

__all__ = ["Map", "Place", "place", "workers"]


PENDING = object()
"""Value that a map yields while a result is not ready, so that signals are handled."""
POLL_SECONDS = 0.2
"""Time in seconds after which it is yielded."""


# Remote calls -------------------------------------------------------------------------------------

_lock = Lock()
"""Lock for the current folder and the warnings, which all threads of a process share."""


@dataclass(frozen=True, slots=True)
class RemoteCall:
    """A function with the state it needs to run in another process as it does here."""

    function: Callable[[Any], Any]
    folder: str
    version: str

    @classmethod
    def wrap(cls, function: Callable[[Any], Any]) -> RemoteCall:
        """Wrap a function with the current folder and version."""
        return cls(function, str(Path.cwd()), __version__)

    def __call__(self, item: Any) -> Any:
        """Return the result for one item, computed in the sender's folder if it exists here."""
        if self.version != __version__:
            raise ClusterError("a worker", f"found spanwise {__version__}; expected {self.version}")
        with _lock:
            before = Path.cwd()
            with suppress(OSError):
                os.chdir(self.folder)
            try:
                return self.function(item)
            finally:
                os.chdir(before)


# Engines ------------------------------------------------------------------------------------------

Map = Callable[[Callable[[Any], Any], Sequence[Any]], Generator[Any, None, None]]
"""A function that yields the results of another function in the order of the items."""
END = object()
"""Value that marks the end of the results."""
ERROR = re.compile(r"[\w.]*(Error|Exception): ")
"""Start of the last line of a traceback."""
LISTENING = re.compile(r"(?:(?:tcp|tls|spark|ray)://)?(\[.+\]|[^:/,\[\]]+):(\d+)")
"""The address of one machine with its port."""
CONNECT_SECONDS = 10.0
"""Maximum time in seconds to wait for a connection."""


class Engine(NamedTuple):
    """An engine: its title, its library and an example of an address."""

    title: str
    library: str
    address: str


ENGINES: dict[str, Engine] = {
    "dask": Engine("Dask", "distributed", "tcp://HOST:8786"),
    "spark": Engine("Spark", "pyspark", "spark://HOST:7077"),
    "ray": Engine("Ray", "ray", "HOST:6379"),
}
"""The engines by name, which is that of their module and of their extra."""


class Place(NamedTuple):
    """An engine and the address of a cluster; None means two local workers."""

    engine: str
    address: str | None


def place(words: str) -> Place:
    """Parse the name of an engine with or without an address.

    >>> place("dask:tcp://10.0.0.1:8786")
    Place(engine='dask', address='tcp://10.0.0.1:8786')
    """
    name, _, address = words.partition(":")
    if name not in ENGINES:
        raise UnknownName("engine", name, list(ENGINES), "with an address: dask:tcp://HOST:8786")
    return Place(name, address or None)


def refuse_missing(name: str) -> None:
    """Raise MissingExtra unless the library of an engine is installed."""
    if find_spec(ENGINES[name].library) is None:
        raise MissingExtra(ENGINES[name].title, name, f"to run on {name}")


@contextmanager
def workers(words: str) -> Iterator[Map]:
    """Provide a map on an engine; leaving the context stops what was started.

    Nothing is started before the map is used, so that errors are reported without waiting.
    """
    name, address = place(words)
    refuse_missing(name)
    with ExitStack() as stack:
        started: list[Map] = []

        def mapped(
            function: Callable[[Any], Any], items: Sequence[Any]
        ) -> Generator[Any, None, None]:
            if not started:
                with _cluster_errors(name):
                    started.append(stack.enter_context(_started(name, address)))
            results = _results(name, started[0], RemoteCall.wrap(function), items)
            stack.callback(results.close)  # the caller may stop early
            return results

        yield mapped


def _results(
    name: str, mapped: Map, function: Callable[[Any], Any], items: Sequence[Any]
) -> Generator[Any, None, None]:
    """Yield the results of an engine, deferring signals while its code runs."""
    coming = mapped(function, items)
    try:
        while True:
            with _cluster_errors(name), signals_deferred():
                result = next(coming, END)
            if result is END:
                return
            if result is not PENDING:
                yield result
    finally:
        with signals_deferred():
            coming.close()


@contextmanager
def _started(name: str, address: str | None) -> Iterator[Map]:
    if address is not None:
        _refuse_unreachable(name, address)
    with (
        temporary_folder(name) as folder,
        safe_context(
            import_module(f"spanwise.executors.{name}").workers(address, folder)
        ) as mapped,
    ):
        yield mapped


def _refuse_unreachable(name: str, address: str) -> None:
    """Raise unless the address accepts connections.

    Some engines would retry for minutes.
    """
    found = LISTENING.fullmatch(address)
    if found is None:
        return
    try:
        socket.create_connection((found[1].strip("[]"), int(found[2])), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise ClusterError(
            name, f"no connection to {address} ({error}); check the address"
        ) from error


@contextmanager
def _cluster_errors(name: str) -> Iterator[None]:
    """Convert errors of an engine to a ClusterError; errors of spanwise pass unchanged."""
    try:
        yield
    except SpanwiseError:
        raise
    except Exception as error:
        raise ClusterError(name, _cause(error)) from error


def _cause(error: BaseException) -> str:
    """Return the most informative line: the last of a worker's traceback, else the first."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    named = [line for line in lines if ERROR.match(line)]
    return named[-1] if named else ": ".join([type(error).__name__, *lines[:1]])
