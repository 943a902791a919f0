"""Spark: items as partitions of a data set; Spark repeats tasks that fail."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from spanwise.executors import PENDING, POLL_SECONDS

if TYPE_CHECKING:
    from spanwise.executors import Map

HERE = "local[2,4]"
"""Two local tasks at a time, each tried four times."""


@contextmanager
def workers(address: str | None, folder: Path) -> Iterator[Map]:
    """Provide a map on the session of this process, or on a new session of a master."""
    from pyspark import SparkContext

    context = SparkContext._active_spark_context
    if address is None and context is not None:
        yield _map_of(context)
        return
    with _session(address or HERE, folder) as context:
        yield _map_of(context)


@contextmanager
def _session(master: str, folder: Path) -> Iterator[Any]:
    from pyspark import SparkConf, SparkContext
    from pyspark.find_spark_home import _find_spark_home
    from pyspark.java_gateway import launch_gateway

    conf = SparkConf().setMaster(master).setAppName("spanwise").setAll(_settings(master, folder))
    gateway = launch_gateway(conf, {"stderr": subprocess.DEVNULL})
    try:
        context = SparkContext(conf=conf, gateway=gateway)
    except BaseException:
        _end(gateway)
        raise
    if master.startswith("local"):
        context.pythonExec = sys.executable
    application = context.applicationId
    try:
        yield context
    finally:
        context.stop()
        _end(gateway)
        if master.startswith("local-cluster"):  # its workers use another folder
            shutil.rmtree(Path(_find_spark_home(), "work", application), ignore_errors=True)


def _settings(master: str, folder: Path) -> list[tuple[str, str]]:
    """Return the settings for any master, and those for local ones."""
    everywhere = {"spark.ui.enabled": "false", "spark.driver.maxResultSize": "0"}
    local = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(folder),
        "spark.executorEnv.TMPDIR": str(folder),
    }
    return list((everywhere | local if master.startswith("local") else everywhere).items())


def _end(gateway: Any) -> None:
    """End the Java process, which waits for the end of its standard input."""
    from pyspark import SparkContext

    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait()
    SparkContext._gateway = SparkContext._jvm = None


def _map_of(context: Any) -> Map:
    def mapped(function: Callable[[Any], Any], items: Sequence[Any]) -> Generator[Any, None, None]:
        tag = f"spanwise-{token_hex(8)}"

        def collected() -> list[Any]:
            context.addJobTag(tag)
            return context.parallelize(items, max(len(items), 1)).map(function).collect()

        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(collected)
            try:
                while not wait([waiting], POLL_SECONDS).done:
                    yield PENDING
            except GeneratorExit:
                context.cancelJobsWithTag(tag)
                raise
        yield from waiting.result()

    return mapped
