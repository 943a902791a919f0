"""What a study found: as data, and as the text that the command prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class Findings(Mapping[str, Any]):
    """The findings of a study: a mapping as JSON has it, which prints as tables."""

    study: str
    data: Mapping[str, Any]
    draw: Callable[[], str] = field(repr=False)

    def __getitem__(self, name: str) -> Any:
        return self.data[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)

    def to_dict(self) -> dict[str, Any]:
        """Return the same as `--format json` prints."""
        return dict(self.data)

    def __str__(self) -> str:
        return self.draw()

    def __repr__(self) -> str:
        return f"<Findings of {self.study}: {', '.join(self.data)}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.draw())}</pre>"
