"""The table of engines and models. Nothing else in the package lists them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import getdoc, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from spanwise.errors import SpanwiseError, UnknownName, UsageError

if TYPE_CHECKING:
    from types import TracebackType

    from spanwise.model.arrays import FloatArray, IntArray

WORD = re.compile(r"\w+")
RANGES: Mapping[str, tuple[float, float]] = {
    "k1": (0, 1000),
    "b": (0, 1),
    "mu": (1e-6, 1e9),
    "dimensions": (1, 100_000),
    "topics": (1, 100_000),
    "rounds": (1, 1_000_000),
    "beta": (0, 1),
    "mix": (0, 1),
    "seed": (0, 2**32 - 1),
}
"""What numbers parameters may be; a name means the same in every engine."""


class Searcher(Protocol):
    """An index that is open."""

    def search(self, words: Sequence[str], top: int) -> tuple[IntArray, FloatArray]:
        """Numbers and scores of the units that have some of the words, the best ones."""

    def __enter__(self) -> Searcher: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Engine(Protocol):
    """What can index texts and search them."""

    def build(self, texts: Iterable[str], folder: Path) -> None:
        """Write an index of texts, numbered from 0, into an empty folder."""

    def open(self, folder: Path) -> Searcher:
        """Open an index that was built."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the table; the factory's keyword arguments are the engine's parameters."""

    name: str
    factory: Callable[..., Engine]
    title: str
    install: str  # empty: nothing has to be installed
    kind: str

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Names and values of parameters when nothing else is asked for."""
        return {name: one.default for name, one in signature(self.factory).parameters.items()}

    @property
    def description(self) -> str:
        """The factory's docstring."""
        return getdoc(self.factory) or ""

    def made(self, **settings: str | float) -> Engine:
        """The engine with some parameters set; values are turned into the kind of the default."""
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
        low, high = RANGES.get(key, (None, None))
        if low is not None and not (low <= made <= high and float(value) == made):
            kind = "a whole number" if isinstance(made, int) else "a number"
            due = f"{kind} from {low:g} to {high:g}"
            raise UsageError(f"engine {self.name}: {key}={value}; expected {due}")
        return made


@contextmanager
def refusing(engine: object, *kinds: type[Exception]) -> Iterator[None]:
    """What a library says of settings that it does not take, as an error of ours."""
    try:
        yield
    except kinds as error:
        raise UsageError(f"{engine}: {error}") from error


class MissingEngine(SpanwiseError):
    """An engine is asked for that is not installed; the message says how to install it."""

    exit_status = 3

    def __init__(self, name: str, missing: str) -> None:
        super().__init__(f"engine {name} needs {missing}; {ENGINES[name].install}")


ENGINES: dict[str, Entry] = {}


def engine(
    name: str, *, title: str, install: str = "", kind: str = "engine"
) -> Callable[[Any], Any]:
    """Enter the decorated factory in the table; hand it back unchanged."""

    def enter(factory: Any) -> Any:
        ENGINES[name] = Entry(name, factory, title, install, kind)
        return factory

    return enter


def find_engine(name: str) -> Entry:
    """The engine of that name."""
    from spanwise.retrieve import engines

    engines.load()
    if name not in ENGINES:
        raise UnknownName("engine", name, list(ENGINES), "see: spanwise search --help")
    return ENGINES[name]


def words_of(text: str) -> list[str]:
    """The words of a query, in small letters.

    >>> words_of("Heat-transfer, of 2 slabs.")
    ['heat', 'transfer', 'of', '2', 'slabs']
    """
    return WORD.findall(text.lower())
