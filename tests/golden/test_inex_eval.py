"""Everything the official program of INEX 2008-2010 printed for stored inputs, printed again."""

import json
from math import isclose, isnan

import pytest

from calling import called
from shared_data import shared
from spanwise import evaluate
from spanwise.dropins.inex_eval.program import main

OPTIONS = {"c": ["-c"], "q": ["-q"], "beta1": ["-beta", "1"], "n1000": ["-n", "1000"]}
CASES = 44
NOT_TO_THE_LAST_DIGIT: set[str] = set()
"""Outputs whose values agree, but not in the last of their digits."""


def stored(folder, pattern):
    return sorted(shared("data", "inex", folder).glob(pattern))


def words_of(name):
    """Run and options behind the name of a stored output, `RUN.TASK-OPTION-OPTION.out`."""
    run, _, asked = name.removesuffix(".out").rpartition(".")
    task, *more = asked.split("-")
    return run, [f"-{task}", *(word for option in more for word in OPTIONS[option])]


def compared(mine, theirs):
    """Same lines in the same order, values equal to 1e-9; whether every byte is the same."""
    identical = mine == theirs.encode()
    mine, theirs = mine.decode().splitlines(), theirs.splitlines()
    assert [line.rpartition("\t")[0] for line in mine] == [
        line.rpartition("\t")[0] for line in theirs
    ]
    for one, other in zip(mine, theirs, strict=True):
        if one != other:
            name, value, expected = one.rpartition("\t")[0], *numbers(one, other)
            same = isclose(value, expected, rel_tol=1e-9, abs_tol=1e-9)
            assert same or (isnan(value) and isnan(expected)), (name, value, expected)
    return identical


def numbers(*lines):
    return [float(line.rpartition("\t")[2]) for line in lines]


def test_stored_outputs():
    qrels = shared("data", "inex", "qrels", "inex2009-2010-ipcs.qrels")
    outputs = stored("oracle", "*.out")
    assert len(outputs) == 23
    different = set()
    for output in outputs:
        run, options = words_of(output.name)
        printed, said, status = called(
            main, *options, qrels, shared("data", "inex", "runs", f"{run}.run")
        )
        assert (said, status) == ("", 0)
        if not compared(printed, output.read_text()):
            different.add(output.name)
    assert different == NOT_TO_THE_LAST_DIGIT


@pytest.mark.parametrize(
    ("output", "profile", "task"),
    [
        ("derived-1.thorough.t", "inex2009", "thorough"),
        ("ipcs-bert-1.fol.f", "inex2009", "focused"),
        ("derived-1.ric.r", "inex2009", "ric"),
        ("derived-1.bic.b", "inex2008", "bic"),
        ("derived-2.bic.b-n1000", "inex2007", "bic"),
        ("derived-1.ric.r-beta1", "inex2007", "ric"),
        ("derived-2.ric.i", "inex2010", "ric"),
    ],
)
def test_profiles_of_these_years_give_the_official_values(output, profile, task):
    official = shared("data", "inex", "oracle", f"{output}.out").read_text().splitlines()
    values = {line.split()[0]: float(line.split()[2]) for line in official if "\tall\t" in line}
    qrels = shared("data", "inex", "qrels", "inex2009-2010-ipcs.qrels")
    run = shared("data", "inex", "runs", f"{words_of(f'{output}.out')[0]}.run")
    means = evaluate(qrels, run, profile=profile, task=task, average_over="both").means
    assert len(means) == 5
    for name, value in means.items():
        printed = name if name in values else name.replace("@", "[") + "]"
        assert value == pytest.approx(values[printed], rel=1e-12)


def cases():
    try:
        file = shared("data", "inex", "oracle", "inex_eval-3.1-cases.json")
    except pytest.skip.Exception:
        return []
    return json.loads(file.read_text())


def test_all_cases_are_there():
    shared("data", "inex", "oracle", "inex_eval-3.1-cases.json")
    assert len(cases()) == CASES


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in cases()])
def test_case(case, tmp_path):
    (tmp_path / "qrels").write_text(case["qrels"])
    runs = [tmp_path / f"run{number}" for number, _ in enumerate(case["runs"], start=1)]
    for path, content in zip(runs, case["runs"], strict=True):
        path.write_text(content)
    printed, said, status = called(main, *case["args"], tmp_path / "qrels", *runs)
    assert status == case["returncode"]
    assert compared(printed, case["stdout"])
    rejected = "ERROR" in case["stdout"] or "Error" in case["stdout"]
    assert ("rejected" in said) == rejected
    assert ("NaN" in said) == ("NaN" in case["stdout"])
