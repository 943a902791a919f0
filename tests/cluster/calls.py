"""Calls from Python, here and on two workers: python calls.py ENGINE."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import polars as pl

import spanwise
from cluster.session import two_workers
from demo_files import (
    DENSE,
    HANDBOOK,
    HYBRID,
    KEYWORD,
    QRELS,
)

JUDGED = {"q1": {"d1": 1, "d2": 0}, "q2": {"d4": 1}}
FOUND = {"q1": {"d1": 0.9, "d2": 0.8}, "q2": {"d9": 2.0, "d4": 1.0}}
ELEMENTS = HANDBOOK / "qrels.txt", HANDBOOK / "elements.run", ["MAiP", "EPRUM(A=0.1)"]
BOTH = {"a": HYBRID, "b": DENSE}


def frame(content, value) -> pl.DataFrame:
    rows = [(topic, name, one) for topic, some in content.items() for name, one in some.items()]
    return pl.DataFrame(rows, ["query_id", "doc_id", value], orient="row")


def scores(*given, **options):
    found = spanwise.evaluate(*given, **options)
    return found.per_topic, found.means, found.counts, found.notes, found.signature, found.run


CALLS = [
    lambda on: scores(QRELS, HYBRID, on=on),
    lambda on: scores(str(QRELS), str(DENSE), "AP", average_over="both", ties="expected", on=on),
    lambda on: scores(JUDGED, FOUND, ["AP", "nDCG@10"], on=on),
    lambda on: scores(frame(JUDGED, "relevance"), frame(FOUND, "score"), "AP", on=on),
    lambda on: scores(spanwise.read_judgements(QRELS), spanwise.read_run(DENSE), on=on),
    lambda on: scores(*ELEMENTS, collection=HANDBOOK / "articles", on=on),
    lambda on: spanwise.compare(QRELS, BOTH, ["AP", "P@5"], on=on),
    lambda on: spanwise.compare(QRELS, {"k": spanwise.evaluate(QRELS, KEYWORD), **BOTH}, on=on),
    lambda on: spanwise.compare(JUDGED, [FOUND, FOUND], "AP", on=on),
]


def compare_all(engine: str) -> None:
    """Every call, on a session that stays what it was."""
    with two_workers(engine) as on:
        for number, call in enumerate(CALLS):
            assert repr(call(on)) == repr(call(None)), number


if __name__ == "__main__":
    compare_all(sys.argv[1])
