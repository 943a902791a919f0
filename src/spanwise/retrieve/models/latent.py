"""Latent semantic indexing: texts and queries in a space of few dimensions.

LSI is a singular value decomposition. PLSI is its probabilistic variant, fitted by
expectation-maximisation: every word of a unit is drawn by drawing a topic z from P(z | unit) and a
word from P(w | z). Tempered updates raise the posterior to a power `beta` below 1, which prevents
overfitting. A query is folded in: P(w | z) is kept, and EM finds P(z | query).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spanwise.errors import InputError
from spanwise.retrieve.models.vectors import FILE, TfIdf
from spanwise.retrieve.postings import Postings, load, postings_of, stems
from spanwise.retrieve.registry import MissingEngine, engine

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray


@engine(
    "lsi",
    title="Latent semantic indexing",
    install="install it with: pip install 'spanwise[latent]'",
    kind="model",
    ranges={"dimensions": (1, 100_000), "seed": (0, 2**32 - 1)},
)
@dataclass(frozen=True, slots=True)
class Lsi:
    """A singular value decomposition of log tf-idf (scikit-learn), compared by cosine."""

    dimensions: int = 100
    seed: int = 0

    def build(self, texts: Iterable[str], folder: Path) -> None:
        """Compute the weights of words and the coordinates of the texts."""
        features, decomposition = _library()
        vectors = features.TfidfVectorizer(stop_words="english", sublinear_tf=True)
        try:
            weights = vectors.fit_transform(texts)
        except ValueError as error:  # raised for an empty vocabulary
            raise InputError("engine lsi: the texts contain no words except stop words") from error
        axes = _axes(decomposition, weights, self.dimensions, self.seed)
        places = unit_rows(weights @ axes.T)
        words = {word: int(number) for word, number in vectors.vocabulary_.items()}
        (folder / "words.json").write_text(json.dumps(words))
        np.savez(folder / "lsi.npz", idf=vectors.idf_, axes=axes, places=places)

    def open(self, folder: Path) -> _Open:
        """Load the space into memory."""
        features, _ = _library()
        known = np.load(folder / "lsi.npz")
        words = json.loads((folder / "words.json").read_text())
        vectors = features.TfidfVectorizer(
            stop_words="english", sublinear_tf=True, vocabulary=words
        )
        vectors.idf_ = known["idf"]
        return _Open(vectors, known["axes"], known["places"])


def _library() -> tuple[Any, Any]:
    try:
        from sklearn import decomposition
        from sklearn.feature_extraction import text
    except ImportError as error:
        raise MissingEngine("lsi", "scikit-learn") from error
    return text, decomposition


def _axes(decomposition: Any, weights: Any, dimensions: int, seed: int) -> FloatArray:
    """Return the principal axes of the texts; all of them if there are few texts or words."""
    if min(weights.shape) < 2:
        return np.eye(weights.shape[1]) if weights.shape[0] > 1 else unit_rows(weights.toarray())
    space = decomposition.TruncatedSVD(min(dimensions, min(weights.shape) - 1), random_state=seed)
    axes: FloatArray = space.fit(weights).components_
    return axes


def unit_rows(rows: FloatArray) -> FloatArray:
    """Scale rows to length 1; rows of zeros are kept."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


class _Open:
    def __init__(self, vectors: Any, axes: FloatArray, places: FloatArray) -> None:
        self._vectors, self._axes, self._places = vectors, axes, places

    def search(self, words: Sequence[str], top: int) -> tuple[IntArray, FloatArray]:
        """Return the best of all units by cosine; unknown words match nothing."""
        return self._nearest(self._vectors.transform([" ".join(words)]), top)

    def weighted(self, words: Mapping[str, float], top: int) -> tuple[IntArray, FloatArray]:
        """Return the best of all units for weighted words."""
        each = self._vectors.transform(list(words)).multiply(self._vectors.idf_).tocsr()
        return self._nearest(np.array([list(words.values())]) @ each, top)

    def _nearest(self, weights: Any, top: int) -> tuple[IntArray, FloatArray]:
        query = unit_rows(weights @ self._axes.T)
        if not query.any():
            return np.zeros(0, np.int64), np.zeros(0)
        scores = np.round(self._places @ query[0], 9)  # digits that do not depend on threads
        order = np.lexsort((np.arange(len(scores)), -scores))[:top]
        return order, scores[order]

    def __enter__(self) -> _Open:
        return self

    def __exit__(self, *_: object) -> None:
        pass


# Probabilistic latent semantic indexing -----------------------------------------------------------

TINY = 1e-300
PAIRS = 100_000
"""Number of pairs of unit and word that are processed together."""


class Model(NamedTuple):
    """A fitted model; the rows of both tables add up to 1."""

    topics: FloatArray  # P(z | unit), a row for each unit
    words: FloatArray  # P(w | z), a row for each topic
    likelihoods: tuple[float, ...]  # the log likelihood before each round, and after the last


class Counts(NamedTuple):
    """The counts of words in units, with only the pairs that occur."""

    units: IntArray
    words: IntArray
    times: FloatArray
    shape: tuple[int, int]


def counts_of(table: FloatArray) -> Counts:
    """Return the pairs of a table of counts with a row for each unit."""
    units, words = np.nonzero(table)
    return Counts(units, words, table[units, words].astype(np.float64), table.shape)


def counted(postings: Postings) -> Counts:
    """Return the pairs of unit and word in postings."""
    shape = (len(postings.lengths), len(postings.words))
    return Counts(postings.units, postings.owners, postings.counts.astype(np.float64), shape)


def fitted(
    counts: Counts, topics: int, rounds: int = 50, beta: float = 1.0, seed: int = 0
) -> Model:
    """Fit a model with the given number of topics by EM from a random start."""
    random = np.random.default_rng(seed)
    mixture: FloatArray = random.dirichlet(np.ones(topics), counts.shape[0])
    words: FloatArray = random.dirichlet(np.ones(counts.shape[1]), topics)
    likelihoods = []
    for _ in range(rounds):
        units_topics = np.zeros((counts.shape[0], topics))
        words_topics = np.zeros((counts.shape[1], topics))
        likelihood = 0.0
        for part in _blocks(counts):
            shares = mixture[part.units] * words[:, part.words].T
            likelihood += _likelihood(part, shares)
            expected = _posterior(shares, beta) * part.times[:, None]
            units_topics += _added(part.units, expected, counts.shape[0])
            words_topics += _added(part.words, expected, counts.shape[1])
        likelihoods.append(likelihood)
        mixture, words = _rows(units_topics), _rows(words_topics.T)
    last = (_likelihood(p, mixture[p.units] * words[:, p.words].T) for p in _blocks(counts))
    return Model(mixture, words, (*likelihoods, sum(last)))


def _blocks(counts: Counts) -> Iterator[Counts]:
    """Split the pairs into blocks that need little memory."""
    for begin in range(0, len(counts.times), PAIRS):
        end = begin + PAIRS
        columns = (counts.units[begin:end], counts.words[begin:end], counts.times[begin:end])
        yield Counts(*columns, counts.shape)


def folded_in(
    words: FloatArray, query: Mapping[int, float], rounds: int = 50, beta: float = 1.0
) -> FloatArray:
    """Return P(z | query) while the words of topics are kept fixed."""
    known, times = np.array(list(query)), np.array(list(query.values()), np.float64)
    mixture = np.full(len(words), 1.0 / len(words))
    for _ in range(rounds):
        shares = mixture * words[:, known].T
        mixture = _rows((_posterior(shares, beta) * times[:, None]).sum(axis=0, keepdims=True))[0]
    return mixture


def _posterior(shares: FloatArray, beta: float) -> FloatArray:
    """Return the tempered posterior P(z | unit, word)."""
    return _rows(shares if beta == 1.0 else shares**beta)


def _rows(table: FloatArray) -> FloatArray:
    """Scale rows to a sum of 1; rows of zeros become uniform."""
    sums = table.sum(axis=1, keepdims=True)
    even = np.full_like(table, 1.0 / table.shape[1])
    return np.divide(table, sums, out=even, where=sums > TINY)


def _added(owners: IntArray, rows: FloatArray, size: int) -> FloatArray:
    columns = [np.bincount(owners, column, size) for column in rows.T]
    return np.stack(columns, axis=1)


def _likelihood(counts: Counts, shares: FloatArray) -> float:
    return float(counts.times @ np.log(np.maximum(shares.sum(axis=1), TINY)))


@engine(
    "plsi",
    title="Probabilistic latent semantic indexing",
    kind="model",
    ranges={
        "topics": (1, 100_000),
        "rounds": (1, 1_000_000),
        "beta": (0, 1),
        "mix": (0, 1),
        "seed": (0, 2**32 - 1),
    },
)
@dataclass(frozen=True, slots=True)
class Plsi:
    """P(z | unit) by tempered EM, compared with the query by cosine; with TF-IDF by `mix`."""

    topics: int = 64
    rounds: int = 50
    beta: float = 0.8
    mix: float = 0.0
    seed: int = 0

    def build(self, texts: Iterable[str], folder: Path) -> None:
        """Count the words and fit the topics."""
        postings = postings_of(texts)
        if not postings.words:
            raise InputError("engine plsi: the texts contain no words except stop words")
        postings.save(folder / FILE)
        model = fitted(counted(postings), self.topics, self.rounds, self.beta, self.seed)
        np.savez(folder / "plsi.npz", topics=model.topics, words=model.words)

    def open(self, folder: Path) -> _OpenAspects:
        """Load the model into memory."""
        known = np.load(folder / "plsi.npz")
        return _OpenAspects(self, load(folder / FILE), known["topics"], known["words"])


class _OpenAspects:
    def __init__(
        self, plsi: Plsi, postings: Postings, topics: FloatArray, words: FloatArray
    ) -> None:
        self._plsi, self._postings, self._topics, self._words = plsi, postings, topics, words

    def search(self, words: Sequence[str], top: int) -> tuple[IntArray, FloatArray]:
        """Return the best of all units by cosine; unknown words match nothing."""
        known = self._postings.words
        return self._nearest(Counter(known[stem] for stem in stems(words) if stem in known), top)

    def weighted(self, words: Mapping[str, float], top: int) -> tuple[IntArray, FloatArray]:
        """Return the best of all units for weighted words."""
        return self._nearest(self._postings.weights(words), top)

    def _nearest(self, query: Mapping[int, float], top: int) -> tuple[IntArray, FloatArray]:
        if not query:
            return np.zeros(0, np.int64), np.zeros(0)
        asked = folded_in(self._words, query, self._plsi.rounds, self._plsi.beta)
        lengths = np.linalg.norm(self._topics, axis=1) * np.linalg.norm(asked)
        scores = self._topics @ asked / lengths
        if self._plsi.mix:
            matched = TfIdf().weigh(self._postings, query)
            scores = (1 - self._plsi.mix) * scores + self._plsi.mix * matched
        scores = np.round(scores, 9)
        order = np.lexsort((np.arange(len(scores)), -scores))[:top]
        return order, scores[order]

    def __enter__(self) -> _OpenAspects:
        return self

    def __exit__(self, *_: object) -> None:
        pass
