"""A call of one library on files, in its own process: `call_library.py NAME QRELS RUN...`.

Every library uses its own readers and computes the official trec_eval measures that it supports.
Imports are inside the functions, so that each process imports one library only. The last line
printed is `map` and the mean over the runs, which run.py compares between contenders.
"""

import sys
from collections.abc import Callable
from statistics import fmean

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


def call_spanwise(qrels: str, runs: list[str]) -> list[float]:
    """Evaluate every run with the function that a notebook would call."""
    import spanwise

    judgements = spanwise.read_judgements(qrels)
    return [spanwise.evaluate(judgements, run, ["official"]).means["map"] for run in runs]


def call_pytrec_eval(qrels: str, runs: list[str]) -> list[float]:
    """Read, evaluate, and aggregate every measure, as the examples of pytrec_eval do."""
    import pytrec_eval

    with open(qrels) as lines:  # noqa: PTH123
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(lines), {"official"})
    maps = []
    for run in runs:
        with open(run) as lines:  # noqa: PTH123
            per_topic = list(evaluator.evaluate(pytrec_eval.parse_run(lines)).values())
        means = {
            measure: pytrec_eval.compute_aggregated_measure(
                measure, [values[measure] for values in per_topic]
            )
            for measure in per_topic[0]
        }
        maps.append(means["map"])
    return maps


def call_ir_measures(qrels: str, runs: list[str]) -> list[float]:
    """Evaluate all runs with one evaluator, so that the qrels are read once."""
    import ir_measures

    from cases import IR_OFFICIAL

    measures = [ir_measures.parse_measure(name) for name in IR_OFFICIAL.split()]
    evaluator = ir_measures.evaluator(measures, ir_measures.read_trec_qrels(qrels))
    return [
        evaluator.calc_aggregate(ir_measures.read_trec_run(run))[ir_measures.AP] for run in runs
    ]


def call_ranx(qrels: str, runs: list[str]) -> list[float]:
    """Evaluate every run with the measures of ranx.

    It has no interpolated precision, no geometric mean and only some of the counts.
    """
    from ranx import Qrels, Run, evaluate

    measures = ["map", "r-precision", "bpref", "mrr", *(f"precision@{k}" for k in CUTOFFS)]
    judged = Qrels.from_file(qrels, kind="trec")
    return [
        float(evaluate(judged, Run.from_file(run, kind="trec"), measures)["map"]) for run in runs
    ]


LIBRARIES: dict[str, Callable[[str, list[str]], list[float]]] = {
    "spanwise": call_spanwise,
    "pytrec_eval": call_pytrec_eval,
    "ir_measures": call_ir_measures,
    "ranx": call_ranx,
}


if __name__ == "__main__":
    name, qrels_path, *run_paths = sys.argv[1:]
    print("map", fmean(LIBRARIES[name](qrels_path, run_paths)))
