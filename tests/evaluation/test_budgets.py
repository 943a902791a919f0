"""compare --budget and sweep, as a stranger calls them."""

import base64
import gzip
import json

import pytest

from spanwise.cli import main

GOLD = [
    {"format": "span-qrels/1", "unit": "char", "char": "codepoint"},
    {"qid": "q", "query": "why", "doc": "d", "doc_len": 10_000,
     "spans": [{"s": 1000, "e": 1200}, {"s": 5000, "e": 5300}]},
]  # fmt: skip
RUNS = {
    "A": [(800, 1200), (4800, 5200), (5200, 5600), (2000, 2400), (7600, 8000)],
    "B": [(800, 1200), (850, 1250), (900, 1300), (950, 1350), (1000, 1400)],
    "C": [(0, 3200), (3200, 6400)],
}


def lines(path, objects):
    path.write_text("".join(json.dumps(one) + "\n" for one in objects))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines(tmp_path / "gold.jsonl", GOLD)
    for name, spans in RUNS.items():
        results = [
            {"qid": "q", "rank": rank, "doc": "d", "s": s, "e": e}
            for rank, (s, e) in enumerate(spans, start=1)
        ]
        lines(tmp_path / f"{name}.jsonl", [{"format": "span-run/1", "run": name}, *results])
    return tmp_path


def test_the_table_of_a_comparison_at_equal_reading(folder, capfdbinary):
    words = ["compare", "gold.jsonl", "A.jsonl", "B.jsonl", "C.jsonl", "--budget", "500,2000"]
    assert main([*words, "--format", "json"]) == 0
    found = json.loads(capfdbinary.readouterr().out)
    values = {(one["run"], one["measure"]): one["value"] for one in found["scores"]}
    assert [values[run, "SpanR(budget=2000)"] for run in "ABC"] == [1.0, 0.4, 0.4]
    assert [values[run, "Ceiling(of=returned,budget=500)"] for run in "ABC"] == [0.6, 0.4, 0.0]
    assert values["B", "Waste(budget=2000)"] == pytest.approx(0.7)
    said = " ".join(found["warnings"])
    assert "C reads 3.2 times more than A at k=5" in said
    assert "70 % of the text that B returns is duplicate" in said
    assert main(words) == 0
    table = capfdbinary.readouterr().out.decode()
    assert table.startswith("At 500 characters: A, recall ")
    assert "\n\nAt 2,000 characters: A, recall 1.0000; B and C are not distinguishable" in table
    rows = [line.split()[0] for line in table.partition("---\n")[2].splitlines()[:3]]
    assert rows == ["A", "B", "C"]
    assert main([*words, "--all"]) == 0
    table = capfdbinary.readouterr().out.decode()
    assert "recall at 2,000" in table
    assert "complete evidence at 500" in table


def test_the_ideal_of_plain_texts_is_what_was_highlighted(folder, capfdbinary):
    """Two passages, worth 1 each. A earns 1/2 + 1/2 + 1/4, B 1/2 once, C 1/16 + 3/32."""
    (folder / "docs").mkdir()
    (folder / "docs" / "d.txt").write_text("x" * 10_000)
    pieces = [(s, s + 2) for s in range(999, 1201, 2)]  # they earn no more than their passage
    results = [{"qid": "q", "doc": "d", "s": s, "e": e} for s, e in pieces]
    lines(folder / "D.jsonl", results)
    runs = [f"{name}.jsonl" for name in "ABCD"]
    words = ["eval", "gold.jsonl", *runs, "--collection", "docs", "--format", "jsonl"]
    assert main([*words, "-m", "nxCG@200"]) == 0
    found = [json.loads(line)["value"] for line in capfdbinary.readouterr().out.splitlines()]
    assert found == pytest.approx([5 / 8, 1 / 4, 5 / 64, 1 / 2])


def test_a_mark_at_the_start_of_a_text_is_counted_in_every_unit(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    text = "\ufeffहिन्दी पाठ"
    (tmp_path / "docs" / "d.txt").write_text(text, "utf-8")
    values = []
    for unit in ({"unit": "byte"}, {"unit": "char"}, {"unit": "char", "char": "utf16"}):
        size = {"byte": lambda words: len(words.encode())}.get(unit["unit"], len)
        gold = {"qid": "q", "doc": "d", "spans": [{"s": size(text[:8]), "e": size(text)}]}
        lines(tmp_path / "gold.jsonl", [{"format": "span-qrels/1", **unit}, gold])
        chunk = {"qid": "q", "doc": "d", "s": size(text[:4]), "e": size(text[:10])}
        lines(tmp_path / "run.jsonl", [{"format": "span-run/1", **unit}, chunk])
        words = ["eval", "gold.jsonl", "run.jsonl", "--collection", "docs", "--format", "jsonl"]
        assert main([*words, "-m", "SpanR", "-m", "SpanP"]) == 0
        out = capfdbinary.readouterr().out
        values.append([json.loads(line)["value"] for line in out.splitlines()])
    assert values == [[2 / 3, 1 / 3]] * 3


def test_ceilings_that_are_only_bounds_are_said_to_be(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    lines(tmp_path / "gold.jsonl", [{"qid": "q", "doc": "d", "spans": [{"s": 0, "e": 100}]}])
    chunks = [{"qid": "q", "doc": "d", "s": 7 * n, "e": 8 * n + 10} for n in range(12)]
    lines(tmp_path / "run.jsonl", chunks)
    words = ["compare", "gold.jsonl", "run.jsonl", "--budget", "30", "--format", "json"]
    assert main(words) == 0
    said = json.loads(capfdbinary.readouterr().out)["warnings"]
    assert "run: ceilings that are bounds, not exact (topics): 1" in said


def test_to_win_is_to_be_better(folder, capfdbinary):
    words = ["compare", "gold.jsonl", "A.jsonl", "B.jsonl", "--budget", "2000", "--format", "json"]
    assert main(words) == 0
    found = json.loads(capfdbinary.readouterr().out)["comparisons"]
    counts = {one["measure"]: (one["wins"], one["losses"]) for one in found}
    assert counts["SpanR(budget=2000)"] == (0, 1)
    assert counts["Waste(budget=2000)"] == (0, 1)  # B reads more twice, which is no win


def test_ranks_count_where_scores_are_missing(folder, capfdbinary):
    """Also for measures of documents, and for runs without either."""
    results = [{"qid": "q", "rank": 2, "doc": "other", "s": 0, "e": 9}]
    results += [{"qid": "q", "rank": 1, "doc": "d", "s": 1000, "e": 1200}]
    lines(folder / "ranked.jsonl", results)
    lines(folder / "scored.jsonl", [{"qid": "q", "score": 3, "doc": "d", "s": 1000, "e": 1200}])
    many = [{"qid": "q", "rank": 20_000 - n, "doc": f"d{n}", "s": 0, "e": 9} for n in range(19_999)]
    lines(folder / "long.jsonl", [*many, {"qid": "q", "rank": 0, "doc": "d", "s": 1000, "e": 1200}])
    words = ["-m", "AP", "-m", "SpanR@1", "--format", "jsonl"]
    assert main(["eval", "gold.jsonl", "ranked.jsonl", "scored.jsonl", "long.jsonl", *words]) == 0
    found = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    assert [one["value"] for one in found] == [1, 0.4] * 3


def test_texts_of_runs_are_placed_when_they_are_checked(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.txt").write_text("One sentence here. Two words. Two sides.")
    texts = ["Two words.", "Two sides.", "One sentence here."]  # two of them of one length
    lines(tmp_path / "run.jsonl", [{"qid": "q", "doc": "d", "text": text} for text in texts])
    contexts = {"user_input": "?", "retrieved_contexts": texts, "reference_contexts": texts[:1]}
    lines(tmp_path / "ragas.jsonl", [contexts])
    words = ["check", "run.jsonl", "ragas.jsonl", "--collection", "docs", "--format", "json"]
    assert main(words) == 0
    for found in json.loads(capfdbinary.readouterr().out)["files"]:
        assert found["placements"]["exact"] == 3
        assert found["problems"] == []
        assert "all 3 exact" in found["remarks"][0]
    lines(tmp_path / "run.jsonl", [{"qid": "q", "text": "Nobody ever wrote such a thing."}])
    assert main([*words[:2], *words[3:]]) == 1
    (found,) = json.loads(capfdbinary.readouterr().out)["files"]
    assert found["placements"]["lost"] == 1


def test_what_lies_past_the_end_is_said(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.txt").write_text("0123456789")
    lines(tmp_path / "gold.jsonl", [{"qid": "q", "doc": "d", "spans": [{"s": 8, "e": 12}]}])
    lines(tmp_path / "run.jsonl", [{"qid": "q", "doc": "d", "s": 0, "e": 20}])
    assert main(["eval", "gold.jsonl", "run.jsonl", "--collection", "docs", "-m", "SpanR"]) == 0
    said = capfdbinary.readouterr().out.decode()
    assert "documents whose relevant text reaches past their end: 1 ('d')" in said
    assert "results that reach past the end of their document: 1 ('d')" in said


def test_chunks_may_come_again_and_bring_nothing(tmp_path, monkeypatch, capfdbinary):
    """Also in measures that were made for elements, where the same result twice is an error."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.txt").write_text("0123456789" * 100)
    lines(tmp_path / "gold.jsonl", [{"qid": "q", "doc": "d", "spans": [{"s": 10, "e": 60}]}])
    chunk = {"qid": "q", "doc": "d", "s": 0, "e": 40}
    lines(tmp_path / "one.jsonl", [chunk])
    lines(tmp_path / "five.jsonl", [chunk] * 5)
    measures = ("nxCG@5", "gr@5", "HiR@5", "T2I", "SpanR", "PassageAP", "MAiP")
    words = [word for name in measures for word in ("-m", name)]
    files = ["gold.jsonl", "one.jsonl", "five.jsonl", "--collection", "docs", "--format", "jsonl"]
    assert main(["eval", *files, *words]) == 0
    found = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    one, five = ([x["value"] for x in found if x["run"] == run] for run in ("one", "five"))
    assert one == five
    assert len(one) == len(measures)


def test_text_of_which_nothing_is_relevant_is_still_text(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    lines(tmp_path / "gold.jsonl", [{"qid": "q", "doc": "d", "spans": []}])
    lines(tmp_path / "run.jsonl", [{"qid": "q", "doc": "d", "s": 0, "e": 20}])
    words = ["eval", "gold.jsonl", "run.jsonl", "-m", "SpanR", "-q", "--format", "jsonl"]
    assert main(words) == 0
    found = [json.loads(line)["value"] for line in capfdbinary.readouterr().out.splitlines()]
    assert found == [None, None]


def test_budgets_that_are_none_are_refused(folder, capfdbinary):
    assert main(["compare", "gold.jsonl", "A.jsonl", "--budget", "many"]) == 2
    assert b"expected numbers above 0" in capfdbinary.readouterr().err
    assert main(["compare", "gold.jsonl", "A.jsonl", "--budget", "5", "--unit", "pages"]) == 2
    assert b"unknown unit 'pages'" in capfdbinary.readouterr().err


@pytest.mark.parametrize("runs", [[], ["A.jsonl", "B.jsonl", "A.jsonl"]])
def test_runs_that_are_none_or_twice_are_refused(folder, capfdbinary, runs):
    assert main(["compare", "gold.jsonl", *runs, "--budget", "500"]) == 2
    said = b"A.jsonl: given twice" if runs else b"gold.jsonl: no run was given"
    assert capfdbinary.readouterr().err.startswith(b"spanwise: error: " + said)


def test_the_page_counts_in_the_unit_of_the_budget(folder, capfdbinary):
    words = ["compare", "gold.jsonl", "A.jsonl", "B.jsonl", "--budget", "500"]
    assert main([*words, "--html", "page.html"]) == 0
    page = (folder / "page.html").read_text()
    ranking = json.loads(part_of(page, "topic-0"))[0]["runs"]["0"]
    header = json.loads(part_of(page, "all"))["headers"][ranking["head"]]
    columns = dict(zip(header[-len(ranking["cells"]) :], ranking["cells"], strict=True))
    # rank 2 holds 200 relevant characters and rank 3 another 100; the budget ends inside rank 2
    assert columns["read"][:3] == ["400", "800", "1200"]
    assert columns["new"][:3] == ["200", "200", "100"]
    assert ranking["ends"] == [500]


def part_of(page, name):
    """One of the compressed parts of a page."""
    packed = page.partition(f'id="data-{name}">')[2].partition("<")[0]
    return gzip.decompress(base64.b64decode(packed))


def test_chunks_without_offsets_are_found_and_that_is_said(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    text = "".join(f"Sentence number {n} says something. " for n in range(50))
    (tmp_path / "docs" / "d.txt").write_text(text)
    quote = "Sentence number 20 says something."
    lines(tmp_path / "gold.jsonl", [{"qid": "q", "doc": "d", "spans": [{"text": quote}]}])
    chunks = [
        {"qid": "q", "rank": 1, "doc": "d", "s": -1, "text": text[600:800]},
        {"qid": "q", "rank": 2, "doc": "d", "s": 0, "e": 100, "text": text[:100]},
        {"qid": "q", "rank": 3, "doc": "gone", "s": 0, "e": 9},
    ]
    lines(tmp_path / "run.jsonl", chunks)
    files = ["gold.jsonl", "run.jsonl", "--collection", "docs"]
    assert main(["check", *files, "--format", "json"]) == 1  # a document is missing
    gold, run = json.loads(capfdbinary.readouterr().out)["files"]
    assert gold["placements"]["exact"] == 1
    assert (run["placements"]["exact"], run["placements"]["shifted"]) == (1, 1)
    assert main(["compare", *files, "--budget", "300", "--format", "json"]) == 0
    said = " ".join(json.loads(capfdbinary.readouterr().out)["warnings"])
    assert "33.3 % of the chunks of run had no valid offset; 33.3 % were re-placed" in said
    assert main(["compare", *files, "--budget", "300"]) == 0
    table = capfdbinary.readouterr().out.decode()
    assert "run: chunks placed in their documents: 1 exact, 1 shifted of 2" in table
    assert "1 of 3 results of run name documents that the collection does not have" in said


def test_what_is_lost_and_what_is_re_placed_are_told_apart(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.txt").write_text("The cap is high. Notices go by post.")
    lines(tmp_path / "gold.jsonl", [{"qid": "q", "doc": "d", "spans": [{"s": 17, "e": 36}]}])
    chunks = [
        {"qid": "q", "rank": 1, "doc": "d", "s": 0, "e": 19, "text": "Notices go by post."},
        {"qid": "q", "rank": 2, "doc": "d", "text": "nothing of that kind"},
        {"qid": "q", "rank": 3, "doc": "d", "s": 0, "e": 7},
        {"qid": "q", "rank": 4, "doc": "d", "s": 0, "e": 7, "text": "The cap"},
    ]
    lines(tmp_path / "run.jsonl", chunks)
    words = ["compare", "gold.jsonl", "run.jsonl", "--collection", "docs", "--budget", "30"]
    assert main([*words, "--format", "json"]) == 0
    said = json.loads(capfdbinary.readouterr().out)["warnings"]
    assert (
        "50 % of the chunks of run had no valid offset; 25 % were re-placed by their text,"
        " 1 is unplaced."
    ) in said


def test_a_contradiction_at_a_small_budget_is_said(tmp_path, monkeypatch, capfdbinary):
    """At 40 characters both have everything; at 10 the one that hit@5 and nDCG@5 prefer loses."""
    monkeypatch.chdir(tmp_path)
    spans = {"q1": [(0, 10)], "q2": [(20, 30)]}
    gold = [{"qid": q, "doc": "d", "spans": [{"s": s, "e": e} for s, e in some]}
            for q, some in spans.items()]  # fmt: skip
    lines(tmp_path / "gold.jsonl", gold)
    small = {"q1": [(0, 10)], "q2": [(30, 40), (20, 30)]}
    large = {"q1": [(90, 95), (0, 20)], "q2": [(10, 30)]}
    for name, run in (("small", small), ("large", large)):
        results = [
            {"qid": q, "rank": rank, "doc": "d", "s": s, "e": e}
            for q, some in run.items()
            for rank, (s, e) in enumerate(some, start=1)
        ]
        lines(tmp_path / f"{name}.jsonl", results)
    words = ["compare", "gold.jsonl", "small.jsonl", "large.jsonl", "--format", "json"]
    assert main([*words, "--budget", "10,40"]) == 0
    said = " ".join(json.loads(capfdbinary.readouterr().out)["warnings"])
    assert "the other way" not in said  # both touch at ranks 1 and 2
    lines(tmp_path / "large.jsonl", [
        {"qid": "q1", "rank": 1, "doc": "d", "s": 5, "e": 25},
        {"qid": "q1", "rank": 2, "doc": "d", "s": 0, "e": 5},
        {"qid": "q2", "rank": 1, "doc": "d", "s": 10, "e": 30},
    ])  # fmt: skip
    assert main([*words, "--budget", "10,40"]) == 0
    said = " ".join(json.loads(capfdbinary.readouterr().out)["warnings"])
    assert "better for large, but within 10 characters small finds 0.500" in said


@pytest.mark.parametrize(
    "question",
    [
        {"id": "q", "question": "How?", "quotes": ["Notices go by post."]},
        {"qid": "q", "query": "How?", "doc": "d", "quotes": ["Notices go by post."]},
        {"qid": "q", "query": "How?", "spans": [{"text": "Notices go by post."}]},
    ],
)
def test_questions_with_quotes_are_enough(tmp_path, monkeypatch, capfdbinary, question):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.txt").write_text("The cap is high. Notices go by post.")
    lines(tmp_path / "gold.jsonl", [question])
    lines(tmp_path / "run.jsonl", [{"qid": "q", "text": "by post."}])
    assert main(["check", "gold.jsonl", "--collection", "docs"]) == 0
    said = capfdbinary.readouterr().out.decode()
    assert "quotes placed in their documents: all 1 exact" in said
    assert "nothing relevant" not in said
    files = ["gold.jsonl", "run.jsonl", "--collection", "docs"]
    assert main(["eval", *files, "-m", "SpanR", "--format", "jsonl"]) == 0
    assert json.loads(capfdbinary.readouterr().out)["value"] == 8 / 19


def test_texts_are_found_in_folders_whose_files_share_their_names(tmp_path, capfdbinary):
    (tmp_path / "docs" / "more").mkdir(parents=True)
    (tmp_path / "docs" / "readme.md").write_text("The cap is high. Notices go by post.")
    (tmp_path / "docs" / "more" / "readme.md").write_text("Rent is due monthly.")
    sample = {"user_input": "How?", "reference_contexts": ["Notices go by post."],
              "retrieved_contexts": ["Rent is due monthly.", "Notices go by post."]}  # fmt: skip
    lines(tmp_path / "samples.jsonl", [sample])
    files = [str(tmp_path / "samples.jsonl")] * 2 + ["--collection", str(tmp_path / "docs")]
    assert main(["eval", *files, "-m", "FirstEvidence", "--format", "jsonl"]) == 0
    assert json.loads(capfdbinary.readouterr().out)["value"] == len("Rent is due monthly.")


def test_a_sweep_makes_its_runs_itself(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    names = ["alpha", "beta", "gamma", "delta"]
    for name in names:
        (tmp_path / "docs" / f"{name}.txt").write_text(
            "Filler words here. " * 20 + f"The {name} value is important. " + "More filler. " * 20
        )
    gold = [
        {"qid": name, "query": f"{name} value", "doc": name,
         "spans": [{"text": f"The {name} value is important."}]}
        for name in names
    ]  # fmt: skip
    lines(tmp_path / "gold.jsonl", gold)
    words = ["sweep", "gold.jsonl", "--collection", "docs", "--budget", "200,800"]
    words += ["--sizes", "100,200", "--overlaps", "0,50", "--chunker", "fixed"]
    words += ["--chunker", "sentence", "--retriever", "bm25", "--runs", "made", "--format", "json"]
    assert main(words) == 0
    found = json.loads(capfdbinary.readouterr().out)
    values = {(one["run"], one["measure"]): one["value"] for one in found["scores"]}
    assert values["sentence-200/0 bm25", "SpanR(budget=800)"] == 1
    assert len({run for run, _ in values}) == 8
    assert (tmp_path / "made" / "fixed-100-50-bm25.jsonl").is_file()
    assert all(value is None or value <= 1 for (_, m), value in values.items() if "R" in m)
