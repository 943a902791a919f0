"""Evaluation by a number of workers: python call_engine.py ENGINE WORKERS TIMES QRELS RUN...

A call without an address always starts two workers; here the session starts WORKERS of them.
Start and work are timed separately: first a single run, which makes every process import what it
needs, then all runs, TIMES times. The engine `processes` means local processes without an engine.
"""

import logging
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

from spanwise.cli import main


@contextmanager
def dask_session(workers: int) -> Iterator[str]:
    """Start a Dask cluster of processes with one thread each and our memory settings."""
    import dask.config
    from distributed import LocalCluster

    from spanwise.executors.dask import KEEP_MEMORY

    with (
        dask.config.set({"distributed.nanny.pre-spawn-environ": KEEP_MEMORY}),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        ) as cluster,
    ):
        assert len(cluster.workers) == workers
        yield f"dask:{cluster.scheduler_address}"


@contextmanager
def spark_session(workers: int) -> Iterator[str]:
    """Start a Spark session: one Java process and its Python workers."""
    from pyspark import SparkConf, SparkContext

    settings = {"spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1"}
    conf = SparkConf().setMaster(f"local[{workers}]").setAll(list(settings.items()))
    context = SparkContext(conf=conf.set("spark.driver.host", "127.0.0.1"))
    context.pythonExec = sys.executable
    try:
        yield "spark"
    finally:
        context.stop()


@contextmanager
def ray_session(workers: int) -> Iterator[str]:
    """Start a Ray session: a raylet and its workers."""
    import ray

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        ray.init(
            address="local",
            num_cpus=workers,
            include_dashboard=False,
            log_to_driver=False,
            object_store_memory=100 * 2**20,
            _temp_dir=folder,
        )
        try:
            yield "ray"
        finally:
            ray.shutdown()


@contextmanager
def no_session(workers: int) -> Iterator[str]:
    """Start nothing and yield the number of local processes."""
    yield str(workers)


SESSIONS = {
    "processes": no_session,
    "dask": dask_session,
    "spark": spark_session,
    "ray": ray_session,
}


def evaluated(files: list[str], where: list[str]) -> None:
    """Evaluate runs through the command line, as a user would."""
    status = main(["eval", *files, "-m", "official", "--format", "trec", *where])
    if status:
        sys.exit(status)


def timed(engine: str, workers: int, times: int, qrels: str, runs: list[str]) -> None:
    """Print the seconds of the start and those of the work."""
    begun = time.perf_counter()
    with SESSIONS[engine](workers) as on:
        where = ["--workers" if engine == "processes" else "--on", on]
        evaluated([qrels, *runs[:1] * workers], where)
        ready = time.perf_counter()
        evaluated([qrels, *runs * times], where)
        done = time.perf_counter()
    print(f"start {ready - begun}\nwork {done - ready}")


if __name__ == "__main__":
    engine, workers, times, qrels, *runs = sys.argv[1:]
    timed(engine, int(workers), int(times), qrels, runs)
