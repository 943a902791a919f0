"""Scores in every format of the command line."""

import json
from math import nan

import numpy as np
import pytest

from spanwise.model.scores import Scores
from spanwise.report.scores import means_table, rendered, topics_table

THIRD = 1 / 3
COUNTING = frozenset(["NumRet"])


def scores(run="mine", notes=(), **changes):
    how = {
        "run": run,
        "topics": ("1", "10", "2"),
        "values": {"AP": np.array([THIRD, nan, 1.0]), "NumRet": np.array([3.0, 2.0, 0.0])},
        "means": {"AP": 2 * THIRD, "NumRet": 5.0},
        "counts": {"AP": 2, "NumRet": 3},
        "signature": "ties:docno|spanwise:1",
        "notes": notes,
        "sums": COUNTING,
    }
    return Scores(**(how | changes))


def made(run, **means):
    """Scores of one topic with these means."""
    values = {name: np.array([value]) for name, value in means.items()}
    return Scores(run, ("1",), values, means, dict.fromkeys(means, 1), "s")


SILENT = [("1", "AP", THIRD), ("1", "NumRet", 3.0), ("10", "AP", None), ("10", "NumRet", 2.0)]
SILENT += [("2", "AP", 1.0), ("2", "NumRet", 0.0), ("all", "AP", 2 * THIRD), ("all", "NumRet", 5.0)]


def drawn(how, *results, **options):
    return rendered(results or [scores()], how, **options)


def test_jsonl_has_one_object_a_line_topics_first():
    lines = [json.loads(line) for line in drawn("jsonl", per_topic=True).splitlines()]
    assert [list(line) for line in lines] == [["run", "topic", "measure", "value"]] * 8
    assert [(line["topic"], line["measure"], line["value"]) for line in lines] == SILENT
    assert {line["run"] for line in lines} == {"mine"}


def test_without_topics_there_is_only_all():
    lines = [json.loads(line) for line in drawn("jsonl").splitlines()]
    assert [(line["topic"], line["measure"], line["value"]) for line in lines] == SILENT[-2:]


def test_an_undefined_mean_is_null():
    (line,) = rendered([made("mine", AP=nan)], "jsonl").splitlines()
    assert line == '{"run": "mine", "topic": "all", "measure": "AP", "value": null}'


def test_json_says_everything_once():
    notes = ("2 topics with nothing relevant, left out",)
    answer = json.loads(drawn("json", scores(notes=notes), scores("other"), per_topic=True))
    assert answer["signature"] == "ties:docno|spanwise:1"
    mine, other = answer["runs"]
    assert mine == {
        "run": "mine",
        "means": {"AP": 2 * THIRD, "NumRet": 5.0},
        "counts": {"AP": 2, "NumRet": 3},
        "notes": list(notes),
        "per_topic": {
            "1": {"AP": THIRD, "NumRet": 3.0},
            "10": {"AP": None, "NumRet": 2.0},
            "2": {"AP": 1.0, "NumRet": 0.0},
        },
    }
    assert other["run"] == "other"
    assert "per_topic" not in json.loads(drawn("json"))["runs"][0]


def test_a_topic_called_all_keeps_its_own_values_in_json():
    (run,) = json.loads(drawn("json", scores(topics=("1", "2", "all")), per_topic=True))["runs"]
    assert run["per_topic"]["all"] == {"AP": 1.0, "NumRet": 0.0}
    assert run["means"]["AP"] == 2 * THIRD


def test_texts_stand_beside_the_numbers():
    textual = scores(texts={"relstring": ("10", "-", "0")})
    lines = [json.loads(line) for line in drawn("jsonl", textual, per_topic=True).splitlines()]
    first = [(record["measure"], record["value"]) for record in lines if record["topic"] == "1"]
    assert first == [("AP", THIRD), ("NumRet", 3.0), ("relstring", "10")]
    assert "relstring" not in {r["measure"] for r in lines if r["topic"] == "all"}
    assert "relstring             \t10\t'-'\n" in drawn("trec", textual, per_topic=True)
    assert topics_table(textual).rows[1] == ("10", "-", "2", "-")


def test_runs_of_one_name_are_told_apart_by_their_files():
    twins = [scores(source="a/x.run"), scores(source="a/y.run"), scores("other", source="z")]
    assert means_table(twins).rows[0][0] == "x"
    assert means_table(twins).rows[2][0] == "other"


def test_trec_lines_of_several_runs_begin_with_the_run():
    lines = drawn("trec", scores("a"), scores("b")).splitlines()
    assert lines[0] == "runid                 \tall\ta"
    assert lines[3] == "runid                 \tall\tb"


def test_csv_has_full_precision_and_leaves_undefined_empty():
    odd = scores(run='a,"b"')
    assert drawn("csv", odd, per_topic=True).splitlines()[:4] == [
        "run,topic,measure,value",
        '"a,""b""",1,AP,0.3333333333333333',
        '"a,""b""",1,NumRet,3.0',
        '"a,""b""",10,AP,',
    ]


def test_trec_prints_as_trec_eval_does():
    assert drawn("trec", per_topic=True).splitlines() == [
        "AP                    \t1\t0.3333",
        "NumRet                \t1\t3",
        "AP                    \t10\tnan",
        "NumRet                \t10\t2",
        "AP                    \t2\t1.0000",
        "NumRet                \t2\t0",
        "AP                    \tall\t0.6667",
        "NumRet                \tall\t5",
    ]


def test_a_table_of_one_run_goes_down_the_page():
    assert drawn("table", scores(notes=("a note",))) == (
        "measure        mine\n"
        "-------------------\n"
        "AP       0.6667 (2)\n"
        "NumRet        5 (3)\n"
        "\n"
        "(n): topics behind a mean\n"
        "ties:docno|spanwise:1\n"
        "mine: a note\n"
    )


def test_the_number_of_topics_is_said_once_where_it_is_the_same():
    one = made("a", AP=0.5)
    assert drawn("table", one).splitlines()[-2:] == ["1 topic", "s"]
    same = scores(counts={"AP": 3, "NumRet": 3})
    assert drawn("table", same).splitlines()[-2:] == ["3 topics", "ties:docno|spanwise:1"]


def test_several_runs_stand_side_by_side():
    table = means_table([made("a", AP=0.5, RR=1.0), made("b", AP=0.25, RR=nan)])
    assert table.header == ("run", "AP", "RR")
    assert table.rows == (("a", "0.5000", "1.0000"), ("b", "0.2500", "-"))


def test_many_measures_of_few_runs_go_down_the_page():
    names = {f"m{n}": n / 10 for n in range(6)}
    table = means_table([made("a", **names), made("b", **names)])
    assert table.header == ("measure", "a", "b")
    assert table.rows[5] == ("m5", "0.5000", "0.5000")


def test_topics_stand_above_their_means():
    table = topics_table(scores())
    assert table.header == ("mine", "AP", "NumRet")
    assert table.rows == (
        ("1", "0.3333", "3"),
        ("10", "-", "2"),
        ("2", "1.0000", "0"),
        ("all", "0.6667", "5"),
        ("topics", "2", "3"),
    )
    assert table.rules == (3,)
    assert table.below == ("ties:docno|spanwise:1",)


def test_every_run_has_its_table_of_topics():
    drawing = drawn("table", scores("a"), scores("b"), per_topic=True)
    assert [line.split()[0] for line in drawing.splitlines() if "NumRet" in line] == ["a", "b"]


def test_a_narrow_page_has_panels():
    wide = made("a", **{f"measure{n}": 0.5 for n in range(4)})
    lines = drawn("table", wide, per_topic=True, width=25).splitlines()
    assert max(map(len, lines)) <= 25
    assert [line for line in lines if line.startswith("a ")] == [
        "a       measure0",
        "a       measure1",
        "a       measure2",
        "a       measure3",
    ]


def test_markdown_and_latex_are_the_same_table():
    assert "| AP      | 0.6667 (2) |\n" in drawn("md")
    assert "\nAP & 0.6667 (2) \\\\\n" in drawn("latex")


def test_the_signature_travels_with_every_drawn_format():
    for how in ("table", "md", "latex", "json"):
        assert "ties:docno|spanwise:1" in drawn(how)


@pytest.mark.parametrize("how", ["table", "md", "latex", "json", "jsonl", "csv", "trec"])
def test_a_name_that_is_no_text_can_be_printed(how):
    odd = scores(run="\udcff", topics=("\udcfe", "b", "c"))
    assert rendered([odd], how, per_topic=True).encode("utf-8", "surrogateescape")
