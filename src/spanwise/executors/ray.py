"""Ray: items as remote tasks, which Ray repeats when their worker is lost."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from spanwise.executors import PENDING, POLL_SECONDS
from spanwise.executors.signals import stderr_discarded

if TYPE_CHECKING:
    from spanwise.executors import Map

MEMORY = 100 * 2**20
"""Size of the object store in bytes; results of tasks are small."""
GRACE = 3.0
"""Time in seconds that processes have to end by themselves."""
QUIET_ENVIRONMENT = {"RAY_DEDUP_LOGS_SKIP_REGEX": ".*", "RAY_BACKEND_LOG_LEVEL": "fatal"}
"""Environment that suppresses output of workers and of Ray's core."""
SILENT = {"logging_level": logging.CRITICAL, "log_to_driver": False}


@contextmanager
def workers(address: str | None, folder: Path) -> Iterator[Map]:
    """Provide a map on a given cluster, the session's cluster, or two local workers."""
    with _environment(QUIET_ENVIRONMENT), stderr_discarded():
        import ray

        joined = address is not None or not ray.is_initialized()
        if address is not None:
            ray.init(address=address, **SILENT)
        elif joined:
            _start_local(folder)
    try:
        yield _mapped
    finally:
        if joined:
            _shut_down(folder)


def _shut_down(folder: Path) -> None:
    """Shut Ray down and end agents that it leaves behind.

    Ray kills its raylet if that takes a second to end; the raylet's agents then continue to run.
    """
    import psutil
    import ray

    raylets = [one for one in psutil.Process().children() if str(folder) in str(one.cmdline())]
    family = [one for raylet in raylets for one in raylet.children(recursive=True)]
    ray.shutdown()
    _forget_token()
    for one in psutil.wait_procs(family, GRACE)[1]:
        with suppress(psutil.NoSuchProcess):
            one.kill()


def _start_local(folder: Path) -> None:
    """Start a private cluster that others cannot join and that reports no usage."""
    import ray

    private = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_TOKEN": token_hex(32)}
    with _environment({**private, "TMPDIR": str(folder)}):
        _forget_token()
        ray.init(
            address="local",
            num_cpus=2,
            include_dashboard=False,
            object_store_memory=MEMORY,
            _node_ip_address="127.0.0.1",
            _temp_dir=str(folder),
            **SILENT,
        )


def _forget_token() -> None:
    """Discard the token of the last cluster, which Ray caches."""
    with suppress(ImportError):  # old versions have no tokens
        from ray._raylet import AuthenticationTokenLoader

        AuthenticationTokenLoader.instance().reset_cache()


@contextmanager
def _environment(words: dict[str, str]) -> Iterator[None]:
    """Set environment variables meanwhile, except RAY_ variables set by the user.

    Some settings of Ray can only be made in the environment.
    """
    before = dict(os.environ)
    users = {name: value for name, value in before.items() if name.startswith("RAY_")}
    os.environ.update(words | users)
    try:
        yield
    finally:
        for name in set(os.environ) - set(before):  # Ray adds variables, too
            del os.environ[name]
        os.environ.update({name: before[name] for name in words if name in before})


def _mapped(function: Callable[[Any], Any], items: Sequence[Any]) -> Generator[Any, None, None]:
    import ray

    task = ray.remote(_call)
    waiting = [task.remote(function, item) for item in items]
    for number, result in enumerate(waiting):  # cancelling the rest can crash Ray 2.60
        while not ray.wait([result], timeout=POLL_SECONDS)[0]:
            yield PENDING
        yield ray.get(result)
        waiting[number] = None


def _call(function: Callable[[Any], Any], item: Any) -> Any:
    return function(item)
