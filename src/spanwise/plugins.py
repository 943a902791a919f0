"""What a package needs to add a measure, a format, an engine or a chunker.

`measure`, `reader`, `writer`, `engine` and `chunker` are decorators, each described in its own
docstring. The rest are the types that decorated functions take and return. A package announces
the module that uses them under the entry-point group `spanwise.plugins`:

    [project.entry-points."spanwise.plugins"]
    mypackage = "mypackage.measures"

The module is imported when one of its names may be needed, never by commands that do without. What
it registers then works everywhere as our own entries do.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spanwise.errors import FormatError as FormatError
    from spanwise.errors import InputError as InputError
    from spanwise.errors import SpanwiseWarning as SpanwiseWarning
    from spanwise.errors import UsageError as UsageError
    from spanwise.formats.builders import Result as Result
    from spanwise.formats.builders import results_of as results_of
    from spanwise.formats.registry import Lines as Lines
    from spanwise.formats.registry import Reading as Reading
    from spanwise.formats.registry import reader as reader
    from spanwise.formats.registry import writer as writer
    from spanwise.measures.registry import measure as measure
    from spanwise.model.judgements import Judgements as Judgements
    from spanwise.model.measure import Law as Law
    from spanwise.model.measure import Properties as Properties
    from spanwise.model.rankings import Rankings as Rankings
    from spanwise.model.readings import Readings as Readings
    from spanwise.model.run import Run as Run
    from spanwise.model.topics import Topic as Topic
    from spanwise.model.topics import Topics as Topics
    from spanwise.retrieve.chunkers import chunker as chunker
    from spanwise.retrieve.registry import engine as engine

_MODULES = {
    "FormatError": "spanwise.errors",
    "InputError": "spanwise.errors",
    "Judgements": "spanwise.model.judgements",
    "Law": "spanwise.model.measure",
    "Lines": "spanwise.formats.registry",
    "Properties": "spanwise.model.measure",
    "Rankings": "spanwise.model.rankings",
    "Reading": "spanwise.formats.registry",
    "Readings": "spanwise.model.readings",
    "Result": "spanwise.formats.builders",
    "Run": "spanwise.model.run",
    "SpanwiseWarning": "spanwise.errors",
    "Topic": "spanwise.model.topics",
    "Topics": "spanwise.model.topics",
    "UsageError": "spanwise.errors",
    "chunker": "spanwise.retrieve.chunkers",
    "engine": "spanwise.retrieve.registry",
    "measure": "spanwise.measures.registry",
    "reader": "spanwise.formats.registry",
    "results_of": "spanwise.formats.builders",
    "writer": "spanwise.formats.registry",
}
"""Where the public names are; each is imported when it is first used."""

__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'spanwise.plugins' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
