"""Query expansion from the best results (Rocchio, RM3) or from WordNet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import SpanwiseError, UnknownName
from spanwise.retrieve.postings import Postings, postings_of, spellings, stems
from spanwise.retrieve.queries import positive
from spanwise.retrieve.registry import words_of

if TYPE_CHECKING:
    from spanwise.retrieve.units import Units

Expander = Callable[[list[str]], Mapping[str, float]]

FEEDBACK = 10
"""Number of results that are assumed to be relevant."""
TERMS = 20
"""Maximum number of words that feedback adds to a query."""
ROCCHIO_BETA = 0.75
RM3_SHARE = 0.5
"""Weight of the original query in RM3."""
SYNONYM = 0.3
WORDNET = Path("/usr/share/wordnet")
ENDINGS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "noun": (
        *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z")),
        *(("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y")),
    ),
    "verb": (
        *(("s", ""), ("ies", "y"), ("es", "e"), ("es", "")),
        *(("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}
"""Parts of speech with WordNet's rules that remove endings."""


def expander(name: str, units: Units, find: Callable[..., Any]) -> Expander:
    """Return the function that expands a query in the named way.

    Feedback calls `find` for the first results.
    """
    if name == "wordnet":
        return synonyms(WORDNET)
    if name not in ("rocchio", "rm3"):
        raise UnknownName("expansion", name, ["rocchio", "rm3", "wordnet"])
    counts: Counter[str] = Counter()
    postings = postings_of(_counting(units.texts(), counts))
    spelled = spellings(counts)  # engines have other stems and need words
    names = [spelled.get(stem, stem) for stem in postings.words]
    by_unit = _by_unit(postings)

    def expand(words: list[str]) -> Mapping[str, float]:
        found, scores = find(words, FEEDBACK)
        best = [by_unit(int(unit)) for unit in found]
        if name == "rocchio":
            weights = rocchio(postings, words, best)
        else:
            weights = rm3(postings, words, best, scores)
        return {names[w] if isinstance(w, int) else w: value for w, value in weights.items()}

    return expand


def _counting(texts: Iterable[str], counts: Counter[str]) -> Iterator[str]:
    """Yield the texts and count their words in `counts`."""
    for text in texts:
        counts.update(words_of(text))
        yield text


def _by_unit(postings: Postings) -> Callable[[int], dict[int, int]]:
    """Return a function that maps a unit's number to its words and their counts."""
    order = np.argsort(postings.units, kind="stable")
    owners = postings.owners[order]
    counts = postings.counts[order]
    first = np.searchsorted(postings.units[order], np.arange(len(postings.lengths) + 1))

    def words(unit: int) -> dict[int, int]:
        begin, end = int(first[unit]), int(first[unit + 1])
        return dict(zip(owners[begin:end].tolist(), counts[begin:end].tolist(), strict=True))

    return words


def rocchio(
    postings: Postings, words: Sequence[str], best: Sequence[Mapping[int, int]]
) -> dict[str | int, float]:
    """Add `ROCCHIO_BETA` times the mean tf-idf vector of the best results to the query.

    All vectors, also that of the query, have length 1. Words of the query keep their spelling.
    """
    idf = np.log(len(postings.lengths) / postings.frequencies)
    mean: Counter[int] = Counter()
    for unit in best:
        weights = {word: (1 + np.log(tf)) * idf[word] for word, tf in unit.items()}
        length = float(np.sqrt(sum(weight**2 for weight in weights.values()))) or 1.0
        for word, weight in weights.items():
            mean[word] += ROCCHIO_BETA * float(weight) / length / len(best)  # type: ignore[assignment]
    return _joined(postings, words, dict(mean), 1.0 / np.sqrt(max(len(words), 1)))


def rm3(
    postings: Postings,
    words: Sequence[str],
    best: Sequence[Mapping[int, int]],
    scores: Sequence[float],
) -> dict[str | int, float]:
    """Mix the query with the relevance model: P(w | unit), weighted by unit scores."""
    shares = positive(np.asarray(scores, np.float64))
    total = float(shares.sum()) or 1.0
    model: Counter[int] = Counter()
    for unit, score in zip(best, shares.tolist(), strict=True):
        length = sum(unit.values()) or 1
        for word, tf in unit.items():
            model[word] += tf / length * score / total
    chosen = dict(sorted(model.items(), key=lambda pair: (-pair[1], pair[0]))[:TERMS])
    kept = sum(chosen.values()) or 1.0
    added = {word: (1 - RM3_SHARE) * weight / kept for word, weight in chosen.items()}
    return _joined(postings, words, added, RM3_SHARE / max(len(words), 1))


def _joined(
    postings: Postings, words: Sequence[str], added: Mapping[int, float], own: float
) -> dict[str | int, float]:
    """Combine the weights of the query's words with those of the best added words.

    A word in both has the sum of its weights.
    """
    chosen = dict(sorted(added.items(), key=lambda pair: (-pair[1], pair[0]))[:TERMS])
    weights: dict[str | int, float] = {}
    for word in words:
        weights[word] = weights.get(word, 0.0) + own
        number = next((postings.words.get(stem) for stem in stems([word])), None)
        if number in chosen:
            weights[word] += chosen.pop(number)
    return weights | {word: round(weight, 12) for word, weight in chosen.items()}


# WordNet ------------------------------------------------------------------------------------------


def synonyms(folder: Path) -> Expander:
    """Return a function that adds the words of each word's first sense.

    Senses are looked up by part of speech; added words have a lower weight.
    """
    if not (folder / "index.noun").is_file():
        raise SpanwiseError(
            f"expansion by WordNet needs its files in {folder}; install Debian's wordnet-base"
        )
    parts = [_Part(folder, name) for name in ENDINGS]

    def expand(words: list[str]) -> Mapping[str, float]:
        weights = dict.fromkeys(words, 1.0)
        for word in words:
            for other in (other for part in parts for other in part.synonyms(word)):
                weights.setdefault(other, SYNONYM)
        return weights

    return expand


class _Part:
    """The words of one part of speech in WordNet."""

    def __init__(self, folder: Path, name: str) -> None:
        self._index, self._data = _index(folder / f"index.{name}"), folder / f"data.{name}"
        self._irregular = _irregular(folder / f"{name}.exc")
        self._endings = ENDINGS[name]

    def synonyms(self, word: str) -> list[str]:
        """Return the other words in the first sense of a word or of its base form."""
        base = next((form for form in self._forms(word) if form in self._index), None)
        sense = _synset(self._data, self._index[base]) if base is not None else []
        return [other for other in sense if other != base]

    def _forms(self, word: str) -> Iterator[str]:
        yield word
        yield self._irregular.get(word, word)
        for ending, other in self._endings:
            if word.endswith(ending):
                yield word.removesuffix(ending) + other


def _irregular(file: Path) -> dict[str, str]:
    """Read the irregular forms and their base forms."""
    if not file.is_file():
        return {}
    lines = map(str.split, file.read_text("latin-1").splitlines())
    return {fields[0]: fields[1] for fields in lines if len(fields) > 1}


def _index(file: Path) -> dict[str, int]:
    """Read the position of each word's first sense in the data file."""
    found = {}
    with file.open(encoding="latin-1") as lines:
        for line in lines:
            if line[0] != " ":
                fields = line.split()
                found[fields[0]] = int(fields[-int(fields[2])])
    return found


def _synset(file: Path, place: int) -> list[str]:
    """Return the single words of a sense."""
    with file.open("rb") as stream:
        stream.seek(place)
        fields = stream.readline().decode("latin-1").split()
    names = [fields[4 + 2 * number].partition("(")[0] for number in range(int(fields[3], 16))]
    return [name.lower() for name in names if "_" not in name and name.isalnum()]
