"""`spanwise explain`: rankings row by row, checked by hand."""

import pytest

from spanwise.evaluation.request import Request
from spanwise.workflows.explain import cases_of, explained

# Highlighted: 0 to 100 of a, 50 to 150 of b; 200 characters.
#
# rank          size  relevant  new  read  found  precision  recall
# 1  a 0-50       50        50   50    50     50          1     1/4
# 2  c 0-100     100         0    0   150     50        1/3     1/4
# 3  a 25-125    100        75   50   250    100        2/5     1/2
# 4  b 50-100     50        50   50   300    150        1/2     3/4
INEX = "1 Q0 a 100 1000 0 0:100\n1 Q0 b 100 500 60 50:100\n1 Q0 c 0 400\n2 Q0 a 10 1000 0 0:10\n"
PASSAGES = (
    "1 Q0 a 1 9 mine 0 50\n1 Q0 c 2 8 mine 0 100\n1 Q0 a 3 7 mine 25 100\n1 Q0 b 4 6 mine 50 50\n"
)


@pytest.fixture
def explain(ask, folder):
    (folder / "inex.qrels").write_text(INEX)
    (folder / "passages.run").write_text(PASSAGES)

    def explain(measure, *words, files=("inex.qrels", "passages.run"), topic="1"):
        return ask("explain", *files, "--topic", topic, "-m", measure, *words)

    return explain


def cells(answer):
    """The rows of the table, without header and rules."""
    assert answer.status == 0, answer
    table = answer.text.partition("\n\n")[0].splitlines()
    return [line.split() for line in table[2:] if not line.startswith("-")]


def below(answer):
    return answer.text.partition("\n\n")[2].splitlines()


# Text ---------------------------------------------------------------------------------------


def test_interpolated_precision(explain):
    answer = explain("iP[0.3]")
    assert answer.text.startswith(
        "rank  document  part    size  relevant  new  precision  recall  best from here\n"
    )
    assert cells(answer) == [
        ["1", "a", "0-50", "50", "50", "50", "1.0000", "0.2500", "1.0000"],
        ["2", "c", "0-100", "100", "0", "0", "0.3333", "0.2500", "0.5000"],
        ["3", "a", "25-125", "100", "75", "50", "0.4000", "0.5000", "0.5000"],
        ["4", "b", "50-100", "50", "50", "50", "0.5000", "0.7500", "0.5000", "<", "0.30"],
    ]
    assert below(answer) == [
        "mine, topic 1: iP[0.3] = 0.5000",
        "<: recall levels that take their precision here",
        "ties:file|average_over:judged|empty:skip|spanwise:0.1.0",
    ]


def test_all_levels_of_recall(explain):
    answer = explain("MAiP")
    marks = [row[9:] for row in cells(answer)]
    assert marks == [["<", "0.00-0.25"], [], [], ["<", "0.26-0.75"]]
    assert "recall levels 0.76 to 1.00 are never reached, precision 0" in below(answer)
    assert f"mine, topic 1: MAiP = {(26 + 50 / 2) / 101:.4f}" in below(answer)


def test_a_level_that_is_never_reached(explain):
    answer = explain("iP[0.9]")
    assert "<" not in answer.text
    assert "recall level 0.90 is never reached, precision 0" in below(answer)


def test_a_level_between_whole_per_cents_is_called_what_it_is(explain):
    assert cells(explain("iP[0.255]"))[3][9:] == ["<", "0.255"]  # 0.25 is reached at rank 1
    assert "recall level 0.996 is never reached, precision 0" in below(explain("iP[0.996]"))


def test_text_that_is_not_charged_again(explain):
    rows = cells(explain("char_prec(repeats=skip)"))
    assert [row[6] for row in rows] == ["1.0000", "0.3333", "0.4444", "0.5455"]


def test_documents_in_context(explain):
    # b's first result begins at 50, 10 before its best entry point; c has none
    answer = explain("gP(score=bep)@2")
    assert cells(answer) == [
        ["1", "a", "0", "0", "0", "1.0000", "1.0000", "0.5000"],
        ["2", "c", "0", "-", "-", "0.0000", "0.5000", "0.5000"],
        ["3", "b", "50", "60", "10", "0.9800", "0.6600", "1.0000"],
    ]
    assert answer.text.splitlines()[4].startswith("---")  # below the cut-off
    assert below(answer)[0] == "mine, topic 1: gP(score=bep)@2 = 0.5000"
    assert [row[-1] for row in cells(explain("gR@2"))] == ["0.5000", "0.5000", "1.0000"]
    assert below(explain("MAgP(score=bep)"))[0].endswith("= 0.8300")


def test_documents_by_what_is_shown_of_them(explain):
    # a: 150 shown, all 100 found: P = 2/3, R = 1; b: 50 shown and found, of 100: P = 1, R = 1/2
    assert cells(explain("MAgP(beta=1)")) == [
        ["1", "a", "150", "100", "100", "0.8000", "0.8000", "0.5000"],
        ["2", "c", "100", "0", "0", "0.0000", "0.4000", "0.5000"],
        ["3", "b", "50", "50", "100", "0.6667", "0.4889", "1.0000"],
    ]


def test_documents_by_what_is_read_of_them(explain):
    # a: 0 to 125 are read, then 15 more; b: 50 to 100, 0 to 40, which is enough
    assert cells(explain("gP(score=t2i,tolerance=40)@5")) == [
        ["1", "a", "150", "100", "40", "0.7143", "0.7143", "0.5000"],
        ["2", "c", "100", "-", "-", "0.0000", "0.3571", "0.5000"],
        ["3", "b", "50", "50", "40", "0.5556", "0.4233", "1.0000"],
    ]


@pytest.mark.parametrize(
    ("measure", "value"), [("art_prec", 2 / 3), ("art_rec", 1), ("art_f1", 4 / 5)]
)
def test_documents_counted(explain, measure, value):
    answer = explain(measure)
    assert cells(answer) == [
        ["1", "a", "yes", "1.0000", "0.5000"],
        ["2", "c", "0.5000", "0.5000"],
        ["3", "b", "yes", "0.6667", "1.0000"],
    ]
    assert below(answer)[0] == f"mine, topic 1: {measure} = {value:.4f}"


def test_a_topic_without_results(explain):
    answer = explain("MAiP", topic="2")
    assert cells(answer) == []
    assert below(answer)[0] == "mine, topic 2: MAiP = 0.0000"
    assert below(answer)[-1] == "the run has no results for this topic"


# Reading ------------------------------------------------------------------------------------


def test_reading_until_a_budget(explain):
    # 180 characters end inside rank 3, whose first 25 were read before: 5 of its 30 are new
    answer = explain("SpanR(budget=180)")
    assert answer.text.startswith(
        "rank  document  part    size  read  again  relevant  new  precision  recall\n"
    )
    assert cells(answer) == [
        ["1", "a", "0-50", "50", "50", "0", "50", "50", "1.0000", "0.2500"],
        ["2", "c", "0-100", "100", "150", "0", "0", "0", "0.3333", "0.2500"],
        ["3", "a", "25-125", "100", "180", "25", "75", "5", "0.3056", "0.2750"],
        ["4", "b", "50-100", "50", "180", "0", "50", "0", "0.3056", "0.2750"],
    ]
    rules = [n for n, line in enumerate(answer.text.splitlines()) if line.startswith("--")]
    assert rules == [1, 5]  # below the header, and below the result in which reading ends
    assert below(answer)[:3] == [
        "mine, topic 1: SpanR(budget=180) = 0.2750",
        "read: characters up to here; new: relevant ones read for the first time",
        "reading ends after 180 characters",
    ]


def test_reading_until_a_rank_and_to_the_end(explain):
    assert cells(explain("SpanP@2"))[1:3] == [
        ["2", "c", "0-100", "100", "150", "0", "0", "0", "0.3333", "0.2500"],
        ["3", "a", "25-125", "100", "150", "0", "75", "0", "0.3333", "0.2500"],
    ]
    answer = explain("Waste")
    assert [row[5] for row in cells(answer)] == ["0", "0", "25", "0"]
    assert "reading ends" not in answer.text
    assert below(answer)[0] == "mine, topic 1: Waste = 0.0833"  # 25 of 300


# Documents ----------------------------------------------------------------------------------

DOCUMENTS = ("qrels.txt", "run.txt")


def test_average_precision(explain):
    answer = explain("AP", files=DOCUMENTS)
    assert cells(answer) == [
        ["1", "ape", "0", "0.0000", "0.0000", "0.0000"],
        ["2", "bat", "1", "yes", "0.5000", "0.5000", "0.2500"],
        ["3", "cat", "-", "0.3333", "0.5000", "0.2500"],
        ["4", "dog", "1", "yes", "0.5000", "1.0000", "0.5000"],
    ]
    assert below(answer) == [
        "mine, topic 1: AP = 0.5000",
        "ties:docno|average_over:judged|empty:skip|spanwise:0.1.0",
    ]


@pytest.mark.parametrize(
    ("measure", "value"),
    [("P@2", "0.5000"), ("R@2", "0.5000"), ("RR", "0.5000"), ("map", "0.5000")],
)
def test_relevance_is_binary_in_these(explain, measure, value):
    answer = explain(measure, files=DOCUMENTS)
    assert below(answer)[0] == f"mine, topic 1: {measure} = {value}"
    assert [row[1] for row in cells(answer)] == ["ape", "bat", "cat", "dog"]


def test_cumulated_gain(explain, folder):
    (folder / "qrels.txt").write_text("1 0 bat 3\n1 0 ape 1\n")
    (row, second, *_) = cells(explain("nDCG@2", files=DOCUMENTS))
    assert row == ["1", "ape", "1", "1", "1.0000", "3.0000", "0.3333"]
    assert second == ["2", "bat", "3", "3", "2.8928", "3.6309", "0.7967"]
    (row, *_) = cells(explain("nDCG(dcg=exp-log2)", files=DOCUMENTS))
    assert row == ["1", "ape", "1", "1", "1.0000", "7.0000", "0.1429"]


def test_unjudged_results_can_be_left_out(explain):
    rows = cells(explain("AP", "--judged-only", files=DOCUMENTS))
    assert [row[1] for row in rows] == ["ape", "bat", "dog"]
    rows = cells(explain("AP", "--depth", "2", files=DOCUMENTS))
    assert [row[1] for row in rows] == ["ape", "bat"]


def test_the_mean_over_orders_is_said(explain, folder):
    (folder / "run.txt").write_text("1 Q0 ape 1 9 mine\n1 Q0 bat 2 9 mine\n1 Q0 dog 2 8 mine\n")
    answer = explain("P@1", "--ties", "expected", files=DOCUMENTS)
    assert below(answer)[0].endswith("P@1 = 0.5000")
    assert any("one order is shown" in line for line in below(answer))


def test_another_measure_has_no_running_column(explain):
    answer = explain("Bpref", files=DOCUMENTS)
    assert cells(answer) == [["1", "ape"], ["2", "bat"], ["3", "cat"], ["4", "dog"]]
    assert below(answer)[1] == "Bpref is not explained row by row"


@pytest.mark.parametrize("measure", ["MAiP", "char_prec", "art_rec", "MAgP"])
def test_a_topic_with_nothing_relevant(explain, folder, measure):
    (folder / "inex.qrels").write_text(INEX + "3 Q0 a 0 1000\n")
    (folder / "passages.run").write_text("3 Q0 a 1 9 mine 0 50\n")
    answer = explain(measure, topic="3")
    lines = below(answer)
    assert lines[0] == f"mine, topic 3: {measure} = -"
    assert lines[1] == "nothing is highlighted for this topic"
    assert "levels" not in "".join(lines)
    assert "<" not in answer.text


def test_notes_are_about_the_topic_alone(explain, folder):
    other = "2 Q0 a 1 9 mine X X\n2 Q0 a 2 8 mine 0 5\n2 Q0 a 3 7 mine 0 5\n"
    (folder / "passages.run").write_text(f"1 Q0 a 1 9 mine X X\n{other}")
    assert below(explain("MAiP"))[-1] == "results that could not be placed in their documents: 1"


def test_only_documents_of_the_collection_have_a_text_to_show(explain, folder):
    (folder / "texts").mkdir()
    (folder / "texts" / "b.txt").write_text("b" * 500)
    text = explain("MAiP", "--collection", "texts").text
    assert "\nb (rank 4; 100 of 500 characters relevant; best entry point 60)\n" in text
    assert "more document" not in text
    (folder / "passages.run").write_text("1 Q0 a 1 9 mine 0 50\n2 Q0 b 1 9 mine 0 50\n")
    text = explain("MAiP", "--collection", "texts").text
    assert text.endswith("no text to show: the collection has none of the retrieved documents\n")


# Looks --------------------------------------------------------------------------------------


def test_only_the_first_rows(explain):
    answer = explain("AP", "--most", "1", files=DOCUMENTS)
    assert len(cells(answer)) == 1
    assert below(answer)[0] == "3 more rows"


@pytest.mark.parametrize("width", [60, 72, 100])
def test_it_fits_the_terminal(explain, folder, width):
    path = "/article[1]/body[1]/section[12]/subsection[3]/paragraph[4]"
    (folder / "long.run").write_text(
        f"1 Q0 a-very-long-name-of-a-document-that-nobody-can-remember 1 9 mine {path}\n"
    )
    cases = cases_of(Request("inex.qrels", ["long.run"], ["AP"]), "1")
    lines = explained(cases, width).splitlines()
    assert max(map(len, lines)) <= width
    assert any("paragraph[4]"[-5:] in line for line in lines)


def test_names_stay_readable_and_marks_stay_beside_their_numbers(explain, folder):
    long = "d" * 30
    (folder / "long.run").write_text(f"1 Q0 {long} 1 9 mine 0 9\n1 Q0 a 2 8 mine 0 9\n")
    cases = cases_of(Request("inex.qrels", ["long.run"], ["MAiP"]), "1")
    lines = explained(cases, 80).splitlines()
    assert lines[0].split() == ["rank", "document", "part", "size", "relevant", "new", "precision"]
    assert lines[2].split()[1] == long
    assert lines[5].split() == ["rank", "recall", "best", "from", "here"]
    assert lines[8].endswith("0.5000  < 0.00-0.04")  # 9 of 200 characters, after 18


# Mistakes -----------------------------------------------------------------------------------


def test_mistakes_are_told(explain):
    unknown = explain("AP", topic="9").complaint
    assert unknown == "inex.qrels: found no topic '9'; expected a judged topic"
    assert explain("official").complaint.endswith("expected one")
    assert "unknown measure" in explain("APP").complaint
    assert "needs highlighted text" in explain("MAiP", files=DOCUMENTS).complaint


# Navigation -----------------------------------------------------------------------------------
# Best entry points: a 0, b 60. With L = 10, A = 1: a result d characters away has 10 / (10 + d).


def test_where_readers_go_and_what_they_have_seen(explain):
    answer = explain("EPRUM(L=10)")
    assert cells(answer) == [
        ["1", "a", "0-50", "1", "1.0000", "1.0000", "0.5000"],
        ["2", "c", "0-100", "0.5000"],
        ["3", "a", "25-125", "1", "0.2857", "0.0000", "0.5000"],  # seen for certain before
        ["4", "b", "50-100", "1", "0.5000", "0.5000", "0.7500"],
    ]
    assert below(answer)[0] == "mine, topic 1: EPRUM(L=10) = 0.6250"  # (1 + 1/2 * 2/4) / 2
    assert "2 targets with a total value of 2" in below(answer)


def test_the_distance_to_entry_points(explain):
    answer = explain("BEPD(L=10)")
    assert cells(answer) == [
        ["1", "a", "0-50", "1.0000", "0.5000"],
        ["2", "c", "0-100", "0.5000"],
        ["3", "a", "25-125", "0.5000"],  # not the first of its document
        ["4", "b", "50-100", "0.5000", "0.7500"],
    ]
    assert below(answer)[0] == "mine, topic 1: BEPD(L=10) = 0.7500"
    assert "only the first result of each document counts" in below(answer)


def test_relevant_documents_are_explained_as_the_text_that_eval_takes_them_for(explain, folder):
    """All 20 characters of the document are relevant; the passage of 5 has a quarter of them."""
    (folder / "docs").mkdir()
    (folder / "docs" / "d.xml").write_text(f"<a>{'x' * 20}</a>")
    (folder / "graded.txt").write_text("1 0 d 1\n")
    (folder / "part.run").write_text("1 Q0 d 1 9 mine 0 5\n")
    answer = explain("char_rec", "--collection", "docs", files=("graded.txt", "part.run"))
    assert cells(answer) == [["1", "d", "0-5", "5", "5", "5", "1.0000", "0.2500"]]
    assert "relevant documents are taken for relevant text as a whole" in answer.text


def test_where_no_text_is_highlighted_that_is_explained_too(explain, folder):
    nothing = '<assessments pool="1" topic="1" version="2"><file collection="c" name="a"></file>'
    (folder / "nothing.xml").write_text(f"{nothing}</assessments>")
    answer = explain("gP@2", files=("nothing.xml", "passages.run"))
    assert "topic 1: gP@2 = -" in answer.text
