"""The preference measures: by hand, against the slow way, against published outputs."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from preference_blocks import TREC_EVAL_NAMES, asked, block
from preference_oracle import Contradiction, Line, values
from shared_data import shared
from spanwise.errors import PreferenceError
from spanwise.formats import Reading, read
from spanwise.matching.preferences import preference_rankings
from spanwise.measures import MEASURES
from spanwise.model.policy import Policy

TEN = Policy(follow="trec_eval 10")
PREFERENCES = """\
p j1 s a 2
p j1 s b 1
p j1 s c 0
p j1 s d 0
p j2 s1 b 2
p j2 s1 a 1
p j2 s2 a 5
p j2 s2 e 1
"""
RUN = "p c 4\np a 3\np e 2\np b 2\np z 1\n"
JUDGED = "".join(
    f"{line}\n"
    for line in (
        *("1 0 a 2", "1 0 b 0", "1 0 c 1", "1 0 d -1", "1 0 e 1", "1 0 f 0", "1 0 x 1", "1 0 y 0"),
        *("2 0 a 1", "2 0 b 0"),
    )
)
JUDGED_RUN = "1 b 9\n1 a 8\n1 g 7\n1 c 6\n1 d 5\n1 e 5\n1 f 4\n2 a 1\n2 b 1\n"


def value(name, preferences, run, policy=TEN, topic=0):
    return float(asked(name)(block(preferences, run, policy))[topic])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("prefs_num_prefs_poss", 8),
        ("prefs_num_prefs_ful", 5),
        ("prefs_num_prefs_ful_ret", 3),
        ("prefs_simp", Fraction(5, 8)),
        ("prefs_simp_ret", Fraction(3, 6)),
        ("prefs_simp_imp", Fraction(5, 8)),
        ("prefs_pair", Fraction(9, 2) / 7),
        ("prefs_pair_ret", Fraction(5, 2) / 5),
        ("prefs_pair_imp", Fraction(9, 2) / 7),
        ("prefs_avgjg", (Fraction(3, 5) + Fraction(2, 3)) / 2),
        ("prefs_avgjg_ret", (Fraction(1, 3) + Fraction(2, 3)) / 2),
        ("prefs_avgjg_imp", (Fraction(3, 5) + Fraction(2, 3)) / 2),
        ("prefs_avgjg_Rnonrel", (Fraction(3, 5) + Fraction(2 + 9, 3 + 9)) / 2),
        ("prefs_avgjg_Rnonrel_ret", (Fraction(1 + 2, 3 + 2) + Fraction(11, 12)) / 2),
    ],
)
def test_worked_example(name, expected):
    for follow in ("trec_eval 10", "trec_eval 9", "spanwise"):
        found = value(name, PREFERENCES, RUN, Policy(follow=follow))
        assert found == pytest.approx(float(expected), rel=1e-15)


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("prefs_num_prefs_poss", 22, 1),
        ("prefs_num_prefs_ful", 12, 1),
        ("prefs_num_prefs_ful_ret", 8, 1),
        ("prefs_simp", Fraction(12, 22), 1),
        ("prefs_pair", Fraction(12, 22), 1),
        ("prefs_avgjg", Fraction(12, 22), 1),
    ],
)
def test_judgements_as_preferences(name, first, second):
    found = asked(name)(block(JUDGED, JUDGED_RUN, TEN))
    assert found.tolist() == pytest.approx([float(first), float(second)], rel=1e-15)


class TestBalanced:
    def test_classes_with_more_others_than_relevant(self):
        # Ranking b a c, d missing; a > {b, c, d}: r 1, z 3. Only b, the first of the lowest
        # class, stays, and a, b, c, d all count against it: none of them stands before it.
        text = "1 g a 1\n1 g b 0\n1 g c 0\n1 g d 0\n"
        assert value("prefs_avgjg_Rnonrel", text, "1 b 3\n1 a 2\n1 c 1\n") == 0
        # Ranking a b c: of the four pairs a-b holds.
        assert value("prefs_avgjg_Rnonrel", text, "1 a 3\n1 b 2\n1 c 1\n") == 1 / 4
        # Among retrieved documents the pairs are a-b, b-b, c-b.
        assert value("prefs_avgjg_Rnonrel_ret", text, "1 a 3\n1 b 2\n1 c 1\n") == 1 / 3

    def test_three_classes(self):
        # Ranking c a b d e; a > b > {c, d, e, f}: r 2, z 4. Left are a-b (holds) and six documents
        # against each of c (none before it) and d (c, a and b before it): (1 + 0 + 3)/(1 + 12).
        text = "1 g a 2\n1 g b 1\n1 g c 0\n1 g d 0\n1 g e 0\n1 g f 0\n"
        run = "1 c 5\n1 a 4\n1 b 3\n1 d 2\n1 e 1\n"
        found = value("prefs_avgjg_Rnonrel", text, run)
        assert found == pytest.approx(4 / 13, rel=1e-15)

    def test_table_with_more_others_than_relevant(self):
        # a over b, c and d of level 0; the first of these in the ranking is c: a-c alone is left.
        text = "1 g s a 1\n1 g s b 0\n1 g s c 0\n1 g t a 1\n1 g t d 0\n"
        assert value("prefs_avgjg_Rnonrel", text, "1 c 3\n1 a 2\n1 b 1\n") == 0
        assert value("prefs_avgjg_Rnonrel", text, "1 a 3\n1 c 2\n1 b 1\n") == 1

    def test_nothing_to_divide_by_makes_the_topic_0(self):
        # g: one relevant document, (0 + 1)/(0 + 1); h: nothing relevant, 0/0
        assert value("prefs_avgjg_Rnonrel", "1 g a 1\n", "1 a 1\n") == 1
        assert value("prefs_avgjg_Rnonrel", "1 g a 1\n1 h b 0\n", "1 a 1\n") == 0


class TestNothingToCount:
    MEANS = tuple(name for name in TREC_EVAL_NAMES if "num" not in name)
    PLAIN = tuple(name for name in MEANS if "Rnonrel" not in name)

    @pytest.mark.parametrize("name", PLAIN)
    def test_no_preferences(self, name):
        assert value(name, "1 g a 1\n", "1 a 1\n") == 0
        assert np.isnan(value(name, "1 g a 1\n", "1 a 1\n", Policy()))

    @pytest.mark.parametrize("name", MEANS)
    def test_no_groups(self, name):
        for policy, expected in ((TEN, 0.0), (Policy(), np.nan)):
            b = block("1 g a 1\n", "2 a 1\n", policy, topics=["2"])
            np.testing.assert_equal(asked(name)(b), [expected])

    @pytest.mark.parametrize("name", MEANS)
    def test_nothing_retrieved_is_worth_nothing(self, name):
        assert value(name, "1 g a 1\n1 g b 0\n", "2 a 1\n", Policy()) == 0

    def test_counts(self):
        for name in TREC_EVAL_NAMES[:3]:
            assert value(name, "1 g a 1\n", "1 a 1\n", Policy()) == 0

    def test_a_group_without_preferences_counts_in_the_mean(self):
        assert value("prefs_avgjg", "1 g a 1\n1 g b 0\n1 h a 1\n", "1 a 2\n1 b 1\n") == 1 / 2


def test_registry_lines():
    ours = [m for m in MEASURES.values() if m.reads == "preferences"]
    assert all(m.family == "preferences" for m in ours)
    for name in TREC_EVAL_NAMES:
        counted = "num" in name
        line = asked(name).measure
        assert (line.aggregate == "sum", line.bounds[1] == np.inf) == (counted, counted)


# The slow way -------------------------------------------------------------------------------

DOCUMENTS = "abcdef"
FREE = st.builds(
    Line,
    st.sampled_from("gh"),
    st.sampled_from("st"),
    st.sampled_from("abcd"),
    st.sampled_from([0, 0, 1, 2, -1]),
)


@st.composite
def classes(draw):
    """Groups with one sub-group; now and then a document twice."""
    lines = []
    for group in draw(st.sampled_from(["g", "gh", "ghi"])):
        levels = {d: draw(st.sampled_from([0, 0, 0, 1, 2, 2.5])) for d in DOCUMENTS}
        names = draw(st.lists(st.sampled_from(DOCUMENTS), min_size=1, max_size=8))
        lines += [Line(group, "s", name, levels[name]) for name in names]
    return lines


@st.composite
def tables(draw):
    """Groups whose sub-groups look at parts of one order, so that they cannot contradict it."""
    lines = []
    for group in draw(st.sampled_from(["g", "gh"])):
        levels = {d: draw(st.sampled_from([0, 0, 0, 1, 2, 3, 4])) for d in DOCUMENTS}
        for subgroup in "stu":
            scale = draw(st.sampled_from([1, 0.5, 10]))
            part = draw(st.lists(st.sampled_from(DOCUMENTS), max_size=4))
            lines += [Line(group, subgroup, name, levels[name] * scale) for name in part]
    assume(lines)
    return lines


RESULTS = st.dictionaries(st.sampled_from("abcdefxy"), st.integers(0, 4))


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(st.lists(FREE, min_size=1, max_size=7), classes(), tables(), tables()),
    RESULTS,
    st.one_of(st.none(), st.integers(0, 6)),
)
def test_agrees_with_the_slow_way(lines, results, depth):
    text = "".join(f"1 {' '.join(map(str, line))}\n" for line in lines)
    run = "2 x 0\n" + "".join(f"1 {document} {score}\n" for document, score in results.items())
    policy = Policy(follow="trec_eval 10", depth=depth)
    try:
        expected = values(lines, list(results.items()), depth)
    except Contradiction:
        with pytest.raises(PreferenceError):
            block(text, run, policy)
        return
    b = block(text, run, policy)
    found = {name: float(asked(name)(b)[0]) for name in TREC_EVAL_NAMES}
    assert found == pytest.approx({k: float(v) for k, v in expected.items()}, rel=1e-12)


# Published outputs --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "preferences", "run", "output"),
    [
        ("prefs", "prefs.test", "prefs.results.test", "out.test.prefs"),
        ("prefs", "prefs.comment.test", "prefs.results.test", "out.test.prefs"),
        ("qrels_prefs", "qrels.test", "results.test", "out.test.qrels_prefs"),
    ],
)
def test_published_output(layout, preferences, run, output):
    folder = shared("data", "trec_eval")
    known = read(str(folder / preferences), ("preferences",), layout, Reading())
    results = read(str(folder / run), ("run",))
    topics = sorted(known.rows.topics)
    blocks = list(preference_rankings(results, known, topics, TEN))
    printed = {}
    for line in (folder / output).read_text().splitlines():
        name, topic, text = line.split()
        printed[name, topic] = text
    for name in TREC_EVAL_NAMES:
        found = [float(v) for b in blocks for v in asked(name)(b)]
        whole = asked(name).measure.aggregate == "sum"
        shown = "{:.0f}".format if whole else "{:.4f}".format
        summary = sum(found) if whole else sum(found) / len(found)
        names = [*(topic.decode() for topic in topics), "all"]
        for topic, number in zip(names, [*found, summary], strict=True):
            assert shown(number) == printed.pop((name, topic)), (name, topic)
    assert set(printed) <= {("runid", "all"), ("num_q", "all")}
