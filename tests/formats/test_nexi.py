"""The parser of NEXI: every production, every kind of error, and what is printed parses back."""

from collections import Counter
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared_data import shared
from spanwise.errors import QueryError
from spanwise.formats import read_topics
from spanwise.formats.topics.nexi import DEEPEST, parse
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

TITLE_OF_2003 = """
//article[(./fm//yr = '1997' OR ./fm//yr = '2001') AND about(.,
  '"tidal power station"')]//sec[about(.,'turbine
    +corrosion')]
"""


def path(*names, axis="//"):
    return Path(tuple(Node((name,), axis) for name in names))


def condition(text, legacy=False):
    """The condition of a query with one step."""
    return parse(f"//x[{text}]", legacy=legacy).steps[0].condition


def terms(text, legacy=False):
    return condition(f"about(., {text})", legacy).terms


class TestProductions:
    def test_worked_example(self):
        query = parse(
            "//article[about(.//(sec|p), solar panels) and .//yr >= 1999]"
            '//sec[about(., "building code" -satellite)]'
        )
        panels = About(Path((Node(("sec", "p")),)), (Word("solar"), Word("panels")))
        code = About(Path(), (Phrase(("building", "code")), Word("satellite", "-")))
        assert query == Structured(
            (
                Step(path("article"), And((panels, Comparison(path("yr"), ">=", Decimal(1999))))),
                Step(path("sec"), code),
            )
        )

    @pytest.mark.parametrize(
        ("text", "steps"),
        [
            ("//a", [Step(path("a"))]),
            ("//a//b", [Step(path("a", "b"))]),
            ("//*//@id", [Step(Path((Node(), Node(("@id",)))))]),
            ("//(a|b|@c)", [Step(Path((Node(("a", "b", "@c")),)))]),
            ("//film_festival//ns:a-1.x", [Step(path("film_festival", "ns:a-1.x"))]),
            ("//émission", [Step(path("émission"))]),
            ("//_", [Step(path("_"))]),
        ],
    )
    def test_paths(self, text, steps):
        assert parse(text) == Structured(tuple(steps))

    def test_content_only(self):
        want = (Word("and"), Word("Al-Andalus"), Phrase(("Kali's", "child"), "+"), Word("x", "-"))
        assert parse('and Al-Andalus +"Kali\'s child" -x') == ContentOnly(want)

    @pytest.mark.parametrize(
        "word",
        ["a", "3D", "self-portrait", "valentine's", "dogs'", "a_b", "x--", "नमस्ते", "e\u0301t"],
    )
    def test_words(self, word):
        assert parse(word) == ContentOnly((Word(word),))
        assert terms(f'+"{word} {word}"') == (Phrase((word, word), "+"),)

    def test_phrases(self):
        assert terms('" second  world war" -"x"') == (
            Phrase(("second", "world", "war")),
            Phrase(("x",), "-"),
        )

    def test_words_of_the_language_are_words(self):
        assert terms("female OR about and") == tuple(map(Word, ["female", "OR", "about", "and"]))

    @pytest.mark.parametrize("operator", ["<", "<=", "=", ">=", ">"])
    @pytest.mark.parametrize("number", ["1999", "-3", "2.", "0.50"])
    def test_comparisons(self, operator, number):
        want = Comparison(path("yr"), operator, Decimal(number))
        assert condition(f".//yr {operator} {number}") == want
        assert condition(f".//yr{operator}{number}") == want
        assert condition(f".{operator}{number}").path == Path()

    def test_and_binds_more_tightly(self):
        a, b, c, d = (Comparison(Path(), "=", Decimal(n)) for n in range(4))
        assert condition(".=0 or .=1 and .=2 OR .=3") == Or((a, And((b, c)), d))
        assert condition("(.=0 or .=1) AND (.=2 or .=3)") == And((Or((a, b)), Or((c, d))))
        assert condition("((.=0)) and (.=1 and .=2)") == And((a, b, c))

    def test_white_space_is_free(self):
        narrow = '//(a|b)[(about(.//c,+x -"y z")or.//d<=-1)and.//e=2]//*'
        wide = (
            ' // ( a | b ) [ ( about ( . // c , + x - " y z " ) or . // d <= -1 )'
            " and . // e = 2 ] // * "
        )
        assert parse(narrow) == parse(wide.replace(" ", "\n\t ")) == parse(wide)
        assert (
            str(parse(narrow)) == '//(a|b)[(about(.//c, +x -"y z") or .//d <= -1) and .//e = 2]//*'
        )


ERRORS = [
    ("", 1, "found the end, expected '//' or a term"),
    ("   ", 4, "found the end, expected '//' or a term"),
    ("/a", 1, "found '/', expected '//' or a term"),
    (")", 1, "found ')', expected '//' or a term"),
    ("wind, sun", 5, "found ',', expected a term or the end"),
    ("wind -", 7, "found the end, expected a word or a phrase"),
    ("wind +-sun", 7, "found '-', expected a word or a phrase"),
    ('wind"sun"', 5, "found '\"', expected white space or the end"),
    ("wind+sun", 5, "found '+', expected white space or the end"),
    ('"', 2, "found the end, expected a word"),
    ('""', 2, "found '\"', expected a word"),
    ('"wind', 6, "found the end, expected a word or '\"'"),
    ('"wind +sun"', 7, "found '+', expected a word or '\"'"),
    ("//", 3, "found the end, expected a name, '*' or '('"),
    ("//1a", 3, "found '1a', expected a name, '*' or '('"),
    ("//@", 3, "found '@', expected a name, '*' or '('"),
    ("//a/b", 4, "found '/', expected '//'"),
    ("//a b", 5, "found 'b', expected '//', '[' or the end"),
    ("//a[.=1] b", 10, "found 'b', expected '//' or the end"),
    ("//a[.=1][.=2]", 9, "found '[', expected '//' or the end"),
    ("//(a)", 5, "found ')', expected '|'"),
    ("//(a|*)", 6, "found '*', expected a name"),
    ("//(a|b|)", 8, "found ')', expected a name"),
    ("//(a|b]", 7, "found ']', expected '|' or ')'"),
    ("//a[]", 5, "found ']', expected 'about', '.' or '('"),
    ("//a[solar]", 5, "found 'solar', expected 'about', '.' or '('"),
    ("//a[aboutness(., x)]", 5, "found 'aboutness', expected 'about', '.' or '('"),
    ("//a[about .]", 11, "found '.', expected '('"),
    ("//a[about(//b, x)]", 11, "found '/', expected '.'"),
    ("//a[about(. x)]", 13, "found 'x', expected '//' or ','"),
    ("//a[about(., )]", 14, "found ')', expected a term"),
    ("//a[about(., x, y)]", 15, "found ',', expected a term or ')'"),
    ("//a[about(., x", 15, "found the end, expected a term or ')'"),
    ("//a[about(., x)", 16, "found the end, expected 'and', 'or' or ']'"),
    ("//a[about(., x) And .=1]", 17, "found 'And', expected 'and', 'or' or ']'"),
    ("//a[about(., x) andabout(., y)]", 17, "found 'andabout', expected 'and', 'or' or ']'"),
    ("//a[about(., x) or]", 19, "found ']', expected 'about', '.' or '('"),
    ("//a[(.=1]", 9, "found ']', expected 'and', 'or' or ')'"),
    ("//a[.//b]", 9, "found ']', expected '//', '<', '<=', '=', '>=' or '>'"),
    ("//a[.//b = x]", 12, "found 'x', expected a number"),
    ("//a[.//b = '1']", 12, 'found "\'", expected a number'),
    ("//a[.//b = .5]", 12, "found '.', expected a number"),
    ("//a[.//b = ٣]", 12, "found '٣', expected a number"),
    ("//a[.//b = 1 2]", 14, "found '2', expected 'and', 'or' or ']'"),
    ("//a[./b = 1]", 6, "found '/', expected '//', '<', '<=', '=', '>=' or '>'"),
    ("//a\n[about(.,\n  ,)]", 17, "found ',', expected a term"),
    ("//a " + 30 * "b", 5, f"found '{20 * 'b'}...', expected '//', '[' or the end"),
]


@pytest.mark.parametrize(("query", "character", "message"), ERRORS)
def test_errors_point_at_the_character(query, character, message):
    with pytest.raises(QueryError) as caught:
        parse(query)
    assert str(caught.value) == f"at character {character}: {message}"
    assert caught.value.character == character


def test_brackets_have_a_limit():
    def nested(depth):
        return f"//a[{'(' * depth}.=1{')' * depth}]"

    assert parse(nested(DEEPEST)) == parse(nested(0))
    with pytest.raises(QueryError, match="no more than 100 brackets"):
        parse(nested(DEEPEST + 1))
    with pytest.raises(QueryError):
        parse("//a[" + "(" * 100_000)


class TestLegacy:
    def test_worked_example(self):
        year = Path((Node(("fm",), "/"), Node(("yr",))))
        query = parse(TITLE_OF_2003, legacy=True)
        assert query == Structured(
            (
                Step(
                    path("article"),
                    And(
                        (
                            Or(tuple(Comparison(year, "=", y) for y in ("1997", "2001"))),
                            About(Path(), (Phrase(("tidal", "power", "station")),)),
                        )
                    ),
                ),
                Step(path("sec"), About(Path(), (Word("turbine"), Word("corrosion", "+")))),
            )
        )
        assert str(query) == (
            "//article[(./fm//yr = '1997' or ./fm//yr = '2001')"
            ' and about(., "tidal power station")]//sec[about(., turbine +corrosion)]'
        )

    def test_it_is_no_nexi(self):
        with pytest.raises(QueryError, match="at character 14: found '/'"):
            parse(TITLE_OF_2003)

    def test_paths(self):
        assert parse("/a/b//c", legacy=True).target == Path(
            (Node(("a",), "/"), Node(("b",), "/"), Node(("c",)))
        )

    def test_apostrophes(self):
        assert terms("'Kali's \"dog's life\" cats'", legacy=True) == (
            Word("Kali's"),
            Phrase(("dog's", "life")),
            Word("cats"),
        )
        assert terms("dogs' life", legacy=True) == (Word("dogs'"), Word("life"))

    def test_strings(self):
        assert condition(".//au = ' A.  N.\nOther '", legacy=True).value == "A. N. Other"
        assert condition(".//yr >= '1998'", legacy=True).value == "1998"

    @pytest.mark.parametrize(
        ("query", "message"),
        [
            ("//a[about(., 'x)]", "at character 16: found ')', expected a term or \"'\""),
            ("//a[about(., 'x]", "at character 16: found ']', expected a term or \"'\""),
            ("//a[about(., 'x' y)]", "at character 18: found 'y', expected ')'"),
            ("//a[about(., '')]", 'at character 15: found "\'", expected a term'),
            ("//a[about(., '\"x'\")]", "at character 17: found \"'\", expected a word or '\"'"),
            ("//a[. = '1]", "at character 12: found the end, expected the quote that ends"),
            ("//a[. = x]", "at character 9: found 'x', expected a number or a quoted string"),
        ],
    )
    def test_errors(self, query, message):
        with pytest.raises(QueryError) as caught:
            parse(query, legacy=True)
        assert str(caught.value).startswith(message)


# What is printed parses back ----------------------------------------------------------------

LETTERS = st.characters(categories=["Lu", "Ll", "Lo", "Nd"])
words = st.builds(str.__add__, LETTERS, st.text(LETTERS | st.sampled_from("-'_"), max_size=5))
names = st.from_regex(r"@?[A-Za-z_][A-Za-z0-9_.:-]{0,5}", fullmatch=True)
signs = st.sampled_from(["", "+", "-"])
some_terms = st.lists(
    st.builds(Word, words, signs)
    | st.builds(Phrase, st.lists(words, min_size=1, max_size=3).map(tuple), signs),
    min_size=1,
    max_size=4,
).map(tuple)
numbers = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**40), max_value=10**40)
strings = st.lists(
    st.text(st.characters(categories=["L", "N", "P"], exclude_characters="'"), min_size=1)
).map(" ".join)


def trees(axes, values):
    """Queries, and the paths and conditions they are made of."""
    nodes = st.builds(Node, st.lists(names, max_size=3).map(tuple), st.sampled_from(axes))
    paths = st.lists(nodes, max_size=3).map(lambda found: Path(tuple(found)))
    ways = paths.filter(lambda found: found.nodes)
    operators = st.sampled_from(["<", "<=", "=", ">=", ">"])
    conditions = st.recursive(
        st.builds(About, paths, some_terms) | st.builds(Comparison, paths, operators, values),
        lambda inner: st.builds(
            lambda kind, found: kind(tuple(found)),
            st.sampled_from([And, Or]),
            st.lists(inner, min_size=2, max_size=3),
        ),
        max_leaves=8,
    )
    full = st.lists(st.builds(Step, ways, conditions), max_size=2)
    last = st.builds(Step, ways, st.none() | conditions)
    structured = st.builds(lambda steps, step: Structured((*steps, step)), full, last)
    return structured | st.builds(ContentOnly, some_terms)


@given(trees(["//"], numbers))
def test_parsing_undoes_printing(tree):
    assert parse(str(tree)) == tree
    assert str(parse(str(tree))) == str(tree)


@given(trees(["//", "/"], numbers | strings))
def test_parsing_undoes_printing_of_legacy_titles(tree):
    assert parse(str(tree), legacy=True) == tree


@given(trees(["//"], numbers))
def test_what_is_no_legacy_means_the_same_as_legacy(tree):
    assert parse(str(tree), legacy=True) == parse(str(tree))


@given(st.text(st.sampled_from("//*()|[]<=>.,+-'\"@ab1 \n") | st.characters()), st.booleans())
def test_any_text_parses_or_is_refused_at_one_of_its_characters(text, legacy):
    try:
        tree = parse(text, legacy=legacy)
    except QueryError as error:
        place = error.character
    else:
        place = 1
        assert parse(str(tree), legacy=legacy) == tree
    assert 1 <= place <= len(text) + 1


# The real ones ------------------------------------------------------------------------------


def test_the_castitles_of_2009():
    topics = read_topics(shared("data", "inex", "topics", "INEX-2009-topics.xml"))
    queries = [parse(topic.castitle) for topic in topics]
    forms = Counter(
        "".join(f"//{letter}" + ("[]" if step.condition else "") for letter, step in pairs)
        for pairs in (zip("AC", query.steps, strict=False) for query in queries)
    )
    assert forms == {"//A[]": 87, "//A[]//C[]": 27, "//A[]//C": 1}
    assert [parse(str(query)) for query in queries] == queries
