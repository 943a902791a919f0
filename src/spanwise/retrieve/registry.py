"""The table of engines and models, which is the only list of them in the package."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import Parameter, getdoc, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from spanwise.errors import MissingExtra, SpanwiseError, UnknownName, UsageError
from spanwise.plugin_loading import F, Registry, home_of, is_ours

if TYPE_CHECKING:
    from types import TracebackType

    from spanwise.model.arrays import FloatArray, IntArray

WORD = re.compile(r"\w+")
REGISTERED = re.compile(r'^@engine\(\s*"([^"]+)"', re.MULTILINE)
"""The line that registers an engine."""


class Searcher(Protocol):
    """An open index that can be searched."""

    def search(self, words: Sequence[str], top: int) -> tuple[IntArray, FloatArray]:
        """Return the numbers and scores of the best units that contain some of the words."""

    def __enter__(self) -> Searcher: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Engine(Protocol):
    """An engine that indexes texts and searches them."""

    def build(self, texts: Iterable[str], folder: Path) -> None:
        """Write an index of texts, numbered from 0, into an empty folder."""

    def open(self, folder: Path) -> Searcher:
        """Open an index that was built before."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the table; the factory's keyword arguments are the engine's parameters."""

    name: str
    factory: Callable[..., Engine]
    title: str
    install: str  # how to install it; empty if it is always installed
    kind: str
    ranges: Mapping[str, tuple[float, float]]  # of parameters that are numbers

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The names and default values of the parameters."""
        return {name: one.default for name, one in signature(self.factory).parameters.items()}

    @property
    def description(self) -> str:
        """The factory's docstring."""
        return getdoc(self.factory) or ""

    def made(self, **settings: str | float) -> Engine:
        """Return the engine with these parameters, converted to the types of their defaults."""
        return self.factory(**{key: self._value(key, value) for key, value in settings.items()})

    def _value(self, key: str, value: Any) -> Any:
        known = self.parameters
        if key not in known:
            raise UnknownName(f"parameter of engine {self.name}", key, list(known))
        try:
            made = type(known[key])(value)
        except (ValueError, TypeError, OverflowError) as error:
            raise UsageError(
                f"engine {self.name}: {key}={value}; expected something like {known[key]!r}"
            ) from error
        low, high = self.ranges.get(key, (None, None))
        if (
            low is not None
            and high is not None
            and not (low <= made <= high and float(value) == made)
        ):
            kind = "a whole number" if isinstance(made, int) else "a number"
            due = f"{kind} from {low:g} to {high:g}"
            raise UsageError(f"engine {self.name}: {key}={value}; expected {due}")
        return made


@contextmanager
def refusing(engine: object, *kinds: type[Exception]) -> Iterator[None]:
    """Turn the errors of a library about its settings into a UsageError."""
    try:
        yield
    except kinds as error:
        raise UsageError(f"{engine}: {error}") from error


class MissingEngine(MissingExtra):
    """The error for an engine that is not installed, with a message that says how to install it."""

    exit_status = 3

    def __init__(self, name: str, missing: str) -> None:
        SpanwiseError.__init__(self, f"engine {name} needs {missing}; {ENGINES[name].install}")


def _load_ours() -> None:
    from spanwise.retrieve import engines

    engines.load()
    ENGINES.arrange([f"spanwise.retrieve.{name}" for name in engines.MODULES])


ENGINES: Registry[Entry] = Registry("engine", _load_ours)


def engine(
    name: str,
    *,
    title: str,
    install: str = "",
    kind: str = "engine",
    ranges: Mapping[str, tuple[float, float]] | None = None,
) -> Callable[[F], F]:
    """Register the decorated class as an engine, and return it unchanged.

    An instance has two methods. `build(texts, folder)` writes an index of texts, numbered from 0,
    into an empty folder. `open(folder)` returns a context manager with a method
    `search(words, top)`, which returns two arrays: the numbers of the best texts and their scores,
    best first. The keyword arguments of the class, with defaults, are the parameters of the
    engine. Its docstring describes how it ranks.

    For example:

        import json
        from contextlib import contextmanager
        from dataclasses import dataclass

        import numpy as np

        from spanwise.plugins import engine

        @engine("counts", title="Counted words", ranges={"power": (0, 10)})
        @dataclass(frozen=True)
        class Counts:
            '''How often the words of the query occur in a text, to some power.'''

            power: float = 1.0

            def build(self, texts, folder):
                (folder / "texts.json").write_text(json.dumps(list(texts)))

            @contextmanager
            def open(self, folder):
                yield Opened(json.loads((folder / "texts.json").read_text()), self.power)

        class Opened:
            def __init__(self, texts, power):
                self.texts = [text.lower().split() for text in texts]
                self.power = power

            def search(self, words, top):
                counts = [sum(map(text.count, words)) for text in self.texts]
                scores = np.array(counts, float) ** self.power
                best = np.argsort(-scores, kind="stable")[:top]
                best = best[scores[best] > 0]
                return best, scores[best]

    name: the name for `spanwise search --engine`.
    title: what the engine is, in a few words.
    install: how to install what it needs; empty if there is nothing to install.
    kind: engine, or model if it is written in Python and needs no program.
    ranges: the least and the largest value of parameters that are numbers.
    """

    def enter(factory: F) -> F:
        home = home_of(factory)
        entry = Entry(name, factory, title, install, kind, ranges or {})
        if not is_ours(home):
            _refuse_incomplete(entry, home)
        ENGINES.enter(name, entry, home)
        return factory

    return enter


def _refuse_incomplete(entry: Entry, home: str) -> None:
    """Refuse an engine of a plug-in whose entry is incomplete."""
    if not entry.description:
        raise UsageError(f"engine {entry.name!r} of {home} has no docstring; describe it there")
    for method in ("build", "open"):
        if isinstance(entry.factory, type) and not hasattr(entry.factory, method):
            raise UsageError(f"engine {entry.name!r} of {home} has no method {method!r}")
    for name, default in entry.parameters.items():
        if default is Parameter.empty:
            raise UsageError(f"engine {entry.name!r} of {home}: parameter {name} has no default")


def engine_names() -> list[str]:
    """Return the names of all engines and models.

    Ours are read from the sources, because importing their modules would import NumPy, which help
    and completion need not wait for.
    """
    from importlib.util import find_spec

    from spanwise.plugin_loading import load
    from spanwise.retrieve import engines

    names: list[str] = []
    for module in engines.MODULES:
        spec = find_spec(f"spanwise.retrieve.{module}")
        assert spec is not None
        assert spec.origin is not None
        names += REGISTERED.findall(Path(spec.origin).read_text(encoding="utf-8"))
    load()
    return [*names, *(name for name, home in ENGINES.homes.items() if not is_ours(home))]


def find_engine(name: str) -> Entry:
    """Return the engine of that name."""
    if name not in ENGINES:
        raise UnknownName("engine", name, list(ENGINES), "see: spanwise search --help")
    return ENGINES[name]


def words_of(text: str) -> list[str]:
    """Return the words of a query in lower case.

    >>> words_of("Heat-transfer, of 2 slabs.")
    ['heat', 'transfer', 'of', '2', 'slabs']
    """
    return WORD.findall(text.lower())
