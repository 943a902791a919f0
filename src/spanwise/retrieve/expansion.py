"""More words for a query: from the best results (Rocchio, RM3), or from WordNet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import SpanwiseError, UnknownName
from spanwise.retrieve.postings import Postings, postings_of, stems

if TYPE_CHECKING:
    from spanwise.retrieve.units import Units

Expander = Callable[[list[str]], Mapping[str, float]]

FEEDBACK = 10
"""Results that are taken to be relevant."""
TERMS = 20
"""Words that are added."""
ROCCHIO_BETA = 0.75
RM3_SHARE = 0.5
"""How much the words of the query itself weigh in RM3."""
SYNONYM = 0.3
WORDNET = Path("/usr/share/wordnet")
PARTS = ("noun", "verb", "adj", "adv")


def expander(name: str, units: Units, find: Callable[..., Any]) -> Expander:
    """What expands a query in the named way; feedback asks `find` for the first results."""
    if name == "wordnet":
        return synonyms(WORDNET)
    if name not in ("rocchio", "rm3"):
        raise UnknownName("expansion", name, ["rocchio", "rm3", "wordnet"])
    postings = postings_of(units.texts())
    names = list(postings.words)
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


def _by_unit(postings: Postings) -> Callable[[int], dict[int, int]]:
    """What turns a unit's number into its words."""
    order = np.argsort(postings.units, kind="stable")
    owners = np.repeat(np.arange(len(postings.words)), postings.frequencies)[order]
    counts = postings.counts[order]
    first = np.searchsorted(postings.units[order], np.arange(len(postings.lengths) + 1))

    def words(unit: int) -> dict[int, int]:
        begin, end = int(first[unit]), int(first[unit + 1])
        return dict(zip(owners[begin:end].tolist(), counts[begin:end].tolist(), strict=True))

    return words


def rocchio(
    postings: Postings, words: Sequence[str], best: Sequence[Mapping[int, int]]
) -> dict[str | int, float]:
    """The query plus `ROCCHIO_BETA` times the mean of the best results' tf-idf vectors.

    Vectors have length 1, the query's too. Words of the query keep their own spelling.
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
    """The query mixed with the relevance model: P(w | unit), summed by the units' shares."""
    total = float(np.sum(scores)) or 1.0
    model: Counter[int] = Counter()
    for unit, score in zip(best, scores, strict=True):
        length = sum(unit.values()) or 1
        for word, tf in unit.items():
            model[word] += tf / length * float(score) / total  # type: ignore[assignment]
    chosen = dict(sorted(model.items(), key=lambda pair: (-pair[1], pair[0]))[:TERMS])
    kept = sum(chosen.values()) or 1.0
    added = {word: (1 - RM3_SHARE) * weight / kept for word, weight in chosen.items()}
    return _joined(postings, words, added, RM3_SHARE / max(len(words), 1))


def _joined(
    postings: Postings, words: Sequence[str], added: Mapping[int, float], own: float
) -> dict[str | int, float]:
    """Weights of the query's words and of the best added ones; a word in both has the sum."""
    chosen = dict(sorted(added.items(), key=lambda pair: (-pair[1], pair[0]))[:TERMS])
    weights: dict[str | int, float] = {}
    for word in words:
        weights[word] = weights.get(word, 0.0) + own
        number = next((postings.words.get(stem) for stem in stems([word])), None)
        if number in chosen:
            weights[word] += chosen.pop(number)
    return weights | {word: round(weight, 12) for word, weight in chosen.items()}


# WordNet ----------------------------------------------------------------------------------------


def synonyms(folder: Path) -> Expander:
    """What adds the words of each word's first sense, by part of speech, with a lower weight."""
    if not (folder / "index.noun").is_file():
        raise SpanwiseError(
            f"expansion by WordNet needs its files in {folder}; install Debian's wordnet-base"
        )
    senses = [(_index(folder / f"index.{part}"), folder / f"data.{part}") for part in PARTS]

    def expand(words: list[str]) -> Mapping[str, float]:
        weights = dict.fromkeys(words, 1.0)
        for word in words:
            for index, data in senses:
                if word in index:
                    for other in _synset(data, index[word]):
                        weights.setdefault(other, SYNONYM)
        return weights

    return expand


def _index(file: Path) -> dict[str, int]:
    """Words and where their first sense stands in the data file."""
    found = {}
    with file.open(encoding="latin-1") as lines:
        for line in lines:
            if line[0] != " ":
                fields = line.split()
                found[fields[0]] = int(fields[-int(fields[2])])
    return found


def _synset(file: Path, place: int) -> list[str]:
    """The single words of a sense."""
    with file.open("rb") as stream:
        stream.seek(place)
        fields = stream.readline().decode("latin-1").split()
    names = [fields[4 + 2 * number].partition("(")[0] for number in range(int(fields[3], 16))]
    return [name.lower() for name in names if "_" not in name and name.isalnum()]
