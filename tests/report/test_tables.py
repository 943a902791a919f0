"""Tables drawn as text, Markdown and LaTeX."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanwise.report.tables import Table, as_latex, as_markdown, as_text

TABLE = Table(("run", "AP", "nDCG@10"), (("bm25", "0.5", "-"), ("all", "0.25", "1")), ("2 topics",))


def test_text_is_words_to_the_left_and_numbers_to_the_right():
    assert as_text(TABLE) == (
        "run     AP  nDCG@10\n"
        "-------------------\n"
        "bm25   0.5        -\n"
        "all   0.25        1\n"
        "\n"
        "2 topics\n"
    )


def test_a_rule_is_drawn_before_the_last_rows():
    ruled = Table(TABLE.header, TABLE.rows, rules=(1,))
    assert as_text(ruled).splitlines()[2:5] == [
        "bm25   0.5        -",
        "-------------------",
        "all   0.25        1",
    ]


def test_what_is_too_wide_goes_on_in_a_second_panel():
    assert as_text(TABLE, width=12) == (
        "run     AP\n"
        "----------\n"
        "bm25   0.5\n"
        "all   0.25\n"
        "\n"
        "run   nDCG@10\n"  # one column stays even where it does not fit
        "-------------\n"
        "bm25        -\n"
        "all         1\n"
        "\n"
        "2 topics\n"
    )


cells = st.text("abc", min_size=1, max_size=9)


@given(data=st.data(), columns=st.integers(2, 8), width=st.integers(1, 60))
def test_panels_fit_and_leave_nothing_out(data, columns, width):
    row = st.tuples(*[cells] * columns)
    table = Table(data.draw(row), tuple(data.draw(st.lists(row, min_size=1, max_size=3))))
    panels = [panel.splitlines() for panel in as_text(table, width).rstrip("\n").split("\n\n")]
    for panel in panels:
        one_column = len(panel[0].split()) == 2  # and the name of the row
        assert max(map(len, panel)) <= width or one_column
    for number, cells_of_row in enumerate([table.header, *table.rows]):
        lines = [panel[number if number == 0 else number + 1] for panel in panels]
        assert all(line.split()[0] == cells_of_row[0] for line in lines)
        assert [cell for line in lines for cell in line.split()[1:]] == list(cells_of_row[1:])


def test_without_a_width_there_is_one_panel():
    wide = Table(("x", *"y" * 100), (("x", *"0" * 100),))
    assert len(as_text(wide).splitlines()) == 4  # header, rule, row, the empty line below


def test_markdown():
    assert as_markdown(TABLE) == (
        "| run  |   AP | nDCG@10 |\n"
        "| ---- | ---: | ------: |\n"
        "| bm25 |  0.5 |       - |\n"
        "| all  | 0.25 |       1 |\n"
        "\n"
        "2 topics  \n"
    )


def test_a_pipe_does_not_end_a_cell_of_markdown():
    lines = as_markdown(Table(("a|b", "c"), (("|", "1"),))).splitlines()
    assert lines[0] == r"| a\|b |    c |"
    assert lines[2].startswith(r"| \|")


def test_rows_of_markdown_are_equally_wide():
    lines = as_markdown(Table(("a|b", "c"), (("long name", "1"),))).splitlines()[:3]
    assert all(len(one) == len(two) for one, two in pairwise(lines))


def test_latex():
    assert as_latex(TABLE) == (
        "% 2 topics\n"
        "\\begin{tabular}{lrr}\n"
        "\\toprule\n"
        "run & AP & nDCG@10 \\\\\n"
        "\\midrule\n"
        "bm25 & 0.5 & - \\\\\n"
        "all & 0.25 & 1 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
    )


def test_latex_draws_rules_too():
    ruled = as_latex(Table(TABLE.header, TABLE.rows, rules=(1,)))
    assert "bm25 & 0.5 & - \\\\\n\\midrule\nall" in ruled


@pytest.mark.parametrize(
    ("name", "escaped"),
    [
        ("P_10", r"P\_10"),
        ("50%", r"50\%"),
        ("a&b", r"a\&b"),
        ("#1", r"\#1"),
        ("$x$", r"\$x\$"),
        ("{a}", r"\{a\}"),
        ("a\\b", r"a\textbackslash{}b"),
        ("a~b^c", r"a\textasciitilde{}b\textasciicircum{}c"),
        ("a|b", r"a\textbar{}b"),
        ("<a>", r"\textless{}a\textgreater{}"),
    ],
)
def test_latex_is_escaped(name, escaped):
    assert f"\n{escaped} & 1 \\\\\n" in as_latex(Table(("run", "AP"), ((name, "1"),)))


@pytest.mark.parametrize("draw", [as_text, as_markdown])
def test_control_characters_do_not_reach_the_terminal(draw):
    drawn = draw(Table(("run", "AP"), (("a\x1b[31m\x9b", "1"),), ("b\x07: note",)))
    assert r"a\x1b[31m\x9b" in drawn
    assert r"b\x07: note" in drawn


def test_letters_of_all_alphabets_stay_as_they_are():
    assert "größe 日本 \udcff" in as_text(Table(("größe 日本 \udcff", "AP"), ()))
