"""Evaluate retrieval at any grain: documents, XML elements, passages, chunks.

>>> import spanwise
>>> qrels = {"q1": {"d1": 1, "d2": 0}}
>>> run = {"q1": {"d1": 0.9, "d2": 0.1}}
>>> spanwise.evaluate(qrels, run, ["AP", "nDCG@10"]).means
{'AP': 1.0, 'nDCG@10': 1.0}
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from spanwise.version import __version__

if TYPE_CHECKING:
    from spanwise.errors import SpanwiseError as SpanwiseError
    from spanwise.errors import SpanwiseWarning as SpanwiseWarning
    from spanwise.evaluation.compare import compare as compare
    from spanwise.evaluation.evaluate import evaluate as evaluate
    from spanwise.formats import read_judgements as read_judgements
    from spanwise.formats import read_run as read_run
    from spanwise.formats import read_topics as read_topics
    from spanwise.measures.registry import MEASURES as MEASURES
    from spanwise.model.comparison import Comparison as Comparison
    from spanwise.model.judgements import Judgements as Judgements
    from spanwise.model.policy import Policy as Policy
    from spanwise.model.rankings import Rankings as Rankings
    from spanwise.model.run import Run as Run
    from spanwise.model.scores import Scores as Scores
    from spanwise.model.topics import Topics as Topics

_DOORS = {
    "Comparison": "spanwise.model.comparison",
    "MEASURES": "spanwise.measures",
    "Judgements": "spanwise.model.judgements",
    "Policy": "spanwise.model.policy",
    "Rankings": "spanwise.model.rankings",
    "Run": "spanwise.model.run",
    "Scores": "spanwise.model.scores",
    "SpanwiseError": "spanwise.errors",
    "SpanwiseWarning": "spanwise.errors",
    "Topics": "spanwise.model.topics",
    "compare": "spanwise.evaluation.compare",
    "evaluate": "spanwise.evaluation.evaluate",
    "read_judgements": "spanwise.formats",
    "read_run": "spanwise.formats",
    "read_topics": "spanwise.formats",
}
"""Where the public names live; they are imported when first used, so that importing is instant."""

__all__ = ["__version__", *_DOORS]


def __getattr__(name: str) -> Any:
    if name not in _DOORS:
        raise AttributeError(f"module 'spanwise' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_DOORS[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class _FrontDoor(ModuleType):
    """The package itself. `spanwise.compare` is the function, though a room has that name too."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _DOORS and isinstance(value, ModuleType):
            return  # importing a room would put the room before the function
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _FrontDoor
