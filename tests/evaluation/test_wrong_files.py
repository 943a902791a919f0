"""Comparisons of files that do not belong together, or are not what was meant.

Each is answered with a message that names the file, what was found, and what to do.
"""

import json

import pytest

from spanwise.cli import main

CATS = "Cats sleep all day long and purr at night."  # 42 characters
DOGS = "Dogs bark at the mail carrier every morning."  # 44 characters
GOLD = [
    {"id": "1", "question": "Cats?", "quotes": ["Cats sleep"]},
    {"id": "2", "question": "Dogs?", "quotes": ["Dogs bark"]},
]
OFFSETS = [
    {"qid": "1", "rank": 1, "doc": "cats", "s": 0, "e": 20},
    {"qid": "2", "rank": 1, "doc": "dogs", "s": 0, "e": 20},
]
TEXTS = [
    {"qid": "1", "rank": 1, "doc": "cats", "text": "Cats sleep all day"},
    {"qid": "2", "rank": 1, "doc": "dogs", "text": "Dogs bark at the"},
]


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "cats.txt").write_text(CATS)
    (tmp_path / "docs" / "dogs.txt").write_text(DOGS)
    lines(tmp_path / "gold.jsonl", GOLD)
    lines(tmp_path / "run.jsonl", OFFSETS)
    return tmp_path


@pytest.fixture
def compare(folder, capfd):
    """Compare at a budget; return the JSON object, or the error that is due."""

    def compare(*files, budget="15", collection="docs", words=(), error=False):
        capfd.readouterr()
        options = ["--collection", collection, "--budget", budget, *words, "--json"]
        status = main(["compare", *(files or ("gold.jsonl", "run.jsonl")), *options])
        out, err = capfd.readouterr()
        assert status == (2 if error else 0)
        assert "Traceback" not in err
        return err if error else json.loads(out)

    return compare


def values(found):
    return {(one["run"], one["measure"]): one["value"] for one in found["scores"]}


# Documents ----------------------------------------------------------------------------------------


def test_a_collection_that_has_none_of_the_evidence(folder, compare):
    """Topics whose evidence is not found leave all means."""
    (folder / "others").mkdir()
    (folder / "others" / "weather.txt").write_text("It rains in spring.")
    found = compare(collection="others")
    said = " ".join(found["warnings"])
    assert "judgements: found none of the 2 quotes in the documents; expected all" in said
    assert "check whether these texts come from another corpus" in said
    assert "2 of 2 results of run name documents that the collection does not have" in said
    assert values(found)["run", "SpanR(budget=15)"] is None


def test_evidence_that_is_not_found(folder, compare):
    lines(folder / "gold.jsonl", [GOLD[0], {**GOLD[1], "quotes": ["Unicorns fly"]}])
    found = compare()
    (said,) = [one for one in found["warnings"] if one.startswith("judgements")]
    assert "found only 1 of the 2 quotes in the documents; expected all" in said
    assert values(found)["run", "SpanR(budget=15)"] == 1  # over the topic that is left


def test_evidence_that_is_found_is_no_warning(compare):
    assert not [one for one in compare()["warnings"] if "quotes" in one]


def test_a_collection_with_other_texts_under_the_same_names(folder, compare):
    """Judgements with offsets cannot tell, but the texts of the chunks can."""
    (folder / "others").mkdir()
    for name in ("cats", "dogs"):
        (folder / "others" / f"{name}.txt").write_text("It rains in spring, and in autumn too.")
    lines(folder / "gold.jsonl", [
        {"qid": topic, "doc": name, "spans": [{"s": 0, "e": 9}]}
        for topic, name in (("1", "cats"), ("2", "dogs"))
    ])  # fmt: skip
    lines(folder / "run.jsonl", TEXTS)
    found = compare(collection="others")
    said = " ".join(found["warnings"])
    assert "run: found none of the 2 chunks in the documents; expected texts from these" in said
    assert values(found)["run", "SpanR(budget=15)"] == 0


def test_a_run_that_names_documents_in_another_way(folder, compare):
    """Offsets in unknown documents hold nothing; texts are found without the name."""
    lines(folder / "run.jsonl", [{**one, "doc": f"{one['doc']}.md"} for one in OFFSETS])
    found = compare()
    said = " ".join(found["warnings"])
    assert "2 of 2 results of run name documents that the collection does not have" in said
    assert "check whether it belongs to this run, and whether both name documents" in said
    assert values(found)["run", "SpanR(budget=15)"] == 0
    lines(folder / "run.jsonl", [{**one, "doc": f"{one['doc']}.md"} for one in TEXTS])
    found = compare()
    assert values(found)["run", "SpanR(budget=15)"] == 1
    assert not any("name documents" in one for one in found["warnings"])


def test_an_empty_collection(folder, compare):
    (folder / "none").mkdir()
    assert "none: the folder has no files; expected at least one" in compare(
        collection="none", error=True
    )
    (folder / "none" / "blank.txt").write_text("")
    said = compare(collection="none", error=True)
    assert "blank.txt: the file is empty; expected text" in said.replace("\\", "/")


def test_a_chunk_that_is_longer_than_its_document(folder, compare, capfd):
    """By offsets: 40 of 42 characters are read within the budget, and the excess is reported."""
    lines(folder / "run.jsonl", [{**OFFSETS[0], "s": 2, "e": 2000}, OFFSETS[1]])
    words = ["compare", "gold.jsonl", "run.jsonl", "--collection", "docs", "--budget", "2000"]
    assert main(words) == 0
    assert "results that reach past the end of their document: 1 ('cats')" in capfd.readouterr().out
    # 8 of the 10 relevant characters are among these 40, so the mean is that of 0.8 and 1
    assert values(compare(budget="20"))["run", "SpanR(budget=20)"] == pytest.approx(0.9)


# Questions ----------------------------------------------------------------------------------------


def test_a_question_without_text(folder, compare):
    lines(folder / "gold.jsonl", [
        {"question": "", "reference_contexts": ["Cats sleep"]},
        {"question": "Dogs?", "reference_contexts": ["Dogs bark"]},
    ])  # fmt: skip
    run = [{"question": "Cats?", "contexts": ["Cats"]}, {"question": "Dogs?", "contexts": ["Dogs"]}]
    lines(folder / "run.jsonl", run)
    said = " ".join(compare()["warnings"])
    assert "run.jsonl: 1 of 2 questions are not in gold.jsonl ('Cats?')" in said
    assert "gold.jsonl: 1 of 2 questions are not in run.jsonl ('entry 1')" in said
    some = [{"reference_contexts": ["Cats"]}, {"question": "Dogs?", "reference_contexts": ["Dogs"]}]
    lines(folder / "gold.jsonl", some)
    assert "gold.jsonl: line 1: no 'user_input'; expected" in compare(error=True)


def test_equal_questions_and_empty_contexts(folder, compare):
    gold = [{"question": q, "reference_contexts": ["Cats sleep"]} for q in ("Cats?", " CATS?")]
    lines(folder / "gold.jsonl", gold)
    lines(folder / "run.jsonl", [{"question": "Cats?", "contexts": ["Cats"]}])
    assert "gold.jsonl: entries 1 and 2 have the same question 'Cats?'" in compare(error=True)
    lines(folder / "gold.jsonl", GOLD)
    lines(folder / "run.jsonl", [
        {"question": "Cats?", "contexts": []}, {"question": "Dogs?", "contexts": ["", DOGS]},
    ])  # fmt: skip
    found = values(compare(budget="10"))
    # nothing is read for one topic, and 1 character of blank text and then 9 for the other
    assert found["run", "SpanR(budget=10)"] == pytest.approx(0.5)


# Choices ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "budget", ["0", "-5", "nan", "abc", "", "500,", "inf", "1e400", "500,-0.0"]
)
def test_a_budget_that_is_no_positive_number(compare, budget):
    assert f"budget '{budget}'; expected numbers above 0, such as 500,2000" in compare(
        budget=budget, error=True
    )


@pytest.mark.parametrize(
    ("given", "due"),
    [
        ("mine=chunks.jsonl", "unknown run of --chunks 'mine'; expected one of run"),
        ("chunks.jsonl", "--chunks chunks.jsonl: found no name; expected NAME=FILE"),
        ("run=none.jsonl", "none.jsonl: cannot be opened"),
    ],
)
def test_chunks_that_belong_to_no_run(folder, compare, given, due):
    lines(folder / "chunks.jsonl", [{"doc": "cats", "s": 0, "e": 42}])
    assert due in compare(words=["--chunks", given], error=True)
