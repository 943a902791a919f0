"""The outputs in trec_eval's own test directory, byte for byte."""

import pytest

from shared_data import shared
from spanwise.cli import main

NINE_MEASURES = [
    *("-miprec_at_recall..10,.20,.25,.75,.50", "-m", "P.5,7,3", "-m", "recall.20,2000"),
    *("-m", "Rprec_mult.5.0,0.2,0.35", "-mutility.2,-1,0,0", "-m", "11pt_avg..25,.5,.75"),
    *("-mndcg.1=3,2=9,4=4.5", "-mndcg_cut.10,20,23.4", "-msuccess.2,5,20"),
]
ALL = ["-m", "all_trec"]
PREFS = ["-m", "all_prefs", "-q", "-R", "prefs"]
ASSESSORS = ["-m", "qrels_jg", "-q", "-R", "qrels_jg"]
COMMANDS = [  # options, judgements, results, expected output
    ([], "qrels.test", "results.test", "out.test"),
    ([], "qrels.test.with-comments", "results.test", "out.test"),
    ([], "qrels.comment.test", "results.comment.test", "out.comment.test"),
    (ALL, "qrels.test", "results.test", "out.test.a"),
    ([*ALL, "-q"], "qrels.test", "results.test", "out.test.aq"),
    ([*ALL, "-q", "-c"], "qrels.test", "results.trunc", "out.test.aqc"),
    ([*ALL, "-q", "-c", "-M100"], "qrels.test", "results.trunc", "out.test.aqcM"),
    ([*ALL, "-mrelstring.20", "-q", "-l2"], "qrels.rel_level", "results.test", "out.test.aql"),
    (PREFS, "prefs.test", "prefs.results.test", "out.test.prefs"),
    (PREFS, "prefs.comment.test", "prefs.results.test", "out.test.prefs"),
    ([*PREFS[:-1], "qrels_prefs"], "qrels.test", "results.test", "out.test.qrels_prefs"),
    (ASSESSORS, "qrels.123", "results.test", "out.test.qrels_jg"),
    (ASSESSORS, "qrels.comments.123", "results.test", "out.test.qrels_jg"),
    (["-q", *NINE_MEASURES], "qrels.test", "results.test", "out.test.meas_params"),
    (["-q", *ALL, "-Z", "zscores_file"], "qrels.test", "results.test", "out.test.aqZ"),
]


@pytest.mark.parametrize(
    ("options", "judgements", "results", "expected"),
    COMMANDS,
    ids=[f"{command[3]} of {command[1]}" for command in COMMANDS],
)
def test_published_output(capfdbinary, options, judgements, results, expected):
    words = [str(shared("data", "trec_eval", w)) if w == "zscores_file" else w for w in options]
    files = [str(shared("data", "trec_eval", name)) for name in (judgements, results)]
    status = main(["trec_eval", *words, *files])
    out, err = capfdbinary.readouterr()
    assert status == 0
    assert b"error" not in err  # what it says there beside is its own affair
    assert out == shared("data", "trec_eval", expected).read_bytes()
