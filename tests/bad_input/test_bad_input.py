"""Bad and unusual files: the right numbers, or one line that says where and why."""

import json
import math
import time
from collections.abc import Callable
from typing import NamedTuple

import pytest

from bad_input.cases import (
    CASES,
    JUDGED,
    MINE,
    Case,
    Refused,
    Values,
)

PROMPT = 30  # seconds; a hang takes minutes, a good answer a fraction of one

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


class Answer(NamedTuple):
    status: int
    out: bytes
    err: str

    @property
    def complaints(self) -> list[str]:
        return self.err.splitlines()


Ask = Callable[..., Answer]


@pytest.fixture
def ask(tmp_path, monkeypatch, capfdbinary) -> Ask:
    """Write a case's files and put a question to the command line, beside them."""
    from spanwise.cli import main

    monkeypatch.chdir(tmp_path)

    def asked(case: Case, *words: str) -> Answer:
        names = {"QRELS": JUDGED + case.suffix, "RUN": MINE + case.suffix}
        (tmp_path / names["QRELS"]).write_bytes(case.qrels)
        (tmp_path / names["RUN"]).write_bytes(case.run)
        start = time.perf_counter()
        status = main([names.get(word, word) for word in words])
        assert time.perf_counter() - start < PROMPT
        out, err = capfdbinary.readouterr()
        return Answer(status, out, err.decode())

    return asked


def evaluate(ask: Ask, case: Case, measure: str = "AP") -> Answer:
    return ask(case, "eval", "QRELS", "RUN", "-m", measure, "-q", "--format", "jsonl")


def with_mean(values: Values) -> Values:
    """Topics in byte order, then the mean of those that are defined."""
    defined = [value for value in values.values() if value is not None]
    return {topic: values[topic] for topic in sorted(values)} | {"all": sum(defined) / len(defined)}


def assert_accepted(answer: Answer) -> None:
    assert all(line.startswith("spanwise: warning: ") for line in answer.complaints), answer.err
    assert answer.status == 0


def assert_refused(answer: Answer, refused: Refused) -> None:
    (line,) = answer.complaints
    assert line.startswith("spanwise: error: ")
    assert any(blames(line, place) for place in refused.places), line
    assert answer.out == b""
    assert answer.status == 2


def blames(line: str, place: str) -> bool:
    """Whether the message is about FILE:LINE, or mentions FILE if that is all there is to say."""
    return line.startswith(f"spanwise: error: {place}:") if ":" in place else place in line


def test_the_table_is_complete():
    assert len({case.name for case in CASES}) == len(CASES) == 57


@every_case
def test_eval(ask, case):
    answer = evaluate(ask, case)
    if isinstance(case.wanted, Refused):
        assert_refused(answer, case.wanted)
        return
    assert_accepted(answer)
    rows = [json.loads(line) for line in answer.out.splitlines()]
    want = with_mean(case.wanted)
    assert [row["topic"] for row in rows] == list(want)
    assert {row["topic"]: row["value"] for row in rows} == pytest.approx(want)
    assert all(row.keys() == {"run", "topic", "measure", "value"} for row in rows)
    assert {(row["run"], row["measure"]) for row in rows} == {("mine", "AP")}


@every_case
def test_trec_eval(ask, case):
    answer = ask(case, "trec_eval", "-c", "-q", "-m", "map", "QRELS", "RUN")
    want = case.wanted_of_dropin
    if isinstance(want, Refused):
        assert len(answer.complaints) == 1, answer.err
        assert b"\tall\t" not in answer.out  # topics done before the error may have been printed
        assert answer.status == want.status or (want.status is None and answer.status != 0)
        return
    assert_accepted(answer)
    lines = [f"{'map':22}\t{topic}\t{value:.4f}\n" for topic, value in with_mean(want).items()]
    assert answer.out.decode() == "".join(lines)


@pytest.mark.parametrize("file", ["qrels", "run"])
def test_an_underscore_is_no_digit_in_either_file(ask, file):
    both = next(case for case in CASES if case.name == "score 1_0 / grade 1_0")
    place = {"qrels": "judged.txt:2", "run": "mine.txt:3"}[file]
    one = Case(f"{file} with 1_0", **{file: getattr(both, file)})
    assert_refused(evaluate(ask, one), Refused((place,)))


def test_a_huge_grade_is_no_burden_to_ndcg(ask):
    huge = next(case for case in CASES if case.name == "grade 2000000000")
    answer = evaluate(ask, huge, "nDCG")
    assert_accepted(answer)
    values = {row["topic"]: row["value"] for row in map(json.loads, answer.out.splitlines())}
    assert values["1"] == pytest.approx(1 / math.log2(3))  # beside it, dog's grade is nothing
