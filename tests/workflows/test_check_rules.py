"""`spanwise check --task`: violations with line, topic and rank, and repaired runs."""

import json
import os

import pytest

RUN = (
    "1 Q0 a 1 9 mine 0 100\n"
    "1 Q0 b 2 8 mine 0 50\n"
    "1 Q0 a 3 7 mine 50 100\n"
    "2 Q0 a 1 9 mine 0 600\n"
    "2 Q0 a 2 8 mine 700 10\n"
    "2 Q0 a 3 7 mine X X\n"
)


@pytest.fixture
def passages(folder):
    (folder / "passages.run").write_text(RUN)
    return folder / "passages.run"


@pytest.fixture
def check(ask, passages):
    def check(task, *words):
        return ask("check", "--task", task, passages.name, *words)

    return check


def test_a_violation_is_a_problem_with_line_topic_and_rank(check):
    answer = check("focused")
    assert answer.status == 1
    assert answer.text.splitlines() == [
        "passages.run:3: topic '1', rank 3: result 'a' 50:100 overlaps the one at rank 1",
        "passages.run:6: topic '2', rank 3: result 'a' could not be placed in its document",
        "passages.run: 2 problems",
    ]


@pytest.mark.parametrize(
    ("task", "rules"),
    [
        ("thorough", ["unplaced"]),
        ("CO.Thorough", ["unplaced"]),
        ("ric", ["overlap", "grouping", "unplaced"]),
        ("bic", ["one-per-document", "one-per-document", "unplaced", "one-per-document"]),
        ("restricted-ric", ["overlap", "grouping", "document-characters", "unplaced"]),
    ],
)
def test_each_task_has_its_rules(check, task, rules):
    answer = check(task, "--format", "json")
    (file,) = json.loads(answer.out)["files"]
    assert [problem["rule"] for problem in file["problems"]] == rules


def test_the_same_for_programs(check):
    (file,) = json.loads(check("focused", "--format", "json").out)["files"]
    assert file["problems"][0] == {
        "line": 3,
        "message": "topic '1', rank 3: result 'a' 50:100 overlaps the one at rank 1",
        "topic": "1",
        "rank": 3,
        "rule": "overlap",
    }


def test_a_run_that_keeps_the_rules_is_fine(ask, folder):
    (folder / "good.run").write_text("1 Q0 a 1 9 mine 0 100\n")
    answer = ask("check", "--task", "focused", "good.run")
    assert (answer.status, answer.text) == (
        0,
        "good.run: fine (inex_run: 1 lines of data, 1 topics)\n",
    )


def test_documents_that_are_there_twice_are_told_once(ask, folder):
    (folder / "twice.run").write_text("1 Q0 a 1 9 mine\n1 Q0 a 2 8 mine\n")
    answer = ask("check", "--task", "ric", "twice.run")
    assert answer.text.splitlines() == [
        "twice.run:2: topic '1', rank 2: result 'a' already occurs at rank 1",
        "twice.run: 1 problem",
    ]


def test_what_cannot_be_checked_is_said(ask, folder):
    (folder / "paths.run").write_text("1 Q0 a 1 9 mine /article[1]/p[1]\n")
    answer = ask("check", "--task", "restricted-focused", "paths.run")
    assert answer.status == 0
    assert "remark: results of unknown size, not counted in characters: 1\n" in answer.text


def test_judgements_beside_the_run_have_no_rules(ask, passages):
    answer = ask("check", "--task", "thorough", "--limit", "2", "qrels.txt", passages.name)
    assert answer.status == 1
    assert "qrels.txt: fine" in answer.text
    assert "topic '1', rank 3: 3 results; at most 2 are allowed" in answer.text


def test_spans_that_end_after_their_documents_are_remarked_on(ask, folder):
    (folder / "text.qrels").write_text("1 Q0 a 10 100 0 0:10\n1 Q0 b 0 60\n2 Q0 a 0 100\n")
    (folder / "odd.run").write_text("1 Q0 a 1 9 m 50 51\n1 Q0 b 2 8 m 0 60\n1 Q0 c 3 7 m 0 99\n")
    answer = ask("check", "text.qrels", "odd.run")
    assert answer.status == 0
    told = "odd.run: remark: results that reach past the end of their document: 1"
    assert told in answer.text.splitlines()


# Repair -------------------------------------------------------------------------------------


def test_a_repaired_run_is_written_and_told(check, ask, folder):
    answer = check("focused", "--fix", "out.run")
    assert answer.status == 1
    assert answer.err.splitlines() == [
        "spanwise: repaired: results that could not be placed, removed: 1 (unplaced)",
        "spanwise: repaired: results that overlapped a better ranked one, removed: 1 (overlap)",
        "spanwise: repaired: out.run: 4 of 6 results",
    ]
    assert (folder / "out.run").read_text() == (
        "1 Q0 a 1 9 mine 0 100\n"
        "1 Q0 b 2 8 mine 0 50\n"
        "2 Q0 a 1 9 mine 0 600\n"
        "2 Q0 a 2 8 mine 700 10\n"
    )
    assert ask("check", "--task", "focused", "out.run").status == 0


def test_restricted_runs_are_cut(check, folder):
    check("restricted-ric", "--fix", "out.run")
    assert "2 Q0 a 1 9 mine 0 500\n" in (folder / "out.run").read_text()
    assert "700 10" not in (folder / "out.run").read_text()


def test_a_run_of_documents_is_written_as_it_was_read(ask, folder):
    (folder / "twice.run").write_text("1 Q0 a 1 9 mine\n1 Q0 a 2 8 mine\n1 Q0 b 3 7 mine\n")
    ask("check", "--task", "thorough", "twice.run", "--fix", "out.run")
    assert (folder / "out.run").read_text() == "1 Q0 a 1 9.0 mine\n1 Q0 b 2 7.0 mine\n"


def test_submissions_keep_their_header(ask, folder):
    (folder / "run.xml").write_text(
        '<inex-submission participant-id="9" run-id="mine" task="Focused" query="automatic"'
        ' result-type="element">\n<topic-fields title="yes" castitle="no" description="no"'
        ' narrative="no"/>\n<description>one</description>\n<collections><collection>wikipedia'
        '</collection></collections>\n<topic topic-id="1">\n'
        "<result><file>a</file><path>/article[1]/sec[1]</path><rank>1</rank></result>\n"
        "<result><file>a</file><path>/article[1]</path><rank>2</rank></result>\n"
        "</topic>\n</inex-submission>\n"
    )
    answer = ask("check", "--task", "focused", "run.xml", "--fix", "out.xml")
    assert "rank 2: result 'a' /article[1] overlaps the one at rank 1" in answer.text
    written = (folder / "out.xml").read_text()
    assert 'participant-id="9"' in written
    assert "/article[1]/sec[1]" in written
    assert written.count("<result>") == 1
    assert "<rank>1</rank>" in written


@pytest.mark.parametrize("words", [("--fix",), ("--fix", "-")])
def test_without_a_name_the_run_goes_to_standard_output(check, folder, words):
    answer = check("focused", *words)
    assert answer.status == 1
    assert answer.text.splitlines()[-1] == "2 Q0 a 2 8 mine 700 10"
    assert "topic '1', rank 3: result 'a' 50:100 overlaps the one at rank 1\n" in answer.err
    assert "spanwise: repaired: standard output: 4 of 6 results\n" in answer.err
    assert not (folder / "-").exists()


def test_nothing_to_repair_is_said(ask, folder):
    (folder / "good.run").write_text("1 Q0 a 1 9 mine 0 100\n")
    answer = ask("check", "--task", "focused", "good.run", "--fix", "out.run")
    assert answer.status == 0
    assert answer.err == "spanwise: repaired: out.run: 1 of 1 results, unchanged\n"


# Mistakes -----------------------------------------------------------------------------------


def test_an_unknown_task(check):
    assert check("snippets").complaint.startswith("unknown task 'snippets'; expected one of")


@pytest.mark.parametrize("words", [("--fix", "out.run"), ("--limit", "3")])
def test_a_repair_needs_a_task(ask, passages, words):
    assert "need --task" in ask("check", passages.name, *words).complaint


def test_rules_are_for_runs(ask, folder):
    assert "none of the files is a run" in ask("check", "--task", "ric", "qrels.txt").complaint


def test_one_run_is_repaired_at_a_time(ask, passages):
    answer = ask("check", "--task", "ric", "run.txt", passages.name, "--fix", "out.run")
    assert answer.status == 2
    assert "--fix writes one run, but 2 were read" in answer.err


def test_a_run_that_cannot_be_read_in_full_is_not_repaired(ask, passages, folder):
    passages.write_text(RUN + "3 Q0 a 1 high mine 0 5\n")
    answer = ask("check", "--task", "ric", passages.name, "--fix", "out.run")
    assert answer.status == 2
    assert "not repaired, because it could not be read in full" in answer.err
    assert not (folder / "out.run").exists()


def test_a_repaired_chunk_keeps_its_own_name_and_cost(folder, ask):
    (folder / "chunks.jsonl").write_text(
        '{"qid": "1", "doc": "a", "s": 0, "e": 10, "id": "A", "cost": 1, "score": 9}\n'
        '{"qid": "1", "doc": "a", "s": 5, "e": 15, "id": "B", "cost": 2, "score": 8}\n'
        '{"qid": "1", "doc": "b", "s": 0, "e": 10, "id": "C", "cost": 3, "score": 7}\n'
    )
    answer = ask("check", "--task", "focused", "chunks.jsonl", "--fix", "-")
    results = [json.loads(line) for line in answer.out.splitlines()[1:]]
    assert [(one["doc"], one["id"], one["cost"]) for one in results] == [
        ("a", "A", 1),
        ("b", "C", 3),
    ]


def test_documents_are_ranked_by_score_wherever_they_stand(folder, ask):
    """Nothing else orders them, so the two best stay, and of two alike the better one."""
    (folder / "documents.run").write_text(
        "1 Q0 a 1 1 mine\n1 Q0 b 2 9 mine\n1 Q0 c 3 5 mine\n1 Q0 b 4 7 mine\n"
    )
    words = ("check", "--task", "bic", "--limit", "2", "documents.run")
    (file,) = json.loads(ask(*words, "--format", "json").out)["files"]
    told = [(one["line"], one["rank"], one["rule"]) for one in file["problems"]]
    assert told == [(3, 3, "length"), (4, 2, "duplicate")]
    assert ask(*words, "--fix", "-").text == "1 Q0 b 1 9.0 mine\n1 Q0 c 2 5.0 mine\n"


def test_texts_are_looked_for_before_rules_apply(folder, ask):
    (folder / "texts").mkdir()
    (folder / "texts" / "a.txt").write_text("hello world this is a text about the sea")
    words = ["this is a text", "a text about", "not to be found there at all"]
    (folder / "texts.jsonl").write_text(
        "".join(json.dumps({"qid": "1", "doc": "a", "text": text}) + "\n" for text in words)
    )
    told = ask("check", "--task", "focused", "texts.jsonl")
    assert told.status == 0
    assert "texts without a stated place" in told.text
    words = ("check", "--task", "focused", "texts.jsonl", "--collection", "texts")
    (file,) = json.loads(ask(*words, "--format", "json").out)["files"]
    assert [(p["rank"], p["rule"]) for p in file["problems"]] == [(2, "overlap"), (3, "unplaced")]
    (result,) = ask(*words, "--fix", "-").out.splitlines()[1:]
    mended = {"text": "this is a text", "s": 12, "e": 26, "rank": 1}
    assert json.loads(result) == {"qid": "1", "doc": "a", **mended}


def test_a_chunk_is_cut_with_its_words(folder, ask):
    (folder / "long.jsonl").write_text(
        json.dumps({"qid": "1", "doc": "a", "s": 0, "e": 600, "text": "é" * 600, "cost": 9}) + "\n"
    )
    answer = ask("check", "--task", "restricted-ric", "long.jsonl", "--fix", "-")
    result = json.loads(answer.out.splitlines()[1])
    assert (result["s"], result["e"], result["text"]) == (0, 500, "é" * 500)
    assert "cost" not in result  # what the rest costs, nobody knows


def test_a_pipe_is_checked_and_repaired_like_a_file(passages, run_command):
    answer = run_command("check", "--task", "ric", "-", "--fix", "-", input=RUN.encode())
    assert answer.status == 1
    assert answer.out == b"1 Q0 a 1 9 mine 0 100\n1 Q0 b 2 8 mine 0 50\n" + (
        b"2 Q0 a 1 9 mine 0 600\n2 Q0 a 2 8 mine 700 10\n"
    )
    problems = [line for line in answer.err.splitlines() if line.startswith("-:")][:-1]
    assert problems == [
        "-:3: topic '1', rank 3: result 'a' 50:100 overlaps the one at rank 1",
        "-:3: topic '1', rank 3: document 'a' continues after others, last at rank 1",
        "-:6: topic '2', rank 3: result 'a' could not be placed in its document",
    ]


def test_a_named_pipe_is_opened_once(folder, run_command):
    os.mkfifo(folder / "pipe")
    lines = b"1 Q0 a 1 2 mine\n1 Q0 b 2 3 mine\n"
    write = f"open('pipe', 'wb').write({lines!r})"
    fill = f"import threading; threading.Thread(target=lambda: {write}).start()"
    answer = run_command("check", "pipe", before=fill, cwd=folder)
    assert answer.status == 0
    assert answer.text.splitlines()[-1] == "pipe: fine (trec_run: 2 lines of data, 1 topics)"


def test_standard_input_is_there_once(run_command):
    answer = run_command("check", "-", "-", input=RUN.encode())
    assert answer.status == 2
    assert answer.err == "spanwise: error: standard input (-) can be read only once\n"
