"""Small objects for tests, written the way a person would say them."""

from collections import Counter
from collections.abc import Iterable

import spanwise
from spanwise.formats.frames.tables import judgements_of, run_of
from spanwise.matching import align
from spanwise.measures.names import parse
from spanwise.model.policy import Policy
from spanwise.model.rankings import Rankings
from spanwise.model.scores import Scores

OUTSIDE, SET_ASIDE = "-", "."
"""A result that no judgement names, and one that was in the pool but not judged."""


def ranking(results: str, judged: str | None = None, **policy) -> Rankings:
    """One topic: the grade of each result, best rank first, and all grades that were given.

    `-` is a result outside the pool, `.` one in the pool but not judged; results in parentheses
    have equal scores. `judged` lists the grades of all documents, the retrieved ones included;
    without it nothing else was judged.

        ranking("0 2 - 1 1 . 0", judged="2 1 1 1 0 0 0")
    """
    return rankings([(results, judged)], **policy)


def rankings(topics: Iterable[tuple[str, str | None]], **policy) -> Rankings:
    """A block of several topics, each as `ranking` takes it."""
    qrels, run = {"nobody asks": {"d": 1.0}}, {"nobody asks": {"d": 1.0}}
    names = []
    for number, (results, judged) in enumerate(topics):
        names.append(f"t{number:03}")
        run[names[-1]], qrels[names[-1]] = _one_topic(results, judged)
    wanted = [name.encode() for name in names]
    (block,) = align(run_of(run), judgements_of(qrels), wanted, Policy(**policy)).blocks(
        with_scores=True
    )
    return block


def _one_topic(results: str, judged: str | None) -> tuple[dict[str, float], dict[str, float]]:
    run, qrels, tied, score = {}, {}, False, 0.0
    for number, token in enumerate(results.replace("(", " ( ").replace(")", " ) ").split()):
        if token in "()":
            tied, score = token == "(", score - 1
            continue
        score = score if tied else score - 1
        document = f"d{999 - number:03}"  # falling, so that ties by id keep the written order
        run[document] = score
        if token != OUTSIDE:
            qrels[document] = -1.0 if token == SET_ASIDE else float(token)
    qrels |= _not_retrieved(list(qrels.values()), judged)
    return run, qrels


def _not_retrieved(retrieved: list[float], judged: str | None) -> dict[str, float]:
    if judged is None:
        return {}
    grades = [-1.0 if token == SET_ASIDE else float(token) for token in judged.split()]
    rest = Counter(grades)
    rest.subtract(grade for grade in retrieved if grade >= 0)
    if min(rest.values(), default=0) < 0:
        raise ValueError(f"the results hold grades that {judged!r} does not list")
    return {f"x{number:03}": grade for number, grade in enumerate(rest.elements())}


def value(name: str, results: str, judged: str | None = None, **policy) -> float:
    """What a measure says of one topic."""
    return float(parse(name)(ranking(results, judged, **policy))[0])


def scores(qrels: str, run: str, measures: str | list[str], **choices) -> Scores:
    """The front door, with lines `topic document grade` and `topic document score`."""
    return spanwise.evaluate(_nested(qrels), _nested(run), measures, **choices)


def _nested(lines: str) -> dict[str, dict[str, float]]:
    topics: dict[str, dict[str, float]] = {}
    for line in lines.strip().splitlines():
        topic, document, number = line.split()
        topics.setdefault(topic, {})[document] = float(number)
    return topics
