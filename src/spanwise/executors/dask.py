"""Dask: items as tasks of a scheduler, which reassigns those of a lost worker."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from spanwise.executors.engines import A_WHILE, NOT_YET, without_interrupts

if TYPE_CHECKING:
    from spanwise.executors.engines import Map

QUIET = logging.CRITICAL + 1
"""Logging level above every message."""
KEPT = {"MALLOC_TRIM_THRESHOLD_": str(1 << 30), "MALLOC_MMAP_THRESHOLD_": str(1 << 30)}
"""Environment that keeps workers from returning memory after each task, which is slow."""


@contextmanager
def workers(address: str | None, folder: Path) -> Iterator[Map]:
    """Provide a map on a given cluster, the session's cluster, or two local processes."""
    from distributed import Client

    if address is not None:
        with Client(address, set_as_default=False) as client:
            yield _map_of(client)
        return
    try:
        client = Client.current()
    except ValueError:
        with _two_processes(folder) as client:
            yield _map_of(client)
    else:
        yield _map_of(client)


@contextmanager
def _two_processes(folder: Path) -> Iterator[Any]:
    import dask.config
    from distributed import Client, LocalCluster

    settings = {"temporary-directory": str(folder), "distributed.nanny.pre-spawn-environ": KEPT}
    with dask.config.set(settings):
        with without_interrupts():  # Ctrl-C is for this process, which ends the workers
            cluster = LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address=None,
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # else on all interfaces
                local_directory=str(folder),
                silence_logs=QUIET,
                memory_limit=0,
                env={"TMPDIR": str(folder)},
            )
        with cluster, Client(cluster, set_as_default=False) as client:
            yield client


def _map_of(client: Any) -> Map:
    def mapped(function: Callable[[Any], Any], items: Sequence[Any]) -> Generator[Any, None, None]:
        futures = client.map(function, items, pure=False)
        try:
            for number, future in enumerate(futures):
                done = Event()
                future.add_done_callback(lambda _, done=done: done.set())
                while not done.wait(A_WHILE):
                    yield NOT_YET
                yield future.result()
                futures[number] = None  # the result is here: no worker needs to keep it
        finally:
            client.cancel([future for future in futures if future is not None])

    return mapped
