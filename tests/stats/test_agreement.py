"""Coefficients of agreement against arithmetic on paper, brute force and other programs."""

import json
from itertools import combinations, permutations
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calling import called
from spanwise.cli import main
from spanwise.model.spans import Spans
from spanwise.stats.agreement import (
    MISSING,
    Continuum,
    Ratings,
    alpha,
    alpha_u,
    alpha_u_binary,
    fleiss,
    interval,
    table,
    weighted_kappa,
)

A, B, C = [(10, 30), (60, 70)], [(12, 30), (60, 75)], [(10, 28)]
L = 100
JUDGES_OF_HALVES = {"anna": [(0, 4)], "ben": [(4, 8)]}


def spans(pairs):
    starts = np.array([start for start, _ in pairs], np.int64)
    return Spans(starts, np.array([end for _, end in pairs], np.int64) - starts)


def characters(judges, length=L):
    values = np.zeros((len(judges), length), np.int64)
    for row, judge in zip(values, judges, strict=True):
        for start, end in judge:
            row[start:end] = 1
    return Ratings(np.ones(length, np.int64), values)


def test_the_golden_example():
    ratings = characters([A, B, C])
    text = Continuum(np.array([0, L]), (spans(A), spans(B), spans(C)))
    pairs = [table(ratings.of(a, b)) for a, b in combinations(range(3), 2)]
    assert [pair.overlap() for pair in pairs] == [28 / 35, 18 / 30, 16 / 35]
    assert [pair.f1() for pair in pairs] == pytest.approx([56 / 63, 36 / 48, 32 / 51], abs=1e-15)
    assert [round(pair.kappa(), 4) for pair in pairs] == [0.8380, 0.6774, 0.5143]
    assert round(fleiss(ratings), 6) == 0.678674
    assert round(alpha(ratings), 6) == 0.679745
    assert round(alpha_u(text), 6) == 0.733870
    assert round(alpha_u_binary(text), 6) == 0.684358


def test_cohen_on_paper():
    """Po = (28 + 65) / 100; p = .30, q = .33."""
    chance = 0.30 * 0.33 + 0.70 * 0.67
    kappa = table(characters([A, B])).kappa()
    assert kappa == pytest.approx((0.93 - chance) / (1 - chance), abs=1e-15)


def test_precision_is_of_the_first_against_the_second():
    pair = table(characters([A, C]))
    assert (pair.precision(), pair.recall()) == (18 / 30, 1.0)


def test_nothing_taken_is_undefined():
    empty = table(characters([[], []]))
    assert isnan(empty.overlap())
    assert isnan(empty.f1())
    assert isnan(empty.kappa())
    text = Continuum(np.array([0, 9]), (spans([]), spans([])))
    assert isnan(alpha_u(text))
    assert isnan(alpha_u_binary(text))


intervals_of_text = st.lists(st.tuples(st.integers(0, 39), st.integers(1, 8)), max_size=4)


def disjoint(pairs):
    """A set of characters as the spans it falls into."""
    inside = sorted(
        {place for start, size in pairs for place in range(start, min(start + size, 40))}
    )
    found = []
    for place in inside:
        if found and found[-1][1] == place:
            found[-1][1] = place + 1
        else:
            found.append([place, place + 1])
    return [tuple(pair) for pair in found]


def sections(units, length):
    edge, found = 0, []
    for start, end in units:
        found += [(edge, start, False)] if start > edge else []
        found.append((start, end, True))
        edge = end
    return found + ([(edge, length, False)] if edge < length else [])


def brute_alpha_u(judges, length):
    """The definition, pair of sections by pair of sections."""
    m, observed = len(judges), 0
    for one, other in permutations(judges, 2):
        for b, e, unit in sections(one, length):
            for b2, e2, unit2 in sections(other, length):
                if min(e, e2) <= max(b, b2):
                    continue
                if unit and unit2:
                    observed += (b - b2) ** 2 + (e - e2) ** 2
                elif unit and b2 <= b and e <= e2:
                    observed += (e - b) ** 2
                elif unit2 and b <= b2 and e2 <= e:
                    observed += (e2 - b2) ** 2
    units = [e - b for judge in judges for b, e in judge]
    gaps = [e - b for judge in judges for b, e, unit in sections(judge, length) if not unit]
    n, expected = len(units), 0.0
    for size in units:
        expected += (n - 1) / 3 * (2 * size**3 - 3 * size**2 + size)
        expected += size**2 * sum(gap - size + 1 for gap in gaps if gap >= size)
    expected *= 2 / length
    expected /= m * length * (m * length - 1) - sum(size * (size - 1) for size in units)
    # both orders of a pair of judges are counted, and each unit in a gap once in each order
    return observed / (m * (m - 1) * length**2), expected


@given(st.lists(intervals_of_text, min_size=2, max_size=4))
@settings(max_examples=150, deadline=None)
def test_alpha_u_by_brute_force(drawn):
    judges = [disjoint(pairs) for pairs in drawn]
    observed, expected = brute_alpha_u(judges, 48)
    found = alpha_u(Continuum(np.array([0, 48]), tuple(spans(judge) for judge in judges)))
    if expected:
        assert found == pytest.approx(1 - observed / expected, abs=1e-12)
    else:
        assert isnan(found)


@given(st.lists(intervals_of_text, min_size=2, max_size=4))
@settings(max_examples=150, deadline=None)
def test_binary_alpha_u_by_brute_force(drawn):
    judges = [disjoint(pairs) for pairs in drawn]
    length, m = 48, len(judges)
    marks = characters(judges, length).values
    o = np.zeros((2, 2))
    for a, b in permutations(range(m), 2):
        for x, y in zip(marks[a], marks[b], strict=True):
            o[x, y] += 1 / (m - 1)
    l_c, total = o.sum(axis=1), o.sum()
    q = [l_c[0], sum((e - b) ** 2 for judge in judges for b, e in judge)]
    expected = total * l_c[0] * l_c[1] / (total**2 - sum(q)) if total**2 > sum(q) else 0
    text = Continuum(np.array([0, length]), tuple(spans(judge) for judge in judges))
    if expected:
        assert alpha_u_binary(text) == pytest.approx(1 - o[0, 1] / expected, abs=1e-12)
    else:
        assert isnan(alpha_u_binary(text))


def test_gaps_end_where_documents_end():
    """A unit of 6 fits once between [0, 10) and twice nowhere else: gaps are 10 and 4, 6."""
    text = Continuum(np.array([0, 10, 20]), (spans([]), spans([(10, 14)])))
    assert sorted(text.gaps(0).tolist()) == [10, 10]
    assert sorted(text.gaps(1).tolist()) == [6, 10]


def test_alpha_leaves_missing_values_out():
    """Krippendorff's own small example: units 1 and 2 agree, unit 3 was seen once."""
    values = np.array([[0, 1, 1], [0, 1, MISSING]])
    assert alpha(Ratings(np.ones(3, np.int64), values)) == 1.0


def test_weights_stand_for_equal_units():
    values = np.array([[1, 0, 1], [1, 1, 0]])
    short = Ratings(np.array([3, 2, 1]), values)
    long = Ratings(np.ones(6, np.int64), np.repeat(values, [3, 2, 1], axis=1))
    for coefficient in (fleiss, alpha, weighted_kappa, lambda r: table(r).kappa()):
        assert coefficient(short) == pytest.approx(coefficient(long), abs=1e-15)


def test_equality_with_other_programs():
    reliability = pytest.importorskip("krippendorff")
    random = np.random.default_rng(3)
    for _ in range(100):
        values = random.integers(0, 4, (4, 30))
        values[random.random(values.shape) < 0.2] = MISSING
        ratings = Ratings(np.ones(30, np.int64), values)
        data = np.where(values < 0, np.nan, values)
        for level, ordinal in (("nominal", False), ("ordinal", True)):
            theirs = reliability.alpha(reliability_data=data, level_of_measurement=level)
            assert alpha(ratings, ordinal=ordinal) == pytest.approx(theirs, abs=1e-12)


def test_equality_with_scikit_learn_and_statsmodels():
    metrics = pytest.importorskip("sklearn.metrics")
    raters = pytest.importorskip("statsmodels.stats.inter_rater")
    random = np.random.default_rng(4)
    for _ in range(100):
        values = random.integers(0, 2, (3, 40))
        ratings = Ratings(np.ones(40, np.int64), values)
        assert table(ratings).kappa() == pytest.approx(
            metrics.cohen_kappa_score(values[0], values[1]), abs=1e-12
        )
        counts, _ = raters.aggregate_raters(values.T)
        assert fleiss(ratings) == pytest.approx(raters.fleiss_kappa(counts), abs=1e-12)
        grades = random.integers(0, 4, (2, 40))
        assert weighted_kappa(Ratings(np.ones(40, np.int64), grades)) == pytest.approx(
            metrics.cohen_kappa_score(*grades, weights="quadratic"), abs=1e-12
        )


def test_random_judges_agree_as_chance_does():
    random = np.random.default_rng(5)
    ratings = Ratings(np.ones(50_000, np.int64), random.integers(0, 2, (3, 50_000)))
    assert abs(fleiss(ratings)) < 0.02
    assert abs(alpha(ratings)) < 0.02
    assert abs(table(ratings).kappa()) < 0.02


def test_an_interval_needs_five_topics():
    assert isnan(interval(np.array([0.1, 0.2, 0.3, 0.4, np.nan]))[0])
    low, high = interval(np.array([0.1, 0.2, 0.3, 0.4, 0.5]))
    assert 0.1 < low < 0.3 < high < 0.5


# The command ----------------------------------------------------------------------------------


def written(path, judge, topics=("1",), length=L):
    head = {"format": "span-qrels/1", "unit": "char", "char": "codepoint"}
    lines = [
        {"qid": topic, "doc": "d", "doc_len": length, "spans": [{"s": s, "e": e} for s, e in judge]}
        | ({"bep": judge[0][0]} if judge else {})
        for topic in topics
    ]
    path.write_text("\n".join(map(json.dumps, [head, *lines])) + "\n")
    return path


def test_the_layout_of_json(tmp_path):
    files = [written(tmp_path / f"{n}.jsonl", j) for n, j in (("a", A), ("b", B), ("c", C))]
    out, err, status = called(main, "agree", *files, "--unit", "char", "--format", "json")
    assert (status, err) == (0, "")
    answer = json.loads(out)
    assert [list(pair) for pair in answer["pairs"]] == [["a", "b", "overlap", "f1", "kappa"]] * 3
    assert [(pair["a"], pair["b"]) for pair in answer["pairs"]] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    assert list(answer["all"]) == ["fleiss", "alpha", "alpha_u", "alpha_u_binary"]
    assert answer["pairs"][1]["overlap"] == 0.6
    assert round(answer["all"]["alpha_u"], 6) == 0.733870
    assert [pair["median"] for pair in answer["bep"]] == [2.0, 0.0, 2.0]


def test_one_file_with_several_judges(tmp_path):
    lines = [
        {
            "qid": "1",
            "doc": "d",
            "doc_len": L,
            "by": name,
            "spans": [{"s": s, "e": e} for s, e in judge],
        }
        for name, judge in (("ben", B), ("anna", A))
    ]
    file = tmp_path / "both.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n")
    answer = json.loads(called(main, "agree", file, "--format", "json")[0])
    assert [(p["a"], p["b"], p["overlap"]) for p in answer["pairs"]] == [("anna", "ben", 0.8)]


def test_without_lengths_kappa_is_undefined(tmp_path):
    files = []
    for name, judge in (("a", A), ("b", B)):
        line = {"qid": "1", "doc": "d", "spans": [{"s": s, "e": e} for s, e in judge]}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(line) + "\n")
        files.append(tmp_path / f"{name}.jsonl")
    out, err, _ = called(main, "agree", *files, "--format", "json")
    assert "documents of unknown length: 1;" in err
    answer = json.loads(out)
    assert answer["pairs"][0] == {"a": "a", "b": "b", "overlap": 0.8, "f1": 8 / 9, "kappa": None}
    assert answer["all"]["fleiss"] is None


def test_positions_of_different_units_are_not_compared(tmp_path):
    files = [written(tmp_path / f"{n}.jsonl", j) for n, j in (("a", A), ("b", B))]
    files[1].write_text(files[1].read_text().replace('"char": "codepoint"', '"char": "utf16"'))
    _, err, status = called(main, "agree", *files)
    assert status == 2
    assert f"positions count codepoint in {files[0]}, utf16 in {files[1]}; expected one" in err


def test_lines_of_inex_go_with_any_unit(tmp_path):
    """They do not say what their positions count; both judges have 28 of 35 characters."""
    mine = written(tmp_path / "a.jsonl", A)
    spans = " ".join(f"{s}:{e - s}" for s, e in B)
    (tmp_path / "b.qrels").write_text(f"1 Q0 d {sum(e - s for s, e in B)} {L} 12 {spans}\n")
    out, err, status = called(main, "agree", mine, tmp_path / "b.qrels", "--format", "json")
    assert (status, err) == (0, "")
    assert json.loads(out)["pairs"][0]["overlap"] == 0.8


def test_a_mean_over_topics_and_its_interval(tmp_path):
    files = [written(tmp_path / f"{n}.jsonl", j, "12345") for n, j in (("a", A), ("b", B))]
    answer = json.loads(called(main, "agree", *files, "--format", "json")[0])
    assert answer["topics"] == 5
    assert answer["intervals"]["pairs"][0]["overlap"] == pytest.approx([0.8, 0.8])
    table_shown = called(main, "agree", *files, "-q")[0].decode()
    assert "overlap of 2 assessors" in table_shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a.jsonl"], "judgements of one assessor; expected two or more"),
        (["a.jsonl", "other.jsonl"], "a, other: found no document judged by two of them"),
        (["a.jsonl", "long.jsonl"], "expected the same text"),
        (["a.jsonl", "b.qrels"], "no highlighted text to compare by char"),
        (
            ["a.jsonl", "b.jsonl", "--unit", "token"],
            "--unit token needs the text of documents; pass --collection",
        ),
        (["a.jsonl", "b.jsonl", "-m", "AP"], "pass --runs"),
    ],
)
def test_what_cannot_be_compared(tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "a.jsonl", A)
    written(tmp_path / "b.jsonl", B)
    written(tmp_path / "other.jsonl", B, "2")
    written(tmp_path / "long.jsonl", B, length=101)
    (tmp_path / "b.qrels").write_text("1 0 d 1\n")
    out, err, status = called(main, "agree", *words)
    assert (out, status) == (b"", 2)
    assert message in err


def test_a_grade_that_is_a_fraction_is_a_yes(tmp_path):
    """Squared differences: (1/4) / 3 seen; (2/3 + 1/4 + 1/3) / 3 by chance; so 1 - 1/5."""
    (tmp_path / "a.qrels").write_text("1 0 x 0.5\n1 0 y 1\n1 0 z 0\n")
    (tmp_path / "b.qrels").write_text("1 0 x 1\n1 0 y 1\n1 0 z 0\n")
    files = tmp_path / "a.qrels", tmp_path / "b.qrels"
    answer = json.loads(called(main, "agree", *files, "--unit", "document", "--format", "json")[0])
    assert answer["pairs"][0] == {"a": "a", "b": "b", "overlap": 1, "f1": 1, "kappa": 1}
    assert (answer["all"]["fleiss"], answer["all"]["alpha"]) == (1, 1)
    assert answer["details"][0]["values"]["weighted_kappa"] == pytest.approx(0.8, abs=1e-12)


def test_runs_of_elements_are_ranked_with_the_collection(tmp_path):
    """`aaaa` is at 0-4 and `bbbb` at 4-8; anna takes the first, ben the second."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.xml").write_text("<a><p>aaaa</p><p>bbbb</p></a>")
    files = [written(tmp_path / f"{n}.jsonl", j, length=8) for n, j in JUDGES_OF_HALVES.items()]
    for name, path in (("x", "/a[1]/p[1]"), ("y", "/a[1]/p[2]")):
        (tmp_path / f"{name}.run").write_text(f"1 Q0 d 1 1 {name} {path}\n")
    words = ["--runs", tmp_path / "x.run", "--runs", tmp_path / "y.run", "-m", "char_f1"]
    out, err, status = called(
        main, "agree", *files, *words, "--collection", tmp_path / "docs", "--format", "json"
    )
    assert (status, err) == (0, "")
    assert json.loads(out)["ranking"][0]["means"] == {"x": [1.0, 0.0], "y": [0.0, 1.0]}
