"""Weighted words, structural queries, propagation and the shapes that tasks want."""

import numpy as np
import pytest

from collections_by_hand import stored
from spanwise.formats.topics.nexi import parse
from spanwise.matching.structure import satisfies
from spanwise.model.topics import Step, Structured
from spanwise.retrieve.queries import (
    Hits,
    StructuralSearch,
    content_words,
    filtered_for_task,
    propagated,
    search_weighted,
    summed,
)
from spanwise.retrieve.units import grain_of, units_of

BOOK = """<article><yr>1999</yr><sec><t>wind</t><p>wind power</p><p>rain</p></sec>
<sec><p>solar</p></sec></article>"""
OTHER = "<article><yr>2004</yr><sec><p>wind</p></sec><abs><p>wind</p></abs></article>"


@pytest.fixture
def units(tmp_path):
    return units_of(stored(tmp_path, {"a.xml": BOOK, "b.xml": OTHER}), grain_of("element"))


def asking(units):
    """Scores are how often the words occur in a unit's text."""
    texts = list(units.texts())

    def search(words):
        counts = np.array([float(sum(text.count(word) for word in words)) for text in texts])
        found = np.flatnonzero(counts)
        return Hits(found, counts[found])

    def fits(path, target):
        return satisfies(path, Structured((Step(target),)), strict=True)

    def value(unit):
        try:
            return float(texts[unit])
        except ValueError:
            return None

    return StructuralSearch(units, search, fits, value)


def named(units, hits):
    return {
        (units.ids[units.document[unit]], units.paths[unit]): score
        for unit, score in zip(hits.units.tolist(), hits.scores.tolist(), strict=True)
    }


def test_strictly_only_elements_that_meet_every_condition_are_returned(units):
    query = parse("//article[about(., solar)]//sec[about(.//p, wind)]")
    # article a: 1 (solar); its first section: 1 more for the paragraph about wind
    assert named(units, asking(units).strictly(query)) == {("a", "/article[1]/sec[1]"): 2.0}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("//sec[about(., wind) and about(., rain)]", {("a", "/article[1]/sec[1]"): 3.0}),
        ("//sec[about(., solar) or about(., rain)]",
         {("a", "/article[1]/sec[1]"): 1.0, ("a", "/article[1]/sec[2]"): 1.0}),
        ("//article[.//yr > 2000]//sec[about(., wind)]", {("b", "/article[1]/sec[1]"): 1.0}),
        ("//article[.//yr > 2000]", {("b", "/article[1]"): 0.0}),
        ("//article[.//yr < 1999]//sec[about(., wind)]", {}),
        ("//article[about(., wind) and .//yr > 2000]//sec[about(., wind)]",
         {("b", "/article[1]/sec[1]"): 3.0}),
        ("//sec[about(., wind -rain)]",
         {("a", "/article[1]/sec[1]"): 2.0, ("b", "/article[1]/sec[1]"): 1.0}),
    ],
)  # fmt: skip
def test_conditions_combine(units, query, found):
    assert named(units, asking(units).strictly(parse(query))) == found


def test_vaguely_every_element_about_the_words_is_returned_and_targets_count_twice(units):
    hits = named(units, asking(units).vaguely(parse("//sec[about(., wind)]")))
    assert hits["b", "/article[1]/sec[1]"] == 2.0
    assert hits["b", "/article[1]/sec[1]/p[1]"] == 1.0
    assert hits["b", "/article[1]/abs[1]"] == 1.0
    assert hits["a", "/article[1]/sec[1]"] == 4.0


def test_the_words_of_a_query_are_those_that_are_wanted():
    query = parse('//a[about(., +one "two three" -four)]//b[about(.//c, five)]')
    assert content_words(query) == ["one", "two", "three", "five"]


class ByTable:
    """Finds units 0, 1, 2 with a score for each word."""

    def __init__(self, **scores):
        self._scores, self.asked = scores, []

    def search(self, words, top):
        self.asked.append(list(words))
        total = np.sum([self._scores[word] for word in words], axis=0)
        return np.flatnonzero(total), total[total > 0]


def test_weighted_words_add_up():
    engine = ByTable(a=np.array([1.0, 0, 2]), b=np.array([0, 4.0, 1]))
    hits = search_weighted(engine, {"a": 1.0, "b": 0.5}, 10)
    assert hits.units.tolist() == [2, 1, 0]
    assert hits.scores.tolist() == [2.5, 2.0, 1.0]


def test_words_of_one_weight_are_one_question():
    engine = ByTable(a=np.array([1.0, 0, 2]), b=np.array([0, 4.0, 1]))
    assert search_weighted(engine, {"a": 2.0, "b": 2.0}, 1).scores.tolist() == [8.0]
    assert engine.asked == [["a", "b"]]


def test_equal_scores_come_in_the_order_of_units():
    hits = summed([Hits(np.array([5, 2, 9]), np.array([1.0, 1.0, 3.0]))]).best(3)
    assert hits.units.tolist() == [9, 2, 5]


def test_scores_are_handed_on_to_the_elements_around(units):
    places = {
        (units.ids[d], p): n
        for n, (d, p) in enumerate(zip(units.document, units.paths, strict=True))
    }
    leaf = places["a", "/article[1]/sec[1]/p[1]"]
    other = places["a", "/article[1]/sec[2]/p[1]"]
    hits = propagated(units, Hits(np.array([leaf, other]), np.array([8.0, 4.0])), 0.5)
    assert named(units, hits) == {
        ("a", "/article[1]/sec[1]/p[1]"): 8.0,
        ("a", "/article[1]/sec[1]"): 4.0,
        ("a", "/article[1]/sec[2]/p[1]"): 4.0,
        ("a", "/article[1]/sec[2]"): 2.0,
        ("a", "/article[1]"): 3.0,
    }


# Shapes ------------------------------------------------------------------------------------------


def ranked(units, *places):
    """Hits of elements given from the best down."""
    rows = {
        (units.ids[d], p): n
        for n, (d, p) in enumerate(zip(units.document, units.paths, strict=True))
    }
    found = np.array([rows[document, f"/article[1]{path}"] for document, path in places])
    return Hits(found, np.arange(len(found), 0, -1.0))


def shape(units, hits, task, top=10):
    result = filtered_for_task(units, hits, task, top)
    return [
        (units.ids[units.document[u]], units.paths[u].removeprefix("/article[1]"))
        for u in result.units.tolist()
    ]


RANKING = (
    ("a", "/sec[1]"),
    ("b", "/sec[1]/p[1]"),
    ("a", ""),
    ("a", "/sec[1]/p[1]"),
    ("a", "/sec[2]"),
    ("b", ""),
)


@pytest.mark.parametrize(
    ("task", "top", "kept"),
    [
        ("thorough", 10, RANKING),
        ("thorough", 2, RANKING[:2]),
        ("focused", 10, (("a", "/sec[1]"), ("b", "/sec[1]/p[1]"), ("a", "/sec[2]"))),
        ("ric", 10, (("a", "/sec[1]"), ("a", "/sec[2]"), ("b", "/sec[1]/p[1]"))),
        ("ric", 1, (("a", "/sec[1]"), ("a", "/sec[2]"))),
        ("bic", 10, (("a", "/sec[1]"), ("b", "/sec[1]/p[1]"))),
        ("bic", 1, (("a", "/sec[1]"),)),
    ],
)
def test_a_ranking_takes_the_shape_of_its_task(units, task, top, kept):
    assert shape(units, ranked(units, *RANKING), task, top) == list(kept)
