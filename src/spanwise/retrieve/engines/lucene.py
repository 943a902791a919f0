"""The engine Lucene, run in a Java process from the jar in the package pyserini."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import InputError
from spanwise.retrieve.queries import ALL_RESULTS, Hits, summed
from spanwise.retrieve.registry import MissingEngine, engine

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

INDEX = "io.anserini.index.IndexCollection"
MOST_WORDS = 500
"""Maximum number of words in one query; Lucene returns nothing above 1024 terms."""
SEARCH = "io.anserini.search.SearchCollection"


@engine(
    "lucene",
    title="Lucene (Anserini 0.21)",
    install="install Java 17 and: pip install --no-deps pyserini==0.21.0, or --set jar=FILE",
    ranges={"k1": (0, 1000), "b": (0, 1)},
)
@dataclass(frozen=True, slots=True)
class Lucene:
    """Lucene's BM25 over Porter stems, without Lucene's few English stop words."""

    k1: float = 0.9
    b: float = 0.4
    jar: str = ""

    def build(self, texts: Iterable[str], folder: Path) -> None:
        """Write the texts as a file of JSON lines and index it."""
        with TemporaryDirectory(prefix="spanwise-lucene-") as given:
            with (Path(given) / "units.jsonl").open("w") as stream:
                for number, text in enumerate(texts):
                    stream.write(json.dumps({"id": str(number), "contents": text}) + "\n")
            self._run(
                *(INDEX, "-collection", "JsonCollection", "-input", given, "-threads", "1"),
                *("-index", str(folder / "lucene"), "-generator", "DefaultLuceneDocumentGenerator"),
            )

    def open(self, folder: Path) -> _Open:
        """Open the index.

        Queries are collected, because starting a Java process takes time.
        """
        return _Open(self, folder / "lucene")

    def asked(self, index: Path, queries: Sequence[str], top: int) -> list[list[tuple[int, float]]]:
        """Return the results of several queries from one Java process."""
        with TemporaryDirectory(prefix="spanwise-lucene-") as given:
            topics, output = Path(given) / "topics.tsv", Path(given) / "run"
            lines = (f"{number}\t{query}\n" for number, query in enumerate(queries))
            topics.write_text("".join(lines))
            self._run(
                *(SEARCH, "-index", str(index), "-topics", str(topics), "-topicreader", "TsvInt"),
                *("-output", str(output), "-hits", str(top), "-threads", "1", "-bm25"),
                *("-bm25.k1", str(self.k1), "-bm25.b", str(self.b)),
            )
            if not output.is_file():  # Java exits with status 0 even then
                raise InputError(f"engine lucene: no results from {SEARCH} with {self}")
            answers: list[list[tuple[int, float]]] = [[] for _ in queries]
            for line in output.read_text().splitlines():
                topic, _, unit, _, score, _ = line.split()
                answers[int(topic)].append((int(unit), float(score)))
            return answers

    def _run(self, *words: str) -> None:
        java = shutil.which("java")
        if java is None:
            raise MissingEngine("lucene", "Java 17")
        command = [java, "-Xmx2g", "-cp", self._jar(), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
            raise InputError(f"engine lucene: Java ended with {done.returncode}: {''.join(last)}")

    def _jar(self) -> str:
        """Return the configured jar, or the one inside the package, which is not imported."""
        given = self.jar or os.environ.get("SPANWISE_LUCENE_JAR", "")
        if given and not Path(given).is_file():
            raise InputError(f"engine lucene: {given}: the jar does not exist")
        if given:
            return given
        package = find_spec("pyserini")
        places = list(package.submodule_search_locations or ()) if package else []
        jars = [jar for place in places for jar in Path(place).rglob("anserini-*-fatjar.jar")]
        if not jars:
            raise MissingEngine("lucene", "the jar of Anserini")
        return str(min(jars))


def _parts(words: Sequence[str]) -> list[Sequence[str]]:
    return [words[begin : begin + MOST_WORDS] for begin in range(0, len(words), MOST_WORDS)]


class _Open:
    def __init__(self, lucene: Lucene, index: Path) -> None:
        self._lucene, self._index = lucene, index
        self._known: dict[tuple[str, int], list[tuple[int, float]]] = {}

    @staticmethod
    def split(query: str) -> list[str]:
        """Split a query at white space; punctuation is left to Lucene's tokeniser."""
        return query.split()

    def prepare(self, queries: Sequence[Sequence[str]], top: int) -> None:
        """Run all queries at once and keep their results for `search`."""
        texts = [" ".join(part) for words in queries for part in _parts(words)]
        if not texts:
            return
        for text, answer in zip(texts, self._lucene.asked(self._index, texts, top), strict=True):
            self._known[text, top] = answer

    def search(self, words: Sequence[str], top: int) -> tuple[IntArray, FloatArray]:
        """Return the best units that contain any of the words.

        A long query is split, and the scores of its parts are added.
        """
        parts = _parts(words)
        if len(parts) > 1:
            hits = summed([Hits(*self._part(part, ALL_RESULTS)) for part in parts]).best(top)
            return hits.units, hits.scores
        return self._part(words, top)

    def _part(self, words: Sequence[str], top: int) -> tuple[IntArray, FloatArray]:
        text = " ".join(words)
        if words and (text, top) not in self._known:
            self.prepare([words], top)
        found = np.array(self._known.get((text, top), []), np.float64).reshape(-1, 2)
        return found[:, 0].astype(np.int64), found[:, 1]

    def __enter__(self) -> _Open:
        return self

    def __exit__(self, *_: object) -> None:
        pass
