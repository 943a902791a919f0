"""Pictures and curves."""

import json
import struct

import pytest

from calling import called
from demo_files import (
    DENSE,
    HYBRID,
    KEYWORD,
    QRELS,
)
from spanwise.cli import main
from spanwise.errors import UsageError
from spanwise.report.plots import curve_of, disagreements, find_curve, style_of

RUNS = (KEYWORD, DENSE, HYBRID)


def plot(*words):
    return called(main, "plot", *words)


@pytest.mark.parametrize(
    ("ending", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<svg"), ("json", b"{")]
)
def test_every_kind_of_file(tmp_path, ending, magic):
    file = tmp_path / f"p.{ending}"
    assert plot("recall-precision", QRELS, *RUNS, "-o", file) == (b"", "", 0)
    assert file.read_bytes().startswith(magic)


def test_a_png_is_large_enough_for_print(tmp_path):
    plot("curve", QRELS, *RUNS, "-m", "nDCG@10", "-o", tmp_path / "p.png")
    width, _ = struct.unpack(">II", (tmp_path / "p.png").read_bytes()[16:24])
    assert width > 1400


def test_names_of_runs_are_in_the_picture(tmp_path):
    plot("recall-precision", QRELS, *RUNS, "-o", tmp_path / "p.svg")
    svg = (tmp_path / "p.svg").read_text()
    assert all(f">{name}<" in svg for name in ("keyword", "dense", "hybrid"))


def test_differences_are_of_two_runs(tmp_path):
    file = tmp_path / "p.svg"
    assert plot("differences", QRELS, HYBRID, "--baseline", DENSE, "-m", "AP", "-o", file)[2] == 0
    assert "AP: hybrid minus dense" in file.read_text()
    _, err, status = plot("differences", QRELS, *RUNS, "-m", "AP", "-o", file)
    assert status == 2
    assert "found 3 runs" in err
    assert "name one with --run" in err
    chosen = ("--run", "dense", "--baseline", "keyword", "-m", "AP", "-o", tmp_path / "d.json")
    assert plot("differences", QRELS, *RUNS, *chosen)[2] == 0
    assert '"AP: dense minus keyword"' in (tmp_path / "d.json").read_text()


def test_a_scatter_needs_two_measures(tmp_path):
    file = tmp_path / "p.svg"
    words = ("scatter", QRELS, *RUNS, "-m", "AP", "-o", file)
    assert plot(*words, "-m", "RR")[2] == 0
    assert plot(*words)[1].startswith("spanwise: error: found one measure; a scatter needs two")


def test_pictures_of_results(tmp_path):
    kept = tmp_path / "r.jsonl"
    called(main, "eval", QRELS, *RUNS, "-m", "AP", "-m", "RR", "-o", kept)
    assert plot("scatter", kept, "-o", tmp_path / "p.svg") == (b"", "", 0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("pie", QRELS, KEYWORD, "-o", "p.svg"), "unknown picture 'pie'"),
        (("curve", QRELS, KEYWORD, "-o", "p.svg", "-m", "AP"), "a measure with a cut-off"),
        (("curve", QRELS, KEYWORD, "-o", "p.gif", "-m", "P@5"), "p.gif: expected a file name"),
    ],
)
def test_what_cannot_be_drawn(words, message):
    _, err, status = plot(*words)
    assert status == 2
    assert message in err


def test_a_curve_is_a_measure_at_many_places():
    assert curve_of("P(rel=2)@10").measures()[:2] == ["P(rel=2)@1", "P(rel=2)@2"]
    assert curve_of("iP[0.01]").measures()[1] == "iP[0.05]"
    assert curve_of("SpanR(budget=500)").measures()[0] == "SpanR(budget=100)"
    assert curve_of("AP") is None
    assert curve_of("PRUM[0.5]").measures()[0] == "PRUM[0.05]"  # it has no level 0


@pytest.mark.parametrize("measure", ["ep(overlap=on)[0.5]", "precall[0.1]"])
def test_effort_precision_and_inex_eval_are_drawn_at_100_levels(measure):
    stem = measure.partition("[")[0]
    for curve in (curve_of(measure), find_curve("curve", (measure,), [])):
        drawn = curve.measures()
        assert (len(drawn), drawn[0], drawn[-1]) == (100, f"{stem}[0.01]", f"{stem}[1]")


@pytest.mark.parametrize(
    ("measure", "domain"),
    [("nDCG@10", [0, 1]), ("DCG@10", None), ("IDCG@10", None)],
)
def test_the_axis_of_a_curve_has_the_bounds_that_the_measure_states(tmp_path, measure, domain):
    file = tmp_path / "p.json"
    assert plot("curve", QRELS, KEYWORD, "-m", measure, "-o", file) == (b"", "", 0)
    expected = domain and {"domain": domain, "clamp": True}
    assert all(axis.get("scale") == expected for axis in y_axes(file))


def y_axes(file):
    return [layer["encoding"]["y"] for layer in json.loads(file.read_text())["layer"]]


def test_the_axis_of_budgets_has_their_unit(tmp_path):
    (tmp_path / "gold.jsonl").write_text(
        '{"format": "span-qrels/1"}\n{"qid": "q", "doc": "d", "spans": [{"s": 0, "e": 9}]}\n'
    )
    (tmp_path / "run.jsonl").write_text('{"qid": "q", "rank": 1, "doc": "d", "s": 0, "e": 20}\n')
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.txt").write_text("é" * 30, encoding="utf-8")
    files = (tmp_path / "gold.jsonl", tmp_path / "run.jsonl", "--collection", tmp_path / "docs")
    file = tmp_path / "p.json"
    for words, title in (((), "characters read"), (("--unit", "utf16"), "UTF-16 code units read")):
        assert plot("budget", *files, *words, "-o", file)[2] == 0
        assert json.loads(file.read_text())["encoding"]["x"]["title"] == f"{title}, logarithmic"
    # a run that reads 20 characters is not clamped to 1
    assert plot("curve", *files, "-m", "Read@5", "-o", file)[2] == 0
    assert [axis.get("scale") for axis in y_axes(file)] == [None, None]


def test_a_curve_goes_with_the_judgements():
    assert find_curve("recall-precision", (), ["rankings"]).template == "IPrec[{x}]"
    assert find_curve("recall-precision", (), ["rankings", "readings"]).template == "iP[{x}]"
    graded = find_curve("recall-precision", (), ["rankings", "elements"])
    assert (graded.template, len(graded.places)) == ("precall[{x}]", 100)
    text = find_curve("recall-precision", (), ["rankings", "readings", "elements"])
    assert text.template == "iP[{x}]"
    assert len(find_curve("ep-gr", (), []).places) == 100
    with pytest.raises(UsageError, match="cannot be drawn"):
        find_curve("recall-precision", (), ["preferences"])


def test_disagreement_on_paper():
    assert disagreements([1, 2, 3], [1, 2, 3]) == [False, False, False]
    assert disagreements([1, 2, 3], [2, 1, 3]) == [True, True, False]
    assert disagreements([1, 1], [1, 2]) == [False, False]  # a tie is no disagreement


def test_twenty_four_runs_are_told_apart_and_keep_their_order(tmp_path):
    styles = [style_of(place) for place in range(24)]
    assert len(set(styles)) == 24
    assert plot("recall-precision", QRELS, *RUNS, "-o", tmp_path / "p.json")[2] == 0
    encoding = json.loads((tmp_path / "p.json").read_text())["encoding"]
    assert encoding["color"]["sort"] is None  # as the runs were given, not by name
    assert encoding["color"]["scale"]["range"][:3] == [colour for colour, _ in styles[:3]]


def test_ranks_are_drawn_with_the_probability_of_being_best(tmp_path):
    file = tmp_path / "p.json"
    assert plot("ranks", QRELS, *RUNS, "-m", "RR", "-o", file) == (b"", "", 0)
    values = json.loads(file.read_text())["data"]["values"]
    assert [one["rank"] for one in values] == [1, 2, 3]
    assert sum(one["probability"] for one in values) == pytest.approx(1)
    assert all(one["low"] <= one["rank"] <= one["high"] for one in values)
    assert "ranks need two runs" in plot("ranks", QRELS, RUNS[0], "-m", "RR", "-o", file)[1]


def test_groups_are_drawn_with_their_intervals(tmp_path):
    groups, file = tmp_path / "groups.csv", tmp_path / "p.json"
    groups.write_text("topic,half\n" + "".join(f"q{n:02},{n > 6}\n" for n in range(1, 13)))
    words = ("groups", QRELS, *RUNS, "-m", "AP", "-o", file)
    assert plot(*words, "--groups", groups) == (b"", "", 0)
    values = json.loads(file.read_text())["data"]["values"]
    assert len(values) == 2 * len(RUNS)
    assert all(one["low"] < one["value"] < one["high"] for one in values)
    assert "no groups are given" in plot(*words)[1]
    words = ("scatter", QRELS, *RUNS, "-m", "AP,P@5", "--groups", groups, "-o", file)
    assert "--groups has no effect on scatter" in plot(*words)[1]
