"""Commands on judged elements, as a user types them."""

import json

import pytest

from calling import called
from figure_one import (
    GRADES,
    HIGHLIGHTED,
    SEC4,
    SEC6,
    assessments,
    lay_out,
    submission,
)
from spanwise.cli import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lay_out(tmp_path)


def call(*words):
    out, err, status = called(main, *words)
    return status, out.decode(), err


def lines(output):
    return [json.loads(line) for line in output.splitlines()]


def values(*words):
    status, output, errors = call("eval", *words, "--format", "jsonl")
    assert status == 0, errors
    return {line["measure"]: line["value"] for line in lines(output)}


def test_the_recall_bases_of_figure_one(folder):
    status, output, _ = call("recallbase", "judged.xml", "--quant", "sog", "--format", "jsonl")
    assert status == 0
    assert {line["path"] for line in lines(output)} == set(GRADES)
    for ties in ("higher", "deeper"):
        words = (
            "judged.xml",
            "--quant",
            "sog",
            "--only-ideal",
            "--ideal",
            ties,
            "--format",
            "jsonl",
        )
        _, output, _ = call("recallbase", *words)
        assert [line["path"] for line in lines(output)] == [SEC6, SEC4]


def test_relevant_paths_of_a_recall_base(folder):
    """Under strict section 6 and its first paragraph have value 1, the paragraph's siblings 0."""
    words = (
        "judged.xml",
        "--quant",
        "strict",
        "--only-ideal",
        "--ideal",
        "deeper",
        "--format",
        "jsonl",
    )
    for paths, expected in (
        ((), [f"{SEC6}/p[1]"]),
        (("--paths", "valued"), [f"{SEC6}/p[1]"]),
        (("--paths", "assessed"), [SEC6]),
    ):
        status, output, _ = call("recallbase", *words, *paths)
        assert status == 0
        assert [line["path"] for line in lines(output)] == expected


def test_a_recall_base_as_a_table(folder):
    status, output, _ = call("recallbase", "judged.xml", "--collection", "docs")
    assert status == 0
    assert "10 elements of 1 topic, " in output
    assert "150" in output  # the size of the body


def test_a_recall_base_of_a_topic_that_nobody_judged(folder):
    status, _, error = call("recallbase", "judged.xml", "--topic", "7")
    assert status == 2
    assert "topic '7' is not in judged.xml" in error


def test_recall_base_and_simulation_count_as_the_assessments_do(folder):
    """Without blank text nodes the first text of the article is ef: two of six characters."""
    (folder / "docs" / "d.xml").write_text("<a> <s>abcd</s>ef</a>")
    (folder / "h.xml").write_text(
        '<assessments pool="1" topic="7" version="2" whitespace-text-node="strip">'
        '<file collection="c" name="d"><passage start="/a[1]/text()[1].0"'
        ' end="/a[1]/text()[1].2" size="2"/></file></assessments>'
    )
    words = ("h.xml", "--collection", "docs")
    _, output, _ = call("recallbase", *words, "--format", "jsonl")
    (line,) = lines(output)
    assert (line["path"], line["value"]) == ("/a[1]", pytest.approx(2 / 6))
    _, output, _ = call("simulate", "irb", *words, "-o", "-")
    assert "<path>/a[1]</path>" in output


def test_recall_bases_and_simulations_say_which_sizes_they_take(folder):
    (folder / "docs" / "d.xml").write_text(f"<a><s>{'x' * 40}</s>{'y' * 50}</a>")
    (folder / "docs" / "e.xml").write_text("<a>z</a>")
    (folder / "h.xml").write_text(HIGHLIGHTED)
    for words in (("recallbase",), ("simulate", "irb", "-o", "-"), ("reliability",)):
        status, _, errors = call(*words, "h.xml", "--collection", "docs")
        assert status in (0, 1)
        assert errors.count("sizes that differ from the collection's: 1; the file's are used") == 1


def test_nothing_graded_fits_every_table(folder):
    (folder / "none.xml").write_text('<assessments topic="1"><file file="a"></file></assessments>')
    (folder / "own.txt").write_text("3 3 1\n")
    status, output, _ = call("recallbase", "none.xml", "--quant", "own.txt")
    assert status == 0
    assert "0 elements" in output


def test_documents_alone_have_no_recall_base(folder):
    (folder / "qrels").write_text("1 0 d 1\n")
    for words in (("recallbase", "qrels"), ("simulate", "irb", "qrels", "-o", "-")):
        status, _, errors = call(*words)
        assert status == 2
        assert "qrels: judgements of documents; expected judged elements" in errors


def test_the_profile_of_a_year(folder):
    found = values("judged.xml", "run.xml", "--profile", "inex2003")
    assert list(found) == ["inex_eval(quant=strict)", "inex_eval(quant=gen)"]
    assert found["inex_eval(quant=strict)"] == pytest.approx(1)


@pytest.mark.parametrize(
    "files", ['<file name="d"/>', '<file name="d"><path path="/a[1]"/></file>']
)
def test_where_nothing_is_relevant_every_measure_is_undefined(folder, files):
    (folder / "h.xml").write_text(f'<assessments topic="163">{files}</assessments>')
    names = ("nxCG(quant=gen)@5", "inex_eval(quant=strict)", "MAep(quant=spec)", "NGR@5", "T2I")
    names += ("HiP@5", "MAiP", "gP@5", "MAgP", "BEPD(L=10)", "EPRUM(L=10)", "GR@5", "PRUM[1]")
    asked = [word for name in names for word in ("-m", name)]
    found = values("h.xml", "run.xml", *asked, "--collection", "docs")
    assert found == dict.fromkeys(names)


def test_a_passage_that_is_the_ideal_element_is_bound_as_that_is(folder):
    (folder / "docs" / "d.xml").write_text("<a><s>abcd</s>ef</a>")
    (folder / "h.qrels").write_text("7 Q0 d 4 6 0 0:1 3:3\n")  # the article: 4/6, s: 2/4

    def gained(second):
        first = '{"qid": "7", "doc": "d", "element": "/a[1]/s[1]"}'
        (folder / "r.jsonl").write_text(f'{first}\n{{"qid": "7", "doc": "d", {second}}}\n')
        words = ("-m", "xCG(cap=descendants)@2", "-m", "xCG@2", "--collection", "docs")
        return values("h.qrels", "r.jsonl", *words)

    as_element, as_passage = gained('"element": "/a[1]"'), gained('"s": 0, "e": 6')
    assert as_passage["xCG(cap=descendants)@2"] == pytest.approx(2 / 4 + 2 / 6)
    assert as_passage["xCG@2"] == pytest.approx(4 / 6)
    assert as_element["xCG(cap=descendants)@2"] == pytest.approx(2 / 4)  # ef is in no child


def test_thorough_and_focused_of_2006(folder):
    (folder / "h.xml").write_text(HIGHLIGHTED)
    run = submission(["/a[1]/s[1]"], topic="7").replace("r7022", "d")
    (folder / "run.xml").write_text(run)
    thorough = values("h.xml", "run.xml", "--profile", "inex2006", "--task", "thorough")
    assert list(thorough)[:2] == ["MAep", "ep[0.1]"]
    assert thorough["MAep"] == pytest.approx(1 / 2)  # the article was not returned
    focused = values("h.xml", "run.xml", "--profile", "inex2006", "--task", "focused")
    assert focused["nxCG@5"] == pytest.approx(1)
    assert focused["nxCG(overlap=off,recallbase=ideal)@50"] == pytest.approx(1)


def test_the_rules_of_a_year_hold_for_every_measure(folder):
    """Of equal elements the deeper one was ideal in 2005; now it is the higher one."""
    both = HIGHLIGHTED.replace('size="100" rsize="40"', 'size="40" rsize="40"')
    (folder / "h.xml").write_text(both)
    run = submission(["/a[1]/s[1]"], topic="7").replace("r7022", "d")
    (folder / "run.xml").write_text(run)
    words = ("h.xml", "run.xml", "-m", "GR@1", "-m", "xCG@1")
    assert values(*words) == {"GR@1": 0, "xCG@1": 1}
    assert values(*words, "--profile", "inex2005") == {"GR@1": 1, "xCG@1": 2}  # gen5


def test_more_highlighted_than_there_is(folder):
    """Files of 2005 count passages one too long; what is all highlighted is no more than that."""
    (folder / "h.xml").write_text(
        HIGHLIGHTED.replace('size="40" rsize="40"', 'size="40" rsize="41"')
    )
    run = submission(["/a[1]/s[1]"], topic="7").replace("r7022", "d")
    (folder / "run.xml").write_text(run)
    words = ("-m", "xCG@1", "-m", "nxCG(quant=strict5)@1", "-m", "HiP@1")
    assert values("h.xml", "run.xml", *words) == dict.fromkeys(words[1::2], 1)


def test_readers_of_passages_and_ranges_see_their_text(folder):
    """The only target is s[1]: whoever sees text from its start to its end has found it."""
    (folder / "docs" / "d.xml").write_text("<a><s>abcd</s><s>ef</s></a>")
    (folder / "h.qrels").write_text("7 Q0 d 4 6 0 0:4\n")
    words = ("h.qrels", "r", "-m", "GR@1", "-m", "GR(behaviour=containment)@1")

    def seen(place):
        (folder / "r").write_text(
            "<inex-submission participant-id='1' run-id='r' task='Focused' query='automatic'>"
            f"<topic topic-id='7'><result><file>d</file>{place}</result></topic>"
            "</inex-submission>"
            if place.startswith("<")
            else f"7 Q0 d 1 1 r {place}\n"
        )
        return list(values(*words, "--collection", "docs").values())

    begin, end = "/a[1]/s[1]/text()[1].0", "/a[1]/s[1]/text()[1].4"
    assert seen(f'<passage start="{begin}" end="{end}"/>') == [1, 1]
    assert seen("/a[1]/s[1] /a[1]/s[2]") == [0, 1]
    assert seen("/a[1]/s[1] /a[1]/s[1]") == [1, 1]
    (folder / "r").write_text("163 Q0 r7022 1 1 r /article[1]/bdy[1] /article[1]/bdy[2]\n")
    status, _, errors = call("eval", "judged.xml", "r", "-m", "GR@1")
    assert status == 2
    assert "pass --collection" in errors


def test_a_task_that_a_year_did_not_have(folder):
    status, _, errors = call(
        "eval", "judged.xml", "run.xml", "--profile", "inex2002", "--task", "bic"
    )
    assert status == 2
    assert "profile inex2002 has no task 'bic'; expected one of thorough" in errors


def test_without_a_name_the_measures_fit_elements(folder):
    assert list(values("judged.xml", "run.xml")) == ["nxCG@10", "nxCG@50", "MAep", "Overlap"]


def test_structure_strictly_and_vaguely(folder):
    strict = values(
        "judged.xml", "run.xml", "-m", "gr(quant=sog)@3", "--structure", "strict",
        "--topics", "topics.xml",
    )  # fmt: skip
    assert strict["gr(quant=sog)@3"] == pytest.approx(1)  # only sections count: 1 and 0.5
    vague = values(
        "judged.xml", "run.xml", "-m", "gr(quant=sog)@3", "--structure", "vague",
        "--topics", "topics.xml",
    )  # fmt: skip
    # sections, what is in them, and articles: all but the body
    assert vague["gr(quant=sog)@3"] == pytest.approx(2.5 / (6.85 - 0.25))
    status, _, errors = call("eval", "judged.xml", "run.xml", "-m", "MAep", "--structure", "strict")
    assert (status, "no effect without --topics" in errors) == (2, True)


def test_a_table_of_the_users_own(folder):
    (folder / "own.txt").write_text("# mine\n3 3 1\n2,2,0.5\n")
    found = values("judged.xml", "run.xml", "-m", "xCG(quant=own.txt,overlap=off)@3")
    assert found["xCG(quant=own.txt,overlap=off)@3"] == pytest.approx(2.5)
    (folder / "own.txt").write_text("3 3 1\n2 2 1.5\n")
    status, _, errors = call("eval", "judged.xml", "run.xml", "-m", "MAep(quant=own.txt)")
    assert status == 2
    assert "own.txt:2: '2 2 1.5'; expected two grades and a value from 0 to 1" in errors


def test_a_quantisation_that_does_not_fit(folder):
    status, _, errors = call("eval", "judged.xml", "run.xml", "-m", "MAep(quant=spec)")
    assert status == 2
    assert "quant=spec is for highlighted text" in errors
    assert "expected one of strict, gen, sog, exhspe" in errors


def test_the_same_element_twice_is_an_error(folder):
    (folder / "run.xml").write_text(submission([SEC6, SEC4, SEC6]))
    status, _, errors = call("eval", "judged.xml", "run.xml", "-m", "MAep")
    assert status == 2
    assert f"run.xml:5: {SEC6} of document 'r7022' occurs twice" in errors


def test_a_topic_missing_from_the_run_has_no_overlap(folder):
    (folder / "all").mkdir()
    (folder / "all" / "one.xml").write_text(assessments())
    (folder / "all" / "two.xml").write_text(assessments().replace('topic="163"', 'topic="164"'))
    words = ("all", "run.xml", "-m", "Overlap", "-m", "MAep", "-q", "--format", "jsonl")
    _, output, _ = call("eval", *words)
    found = {(line["topic"], line["measure"]): line["value"] for line in lines(output)}
    assert found["164", "Overlap"] is None
    assert found["164", "MAep"] == 0
    assert found["all", "Overlap"] == pytest.approx(1 / 3)


def test_explaining_says_which_case_and_what_the_bound_took(folder):
    children = [f"{SEC6}/p[2]", SEC6, f"{SEC6}/p[1]", "/article[1]/bdy[1]/sec[1]"]
    (folder / "run.xml").write_text(submission(children))
    status, output, _ = call(
        "explain", "judged.xml", "run.xml", "--topic", "163", "-m", "nxCG(quant=sog)@4",
        "--collection", "docs",
    )  # fmt: skip
    assert status == 0
    rows = [
        line.split()
        for line in output.splitlines()
        if line.strip().startswith(("1", "2", "3", "4"))
    ]
    assert rows[0][3:] == ["0.9000", "unseen", *["0.9000"] * 3, "1.0000", "0.9000"]
    assert rows[1][3:7] == ["1.0000", "partly", "10", "0.0800"]  # 10 characters had been seen
    assert rows[2][3:6] == ["1.0000", "seen", "0.0000"]
    assert rows[3][3:6] == ["0.0000"] * 3  # worth nothing, whatever was seen of it


def test_explaining_inex_eval_ng_rank_by_rank(folder):
    """p[2] of section 6 has 10 characters, grades 2 and 3; the section 50, 40 of them new, 3 and 3.

    All grades of exhaustivity add up to 3 + 3 + 2 + 2 + 1 + 2 + 3 + 3 + 2 + 2 = 23.
    """
    (folder / "run.xml").write_text(submission([f"{SEC6}/p[2]", SEC6]))
    words = ("judged.xml", "run.xml", "--topic", "163", "--collection", "docs")
    for name, parts, come_to in (
        ("NGP@2", ["1.0000", "1.0000"], ["1.0000", "1.0000"]),
        ("NGR@2", ["0.6667", "1.0000"], ["0.0870", "0.1913"]),  # 2/23, (2 + 3 * 4/5) / 23
    ):
        _, output, _ = call("explain", *words, "-m", name)
        rows = [line.split() for line in output.splitlines()[2:4]]
        assert [row[3:5] for row in rows] == [["10", "1.0000"], ["50", "0.8000"]]
        assert [row[5] for row in rows] == parts
        assert [row[6] for row in rows] == come_to


@pytest.mark.parametrize("name", ["MAep", "inex_eval", "Overlap", "NGP@2", "ep[0.1]", "gr@2"])
def test_every_measure_of_elements_is_explained(folder, name):
    words = ("judged.xml", "run.xml", "--topic", "163", "-m", name, "--collection", "docs")
    status, output, errors = call("explain", *words)
    assert status == 0, errors
    assert "not explained row by row" not in output


def test_properties_are_listed():
    status, output, _ = call("measures", "--properties")
    assert status == 0
    row = next(line for line in output.splitlines() if line.startswith("inex_eval "))
    assert row.split()[1:5] == ["yes", "yes", "indirect", "rewarded"]


def test_every_target_of_prum_counts_one(folder):
    asked = ("eval", "judged.xml", "run.xml", "-m", "PRUM(worth=graded)[1]")
    status, _, errors = call(*asked)
    assert (status, errors) == (
        2,
        "spanwise: error: PRUM: worth is 'graded'; every target counts 1, expected binary\n",
    )
    assert values(*asked[1:3], "-m", "PRUM(worth=binary)[1]") == {
        "PRUM(worth=binary)[1]": values(*asked[1:3], "-m", "PRUM[1]")["PRUM[1]"]
    }


def test_an_element_that_was_not_found_is_worth_nothing(folder, ask):
    """Marked as X or named by a path that is not there: to the reader it is the same."""
    (folder / "judged.xml").write_text(
        '<assessments topic="9"><file file="a1">'
        '<path path="/a[1]" exhaustiveness="2" specificity="1"/>'
        '<path path="/a[1]/s[1]" exhaustiveness="3" specificity="3"/></file></assessments>\n'
    )
    words = ("-m", "inex_eval", "-m", "nxCG(overlap=off)@3", "-m", "GR@3")
    said = []
    for name, lost in (("x", "X"), ("y", "/a[1]/z[1]")):
        (folder / f"{name}.run").write_text(
            f"9 Q0 a1 1 3 m {lost}\n9 Q0 a1 2 2 m /a[1]/s[1]\n9 Q0 a1 3 1 m /a[1]\n"
        )
        said.append(ask("eval", "judged.xml", f"{name}.run", *words))
    assert said[0].status == 0
    assert said[0].out == said[1].out
