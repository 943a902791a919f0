"""Retrievers of a sweep: each ranks the texts of all chunks for questions.

`bm25`, `tfidf`, `dense:NAME` and `hybrid` are known by name. A function from texts to a retriever,
and a model that turns texts into vectors, are retrievers too. A reranker orders the results of a
retriever anew.
"""

from __future__ import annotations

import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from spanwise.errors import InputError, MissingExtra, SpanwiseError, UnknownName, UsageError
from spanwise.retrieve.asking import DENSE, HYBRID, KNOWN, WORDLLAMA, asking, full_name, until
from spanwise.retrieve.fusion import K
from spanwise.retrieve.models.vectors import tfidf_of
from spanwise.retrieve.postings import postings_of, stems_of_each

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

K1, B = 1.2, 0.75
BLOCK = 64
"""Number of questions that are scored together."""
DIGITS = 6
"""Decimals of a similarity; further ones depend on the machine and its number of threads."""

Ranking = tuple["IntArray", "FloatArray"]
"""The numbers of texts, best first, and their scores."""
Embed = Callable[[Sequence[str]], "FloatArray"]
"""Returns a vector for each text."""


class Depth(NamedTuple):
    """How far rankings go: to a budget, and to a minimum number of results."""

    costs: FloatArray  # the cost of reading each text
    budget: float
    least: int

    def cut(self, numbers: IntArray) -> IntArray:
        """Return the results up to the first one that reaches both."""
        read = np.cumsum(self.costs[numbers])
        due = int(np.searchsorted(read, self.budget)) + 1
        return numbers[: max(due, self.least)]

    def reached(self, numbers: IntArray) -> bool:
        """Return whether these results reach both."""
        return len(numbers) >= self.least and float(self.costs[numbers].sum()) >= self.budget

    @property
    def first(self) -> int:
        """The number of results to begin with, which suffices for texts of average size."""
        mean = max(float(self.costs.mean()), 1e-9)
        return max(self.least, int(min(1.5 * self.budget / mean, len(self.costs))) + 5)


class Index(Protocol):
    """Texts that can be searched."""

    def rank(self, questions: Sequence[str], depth: Depth) -> list[Ranking]:
        """Return the best texts for each question, as many as the depth asks for."""


# Indexes that score every text --------------------------------------------------------------------


class Scored(ABC):
    """An index that gives a score to every text."""

    every: bool = True  # whether each text is found; else those that score above 0

    @abstractmethod
    def scores(self, questions: Sequence[str]) -> FloatArray:
        """Return the score of each text, in a row for each question."""

    def rank(self, questions: Sequence[str], depth: Depth) -> list[Ranking]:
        """Return the best texts of each question; of equal scores, the earlier text comes first."""
        found: list[Ranking] = []
        for start in range(0, len(questions), BLOCK):
            table = self.scores(questions[start : start + BLOCK])
            found += [_best(scores, depth) for scores in table]
        return found


def _best(scores: FloatArray, depth: Depth) -> Ranking:
    """Return the best texts until a budget is reached."""

    def first(most: int) -> IntArray:
        if most >= len(scores):
            return np.argsort(-scores, kind="stable")
        least = np.partition(scores, len(scores) - most)[len(scores) - most]
        some = np.flatnonzero(scores >= least)
        return some[np.argsort(-scores[some], kind="stable")][:most]

    numbers = depth.cut(until(first, depth.reached, depth.first))
    return numbers, scores[numbers]


class Bm25(Scored):
    """BM25 of the library bm25s, without English stop words."""

    every = False

    def __init__(self, texts: Sequence[str]) -> None:
        try:
            import bm25s
        except ImportError:
            raise MissingExtra("bm25s", "sweep", "retriever 'bm25'") from None
        logging.getLogger(bm25s.__name__).setLevel(logging.WARNING)  # it reports every index
        self._library: Any = bm25s
        self._count = len(texts)
        self._index = bm25s.BM25(k1=K1, b=B)
        words = self._words(texts)
        if not any(words):
            raise InputError("retriever 'bm25': the chunks contain no words except stop words")
        self._index.index(words, show_progress=False)

    def _words(self, texts: Sequence[str]) -> Any:
        return self._library.tokenize(
            list(texts), stopwords="en", return_ids=False, show_progress=False
        )

    def scores(self, questions: Sequence[str]) -> FloatArray:
        """Return the score of each text."""
        table = np.zeros((len(questions), self._count))
        for row, words in enumerate(self._words(questions)):
            known = [word for word in words if word in self._index.vocab_dict]
            if known:
                table[row] = self._index.get_scores(known)
        return table


class TfIdf(Scored):
    """TF-IDF of stems with cosine, as the engine `tfidf` has it."""

    every = False

    def __init__(self, texts: Sequence[str]) -> None:
        self._postings = postings_of(texts)
        self._idf, weights, norms = tfidf_of(self._postings)
        norms = norms[self._postings.units]
        self._cosines = np.divide(weights, norms, out=np.zeros(len(norms)), where=norms > 0)

    def scores(self, questions: Sequence[str]) -> FloatArray:
        """Return the cosine of each text and question."""
        postings = self._postings
        table = np.zeros((len(questions), len(postings.lengths)))
        for row, words in enumerate(stems_of_each(questions)):
            known = [postings.words[word] for word in words if word in postings.words]
            terms, counts = np.unique(np.array(known, np.int64), return_counts=True)
            weights = (1.0 + np.log(counts)) * self._idf[terms]
            length = float(np.sqrt((weights**2).sum())) or 1.0
            for term, weight in zip(terms.tolist(), (weights / length).tolist(), strict=True):
                begin, end = int(postings.first[term]), int(postings.first[term + 1])
                table[row, postings.units[begin:end]] += weight * self._cosines[begin:end]
        return table


class Dense(Scored):
    """Vectors of texts, compared by cosine."""

    def __init__(self, texts: Sequence[str], embed: Embed) -> None:
        self._embed = embed
        self._vectors = _normalised(embed(texts))

    def scores(self, questions: Sequence[str]) -> FloatArray:
        """Return the cosine of each text and question."""
        asked = _normalised(self._embed(questions))
        return np.round((asked @ self._vectors.T).astype(np.float64), DIGITS)


def _normalised(vectors: Any) -> FloatArray:
    table = np.asarray(vectors, np.float32)
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    return np.divide(table, lengths, out=np.zeros_like(table), where=lengths > 0)


class Hybrid(Scored):
    """Reciprocal rank fusion of indexes: the sum of 1 / (60 + rank) in those that find a text."""

    def __init__(self, parts: Sequence[Scored]) -> None:
        self._parts = parts

    def scores(self, questions: Sequence[str]) -> FloatArray:
        """Return the sum for each text."""
        return np.sum([_reciprocal(part, questions) for part in self._parts], axis=0)


def _reciprocal(part: Scored, questions: Sequence[str]) -> FloatArray:
    scores = part.scores(questions)
    order = np.argsort(-scores, axis=1, kind="stable")
    ranks = np.empty_like(scores)
    np.put_along_axis(ranks, order, np.arange(1.0, scores.shape[1] + 1)[np.newaxis], axis=1)
    found = np.full(scores.shape, True) if part.every else scores > 0
    return np.where(found, 1.0 / (K + ranks), 0.0)


# Vectors ------------------------------------------------------------------------------------------


class MissingSentenceTransformers(MissingExtra):
    """The error for a model of sentence-transformers, which is no extra because of its size."""

    def __init__(self, purpose: str) -> None:
        library = "sentence-transformers"
        SpanwiseError.__init__(
            self, f"{purpose} needs {library}; install it with: pip install {library}"
        )


@lru_cache(maxsize=4)
def embedding(name: str) -> Embed:
    """Return the function that turns texts into vectors: `wordllama`, or the model in a folder."""
    if name == WORDLLAMA:
        return _wordllama()
    folder = Path(name)
    if not folder.is_dir():
        raise UsageError(
            f"retriever '{DENSE}:{name}': found no such folder; expected {DENSE}:{WORDLLAMA}, or"
            f" {DENSE}:FOLDER with the folder of a model of model2vec or sentence-transformers"
        )
    return _model_in(folder)


def _wordllama() -> Embed:
    """Return the vectors that the package wordllama contains, which need no connection."""
    root = logging.getLogger()
    before = root.level, list(root.handlers)
    try:
        import wordllama
    except ImportError:
        raise MissingExtra("wordllama", "wordllama", f"retriever '{DENSE}:{WORDLLAMA}'") from None
    finally:  # it sets up logging for the whole program when it is imported
        root.level, root.handlers[:] = before
    # Its loader looks for the tokenizer in the folder of the package only as if that were a cache.
    packed = Path(wordllama.__file__).parent
    model: Any = wordllama.WordLlama.load(cache_dir=packed, disable_download=True)
    return lambda texts: model.embed(list(texts))


def _model_in(folder: Path) -> Embed:
    purpose = f"retriever '{DENSE}:{folder}'"
    if _is_static(folder):
        try:
            from model2vec import StaticModel
        except ImportError:
            raise MissingExtra("model2vec", "model2vec", purpose) from None
        static: Any = StaticModel.from_pretrained(folder)
        return lambda texts: static.encode(list(texts))
    if not (folder / "modules.json").is_file():
        raise UsageError(
            f"{folder}: found no model; expected a folder that model2vec or sentence-transformers"
            " has written"
        )
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise MissingSentenceTransformers(purpose) from None
    model: Any = SentenceTransformer(str(folder))
    return lambda texts: model.encode(list(texts), show_progress_bar=False)


def _is_static(folder: Path) -> bool:
    """Return whether a folder holds a model that gives each token a vector, as model2vec does."""
    if _json_in(folder / "config.json", {}).get("model_type") == "model2vec":
        return True
    kinds = [str(module.get("type")) for module in _json_in(folder / "modules.json", [])]
    return bool(kinds) and "StaticEmbedding" in kinds[0]


def _json_in(file: Path, otherwise: Any) -> Any:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return otherwise
    return found if isinstance(found, type(otherwise)) else otherwise


def _vectors_by(model: Any) -> Embed | None:
    """Return the function of a model that turns texts into vectors, if it has one."""
    for method in ("embed_documents", "encode", "embed"):
        embed = getattr(model, method, None)
        if callable(embed):
            return lambda texts, embed=embed: embed(list(texts))  # type: ignore[misc]
    return None


# Retrievers by name, and objects ------------------------------------------------------------------


class Indexes:
    """Indexes of the same texts; each is made once, also where several retrievers use it."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self._made: dict[str, Scored] = {}

    def of(self, retriever: Any) -> Index:
        """Return the index of a retriever, given by name or as an object."""
        if isinstance(retriever, str):
            return self.named(retriever)
        embed = _vectors_by(retriever)
        return Dense(self.texts, embed) if embed else Asked(retriever(self.texts), self.texts)

    def named(self, name: str) -> Scored:
        """Return the index of that name."""
        name = full_name(name)
        if name not in self._made:
            self._made[name] = self._new(name)
        return self._made[name]

    def _new(self, name: str) -> Scored:
        kind, _, rest = name.partition(":")
        if kind == HYBRID:
            return Hybrid([self.named(part) for part in rest.split("+")])
        if kind == DENSE:
            return Dense(self.texts, embedding(rest))
        return Bm25(self.texts) if kind == "bm25" else TfIdf(self.texts)


def refuse_missing(retriever: Any) -> None:
    """Refuse a retriever that is unknown, or whose library or model is missing."""
    if not isinstance(retriever, str):
        if _vectors_by(retriever) is None and not callable(retriever):
            raise UsageError(
                f"retriever {retriever!r}; expected a name, a model with a method encode, or a"
                " function from the texts of all chunks to a retriever"
            )
        return
    name = full_name(retriever)
    kind, _, rest = name.partition(":")
    for part in rest.split("+") if kind == HYBRID else [name]:
        if part == "bm25":
            try:
                import bm25s  # noqa: F401
            except ImportError:
                raise MissingExtra("bm25s", "sweep", "retriever 'bm25'") from None
        elif part.startswith(DENSE):
            embedding(part.partition(":")[2])


class Asked:
    """Texts that an object or function searches.

    It returns numbers of texts, texts, pairs of one of these and a score, or documents of LangChain
    or LlamaIndex, best first.
    """

    def __init__(self, retriever: Any, texts: Sequence[str]) -> None:
        self._ask, self._more = asking(retriever)
        self._count = len(texts)
        self._places: dict[str, list[int]] = {}
        for number, text in enumerate(texts):
            self._places.setdefault(text, []).append(number)

    def rank(self, questions: Sequence[str], depth: Depth) -> list[Ranking]:
        """Return the results of each question; more are asked for until they suffice."""
        return [self._ranked(question, depth) for question in questions]

    def _ranked(self, question: str, depth: Depth) -> Ranking:
        def ask(most: int) -> IntArray:
            return self._numbers(self._ask(question, min(most, self._count)))

        first = min(depth.first, self._count)
        numbers = depth.cut(until(ask, depth.reached, first, more=self._more))
        return numbers, -np.arange(1.0, len(numbers) + 1)  # the order counts

    def _numbers(self, answer: Iterable[Any]) -> IntArray:
        """Return the numbers of the texts in an answer; each text counts once."""
        left = {text: iter(places) for text, places in self._places.items()}
        found: list[int] = []
        for item in answer:
            thing = item[0] if isinstance(item, tuple | list) else item
            number = self._number(thing, left)
            if number is not None:
                found.append(number)
        return np.array(list(dict.fromkeys(found)), np.int64)

    def _number(self, thing: Any, left: dict[str, Any]) -> int | None:
        words = _text_of(thing)
        if words is not None:
            if words not in left:
                raise InputError(
                    f"the retriever returned {words[:60]!r}; expected one of the texts it was given"
                )
            return next(left[words], None)
        number = int(thing)
        if not 0 <= number < self._count:
            raise InputError(
                f"the retriever returned number {number}; expected one from 0 to {self._count - 1}"
            )
        return number


def _text_of(thing: Any) -> str | None:
    """Return the text of a result, or None if it is a number."""
    if isinstance(thing, str):
        return thing
    node = getattr(thing, "node", thing)
    for name in ("page_content", "text"):
        if isinstance(words := getattr(node, name, None), str):
            return words
    return None


# Rerankers ----------------------------------------------------------------------------------------


def find_reranker(reranker: Any) -> Callable[[str, Sequence[str]], Any]:
    """Return the function from a question and texts to scores, given it, its name, or a model.

    The names are those of retrievers with vectors, `dense:NAME`. A model has a method `predict` for
    pairs of a question and a text, as cross-encoders have.
    """
    if isinstance(reranker, str):
        kind, _, rest = reranker.partition(":")
        if kind != DENSE:
            known = [name for name in KNOWN if name.startswith(DENSE)]
            raise UnknownName("reranker", reranker, known)
        embed = embedding(rest or WORDLLAMA)
        return lambda question, texts: Dense(texts, embed).scores([question])[0]
    predict = getattr(reranker, "predict", None)
    if callable(predict):
        return lambda question, texts: predict([(question, text) for text in texts])
    if not callable(reranker):
        raise UsageError(
            f"reranker {reranker!r}; expected {DENSE}:NAME, a model with a method predict, or a"
            " function from a question and texts to scores"
        )
    rerank: Callable[[str, Sequence[str]], Any] = reranker
    return rerank


def reranked(
    rankings: Sequence[Ranking],
    questions: Sequence[str],
    texts: Sequence[str],
    rerank: Callable[[str, Sequence[str]], Any],
) -> list[Ranking]:
    """Return rankings in the order of a reranker's scores."""
    found: list[Ranking] = []
    for question, (numbers, _) in zip(questions, rankings, strict=True):
        chosen = [texts[number] for number in numbers.tolist()]
        scores = np.asarray(rerank(question, chosen) if chosen else [], np.float64).reshape(-1)
        if len(scores) != len(chosen):
            raise InputError(
                f"the reranker returned {len(scores)} scores; expected one for each of"
                f" {len(chosen)} texts"
            )
        order = np.argsort(-scores, kind="stable")
        found.append((numbers[order], scores[order]))
    return found
