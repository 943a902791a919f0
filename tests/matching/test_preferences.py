"""Which preferences a ranking fulfils: numbering, classes, tables, contradictions."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from preference_blocks import block, read_preferences, read_run
from spanwise.errors import DuplicateError, PreferenceError, UsageError
from spanwise.matching.preferences import TOPICS_AT_ONCE, preference_rankings
from spanwise.model.columns import PolarsIds
from spanwise.model.policy import Policy

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


def counts(b, topic=0, group=0):
    """FR, PR, FI, PI, NO of one group."""
    columns = (b.fulfilled_both, b.both, b.fulfilled_one, b.one, b.neither)
    return tuple(int(column[topic, group]) for column in columns)


def documents(b, topic=0, group=0):
    """Relevant, retrieved ones of these; not relevant, retrieved ones of these."""
    columns = (b.relevant, b.relevant_retrieved, b.nonrelevant, b.nonrelevant_retrieved)
    return tuple(int(column[topic, group]) for column in columns)


def test_worked_example():
    b = block(PREFERENCES, RUN)
    assert b.topics == (b"p",)
    assert len(b) == 1
    assert b.groups.tolist() == [2]
    # j1: a-b holds, a-c and b-c do not; a-d and b-d hold because d is missing
    assert counts(b, group=0) == (1, 3, 2, 2, 0)
    assert documents(b, group=0) == (2, 2, 2, 1)
    # j2: b-a does not hold; a-e and b-e, which follows, do
    assert counts(b, group=1) == (2, 3, 0, 0, 0)
    assert documents(b, group=1) == (3, 3, 0, 0)
    # pairs ab 1/2, ac 0, bc 0, ae 1, be 1; with d: ad 1, bd 1
    assert b.agreement_both.tolist() == [2.5]
    assert b.agreement.tolist() == [4.5]
    assert (b.pairs_both[0], b.pairs_one[0], b.pairs_neither[0]) == (5, 2, 0)


class TestNumbering:
    def test_equal_scores_by_rising_id(self):
        assert counts(block("1 g a 1\n1 g b 0\n", "1 b 5\n1 a 5\n")) == (1, 1, 0, 0, 0)
        assert counts(block("1 g b 1\n1 g a 0\n", "1 b 5\n1 a 5\n")) == (0, 1, 0, 0, 0)

    def test_rising_ids_in_both_kinds_of_column(self):
        known = read_preferences("".join(f"1 g d{i} {9 - i}\n" for i in range(8)))
        plain = read_run(
            "".join(f"{t} d{i} {i // 3}\n" for t in (1, 2) for i in (3, 1, 5, 0, 2, 4))
        )
        ids = plain.documents.take(np.arange(len(plain.rows)))
        for run in (plain, replace(plain, documents=PolarsIds.of(ids))):
            (b,) = preference_rankings(run, known, [b"1"], Policy())
            # d3 d4 d5 d0 d1 d2: right within each three, wrong between them
            assert counts(b)[:2] == (6, 15)

    def test_file_order_or_stated_rank_break_ties_if_the_policy_says_so(self):
        for ties in ("file", "rank"):
            b = block("1 g a 1\n1 g b 0\n", "1 b 5\n1 a 5\n", Policy(ties=ties))
            assert counts(b) == (0, 1, 0, 0, 0)

    def test_no_expectation_over_ties(self):
        with pytest.raises(UsageError, match="ties"):
            block(PREFERENCES, RUN, Policy(ties="expected"))

    def test_missing_documents_are_never_in_the_right_order(self):
        assert counts(block("1 g a 1\n1 g b 0\n", "1 x 5\n")) == (0, 0, 0, 0, 1)

    def test_one_missing(self):
        assert counts(block("1 g a 1\n1 g b 0\n", "1 a 5\n")) == (0, 0, 1, 1, 0)
        assert counts(block("1 g a 1\n1 g b 0\n", "1 b 5\n")) == (0, 0, 0, 1, 0)

    def test_depth_counts_results_that_nobody_named(self):
        run = "1 x 9\n1 a 8\n1 b 7\n"
        assert counts(block("1 g a 1\n1 g b 0\n", run, Policy(depth=3))) == (1, 1, 0, 0, 0)
        assert counts(block("1 g a 1\n1 g b 0\n", run, Policy(depth=2))) == (0, 0, 1, 1, 0)
        assert counts(block("1 g a 1\n1 g b 0\n", run, Policy(depth=0))) == (0, 0, 0, 0, 1)

    def test_32_bits(self):
        run = "1 b 1.00000001\n1 a 1\n"
        nine, ten = Policy(follow="trec_eval 9"), Policy(follow="trec_eval 10")
        assert counts(block("1 g a 1\n1 g b 0\n", run, nine)) == (1, 1, 0, 0, 0)
        assert counts(block("1 g a 1\n1 g b 0\n", run, ten)) == (0, 1, 0, 0, 0)
        close = "1 g a 1.00000001\n1 g b 1\n"
        assert counts(block(close, run, nine)) == (0, 0, 0, 0, 0)
        assert counts(block(close, run, ten)) == (0, 1, 0, 0, 0)

    def test_a_level_too_large_for_32_bits_is_infinite(self):
        b = block("1 g a 1e99\n1 g b 1e98\n", RUN, Policy(follow="trec_eval 9"))
        assert counts(b) == (0, 0, 0, 0, 0)


class TestDuplicates:
    TWICE = "1 a 9\n1 b 8\n1 b 7\n"

    def test_refused(self):
        with pytest.raises(DuplicateError, match="'b' occurs twice for topic '1'"):
            block("1 g a 1\n", self.TWICE)

    def test_below_the_cut_of_a_followed_program(self):
        policy = Policy(follow="trec_eval 10", depth=2)
        assert counts(block("1 g a 1\n1 g b 0\n", self.TWICE, policy)) == (1, 1, 0, 0, 0)

    def test_the_cut_is_made_in_rising_order(self):
        policy = Policy(follow="trec_eval 10", depth=2)
        block("1 g a 1\n", "1 a 5\n1 z 5\n1 z 5\n", policy)
        with pytest.raises(DuplicateError):
            block("1 g a 1\n", "1 a 5\n1 a 5\n1 z 5\n", policy)


class TestTopics:
    def test_without_results(self):
        b = block("1 g a 1\n1 g b 0\n2 g a 1\n", "3 a 1\n")
        assert counts(b) == (0, 0, 0, 0, 1)
        assert documents(b) == (1, 0, 1, 0)
        assert (b.agreement[0], b.pairs_neither[0]) == (0, 1)

    def test_without_preferences(self):
        b = block("1 g a 1\n", "2 a 1\n", topics=["2"])
        assert b.groups.tolist() == [0]
        assert b.both.shape == (1, 0)
        assert b.pairs_both.tolist() == [0]

    def test_padding(self):
        b = block("1 g a 1\n2 g a 1\n2 h a 1\n2 h b 0\n", "2 a 1\n2 b 0\n")
        assert b.groups.tolist() == [1, 2]
        assert b.both.tolist() == [[0, 0], [0, 1]]

    def test_many_topics_come_in_blocks(self):
        names = [f"t{n:03}" for n in range(TOPICS_AT_ONCE + 1)]
        known = read_preferences("".join(f"{t} g a 1\n{t} g b 0\n" for t in names))
        run = read_run("".join(f"{t} a 2\n{t} b 1\n" for t in names))
        topics = [name.encode() for name in names]
        blocks = list(preference_rankings(run, known, topics, Policy()))
        assert [len(b) for b in blocks] == [TOPICS_AT_ONCE, 1]
        assert [t for b in blocks for t in b.topics] == topics
        assert all((b.fulfilled_both == 1).all() for b in blocks)


class TestClasses:
    def test_a_repeated_line_counts_again(self):
        # a twice over b: two preferences; with b twice as well four
        assert counts(block("1 g a 1\n1 g a 1\n1 g b 0\n", "1 a 2\n1 b 1\n"))[:2] == (2, 2)
        b = block("1 g a 1\n1 g a 1\n1 g b 0\n1 g b 0\n", "1 a 2\n1 b 1\n")
        assert counts(b)[:2] == (4, 4)
        assert documents(b) == (2, 2, 2, 2)

    def test_two_levels(self):
        with pytest.raises(PreferenceError) as error:
            block("1 j a 1\n1 j b 0\n1 j a 2\n", RUN)
        message = str(error.value)
        assert message.startswith("prefs:3: group 'j' of topic '1': document 'a' has level 2")
        assert "level 1 before (line 1)" in message

    def test_two_groups_may_disagree(self):
        b = block("1 g a 1\n1 g b 0\n1 h a 0\n1 h b 1\n", "1 a 2\n1 b 1\n")
        assert b.agreement.tolist() == [0.5]
        assert b.pairs_both.tolist() == [1]

    def test_negative_levels_are_below_zero_and_not_relevant(self):
        b = block("1 g a 0\n1 g b -1\n", "1 a 2\n1 b 1\n")
        assert counts(b) == (1, 1, 0, 0, 0)
        assert documents(b) == (0, 0, 2, 2)


class TestTables:
    def test_closure_over_three_subgroups(self):
        text = "1 g s a 2\n1 g s b 1\n1 g t b 2\n1 g t c 1\n1 g u c 2\n1 g u d 1\n"
        # a > b > c > d: 6 pairs, of which the ranking d c b a fulfils none
        assert counts(block(text, "1 d 4\n1 c 3\n1 b 2\n1 a 1\n")) == (0, 6, 0, 0, 0)
        assert counts(block(text, "1 a 4\n1 b 3\n1 c 2\n1 d 1\n")) == (6, 6, 0, 0, 0)

    def test_every_pair_counts_once(self):
        text = "1 g s a 2\n1 g s b 1\n1 g t a 2\n1 g t b 1\n1 g t b 1\n"
        assert counts(block(text, "1 a 4\n1 b 3\n")) == (1, 1, 0, 0, 0)

    def test_subgroups_that_share_nothing(self):
        text = "1 g s a 2\n1 g s b 1\n1 g t c 2\n1 g t d 1\n"
        assert counts(block(text, "1 a 4\n1 b 3\n1 d 2\n1 c 1\n")) == (1, 2, 0, 0, 0)

    def test_the_level_is_the_last_subgroups_lowest(self):
        text = "1 g s a 2\n1 g t a -1\n1 g t b 0\n"
        assert documents(block(text, "1 a 4\n")) == (0, 0, 1, 0)
        for lines in ("1 g t a 0\n1 g t a -1\n", "1 g t a -1\n1 g t a 0\n"):
            assert documents(block("1 g s b 1\n" + lines, "1 a 4\n")) == (1, 0, 0, 0)

    def test_at_two_levels_of_one_subgroup_a_document_stands_between_them(self):
        text = "1 g s a 3\n1 g s a 2\n1 g s b 3\n1 g s c 2\n1 g t z 1\n"
        # b > a > c
        assert counts(block(text, "1 b 4\n1 a 3\n1 c 2\n")) == (3, 3, 0, 0, 0)
        assert counts(block(text, "1 c 4\n1 a 3\n1 b 2\n")) == (0, 3, 0, 0, 0)

    @pytest.mark.parametrize(
        "lines",
        [
            "1 j s a 2\n1 j s b 1\n1 j t b 2\n1 j t a 1\n",
            "1 j s a 3\n1 j s b 2\n1 j s a 1\n1 j t z 1\n",
            "1 j s a 3\n1 j s b 3\n1 j s a 1\n1 j s b 1\n1 j t z 1\n",
        ],
    )
    def test_two_documents_before_each_other(self, lines):
        with pytest.raises(PreferenceError, match=r"group 'j' of topic '1'.* cycle") as error:
            block(lines, RUN)
        circles = ("'a' over 'b' over 'a'", "'b' over 'a' over 'b'")
        assert any(circle in str(error.value) for circle in circles)

    def test_a_longer_circle(self):
        text = "1 j s a 2\n1 j s b 1\n1 j t b 2\n1 j t c 1\n1 j u c 2\n1 j u a 1\n"
        with pytest.raises(PreferenceError) as error:
            block(text, RUN)
        circles = [" over ".join(f"'{c}'" for c in circle) for circle in ("abca", "bcab", "cabc")]
        assert any(f"cycle: {circle};" in str(error.value) for circle in circles)

    def test_relevant_and_not_relevant_at_once(self):
        with pytest.raises(PreferenceError, match=r"prefs:3: .*'a' has level 0 here and level 2"):
            block("1 j s a 2\n1 j s b 1\n1 j t a 0\n", RUN)


@given(st.permutations(range(8)), st.integers(0, 8))
def test_a_table_of_neighbours_is_the_class_form_of_the_chain(order, retrieved):
    chain = [f"d{n}" for n in order]
    table = "".join(f"1 g s{n} {chain[n]} 2\n1 g s{n} {chain[n + 1]} 1\n" for n in range(7))
    classes = "".join(f"1 g s {name} {9 - n}\n" for n, name in enumerate(chain))
    run = "2 x 0\n" + "".join(f"1 d{n} {-n}\n" for n in range(retrieved))
    one, other = block(table, run), block(classes, run)
    assert counts(one) == counts(other)
    assert one.agreement.tolist() == other.agreement.tolist()
