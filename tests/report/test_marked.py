"""Text with marks: rulers and colours over a few words."""

from dataclasses import replace
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanwise.model.spans import Spans
from spanwise.report.explanation import (
    BESIDE,
    WITHIN,
    Marked,
    shown,
)

FIND = "one two three four five"


def spans(*pairs):
    pairs = np.array(pairs, np.int64).reshape(-1, 2)
    return Spans(pairs[:, 0], pairs[:, 1] - pairs[:, 0])


def marked(text, retrieved=(), relevant=()):
    return Marked(
        "d", len(text), spans(*retrieved), spans(*relevant), lambda at, n: text[at : at + n]
    )


def lines(one, width=80, colour=False):
    """What is drawn below the legend, an empty line and the title, without its indentation."""
    return [line[2:] for line in shown([one], width, colour).splitlines()[3:]]


def test_rulers_say_what_is_relevant_and_retrieved():
    assert lines(marked(FIND, [(4, 13)], [(8, 18)])) == [
        "one two three four five",
        "    ----=====~~~~~",
    ]


def test_all_of_it_fits_a_narrow_page():
    one = replace(marked(FIND), title="d (ranks 1, 2; 12 of 23 characters relevant; entry point 4)")
    drawn = shown([one], 38, False, page=40).splitlines()
    assert max(map(len, drawn)) <= 40
    assert " ".join(line.strip() for line in drawn).startswith("marks: = relevant and retrieved, ~")


def test_colours_say_the_same():
    (line,) = lines(marked(FIND, [(4, 13)], [(8, 18)]), colour=True)
    assert line == ("one \x1b[33mtwo \x1b[0m\x1b[1;32mthree\x1b[0m\x1b[4;31m four\x1b[0m five")


def test_a_legend_comes_first():
    plain, coloured = (shown([marked(FIND)], 80, colour).splitlines()[0] for colour in (0, 1))
    assert plain == (
        "marks: = relevant and retrieved, ~ relevant, not retrieved, - retrieved, not relevant"
    )
    assert "\x1b[1;32mrelevant and retrieved\x1b[0m" in coloured


def test_lines_break_at_blanks_and_rulers_stay_below_their_words():
    assert lines(marked(FIND, [(0, 23)]), width=9) == [
        "one two",
        "-------",
        "three",
        "-----",
        "four five",
        "---------",
    ]


def test_a_word_longer_than_a_line_is_broken():
    assert lines(marked("abcdefgh"), width=5) == ["abcde", "fgh"]


def test_white_space_is_one_blank():
    assert lines(marked("one\n\n  two", [(0, 3)], [(8, 10)])) == ["one two", "---  ~~"]


def test_characters_that_are_two_columns_wide_have_wide_rulers():
    assert lines(marked("日本 go", [(0, 2)])) == ["日本 go", "----"]


def test_control_characters_are_not_sent_to_the_terminal():
    assert lines(marked("a\x1b[31mb")) == ["a\ufffd[31mb"]


def test_the_middle_of_long_text_is_left_out_and_counted():
    text = "u" * 1000 + "m" * 1000 + "v" * 1000
    drawn = "".join(lines(marked(text, [(1000, 2000)]), width=5000)[:1])
    assert drawn == (
        f"[... {1000 - BESIDE} characters ...] {'u' * BESIDE}{'m' * WITHIN}"
        f" [... {1000 - 2 * WITHIN} characters ...] {'m' * WITHIN}"
        f"{'v' * BESIDE} [... {1000 - BESIDE} characters ...]"
    )


def test_results_that_lie_nowhere_or_past_the_end_are_cut():
    assert lines(marked("abcd", [(-1, 3), (2, 9)])) == ["abcd", "  --"]


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).map(sorted), max_size=4),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).map(sorted), max_size=4),
)
def test_stretches_cover_the_text_and_mark_what_was_given(retrieved, relevant):
    one = marked("x" * 30, retrieved, relevant)
    marks = [mark for start, end, mark in one.segments() for _ in range(start, end)]
    expected = [
        any(a <= at < b for a, b in retrieved) + 2 * any(a <= at < b for a, b in relevant)
        for at in range(30)
    ]
    assert marks == expected


@pytest.mark.parametrize("width", [1, 7, 40])
def test_no_line_is_wider_than_asked(width):
    assert all(len(line) <= width for line in lines(marked(FIND * 9, [(3, 90)]), width))


def test_work_grows_with_the_text_not_with_its_square():
    """15,000 lines; if each were cut off the rest they would take most of a minute."""
    pairs = [(place, place + 50) for place in range(0, 1_200_000, 100)]
    begin = process_time()
    assert len(lines(marked("a word or " * 120_000, pairs), colour=True)) == 15_000
    assert process_time() - begin < 8
