"""Dask: items as tasks of a scheduler, which reassigns those of a lost worker."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from spanwise.executors import PENDING, POLL_SECONDS
from spanwise.executors.signals import interrupts_blocked

if TYPE_CHECKING:
    from spanwise.executors import Map

QUIET = logging.CRITICAL + 1
"""Logging level above every message."""
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(1 << 30), "MALLOC_MMAP_THRESHOLD_": str(1 << 30)}
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
        with _local_cluster(folder) as client:
            yield _map_of(client)
    else:
        yield _map_of(client)


@contextmanager
def _local_cluster(folder: Path) -> Iterator[Any]:
    import dask.config
    from distributed import Client, LocalCluster

    settings = {
        "temporary-directory": str(folder),
        "distributed.nanny.pre-spawn-environ": KEEP_MEMORY,
    }
    with dask.config.set(settings):
        with interrupts_blocked():  # this process handles Ctrl-C and ends the workers
            cluster = LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address=None,
                scheduler_kwargs={
                    "dashboard_address": "127.0.0.1:0"
                },  # the default is all interfaces
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
                while not done.wait(POLL_SECONDS):
                    yield PENDING
                yield future.result()
                futures[number] = None  # workers need not keep the result
        finally:
            client.cancel([future for future in futures if future is not None])

    return mapped
