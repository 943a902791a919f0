"""Evaluate retrieval at any grain: documents, XML elements, passages, chunks.

>>> import spanwise
>>> qrels = {"q1": {"d1": 1, "d2": 0}}
>>> run = {"q1": {"d1": 0.9, "d2": 0.1}}
>>> spanwise.evaluate(qrels, run, ["AP", "nDCG@10"]).means
{'AP': 1.0, 'nDCG@10': 1.0}
"""

from typing import TYPE_CHECKING, Any

from spanwise.version import __version__

if TYPE_CHECKING:
    from spanwise.collection import open_collection as open_collection
    from spanwise.errors import SpanwiseError as SpanwiseError
    from spanwise.errors import SpanwiseWarning as SpanwiseWarning
    from spanwise.evaluation.compare import compare as compare
    from spanwise.evaluation.evaluate import Evaluator as Evaluator
    from spanwise.evaluation.evaluate import evaluate as evaluate
    from spanwise.formats import read_judgements as read_judgements
    from spanwise.formats import read_pool as read_pool
    from spanwise.formats import read_run as read_run
    from spanwise.formats import read_topics as read_topics
    from spanwise.judge.pooling import extend_pool as extend_pool
    from spanwise.judge.pooling import pool as pool
    from spanwise.measures.registry import MEASURES as MEASURES
    from spanwise.model.comparison import Comparison as Comparison
    from spanwise.model.judgements import Judgements as Judgements
    from spanwise.model.judgements import Preferences as Preferences
    from spanwise.model.policy import Policy as Policy
    from spanwise.model.pools import Pool as Pool
    from spanwise.model.rankings import Rankings as Rankings
    from spanwise.model.run import Run as Run
    from spanwise.model.scores import Findings as Findings
    from spanwise.model.scores import Scores as Scores
    from spanwise.model.scores import ScoreTable as ScoreTable
    from spanwise.model.topics import Topics as Topics
    from spanwise.workflows.agree import agree as agree
    from spanwise.workflows.check import Checked as Checked
    from spanwise.workflows.check import check as check
    from spanwise.workflows.cluster import Clusters as Clusters
    from spanwise.workflows.cluster import cluster as cluster
    from spanwise.workflows.collection import Built as Built
    from spanwise.workflows.collection import build_collection as build_collection
    from spanwise.workflows.collection import show_collection as show_collection
    from spanwise.workflows.convert import Converted as Converted
    from spanwise.workflows.convert import convert as convert
    from spanwise.workflows.convert import write_judgements as write_judgements
    from spanwise.workflows.convert import write_pool as write_pool
    from spanwise.workflows.convert import write_run as write_run
    from spanwise.workflows.estimate import estimate as estimate
    from spanwise.workflows.experiment import experiment as experiment
    from spanwise.workflows.explain import Explanation as Explanation
    from spanwise.workflows.explain import explain as explain
    from spanwise.workflows.fuse import fuse as fuse
    from spanwise.workflows.gate import Gate as Gate
    from spanwise.workflows.gate import gate as gate
    from spanwise.workflows.plan import Plan as Plan
    from spanwise.workflows.plan import plan as plan
    from spanwise.workflows.plot import Picture as Picture
    from spanwise.workflows.plot import plot as plot
    from spanwise.workflows.pool_checks import check_pool as check_pool
    from spanwise.workflows.recallbase import RelevantElements as RelevantElements
    from spanwise.workflows.recallbase import recallbase as recallbase
    from spanwise.workflows.reliability import reliability as reliability
    from spanwise.workflows.results import Verification as Verification
    from spanwise.workflows.results import verify as verify
    from spanwise.workflows.search import search as search
    from spanwise.workflows.simulate import simulate as simulate
    from spanwise.workflows.sweep import sweep as sweep
else:

    def __getattr__(name: str) -> Any:  # hidden from type checkers, which then know every name
        if name not in _MODULES:
            raise AttributeError(f"module 'spanwise' has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(_MODULES[name]), name)
        globals()[name] = value
        return value


_MODULES = {
    "Built": "spanwise.workflows.collection",
    "Checked": "spanwise.workflows.check",
    "Clusters": "spanwise.workflows.cluster",
    "Comparison": "spanwise.model.comparison",
    "Converted": "spanwise.workflows.convert",
    "Evaluator": "spanwise.evaluation.evaluate",
    "Explanation": "spanwise.workflows.explain",
    "Findings": "spanwise.model.scores",
    "Gate": "spanwise.workflows.gate",
    "Judgements": "spanwise.model.judgements",
    "MEASURES": "spanwise.measures",
    "Picture": "spanwise.workflows.plot",
    "Plan": "spanwise.workflows.plan",
    "Policy": "spanwise.model.policy",
    "Pool": "spanwise.model.pools",
    "Preferences": "spanwise.model.judgements",
    "Rankings": "spanwise.model.rankings",
    "RelevantElements": "spanwise.workflows.recallbase",
    "Run": "spanwise.model.run",
    "ScoreTable": "spanwise.model.scores",
    "Scores": "spanwise.model.scores",
    "SpanwiseError": "spanwise.errors",
    "SpanwiseWarning": "spanwise.errors",
    "Topics": "spanwise.model.topics",
    "Verification": "spanwise.workflows.results",
    "agree": "spanwise.workflows.agree",
    "build_collection": "spanwise.workflows.collection",
    "check": "spanwise.workflows.check",
    "check_pool": "spanwise.workflows.pool_checks",
    "cluster": "spanwise.workflows.cluster",
    "compare": "spanwise.evaluation.compare",
    "convert": "spanwise.workflows.convert",
    "estimate": "spanwise.workflows.estimate",
    "evaluate": "spanwise.evaluation.evaluate",
    "experiment": "spanwise.workflows.experiment",
    "explain": "spanwise.workflows.explain",
    "extend_pool": "spanwise.judge.pooling",
    "fuse": "spanwise.workflows.fuse",
    "gate": "spanwise.workflows.gate",
    "open_collection": "spanwise.collection",
    "plan": "spanwise.workflows.plan",
    "plot": "spanwise.workflows.plot",
    "pool": "spanwise.judge.pooling",
    "read_judgements": "spanwise.formats",
    "read_pool": "spanwise.formats",
    "read_run": "spanwise.formats",
    "read_topics": "spanwise.formats",
    "recallbase": "spanwise.workflows.recallbase",
    "reliability": "spanwise.workflows.reliability",
    "search": "spanwise.workflows.search",
    "show_collection": "spanwise.workflows.collection",
    "simulate": "spanwise.workflows.simulate",
    "sweep": "spanwise.workflows.sweep",
    "verify": "spanwise.workflows.results",
    "write_judgements": "spanwise.workflows.convert",
    "write_pool": "spanwise.workflows.convert",
    "write_run": "spanwise.workflows.convert",
}
"""The module of each public name. It is imported when the name is first used."""

__all__ = ["__version__", *_MODULES]


def __dir__() -> list[str]:
    return sorted(__all__)
