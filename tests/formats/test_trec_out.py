"""Writing the TREC formats: what they hold, and what is said of the rest."""

import pytest

from same_content import parsed, plain, written
from spanwise.errors import InputError
from spanwise.formats import FORMATS

PARTS = """\
{"format": "span-run/1", "run": "two words", "header": {"run-id": "x", "task": "Focused"}}
{"qid": "1", "doc": "a", "s": 0, "e": 9, "score": 3}
{"qid": "1", "doc": "a", "s": 20, "e": 29, "score": 2}
{"qid": "1", "doc": "b", "element": "/b[1]", "score": 1}
{"qid": "2", "doc": "a", "s": 0, "e": 9, "score": 1}
{"qid": "2", "doc": "b", "s": 0, "e": 9, "score": 4}
"""


def test_a_run_is_ordered_by_score():
    run = parsed(b"1 Q0 b 1 -2.5 me\n1 Q0 a 2 inf me\n", "trec_run")
    assert written(run, "trec_run") == b"1 Q0 a 2 inf me\n1 Q0 b 1 -2.5 me\n"
    assert FORMATS["trec_run"].loses(run) == {}


def test_the_first_part_stands_for_its_document_and_order_beats_scores():
    run = parsed(PARTS, "span_run")
    assert written(run, "trec_run").decode().splitlines() == [
        "1 Q0 a 1 3.0 two_words",
        "1 Q0 b 2 1.0 two_words",
        "2 Q0 a 1 2.0 two_words",
        "2 Q0 b 2 1.0 two_words",
    ]
    assert FORMATS["trec_run"].loses(run) == {
        "element paths": 1,
        "passages by offset": 4,
        "entries of the header": 1,
        "blanks in the name of the run, written as _": 1,
        "further parts of documents that are already in the run": 1,
        "scores in conflict with the order of the file, which was kept": 2,
    }


def test_stated_ranks_are_kept_and_missing_ones_counted_up():
    data = PARTS.replace('"doc": "b", "element"', '"rank": 30, "doc": "b", "element"')
    lines = written(parsed(data, "span_run"), "trec_run").decode().splitlines()
    assert [line.split()[3] for line in lines] == ["1", "30", "1", "2"]


def test_judgements_with_and_without_assessors():
    judgements = parsed(b"1 ann a 2\n1 bob a 0.5\n2 ann b -1\n", "qrels_jg")
    assert written(judgements, "qrels_jg") == b"1 ann a 2\n1 bob a 0.5\n2 ann b -1\n"
    assert FORMATS["qrels_jg"].loses(judgements) == {}
    assert written(judgements, "qrels") == b"1 0 a 2\n1 0 a 0.5\n2 0 b -1\n"
    assert FORMATS["qrels"].loses(judgements) == {"names of assessors": 3}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ('{"qid": "1", "doc": "a b", "score": 1}', "id 'a b' cannot be written in columns"),
        ('{"qid": "", "doc": "a", "score": 1}', "id '' cannot be written in columns"),
        ('{"qid": "#1", "doc": "a", "score": 1}', "topic '#1' cannot be written"),
        ('{"qid": "1", "doc": "a\\u0000", "score": 1}', "cannot be written in columns"),
    ],
)
def test_ids_that_would_not_be_columns_are_refused(record, message):
    run = parsed(record + "\n", "span_run")
    with pytest.raises(InputError, match=message):
        written(run, "trec_run")


def test_bytes_of_ids_are_never_decoded():
    run = parsed(b"\xff Q0 caf\xe9 1 0.1 n\xe4me\n", "trec_run")
    assert plain(parsed(written(run, "trec_run"), "trec_run")) == plain(run)
