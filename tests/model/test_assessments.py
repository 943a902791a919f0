"""Columns of assessments: taking some rows, putting files together, splitting by topic."""

import numpy as np

from same_content import listed, parsed, plain
from spanwise.model.elements import UNSTATED
from spanwise.model.judgements import by_topic, combined

FIRST = """\
<assessments pool="1" topic="7"><file name="a"><path path="/x[1]" exhaustiveness="2"
specificity="3"/><path path="/x[1]/y[1]"/></file><file name="b"/></assessments>
"""
SECOND = """\
<assessments pool="2" topic="8"><file name="a"><best-entry-point path="/x[1]/y[2]"/><passage
start="/x[1]/y[2]" end="/x[1]/y[2]" size="4"/><element path="/x[1]" exhaustivity="?" size="9"
rsize="4"/></file></assessments>
"""


def both():
    parts = [parsed(data, "inex_assessments_2004") for data in (FIRST, SECOND)]
    return combined(parts, "both")


def test_files_of_different_topics_go_together():
    content = both()
    assert content.rows.topics == (b"7", b"8")
    assert listed(content.documents) == [b"a", b"b", b"a"]
    assert content.grades.tolist() == [1, 0, 1]
    said = content.elements
    assert said.elements.first.tolist() == [0, 2, 2, 3]
    assert said.elements.specificity.tolist() == [3, UNSTATED, UNSTATED]
    assert said.elements.sizes.tolist() == [-1, -1, 9]
    assert said.passages.first.tolist() == [0, 0, 0, 1]
    assert listed(said.entries) == [b"", b"", b"/x[1]/y[2]"]
    assert [pool.number for pool in said.pools] == ["1", "2"]


def test_and_come_apart_again():
    apart = dict(by_topic(both()))
    assert plain(apart[b"7"]) == plain(parsed(FIRST, "inex_assessments_2004"))
    assert plain(apart[b"8"]) == plain(parsed(SECOND, "inex_assessments_2004"))


def test_rows_are_taken_in_any_order():
    said = both().elements.at(np.array([2, 1, 0]), [1, 0])
    assert said.elements.first.tolist() == [0, 1, 1, 3]
    assert listed(said.elements.paths) == [b"/x[1]", b"/x[1]", b"/x[1]/y[1]"]
    assert said.passages.first.tolist() == [0, 1, 1, 1]
    assert [pool.number for pool in said.pools] == ["2", "1"]


def test_what_is_relevant_and_what_was_judged():
    elements = both().elements.elements
    assert elements.relevant().tolist() == [True, False, True]
    assert elements.judged().tolist() == [True, False, True]
