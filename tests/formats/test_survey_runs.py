"""Runs as Terrier, Indri, Lemur and Zettair write them."""

import pytest

from spanwise import evaluate
from spanwise.formats import read_run
from spanwise.formats.registry import recognised

QRELS = {"1": {"a": 1, "b": 0, "c": 1}}
TERRIER = "1 Q0 a 0 12.5 BM25b0.75\n1 Q0 b 1 8.25 BM25b0.75\n1 Q0 c 2 7.0 BM25b0.75\n"
INDRI = "1 Q0 a 1 -4.81 indri\n1 Q0 b 2 -5.02 indri\n1 Q0 c 3 -5.3 indri\n"
ZETTAIR = "1\tQ0\ta\t1\t3.5\tzettair\n1\tQ0\tb\t2\t2.5\tzettair\n1\tQ0\tc\t3\t1.5\tzettair\n"
LEMUR = "1 a -4.81\n1 b -5.02\n1 c -5.3\n"
LEMUR_AS_C_PRINTS = "1 a 1.5e+06\n1 b 3\n1 c 2E-05\n"


@pytest.mark.parametrize(
    ("content", "form", "name"),
    [
        (TERRIER, "trec_run", "BM25b0.75"),
        (INDRI, "trec_run", "indri"),
        (ZETTAIR, "trec_run", "zettair"),
        (LEMUR, "lemur_run", "r"),
        (LEMUR_AS_C_PRINTS, "lemur_run", "r"),
    ],
)
def test_each_engine_is_read_in_its_own_convention(content, form, name, tmp_path):
    path = tmp_path / "r.txt"
    path.write_text(content)
    assert recognised(content.encode(), ("run",)).name == form
    run = read_run(path)
    assert run.name == name
    # a and c are relevant, at ranks 1 and 3: (1/1 + 2/3) / 2
    assert evaluate(QRELS, run, ["AP"]).means["AP"] == pytest.approx(5 / 6, abs=1e-12)


@pytest.mark.parametrize("content", [TERRIER, INDRI, ZETTAIR, LEMUR])
def test_each_engines_run_passes_the_check(content, tmp_path):
    from spanwise.workflows.check import checked

    path = tmp_path / "r.txt"
    path.write_text(content)
    assert not checked(str(path), None).problems


def test_a_score_that_is_none_is_named(tmp_path):
    path = tmp_path / "r.txt"
    path.write_text("1 a 2.5\n1 b x\n")
    with pytest.raises(Exception, match=r"r\.txt:2: .*'x'"):
        read_run(path, "lemur_run")
