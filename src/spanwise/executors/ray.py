"""Ray: functions as remote tasks, which Ray starts again when their worker is lost."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from spanwise.executors.engines import A_WHILE, NOT_YET, hushed

if TYPE_CHECKING:
    from spanwise.executors.engines import Map

MEMORY = 100 * 2**20
"""Bytes for what tasks exchange; their results are small."""
GRACE = 3.0
"""Seconds that processes have to end by themselves."""
NO_NEWS = {"RAY_DEDUP_LOGS_SKIP_REGEX": ".*", "RAY_BACKEND_LOG_LEVEL": "fatal"}
"""Else news of workers appear on our standard output, and remarks of Ray's core beside them."""
SILENT = {"logging_level": logging.CRITICAL, "log_to_driver": False}


@contextmanager
def workers(address: str | None, folder: Path) -> Iterator[Map]:
    """The cluster at an address, that of this session, or two workers on this machine."""
    with _told(NO_NEWS), hushed():
        import ray

        joined = address is not None or not ray.is_initialized()
        if address is not None:
            ray.init(address=address, **SILENT)
        elif joined:
            _start_two(folder)
    try:
        yield _mapped
    finally:
        if joined:
            _leave(folder)


def _leave(folder: Path) -> None:
    """Ray kills its raylet if that takes a second to end; then nobody ends the raylet's agents."""
    import psutil
    import ray

    raylets = [one for one in psutil.Process().children() if str(folder) in str(one.cmdline())]
    family = [one for raylet in raylets for one in raylet.children(recursive=True)]
    ray.shutdown()
    _look_again_for_the_token()
    for one in psutil.wait_procs(family, GRACE)[1]:
        with suppress(psutil.NoSuchProcess):
            one.kill()


def _start_two(folder: Path) -> None:
    """A cluster that nobody else can join, and that reports to nobody."""
    import ray

    private = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_TOKEN": token_hex(32)}
    with _told({**private, "TMPDIR": str(folder)}):
        _look_again_for_the_token()
        ray.init(
            address="local",
            num_cpus=2,
            include_dashboard=False,
            object_store_memory=MEMORY,
            _node_ip_address="127.0.0.1",
            _temp_dir=str(folder),
            **SILENT,
        )


def _look_again_for_the_token() -> None:
    """Ray remembers the token of the last cluster; the next one has another."""
    with suppress(ImportError):  # the oldest have none
        from ray._raylet import AuthenticationTokenLoader

        AuthenticationTokenLoader.instance().reset_cache()


@contextmanager
def _told(words: dict[str, str]) -> Iterator[None]:
    """Ray takes some settings from the environment alone; those of the user count more."""
    before = dict(os.environ)
    users = {name: value for name, value in before.items() if name.startswith("RAY_")}
    os.environ.update(words | users)
    try:
        yield
    finally:
        for name in set(os.environ) - set(before):  # Ray adds some as well
            del os.environ[name]
        os.environ.update({name: before[name] for name in words if name in before})


def _mapped(function: Callable[[Any], Any], items: Sequence[Any]) -> Generator[Any, None, None]:
    import ray

    task = ray.remote(_called)
    waiting = [task.remote(function, item) for item in items]
    for number, result in enumerate(waiting):  # not cancelled in the end: that can crash Ray 2.60
        while not ray.wait([result], timeout=A_WHILE)[0]:
            yield NOT_YET
        yield ray.get(result)
        waiting[number] = None


def _called(function: Callable[[Any], Any], item: Any) -> Any:
    return function(item)
