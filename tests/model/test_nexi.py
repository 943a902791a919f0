"""Trees of queries: what cannot be built, and how they are spelt."""

from decimal import Decimal

import pytest

from spanwise.model.topics import (
    About,
    And,
    Comparison,
    ContentOnly,
    Node,
    Or,
    Path,
    Phrase,
    Step,
    Structured,
    Word,
)

HERE = Path()
A, B, C = (About(HERE, (Word(letter),)) for letter in "abc")


def test_terms():
    terms = (Word("solar"), Word("wind", "+"), Phrase(("building", "code"), "-"))
    assert str(ContentOnly(terms)) == 'solar +wind -"building code"'


def test_paths():
    path = Path((Node(("article",)), Node(), Node(("sec", "p")), Node(("@id",), "/")))
    assert str(path) == "//article//*//(sec|p)/@id"
    assert str(HERE) == ""


@pytest.mark.parametrize(
    ("tree", "spelt"),
    [
        (And((A, B)), "about(., a) and about(., b)"),
        (Or((A, And((B, C)))), "about(., a) or about(., b) and about(., c)"),
        (And((Or((A, B)), C)), "(about(., a) or about(., b)) and about(., c)"),
    ],
)
def test_brackets_only_where_needed(tree, spelt):
    assert str(tree) == spelt


@pytest.mark.parametrize("kind", [And, Or])
def test_conditions_of_one_kind_are_one_list(kind):
    assert kind((kind((A, B)), C)) == kind((A, kind((B, C)))) == kind((A, B, C))


@pytest.mark.parametrize("kind", [And, Or])
def test_one_condition_needs_no_junction(kind):
    with pytest.raises(ValueError, match="two conditions or more"):
        kind((A,))


@pytest.mark.parametrize(
    ("value", "spelt"),
    [
        (Decimal(1999), "1999"),
        (Decimal("007.50"), "7.5"),
        (Decimal("5."), "5"),
        (Decimal("-0"), "0"),
        (Decimal("1E+3"), "1000"),
        (Decimal("-2.25"), "-2.25"),
        ("May 1999", "'May 1999'"),
    ],
)
def test_values(value, spelt):
    assert str(Comparison(Path((Node(("yr",)),)), ">=", value)) == f".//yr >= {spelt}"


def test_the_target_is_the_whole_way():
    query = Structured((Step(Path((Node(("a",)),)), A), Step(Path((Node(("b",)), Node(("c",)))))))
    assert str(query) == "//a[about(., a)]//b//c"
    assert str(query.target) == "//a//b//c"


@pytest.mark.parametrize(
    "steps",
    [(), (Step(Path((Node(),))), Step(Path((Node(),)), A)), (Step(HERE, A),)],
    ids=["no step", "a step without condition before the last", "a step without path"],
)
def test_what_no_query_spells_is_no_tree(steps):
    with pytest.raises(ValueError, match="step"):
        Structured(steps)
