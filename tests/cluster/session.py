"""A cluster of two workers and a command line beside it: python session.py ENGINE.

Each line of standard input is a list of words for the command line, each line of standard output
what came of them: in this process, and on the workers with runs cut into pieces of a few lines.
"""

import base64
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from calling import called
from spanwise.cli import main
from spanwise.evaluation import plan
from spanwise.executors import workers

FEW_BYTES = 1500
"""So long are pieces of runs; topics stay together, so that most pieces are one topic."""


@contextmanager
def two_workers(engine: str) -> Iterator[str]:
    """What has to be said to use them."""
    if engine == "dask":
        from distributed import LocalCluster

        with LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster:
            yield f"dask:{cluster.scheduler_address}"
        return
    address = ":local-cluster[2,1,1024]" if engine == "spark" else ""
    with workers(engine + address) as mapped:
        assert list(mapped(abs, [-1])) == [1]  # from now on it is the session of this process
        yield engine


def seen(words: list[str], size: int) -> list[str | int]:
    """Everything that can be seen of a command."""
    plan.piece_size = lambda: size
    out, err, status = called(main, *words)
    return [base64.b64encode(out).decode(), err, status]


def answer_all(engine: str) -> None:
    """One answer for each line, as long as there are any."""
    answers = sys.stdout
    with two_workers(engine) as on:
        for line in sys.stdin:
            words = json.loads(line)
            both = seen(words, 1 << 40), seen([*words, "--on", on], FEW_BYTES)
            print(json.dumps(both), file=answers, flush=True)


if __name__ == "__main__":
    answer_all(sys.argv[1])
