"""Runs and judgements without topic ids, and questions that nothing answers."""

import csv
import gzip
import json
import random
import warnings

import pytest

import spanwise
from shared_data import shared
from spanwise.cli import main
from spanwise.errors import InputError, SpanwiseWarning, UsageError
from spanwise.judge.pooling import contributions
from spanwise.matching.topics import folded

TEXTS = {
    "cats": "Cats sleep all day long and purr at night.",  # 42 characters
    "dogs": "Dogs bark at the mail carrier every morning.",
    "fish": "Fish swim in circles in their bowls.",
}
QUOTES = {
    "What do cats do?": ["Cats sleep all day long"],
    "What do dogs do?": ["Dogs bark at the mail carrier"],
    "What do fish do?": ["Fish swim in circles"],
    "Why is the sky blue?": [],
}
CONTEXTS = {
    "What do cats do?": [TEXTS["cats"]],
    "What do dogs do?": ["Dogs bark"],
    "What do fish do?": ["in their bowls"],
    "Why is the sky blue?": ["purr at night", "every morning"],
}
RECALL = {"1": 1.0, "2": len("Dogs bark") / len("Dogs bark at the mail carrier"), "3": 0.0}
ORDERS = [[0, 1, 2, 3], [3, 1, 0, 2], [2, 3, 1, 0]]


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def samples(field, texts, *, ids=None):
    found = [{"question": question, field: some} for question, some in texts.items()]
    return found if ids is None else [{"id": i, **one} for i, one in zip(ids, found, strict=True)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "docs" / f"{name}.txt").write_text(text)
    lines(tmp_path / "gold.jsonl", samples("reference_contexts", QUOTES))
    lines(tmp_path / "run.jsonl", samples("contexts", CONTEXTS))
    return tmp_path


@pytest.fixture
def ask(folder, capfdbinary):
    def ask(*words, status=0):
        capfdbinary.readouterr()
        assert main([*words, "--collection", "docs"]) == status
        out, err = capfdbinary.readouterr()
        return out.decode(), err.decode()

    return ask


def by_topic(out):
    found = [json.loads(line) for line in out.splitlines()]
    return {one["topic"]: one["value"] for one in found}


# By the text of the question ----------------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("change", [str, str.upper, lambda one: f" {one}".replace(" ", "\u00a0 ")])
def test_lines_may_stand_in_any_order_and_be_spelt_otherwise(folder, ask, order, change):
    rows = samples("contexts", CONTEXTS)
    lines(
        folder / "run.jsonl", [rows[n] | {"question": change(rows[n]["question"])} for n in order]
    )
    words = ["eval", "gold.jsonl", "run.jsonl", "-m", "SpanR", "-q", "--format", "jsonl"]
    out, err = ask(*words)
    assert by_topic(out) == pytest.approx(RECALL | {"4": None, "all": sum(RECALL.values()) / 3})
    assert "questions" not in err


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ｗｈａｔ？", "what?"),
        ("Straße", "STRASSE"),
        ("e\u0301tat", "\u00c9TAT"),
        (" a\t\n b ", "A\u2003B"),
        ("ﬁn", "FIN"),
    ],
)
def test_what_makes_questions_equal(one, other):
    assert folded(one) == folded(other)
    assert folded(one) != folded(one + "x")


def test_ids_count_where_both_sides_state_them(folder, ask):
    """The ids contradict the questions, so the recall of two topics is that of another's text."""
    lines(folder / "gold.jsonl", samples("reference_contexts", QUOTES, ids="abcd"))
    lines(folder / "run.jsonl", samples("contexts", CONTEXTS, ids="bacd"))
    out, _ = ask("eval", "gold.jsonl", "run.jsonl", "-m", "SpanR", "-q", "--format", "jsonl")
    assert by_topic(out) == {"a": 0, "b": 0, "c": 0, "d": None, "all": 0}


def test_ids_of_one_side_do_not_count(folder, ask):
    """RAGChecker numbers from 0, RAGAS states no ids; and the other way round."""
    results = [
        {"query_id": str(n), "query": one["question"],
         "retrieved_context": [{"text": text} for text in one["contexts"]]}
        for n, one in enumerate(samples("contexts", CONTEXTS))
    ]  # fmt: skip
    (folder / "checker.json").write_text(json.dumps({"results": results[::-1]}))
    words = ["-m", "SpanR", "-q", "--format", "jsonl"]
    out, _ = ask("eval", "gold.jsonl", "checker.json", *words)
    assert {t: v for t, v in by_topic(out).items() if t in RECALL} == pytest.approx(RECALL)
    lines(folder / "named.jsonl", samples("reference_contexts", QUOTES, ids="4321"))
    out, _ = ask("eval", "named.jsonl", "run.jsonl", *words)
    renamed = {"4": RECALL["1"], "3": RECALL["2"], "2": RECALL["3"], "1": None}
    assert {t: v for t, v in by_topic(out).items() if t != "all"} == pytest.approx(renamed)


def test_some_entries_with_ids_are_refused(folder, ask):
    rows = samples("contexts", CONTEXTS)
    lines(folder / "run.jsonl", [{"id": "x", **rows[0]}, rows[1]])
    _, err = ask("eval", "gold.jsonl", "run.jsonl", status=2)
    assert "run.jsonl:2: an entry without an id after others with ids" in err
    lines(folder / "run.jsonl", [{"id": "x", **rows[0]}, {"id": "x", **rows[1]}])
    _, err = ask("eval", "gold.jsonl", "run.jsonl", status=2)
    assert "run.jsonl:2: topic 'x' a second time; expected each topic once" in err


@pytest.mark.parametrize("words", [["--workers", "2"], []])
def test_packed_files_and_processes_give_the_same(folder, ask, words):
    plain = (folder / "run.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "other.jsonl.gz").write_bytes(gzip.compress(b"".join(plain[::-1])))
    runs = ["run.jsonl", "other.jsonl.gz"]
    out, _ = ask("eval", "gold.jsonl", *runs, "-m", "SpanR", "--format", "json", *words)
    assert out.count(json.dumps(sum(RECALL.values()) / 3)) == 2


def test_every_command_matches_by_question(folder, ask):
    lines(folder / "run.jsonl", samples("contexts", CONTEXTS)[::-1])
    mean = sum(RECALL.values()) / 3
    measure = "SpanR(budget=1000)"
    out, _ = ask("compare", "gold.jsonl", "run.jsonl", "--format", "json", "-m", measure)
    assert json.loads(out)["scores"][0]["value"] == pytest.approx(mean)
    out, _ = ask("compare", "gold.jsonl", "run.jsonl", "--budget", "1000", "--format", "json")
    scores = {one["measure"]: one["value"] for one in json.loads(out)["scores"]}
    assert scores[measure] == pytest.approx(mean)
    out, _ = ask("explain", "gold.jsonl", "run.jsonl", "-m", measure, "--topic", "1")
    assert f"{measure} = 1.0000" in out
    lines(folder / "same.jsonl", samples("contexts", CONTEXTS))
    lines(folder / "less.jsonl", samples("contexts", CONTEXTS | {"What do cats do?": ["purr"]}))
    words = ["gate", "gold.jsonl", "run.jsonl", "--baseline", "same.jsonl", "-m", measure]
    out, _ = ask(*words, "--min", "0.4", "--by", "mean", "--format", "json")
    assert json.loads(out)["verdicts"][0]["before"] == pytest.approx(mean)
    ask(*words, "--min", "0.5", status=1)
    words = ["plot", "differences", "gold.jsonl", "run.jsonl", "less.jsonl", "-m", measure]
    ask(*words, "-o", "values.json")
    drawn = json.loads((folder / "values.json").read_text())
    rows = drawn["data"]["values"]
    assert sorted(abs(one["difference"]) for one in rows) == pytest.approx([0, 0, 1])


def test_python_matches_by_question():
    gold = [{"question": question, "quotes": quotes} for question, quotes in QUOTES.items()]
    mixed = dict(reversed(CONTEXTS.items()))
    keyed = {question.upper(): texts for question, texts in mixed.items()}
    listed = [{"question": question, "contexts": texts} for question, texts in mixed.items()]
    frame = [{"question": q, "text": text} for q, texts in mixed.items() for text in texts]
    import polars as pl

    for run in (keyed, listed, pl.DataFrame(frame)):
        scores = spanwise.evaluate(gold, run, "SpanR", collection=TEXTS)
        found = {topic: values["SpanR"] for topic, values in scores.per_topic.items()}
        assert {topic: found[topic] for topic in RECALL} == pytest.approx(RECALL)
        assert found["4"] != found["4"]
    tables = [
        pl.DataFrame({"user_input": list(texts), name: list(texts.values())})
        for texts, name in ((QUOTES, "reference_contexts"), (mixed, "retrieved_contexts"))
    ]
    for read in (pl.DataFrame, pl.DataFrame.to_pandas):
        scores = spanwise.evaluate(*map(read, tables), "SpanR", collection=TEXTS)
        assert {t: scores.per_topic[t]["SpanR"] for t in RECALL} == pytest.approx(RECALL)
    named = spanwise.evaluate(QUOTES, keyed, "SpanR", collection=TEXTS)
    assert named.per_topic["What do cats do?"]["SpanR"] == 1


def test_a_function_is_asked_the_judged_questions():
    gold = [{"question": question, "quotes": quotes} for question, quotes in QUOTES.items()]
    scores = spanwise.evaluate(gold, {"it": CONTEXTS.__getitem__}, "SpanR", collection=TEXTS)
    assert scores["it"].per_topic["1"]["SpanR"] == 1


def test_shuffled_lines_of_chromas_questions(tmp_path):
    """The first reference of each question is returned; its share of all is the recall."""
    data = shared("data", "spans", "chroma-chunking", "questions_df.csv")
    rows = list(csv.DictReader(data.read_text("utf-8").splitlines(keepends=True)))
    rows = [row for row in rows if row["corpus_id"] == "state_of_the_union"]
    expected = []
    for row in rows:
        spans = [{*range(r["start_index"], r["end_index"])} for r in json.loads(row["references"])]
        expected.append(len(spans[0]) / len(set().union(*spans)))
    with (tmp_path / "gold.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, rows[0].keys())
        table.writeheader()
        table.writerows(rows)
    run = [
        {"question": row["question"], "contexts": [json.loads(row["references"])[0]["content"]]}
        for row in rows
    ]
    random.Random(1).shuffle(run)
    lines(tmp_path / "run.jsonl", run)
    texts = {rows[0]["corpus_id"]: (data.parent / "state_of_the_union.md").read_text("utf-8")}
    scores = spanwise.evaluate(
        tmp_path / "gold.csv", tmp_path / "run.jsonl", "SpanR", collection=texts
    )
    found = [scores.per_topic[str(n)]["SpanR"] for n in range(1, len(rows) + 1)]
    assert found == pytest.approx(expected)


# What is not in both ------------------------------------------------------------------------------


def test_unmatched_questions_are_counted_and_named(folder, ask):
    quotes = {f"Question {n}?": ["Fish"] for n in range(5)} | QUOTES
    contexts = {"New?": ["Fish"]} | CONTEXTS | {"Question 4?": ["Fish"]}
    lines(folder / "gold.jsonl", samples("reference_contexts", quotes))
    lines(folder / "run.jsonl", samples("contexts", contexts))
    _, err = ask("compare", "gold.jsonl", "run.jsonl", "--budget", "50", "--html", "page.html")
    extra = "run.jsonl: 1 of 6 questions are not in gold.jsonl ('New?')"
    named = "'Question 0?', 'Question 1?', 'Question 2?', ..."
    missing = f"gold.jsonl: 4 of 9 questions are not in run.jsonl ({named})"
    assert [line for line in err.splitlines() if "questions" in line] == [
        f"spanwise: warning: {extra}",
        f"spanwise: warning: {missing}",
    ]
    out, _ = ask("compare", "gold.jsonl", "run.jsonl", "--budget", "50", "--format", "json")
    assert {f"run: {extra}", f"run: {missing}"} <= set(json.loads(out)["warnings"])
    page = (folder / "page.html").read_text().replace("&#39;", "'").replace("&#x27;", "'")
    assert extra in page
    assert missing in page


@pytest.mark.parametrize("command", [["eval"], ["compare"], ["compare", "--budget", "50"]])
def test_more_than_half_unmatched_is_an_error(folder, ask, command):
    """Of either side; half is not more than half."""
    measure = [] if "--budget" in command else ["-m", "SpanR"]
    lines(folder / "run.jsonl", samples("contexts", CONTEXTS)[:2])
    ask(*command, "gold.jsonl", "run.jsonl", *measure)
    lines(folder / "run.jsonl", samples("contexts", CONTEXTS)[:1])
    out, err = ask(*command, "gold.jsonl", "run.jsonl", *measure, status=2)
    assert not out
    assert "gold.jsonl: 3 of 4 questions are not in run.jsonl ('What do dogs do?', " in err
    assert "pass --average-over both" in err
    strangers = {f"Stranger {n}": ["Fish"] for n in range(5)}
    lines(folder / "run.jsonl", samples("contexts", CONTEXTS | strangers))
    _, err = ask(*command, "gold.jsonl", "run.jsonl", *measure, status=2)
    assert "run.jsonl: 5 of 9 questions are not in gold.jsonl ('Stranger 0', " in err
    ask(*command, "gold.jsonl", "run.jsonl", *measure, "--average-over", "both")


def test_the_average_over_both_is_that_of_the_matched(folder, ask):
    lines(folder / "run.jsonl", samples("contexts", CONTEXTS)[1:2])
    words = ["eval", "gold.jsonl", "run.jsonl", "-m", "SpanR", "--average-over", "both"]
    out, err = ask(*words, "-q", "--format", "jsonl")
    assert by_topic(out) == pytest.approx({"2": RECALL["2"], "all": RECALL["2"]})
    assert "gold.jsonl: 3 of 4 questions are not in run.jsonl" in err
    lines(folder / "run.jsonl", [{"question": "Else?", "contexts": ["Fish"]}])
    _, err = ask(*words, status=2)
    assert "run.jsonl: 1 of 1 questions are not in gold.jsonl ('Else?')" in err


def test_an_unmatched_entry_is_no_judged_topic(folder, ask):
    """The second entry is not the second question."""
    rows = samples("contexts", CONTEXTS | {"New?": ["Dogs bark at the mail carrier"]})
    lines(folder / "run.jsonl", [rows[0], rows[4], rows[2]])
    out, _ = ask("eval", "gold.jsonl", "run.jsonl", "-m", "SpanR", "-q", "--format", "jsonl")
    assert by_topic(out) == pytest.approx({"1": 1, "2": 0, "3": 0, "4": None, "all": 1 / 3})


def test_an_empty_answer_is_an_answer(folder, ask):
    """The question is in the run, so its recall of 0 counts in the mean over both."""
    lines(folder / "run.jsonl", samples("contexts", CONTEXTS | {"What do dogs do?": []}))
    out, err = ask(
        *("eval", "gold.jsonl", "run.jsonl", "-m", "SpanR"),
        *("--average-over", "both", "-q", "--format", "jsonl"),
    )
    assert by_topic(out) == pytest.approx({"1": 1, "2": 0, "3": 0, "4": None, "all": 1 / 3})
    assert "missing from the run" not in err


# Equal questions ----------------------------------------------------------------------------------

TWICE = [
    {"question": "What do cats do?", "reference_contexts": ["Cats sleep"]},
    {"question": "Other?", "reference_contexts": ["Fish swim"]},
    {"question": "what do  CATS do?", "reference_contexts": ["purr at night"]},
]


def test_judgements_with_equal_questions_are_refused_unless_ids_are_stated(folder, ask):
    lines(folder / "gold.jsonl", TWICE)
    returned = [{"question": one["question"], "contexts": ["purr at night"]} for one in TWICE]
    lines(folder / "run.jsonl", returned[1:])
    _, err = ask("eval", "gold.jsonl", "run.jsonl", status=2)
    assert "gold.jsonl: entries 1 and 3 have the same question 'What do cats do?'" in err
    lines(folder / "gold.jsonl", [{"id": i, **one} for i, one in zip("abc", TWICE, strict=True)])
    lines(folder / "run.jsonl", [{"id": i, **one} for i, one in zip("abc", returned, strict=True)])
    words = ["eval", "gold.jsonl", "run.jsonl", "-m", "SpanR", "-q", "--format", "jsonl"]
    out, _ = ask(*words)
    assert by_topic(out) == pytest.approx({"a": 0, "b": 0, "c": 1, "all": 1 / 3})
    lines(folder / "run.jsonl", returned[1:])
    _, err = ask(*words, status=2)
    assert "gold.jsonl: topics a and c have the same question" in err


def test_a_question_that_is_answered_twice_is_refused(folder, ask):
    rows = samples("contexts", CONTEXTS)
    lines(folder / "run.jsonl", [*rows, rows[1] | {"question": " WHAT do dogs do?"}])
    _, err = ask("eval", "gold.jsonl", "run.jsonl", status=2)
    assert "run.jsonl: entries 2 and 5 have the same question 'WHAT do dogs do?'" in err


def test_fused_runs_share_questions_and_not_places(folder):
    """Each run has the other's questions in another order; the texts are those of the question."""
    rows = samples("contexts", CONTEXTS)
    lines(folder / "other.jsonl", rows[::-1])
    fused = spanwise.fuse(["run.jsonl", "other.jsonl"])
    assert set(fused.rows.topics) == {question.encode() for question in CONTEXTS}
    read = contributions(["run.jsonl", "other.jsonl"])
    assert {topic for run in read.runs for topic in run.rows.topics} == set(fused.rows.topics)
    lines(folder / "named.jsonl", [{"id": "x", **rows[0]}])
    with pytest.raises(InputError, match=r"run\.jsonl states no topic ids"):
        spanwise.fuse(["run.jsonl", "named.jsonl"])


# By order -----------------------------------------------------------------------------------------


def test_order_counts_only_if_it_is_asked_for(folder, ask):
    """Moved on by one, no text is that of its question."""
    rows = samples("contexts", CONTEXTS)
    lines(folder / "run.jsonl", [*rows[1:], rows[0]])
    words = ["eval", "gold.jsonl", "run.jsonl", "-m", "SpanR", "-q", "--format", "jsonl"]
    assert by_topic(ask(*words)[0])["1"] == 1
    assert by_topic(ask(*words, "--match", "order")[0]) == {
        "1": 0, "2": 0, "3": 0, "4": None, "all": 0,
    }  # fmt: skip
    assert "|match:order|" in ask("eval", "gold.jsonl", "run.jsonl", "--match", "order")[0]
    _, err = ask("explain", *words[1:5], "--topic", "2", "--match", "order")
    lines(folder / "run.jsonl", rows[:3])
    _, err = ask(*words, "--match", "order", status=2)
    assert "run.jsonl: number of entries 3, but 4 topics in gold.jsonl" in err


def test_order_has_no_effect_on_ids(folder, ask):
    lines(folder / "gold.jsonl", samples("reference_contexts", QUOTES, ids="abcd"))
    lines(folder / "run.jsonl", samples("contexts", CONTEXTS, ids="abcd"))
    for command in (["eval"], ["compare"], ["compare", "--budget", "50"]):
        _, err = ask(*command, "gold.jsonl", "run.jsonl", "--match", "order", status=2)
        assert "--match order has no effect on run.jsonl: topics have ids there" in err


def test_a_file_that_could_be_cut_is_matched_as_a_whole(folder, monkeypatch):
    """Ids of a run against judgements without ids, in pieces of a few bytes and in one."""
    results = [
        {"qid": f"topic {n}", "doc": "cats", "s": 0, "e": n + 1} for n in range(3) for _ in range(1)
    ]
    lines(folder / "spans.jsonl", results)
    gold = [{"question": f"{n}?", "quotes": ["Cats sleep"], "doc": "cats"} for n in range(3)]
    expected = {"1": 1 / 10, "2": 2 / 10, "3": 3 / 10}
    monkeypatch.setattr("spanwise.evaluation.plan.piece_size", lambda: 40)
    monkeypatch.setattr("spanwise.evaluation.prepare.piece_size", lambda: 40)
    (folder / "spans.jsonl.gz").write_bytes(gzip.compress((folder / "spans.jsonl").read_bytes()))
    for file in ("spans.jsonl", "spans.jsonl.gz"):
        scores = spanwise.evaluate(gold, file, "SpanR", collection=TEXTS, match="order")
        found = {topic: values["SpanR"] for topic, values in scores.per_topic.items()}
        assert found == pytest.approx(expected)


def test_lists_of_chunks_need_an_order():
    gold = [{"id": i, "question": q, "quotes": t} for i, (q, t) in enumerate(QUOTES.items())]
    run = list(CONTEXTS.values())
    chroma = {"ids": [["x"] * len(texts) for texts in run], "documents": run}
    for source in (run, chroma):
        with pytest.raises(InputError, match=r"neither topic ids nor questions.*--match order"):
            spanwise.evaluate(gold, source, "SpanR", collection=TEXTS)
        scores = spanwise.evaluate(gold, source, "SpanR", collection=TEXTS, match="order")
        assert scores.per_topic["1"]["SpanR"] == pytest.approx(RECALL["2"])
        compared = spanwise.compare(
            gold, {"it": source}, collection=TEXTS, match="order", budget=[1000]
        )
        value = compared.diff("1")["it"]["SpanR(budget=1000)"]
        assert value == pytest.approx(RECALL["2"])
    with pytest.raises(UsageError, match="unknown match 'line'"):
        spanwise.evaluate(gold, run, "SpanR", collection=TEXTS, match="line")


def test_judgements_without_questions_are_not_matched_in_silence(folder, ask):
    (folder / "qrels.txt").write_text("1 0 cats 1\n2 0 dogs 1\n")
    _, err = ask("eval", "qrels.txt", "run.jsonl", status=2)
    assert "run.jsonl states no topic ids, and qrels.txt states no questions" in err


def test_several_files_without_ids_are_numbered_through(folder, ask):
    """Each file begins with its first question; they are different topics."""
    (folder / "gold").mkdir()
    rows = samples("reference_contexts", QUOTES)
    lines(folder / "gold" / "a.jsonl", rows[:1])
    lines(folder / "gold" / "b.jsonl", rows[1:])
    out, _ = ask("eval", "gold", "run.jsonl", "-m", "SpanR", "-q", "--format", "jsonl")
    assert by_topic(out) == pytest.approx(RECALL | {"4": None, "all": sum(RECALL.values()) / 3})


# Questions that nothing answers -------------------------------------------------------------------

NOTHING = ["Abstain(budget=20)", "ReadForNothing(budget=20)", "ReadForNothing", "SpanR"]
UNANSWERED = {
    "ragas": '{"question": "Q?", "reference_contexts": []}\n'
    '{"question": "Cats?", "reference_contexts": ["Cats sleep"]}\n'
    '{"question": "Not judged?"}\n',
    "span_qrels": '{"id": "1", "question": "Q?", "quotes": []}\n'
    '{"qid": "2", "query": "Cats?", "doc": "cats", "spans": [{"s": 0, "e": 10}]}\n',
    "legalbench": '{"tests": [{"query": "Q?", "snippets": []}, {"query": "Cats?", "snippets":'
    ' [{"file_path": "cats", "span": [0, 10]}]}]}\n',
    "chroma_csv": "question,references,corpus_id\nQ?,[],\n"
    'Cats?,"[{""content"": ""Cats sleep"", ""start_index"": 0, ""end_index"": 10}]",cats\n',
}


@pytest.mark.parametrize("kind", UNANSWERED)
def test_an_empty_list_states_that_nothing_answers(folder, ask, kind):
    """20 of the 32 characters are within the budget."""
    (folder / "gold").write_text(UNANSWERED[kind])
    rows = [
        {"question": "Q?", "contexts": ["purr at night", "no such text at all"]},
        {"question": "Cats?", "contexts": ["Cats sleep"]},
    ]
    lines(folder / "run.jsonl", rows)
    words = [word for name in NOTHING for word in ("-m", name)]
    words = ["--format", "json", "--judgements-format", kind, *words]
    out, err = ask("eval", "gold", "run.jsonl", *words)
    found = {one["measure"]: one["value"] for one in flat(out)}
    assert found == {NOTHING[0]: 0, NOTHING[1]: 20, NOTHING[2]: 32, "SpanR": 1}
    assert "1 topic with nothing relevant, left out" in err + out
    rows[0]["contexts"] = []
    lines(folder / "run.jsonl", rows)
    found = {
        one["measure"]: one["value"] for one in flat(ask("eval", "gold", "run.jsonl", *words)[0])
    }
    assert found == {NOTHING[0]: 1, NOTHING[1]: 0, NOTHING[2]: 0, "SpanR": 1}


def flat(out):
    """The means in the JSON that eval prints."""
    content = json.loads(out)
    (run,) = content if isinstance(content, list) else content["runs"]
    return [{"measure": name, "value": value} for name, value in run["means"].items()]


def test_evidence_that_was_not_found_is_evidence(folder):
    """A quote that the collection lacks does not make its topic one without evidence."""
    gold = [
        {"question": "Lost?", "quotes": ["Words that stand in none of the documents"]},
        {"question": "None?", "quotes": []},
        {"question": "Cats?", "quotes": ["Cats sleep"]},
    ]
    run = {"Lost?": ["purr"], "None?": ["purr", "every"], "Cats?": ["Fish"]}
    with pytest.warns(SpanwiseWarning, match="found only 1 of the 2 quotes in the documents"):
        scores = spanwise.evaluate(gold, run, ["ReadForNothing", "Abstain"], collection=TEXTS)
    assert scores.means == {"ReadForNothing": 9, "Abstain": 0}
    assert scores.counts == {"ReadForNothing": 1, "Abstain": 1}
    assert set(scores.per_topic) == {"1", "2", "3"}
    assert "ReadForNothing, Abstain: over 1 topic without evidence" in scores.notes


@pytest.mark.parametrize("empty", ["skip", "zero", "as-is"])
@pytest.mark.parametrize("annotators", ["union", "intersection", "mean"])
def test_answered_topics_never_count(empty, annotators):
    spans = [{"s": 0, "e": 9, "doc": "cats", "by": "x"}, {"s": 0, "e": 4, "doc": "cats", "by": "y"}]
    gold = [{"id": "a", "spans": spans}, {"id": "b", "spans": []}]
    run = {"a": [("cats", 0, 30)], "b": [("dogs", 0, 7)]}
    scores = spanwise.evaluate(
        gold, run, ["ReadForNothing"], collection=TEXTS, empty=empty, annotators=annotators
    )
    assert scores.means == {"ReadForNothing": 7}
    assert scores.counts == {"ReadForNothing": 1}


def test_without_such_topics_there_is_no_mean():
    scores = spanwise.evaluate(
        {"q": ["Cats sleep"]}, {"q": [("cats", 0, 9)]}, "Abstain", collection=TEXTS
    )
    assert scores.counts == {"Abstain": 0}
    assert scores.means["Abstain"] != scores.means["Abstain"]


def test_claims_without_evidence_are_judged():
    claims = [
        {"id": 1, "claim": "c", "label": "SUPPORTS", "evidence": [[[1, 2, "Page", 3]]]},
        {"id": 2, "claim": "d", "label": "NOT ENOUGH INFO", "evidence": [[[1, None, None, None]]]},
    ]
    from same_content import parsed

    gold = parsed("".join(json.dumps(one) + "\n" for one in claims), "fever")
    run = {"1": {"Page#3": 1.0}, "2": {"Page#4": 2.0, "Page#5": 1.0}}
    found = spanwise.evaluate(gold, run, ["SpanR", "ReadForNothing", "Abstain"]).means
    assert found == {"SpanR": 1, "ReadForNothing": 2, "Abstain": 0}


def test_a_misspelt_document_does_not_make_a_topic_without_evidence(folder, ask):
    (folder / "gold.jsonl").write_text('{"qid": "1", "docs": "cats", "spans": []}\n')
    ask("eval", "gold.jsonl", "run.jsonl", "--judgements-format", "span_qrels", status=2)


def test_topics_without_evidence_are_kept_by_a_conversion(folder):
    lines(folder / "gold.jsonl", samples("reference_contexts", QUOTES, ids="abcd"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpanwiseWarning)
        assert main(["convert", "gold.jsonl", "out.jsonl", "--to", "span_qrels"]) == 0
    run = dict(zip("abcd", CONTEXTS.values(), strict=True))
    for file in ("gold.jsonl", "out.jsonl"):
        scores = spanwise.evaluate(file, run, "ReadForNothing", collection=TEXTS)
        assert scores.means == {"ReadForNothing": 26}


@pytest.mark.parametrize("kind", ["span_run", "span_run_parquet"])
def test_a_run_without_ids_keeps_its_questions_when_it_is_converted(folder, ask, kind):
    """The numbers of its entries are not those of the judgements, as these are in another order."""
    lines(folder / "run.jsonl", samples("contexts", CONTEXTS)[::-1])
    assert main(["convert", "run.jsonl", "spans", "--to", kind]) == 0
    words = ["-m", "SpanR", "-q", "--format", "jsonl"]
    out, _ = ask("eval", "gold.jsonl", "spans", *words)
    assert {t: v for t, v in by_topic(out).items() if t in RECALL} == pytest.approx(RECALL)


def results_by_question(order=reversed):
    """A line for each result, with a question in place of an id."""
    return [
        {"question": question, "rank": rank, "text": context}
        for question, contexts in order(list(CONTEXTS.items()))
        for rank, context in enumerate(contexts, start=1)
    ]


@pytest.mark.parametrize("head", [[], [{"format": "span-run/1", "run": "mine"}]])
@pytest.mark.parametrize("piece", [1 << 20, 50])
def test_lines_of_results_may_state_questions_in_place_of_ids(
    folder, ask, head, piece, monkeypatch
):
    """Such a file is not cut, because entries are counted through it."""
    monkeypatch.setattr("spanwise.evaluation.plan.piece_size", lambda: piece)
    monkeypatch.setattr("spanwise.evaluation.prepare.piece_size", lambda: piece)
    words = ["-m", "SpanR", "-q", "--format", "jsonl"]
    rows = results_by_question()
    mixed = random.Random(2).sample(rows, len(rows))
    lists = [
        {"question": question, "results": [{"text": text} for text in texts]}
        for question, texts in reversed(CONTEXTS.items())
    ]
    for some in (rows, mixed, lists):
        lines(folder / "run.jsonl", [*head, *some])
        out, err = ask("eval", "gold.jsonl", "run.jsonl", *words)
        assert by_topic(out) == pytest.approx(RECALL | {"4": None, "all": sum(RECALL.values()) / 3})
        assert "not read" not in err
    lines(folder / "run.jsonl", [*head, *rows[:-1]])
    _, err = ask("eval", "gold.jsonl", "run.jsonl", *words)
    assert "gold.jsonl: 1 of 4 questions are not in run.jsonl ('What do cats do?')" in err


@pytest.mark.parametrize("named", [0, 1, 2])
def test_lines_of_results_with_and_without_ids_are_refused(folder, ask, named):
    rows = results_by_question()
    rows[named] = {"qid": "x", **rows[named]}
    lines(folder / "run.jsonl", rows)
    _, err = ask("eval", "gold.jsonl", "run.jsonl", status=2)
    found = "an entry without an id after others with ids" if not named else "the id 'x' after"
    assert f"run.jsonl:{max(named, 1) + 1}: {found}" in err


def test_a_line_with_neither_id_nor_question_is_named(folder, ask):
    rows = results_by_question()
    lines(folder / "run.jsonl", [rows[0], {"rank": 1, "text": "Cats sleep"}])
    _, err = ask("eval", "gold.jsonl", "run.jsonl", status=2)
    assert "run.jsonl:2: no 'qid'; expected" in err


@pytest.mark.parametrize("kind", ["span_qrels", "span_qrels_parquet"])
@pytest.mark.parametrize("questions", [list(QUOTES), list(QUOTES)[3:]])
def test_topics_without_evidence_are_kept_on_the_way_there_and_back(folder, kind, questions):
    """Also if nothing answers any question; read are 13 characters for each."""
    gold = {question: QUOTES[question] for question in questions}
    lines(folder / "gold.jsonl", samples("reference_contexts", gold, ids="abcd"[-len(gold) :]))
    returned = {question: CONTEXTS[question] for question in reversed(questions)}
    lines(folder / "run.jsonl", samples("contexts", returned))
    names = ["SpanR", "ReadForNothing", "Abstain"]
    due = {"ReadForNothing": len("purr at night" + "every morning"), "Abstain": 0}
    if len(gold) > 1:
        due["SpanR"] = sum(RECALL.values()) / 3
    at, files = "gold.jsonl", []
    for target in (kind, "span_qrels", kind):
        file = f"{len(files)}.{target}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SpanwiseWarning)
            assert main(["convert", at, file, "--to", target]) == 0
        at = file
        files.append(file)
    for file in ("gold.jsonl", *files):
        scores = spanwise.evaluate(file, "run.jsonl", names, collection=TEXTS, average_over="both")
        assert {n: v for n, v in scores.means.items() if v == v} == pytest.approx(due)
        assert scores.topics == tuple("abcd"[-len(gold) :])


# Bad input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("contexts", ["[]", "null", '[""]', '[" "]'])
def test_contexts_may_be_empty(folder, ask, contexts):
    rows = [json.dumps(one) for one in samples("contexts", CONTEXTS)[:3]]
    rows.append(f'{{"question": "Why is the sky blue?", "contexts": {contexts}}}')
    (folder / "run.jsonl").write_text("\n".join(rows))
    out, _ = ask("eval", "gold.jsonl", "run.jsonl", "-m", "SpanR", "-q", "--format", "jsonl")
    assert by_topic(out) == pytest.approx(RECALL | {"4": None, "all": sum(RECALL.values()) / 3})


def test_a_run_that_returns_nothing_at_all_is_named(folder, ask):
    lines(folder / "run.jsonl", [one | {"contexts": []} for one in samples("contexts", CONTEXTS)])
    _, err = ask("eval", "gold.jsonl", "run.jsonl", status=2)
    assert "run.jsonl: no results; expected" in err


def test_a_context_longer_than_its_document_is_read(folder, ask):
    """The characters around the document are read too; 999 fit in the budget."""
    whole = {question: ["x" * 2000 + TEXTS["cats"] + "y" * 2000] for question in CONTEXTS}
    lines(folder / "run.jsonl", samples("contexts", whole))
    out, _ = ask(
        *("eval", "gold.jsonl", "run.jsonl", "-m", "Read(budget=999)", "-q", "--format", "jsonl")
    )
    assert by_topic(out) == {"1": 999, "2": 999, "3": 999, "4": None, "all": 999}


def test_a_collection_of_other_documents(folder, ask, capfdbinary):
    (folder / "others").mkdir()
    (folder / "others" / "cats.txt").write_text("An entirely different text about the weather.")
    capfdbinary.readouterr()
    words = ["eval", "gold.jsonl", "run.jsonl", "-m", "SpanR", "--collection", "others"]
    assert main(words) == 0
    out, err = capfdbinary.readouterr()
    assert b"lost" in out + err
