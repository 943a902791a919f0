"""Results as files: kept, read back, made again, cited."""

import json
from pathlib import Path

import polars as pl
import pytest

import spanwise
from calling import called
from spanwise.cli import main
from spanwise.errors import FormatError
from spanwise.formats.results import holds_results, read_results

DEMO = Path(spanwise.__file__).parent / "data" / "demo"
QRELS, RUNS = DEMO / "qrels.txt", [DEMO / f"{name}.run" for name in ("keyword", "dense", "hybrid")]


@pytest.fixture(params=["jsonl", "parquet"])
def kept(request, tmp_path):
    file = tmp_path / f"results.{request.param}"
    out, err, status = called(main, "eval", QRELS, *RUNS, "-m", "AP", "-m", "RR", "-o", file)
    assert (out, status) == (b"", 0)
    assert "dense: 1 topic" in err
    return file


def test_every_value_comes_back(kept):
    results = read_results(str(kept))
    for run, scores in zip(RUNS, results.scores, strict=True):
        fresh = spanwise.evaluate(QRELS, run, ["AP", "RR"])
        assert scores.per_topic == fresh.per_topic
        assert (scores.means, scores.counts) == (fresh.means, fresh.counts)
        assert (scores.signature, scores.notes) == (fresh.signature, fresh.notes)


def test_every_line_is_what_the_contract_says(tmp_path):
    file = tmp_path / "r.jsonl"
    called(main, "eval", QRELS, *RUNS, "-m", "AP", "-o", file)
    plain = called(main, "eval", QRELS, *RUNS, "-m", "AP", "-q", "--format", "jsonl")[0]
    four = ("run", "topic", "measure", "value")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [{k: one[k] for k in four} for one in lines] == [
        json.loads(line) for line in plain.splitlines()
    ]
    made = next(one["made"] for one in lines if "made" in one)
    assert made["spanwise"] == spanwise.__version__
    assert len(made["judgements"]["sha256"]) == 64


def test_a_named_format_stays_plain(tmp_path):
    file = tmp_path / "r.jsonl"
    called(main, "eval", QRELS, RUNS[0], "-m", "AP", "--format", "jsonl", "-o", file)
    assert list(json.loads(file.read_text())) == ["run", "topic", "measure", "value"]


def test_parquet_has_the_four_columns(tmp_path):
    file = tmp_path / "r.parquet"
    called(main, "eval", QRELS, RUNS[0], "-m", "AP", "-o", file)
    assert pl.read_parquet(file).columns == ["run", "topic", "measure", "value"]


def test_files_are_known_by_their_content(kept, tmp_path):
    other = tmp_path / "no-ending"
    other.write_bytes(kept.read_bytes())
    assert holds_results(str(other))
    assert not holds_results(str(QRELS))
    assert not holds_results(str(RUNS[0]))
    assert not holds_results(str(tmp_path / "absent"))


def as_json(*words):
    out, err, status = called(main, "compare", *words, "--format", "json")
    assert status == 0, err
    return json.loads(out)


def test_compare_reads_results_back(kept):
    fresh = as_json(QRELS, *RUNS, "-m", "AP", "-m", "RR", "--test", "t")
    assert as_json(kept, "--test", "t") == fresh
    assert as_json(kept, "--test", "t", "-m", "AP", "--baseline", "dense")["comparisons"]


def test_results_and_runs_side_by_side(kept, tmp_path):
    one = tmp_path / "one.jsonl"
    called(main, "eval", QRELS, RUNS[1], "-m", "AP", "-o", one)
    found = as_json(QRELS, RUNS[0], one, "-m", "AP")
    assert {(o["run"], o["baseline"]) for o in found["comparisons"]} == {("dense", "keyword")}
    assert as_json(QRELS, RUNS[0], "-m", "AP", "--baseline", one)["comparisons"]


def test_a_run_needs_judgements(kept):
    _, err, status = called(main, "compare", kept, RUNS[0])
    assert status == 2
    assert "holds results, so" in err


def test_a_measure_that_was_not_kept(kept):
    _, err, status = called(main, "compare", kept, "-m", "P@5")
    assert status == 2
    assert "run 'keyword' has no P@5; it has AP, RR" in err


def test_nothing_changed(kept):
    out, err, status = called(main, "verify", kept)
    assert (out, err, status) == (b"3 runs, 72 values by topic: nothing changed\n", "", 0)


def test_something_changed(tmp_path):
    (tmp_path / "q").write_text("1 0 a 1\n2 0 b 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 2 mine\n2 Q0 b 1 1 mine\n")
    results = tmp_path / "results.jsonl"
    called(main, "eval", tmp_path / "q", tmp_path / "r", "-m", "AP", "-o", results)
    assert called(main, "verify", results)[2] == 0
    (tmp_path / "q").write_text("1 0 a 1\n2 0 b 1\n2 0 c 1\n")
    out, _, status = called(main, "verify", results)
    assert status == 1
    assert f"mine: the judgements {tmp_path / 'q'} changed" in out.decode()
    assert "AP was 1 and is 0.75; 1 of 2 topics differ, first '2': 1 and 0.5" in out.decode()
    assert out.decode().endswith("something changed\n")


def test_an_altered_value_is_seen(kept):
    if kept.suffix == ".parquet":
        pytest.skip("the text of Parquet cannot be edited by hand")
    first, rest = kept.read_text().split("\n", 1)
    kept.write_text(json.dumps(json.loads(first) | {"value": 0.123}) + "\n" + rest)
    assert called(main, "verify", kept)[2] == 1


def test_an_input_that_is_gone(tmp_path):
    for name in ("q", "r"):
        (tmp_path / name).write_text({"q": "1 0 a 1\n", "r": "1 Q0 a 1 2 mine\n"}[name])
    results = tmp_path / "results.jsonl"
    called(main, "eval", tmp_path / "q", tmp_path / "r", "-m", "AP", "-o", results)
    (tmp_path / "r").unlink()
    _, err, status = called(main, "verify", results)
    assert status == 2
    assert "not found in this folder or next to" in err


def test_results_that_are_not_there(tmp_path):
    _, err, status = called(main, "verify", tmp_path / "none.jsonl")
    assert (status, err) == (
        2,
        f"spanwise: error: {tmp_path}/none.jsonl: cannot be opened (No such file or directory)\n",
    )


def test_plain_lines_have_no_provenance(tmp_path):
    file = tmp_path / "plain.jsonl"
    called(main, "eval", QRELS, RUNS[0], "-m", "AP", "-q", "--format", "jsonl", "-o", file)
    assert as_json(file)["scores"]
    _, err, status = called(main, "verify", file)
    assert status == 2
    assert "states no provenance" in err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '{"run": "a", "topic": "all", "measure": "AP", "value": 1}\n',
            "no values for single topics",
        ),
        ('{"run": "a", "topic": "1", "measure": "AP", "value": 1}\n', "no line for 'all'"),
        ('{"run": "a", "topic": "1", "measure": "AP", "value": "x"}\n', "f:1: found"),
        ('{"run": "a", "topic": "1", "measure": "AP", "value": 1}\nnonsense\n', "f:2: found"),
    ],
)
def test_damaged_files(content, message, tmp_path):
    (tmp_path / "f").write_text(content)
    with pytest.raises(FormatError, match=message):
        read_results(str(tmp_path / "f"))


def test_runs_of_one_name_stay_apart(tmp_path):
    for name in ("keyword", "dense"):
        text = (DEMO / f"{name}.run").read_text()
        (tmp_path / f"{name}.run").write_text(text.replace(f" {name}\n", " same\n"))
    files = [tmp_path / "keyword.run", tmp_path / "dense.run"]
    for ending in ("jsonl", "parquet"):
        kept = tmp_path / f"results.{ending}"
        assert called(main, "eval", QRELS, *files, "-m", "AP", "-o", kept)[2] == 0
        scores = read_results(str(kept)).scores
        assert [one.run for one in scores] == ["keyword", "dense"]
        assert [round(one.means["AP"], 4) for one in scores] == [0.6359, 0.5604]
        assert called(main, "verify", kept)[2] == 0


def test_one_run_twice_is_refused(kept, tmp_path):
    if kept.suffix == ".parquet":
        pytest.skip("lines only")
    (tmp_path / "twice.jsonl").write_bytes(2 * kept.read_bytes())
    with pytest.raises(FormatError, match="run 'keyword' has two values for topic 'q01' in AP"):
        read_results(str(tmp_path / "twice.jsonl"))


@pytest.mark.parametrize("command", [("verify",), ("compare",), ("plot", "scatter", "-o", "x.png")])
def test_half_a_table_is_an_error(kept, command, tmp_path):
    half = tmp_path / "half.parquet"
    half.write_bytes(b"PAR1" + kept.read_bytes()[4 : kept.stat().st_size // 2])
    _, err, status = called(main, *command, half)
    assert status == 2
    assert err.startswith(f"spanwise: error: {half}")


@pytest.mark.parametrize(
    ("what", "wrong"),
    [
        ('"judgements": {"path"', '"judgements": {"place"'),
        ('"options": {', '"options": {"colour": "red", '),
        ('"policy": {', '"policy": {"colour": "red"'),
        ('"made": {"judgements"', '"made": {"opinions"'),
    ],
)
def test_provenance_that_makes_no_sense(tmp_path, what, wrong):
    file = tmp_path / "results.jsonl"
    called(main, "eval", QRELS, RUNS[0], "-m", "AP", "-o", file)
    text = file.read_text()
    assert what in text
    file.write_text(text.replace(what, wrong))
    _, err, status = called(main, "verify", file)
    assert status == 2
    assert err.startswith(f"spanwise: error: {file}: ")


def test_what_a_paper_cites():
    out, _, status = called(main, "eval", QRELS, RUNS[0], "-m", "nDCG@10", "-m", "AP", "--cite")
    text = out.decode()
    assert status == 0
    assert "We report nDCG@10 \\cite{jarvelin2002,burges2005} and AP \\cite{buckley2005" in text
    assert "@misc{jarvelin2002,\n  author       = {Järvelin and Kekäläinen},\n" in text
    assert "title        = {{Cumulated Gain-Based Evaluation}}" in text
    assert "howpublished = {ACM TOIS 20(4)},\n  year         = {2002}" in text
    assert "@software{spanwise," in text
