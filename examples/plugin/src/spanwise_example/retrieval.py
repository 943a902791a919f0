"""An engine that counts words, and a chunker that cuts at blank lines."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from spanwise.plugins import chunker, engine

WORD = re.compile(r"\w+")
PARAGRAPH = re.compile(r"(?:.+\n?)+")


@engine("overlap", title="Overlap of words (spanwise-example)", ranges={"power": (0, 10)})
@dataclass(frozen=True)
class Overlap:
    """The number of different words that query and text have in common, to some power."""

    power: float = 1.0

    def build(self, texts: Iterable[str], folder: Path) -> None:
        """Write the different words of each text."""
        words = [sorted(set(WORD.findall(text.lower()))) for text in texts]
        (folder / "words.json").write_text(json.dumps(words), encoding="utf-8")

    @contextmanager
    def open(self, folder: Path) -> Iterator["Opened"]:
        """Read what was written."""
        words = json.loads((folder / "words.json").read_text(encoding="utf-8"))
        yield Opened([set(some) for some in words], self.power)


@dataclass
class Opened:
    """An index in memory."""

    texts: list[set[str]]
    power: float

    def search(self, words: Sequence[str], top: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers and scores of the best texts; the earlier of two equal ones first."""
        shared = np.array([len(text.intersection(words)) for text in self.texts], np.float64)
        best = np.argsort(-shared, kind="stable")[:top]
        best = best[shared[best] > 0]
        return best, shared[best] ** self.power


@chunker("paragraph")
def by_paragraph(text: str, size: int, overlap: int) -> list[tuple[int, int]]:
    """Whole paragraphs, as many as fit; neighbours share the last one if it fits the overlap."""
    chunks: list[tuple[int, int]] = []
    last = 0
    for found in PARAGRAPH.finditer(text):
        start, end = found.span()
        if chunks and end - chunks[-1][0] <= size:
            start = chunks.pop()[0]
        elif chunks and chunks[-1][1] - last <= overlap and end - last <= size:
            start = last
        last = found.start()
        chunks.append((start, end))
    return chunks
