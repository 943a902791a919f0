"""Tables drawn as text, Markdown and LaTeX."""

import subprocess
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
        names = [line.split()[0].partition("...") for line in lines]  # it may be shortened
        name = cells_of_row[0]
        assert all(name.startswith(head) and name.endswith(end) for head, _, end in names)
        assert [cell for line in lines for cell in line.split()[1:]] == list(cells_of_row[1:])


def test_an_interval_stays_beside_its_value():
    header, row = ("run", "AP", "interval", "P@5", "interval"), ("a", "0.5", "[0.4, 0.6]")
    rows = ((*row, "0.7", "[0.6, 0.8]"),)
    table = Table(header, rows, attached=frozenset({2, 4}))
    assert as_text(table, 30).splitlines() == [
        *("run   AP    interval", "--------------------", "a    0.5  [0.4, 0.6]", ""),
        *("run  P@5    interval", "--------------------", "a    0.7  [0.6, 0.8]", ""),
    ]
    apart = as_text(table, 16).split("\n\n")  # no room for both: the width comes first
    assert [panel.split("\n")[0].split()[1] for panel in apart[:4]] == list(header[1:])


def test_long_names_are_shortened_until_a_number_fits_beside_them():
    long = Table(("run", "AP"), (("team-a-system-one", "0.5000"), ("team-a-system-two", "0.2500")))
    assert as_text(long, width=18) == (
        "run             AP\n------------------\ntea...-one  0.5000\ntea...-two  0.2500\n\n"
    )


def test_every_panel_says_what_its_rows_are_about():
    rows = (("x", "AP", "0.1", "0.2"), ("x", "RR", "0.3", "0.4"))
    table = Table(("run", "measure", "low", "high"), rows, words=(0, 1))
    panels = as_text(table, width=18).split("\n\n")
    assert [panel.splitlines()[3].split() for panel in panels[:2]] == [
        ["x", "RR", "0.3"],
        ["x", "RR", "0.4"],
    ]


def test_wide_letters_and_accents_are_counted_by_the_room_they_take():
    lines = as_text(
        Table(("run", "AP"), (("日本", "1"), ("e\u0301e", "2"), ("abcd", "3")))
    ).splitlines()
    assert lines[2:5] == ["日本   1", "e\u0301e     2", "abcd   3"]


def test_names_cannot_turn_the_direction_of_writing():
    assert r"a\u202eb\u2028c" in as_text(Table(("run",), (("a\u202eb\u2028c",),)))


def test_sentences_below_are_broken_at_blanks_and_signatures_are_not():
    table = Table(("x",), (("y",),), ("to be or not", "ties:docno|average_over:judged"))
    assert as_text(table, width=10).splitlines()[4:] == [
        *("to be or", "  not", "ties:docno|average_over:judged")
    ]


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


def test_latex_has_a_number_for_letters_that_pdftex_lacks():
    drawn = as_latex(Table(("run", "AP"), (("Åñé e\u0301", "1"), ("日x", "2"))))
    assert "Åñé é & 1" in drawn
    assert r"\ifdefined\Umathchar 日\else[U+65E5]\fi{}x & 2" in drawn


def test_latex_takes_ranges_of_letters_as_text():
    drawn = as_latex(Table(("run", "AP"), (("x", "1"), ("y", "2")), marks={(0, 1): "a c-g"}))
    assert r"x & 1\textsuperscript{a c-g} \\" in drawn


def test_latex_compiles_whatever_names_there_are(tmp_path, pdflatex):
    letters = [chr(c) for c in range(0x20, 0x250)] + list("日😀—“”…\u00ad\u200bאب\u0301\u202e")
    rows = tuple((f"[{letter}] *{letter}--", "1") for letter in letters)
    table = as_latex(Table(("run", "AP"), rows, bold=frozenset({(0, 1)}), marks={(0, 1): "†"}))
    (tmp_path / "paper.tex").write_text(
        f"\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}\n{table}\\end{{document}}"
    )
    words = [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-1500:]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("[a](javascript:b)", r"[a\](javascript:b)"),
        ("_a_ b_c __d__", r"\_a\_ b_c \_\_d\_\_"),
        ("&lt; & &#60;", r"\&lt; & \&#60;"),
        ("~~a~~ $x$ [0.1, 0.2]", r"\~\~a\~\~ \$x\$ [0.1, 0.2]"),
    ],
)
def test_markdown_takes_no_name_for_markup(name, written):
    drawn = as_markdown(Table(("run", "AP"), ((name, "1"),), (f"run {name}", "# x", "1) x")))
    assert f"| {written}" in drawn
    assert f"run {written}" in drawn
    assert r"\# x" in drawn
    assert r"1\) x" in drawn
