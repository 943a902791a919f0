"""Errors and warnings that this package raises on purpose.

SpanwiseError
├── InputError          input that cannot be evaluated
│   ├── FormatError       a file that does not follow its format
│   │   └── EmptyError      a file without data
│   ├── QueryError        a query that does not follow its grammar
│   ├── DuplicateError    a unit that occurs twice in one topic
│   ├── PreferenceError   preferences that contradict each other
│   └── NoTopicsError     a run and judgements without a common topic
├── UsageError          a request that is not meaningful: options, parameters
│   └── UnknownName       a name that no measure, format or policy has
├── MissingExtra        a required optional library that is not installed
└── ClusterError        a cluster engine that could not be reached or failed

SpanwiseWarning         a repair, an omission or an open decision
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class SpanwiseError(Exception):
    """Base of all errors meant for the user; the command line prints it on one line."""

    exit_status = 2
    """Exit status of the command line after this error."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the error with its message and its attributes."""
        return _unpickled, (type(self), self.args, self.__dict__)


def _unpickled(kind: type[Exception], args: tuple[Any, ...], state: dict[str, Any]) -> Exception:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class InputError(SpanwiseError):
    """Input that cannot be evaluated."""


class FormatError(InputError):
    """A file that does not follow its format: where, what was found, what was expected."""

    def __init__(
        self, file: str, line: int | None, found: str, expected: str, advice: str = ""
    ) -> None:
        self.file, self.line = file, line
        self.found, self.expected, self.advice = found, expected, advice
        place = file if line is None else f"{file}:{line}"
        super().__init__(f"{place}: {self.reason}")

    @property
    def reason(self) -> str:
        """Return the message without the place of the problem."""
        parts = [self.found, f"expected {self.expected}" if self.expected else "", self.advice]
        return "; ".join(part for part in parts if part)


class EmptyError(FormatError):
    """A file that contains no data."""


class QueryError(InputError):
    """A query that does not follow its grammar: the position, what was found and expected."""

    def __init__(self, character: int, found: str, expected: str) -> None:
        self.character, self.found, self.expected = character, found, expected
        super().__init__(f"at character {character}: found {found}, expected {expected}")


class DuplicateError(InputError):
    """A unit that occurs twice in one topic."""

    def __init__(self, topic: bytes, message: str) -> None:
        self.topic = topic
        super().__init__(message)


class PreferenceError(InputError):
    """A group of preferences that contradict each other."""


class NoTopicsError(InputError):
    """A run and judgements without a common topic."""


class UsageError(SpanwiseError):
    """A request that is not meaningful, such as an unknown option or a wrong parameter."""


class UnknownName(UsageError):
    """A name that no measure, format or policy has; the message suggests similar names."""

    def __init__(self, kind: str, name: str, known: list[str], advice: str = "") -> None:
        from difflib import get_close_matches

        folded: dict[str, str] = {}
        for other in known:  # spellings that differ only in case: the first one given wins
            folded.setdefault(other.lower(), other)
        near = [folded[match] for match in get_close_matches(name.lower(), folded, 3, 0.5)]
        if len(known) <= 10 or not (near or advice):
            hint = f"; expected one of {', '.join(known[:30])}{', ...' * (len(known) > 30)}"
        else:
            hint = f"; did you mean {', '.join(near)}?" if near else ""
        super().__init__(f"unknown {kind} {name!r}{hint}{'; ' + advice if advice else ''}")


class MissingExtra(SpanwiseError):
    """A required optional library that is not installed."""

    exit_status = 3

    def __init__(self, library: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs {library}; install it with: pip install 'spanwise[{extra}]'"
        )


class ClusterError(SpanwiseError):
    """A cluster engine that could not be reached or failed: its name and the reason."""

    def __init__(self, engine: str, reason: str) -> None:
        super().__init__(f"{engine}: {reason}")


class SpanwiseWarning(UserWarning):
    """A repair, an omission or an open decision that users of the numbers should know about."""


class CountedWarning(SpanwiseWarning):
    """A warning with counts, which can be added up over the pieces of a file.

    >>> str(CountedWarning("fields not used: ", {"b": 2, "a": 1}).plus({"b": 1}))
    "fields not used: 'a' (1), 'b' (3)"
    """

    def __init__(self, before: str, counts: Mapping[str, int], after: str = "") -> None:
        self.before, self.counts, self.after = before, dict(counts), after
        many = ", ".join(f"{name!r} ({count})" for name, count in sorted(self.counts.items()))
        super().__init__(f"{before}{self.counts.get('', many)}{after}")

    def plus(self, counts: Mapping[str, int]) -> CountedWarning:
        """Return this warning with further counts added."""
        names = {**self.counts, **counts}
        both = {name: self.counts.get(name, 0) + counts.get(name, 0) for name in names}
        return CountedWarning(self.before, both, self.after)

    def __reduce__(self) -> tuple[Any, ...]:
        return CountedWarning, (self.before, self.counts, self.after)
