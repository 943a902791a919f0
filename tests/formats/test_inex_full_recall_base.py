"""All assessments in one file."""

import numpy as np
import pytest

from spanwise.errors import FormatError
from spanwise.formats import FORMATS, read_judgements
from spanwise.model.columns import text

GRADED = """<assessments pool='1' topic='{topic}'>
 <file file='a'>
  <path path='/article[1]' exhaustiveness='2' specificity='1' inferred='true'/>
  <path path='/article[1]/sec[1]' exhaustiveness='3' specificity='3'/>
 </file>
 <file file='b'>
 </file>
</assessments>"""
MARKED = """<assessments pool="1" topic="{topic}" version="2" whitespace-text-node="keep">
 <file collection="w" name="12">
  <best-entry-point path="/article[1]/p[1]"/>
  <passage start="/article[1]/p[1]" end="/article[1]/p[1]" size="10"/>
  <element path="/article[1]" exhaustivity="2" size="40" rsize="10"/>
 </file>
</assessments>"""
PARTS = ("exhaustivity", "specificity", "coverage", "sizes", "highlighted", "flags")


def contents(judgements):
    """Everything that assessments say, as plain objects."""
    said, rows = judgements.elements, judgements.rows
    return (
        [text(topic) for topic in rows.topics],
        rows.starts.tolist(),
        judgements.documents.take(np.arange(len(rows))),
        judgements.grades.tolist(),
        said.elements.first.tolist(),
        [getattr(said.elements, part).tolist() for part in PARTS],
        said.passages.sizes.tolist(),
        said.pools,
    )


@pytest.mark.parametrize("form", [GRADED, MARKED])
def test_what_is_written_is_read_again(tmp_path, form):
    for topic in ("1", "22"):
        (tmp_path / f"{topic}.xml").write_text(form.format(topic=topic))
    before = read_judgements(tmp_path)
    file = tmp_path / "all"
    file.write_bytes(b"".join(FORMATS["inex_full_recall_base"].write(before)))
    after = read_judgements(file)
    assert contents(after) == contents(before)


def test_it_is_no_file_of_topics_though_topics_stand_in_it(tmp_path):
    """As in the assessments of 2005 and later, of which a recall base is made."""
    topic = '<inex_topic topic_id="1" query_type="CO"><title>tides</title></inex_topic>'
    stated = MARKED.format(topic="1").replace("\n", "\n" + topic, 1)
    file = tmp_path / "all.xml"
    file.write_text(f"<full-recall-base>{stated}</full-recall-base>")
    recognised = [entry.name for entry in FORMATS.values() if entry.recognise(file.read_bytes())]
    assert recognised == ["inex_full_recall_base"]
    assert len(read_judgements(file).rows) == 1


def test_each_topic_has_the_form_that_holds_most_of_it(tmp_path):
    (tmp_path / "1.xml").write_text(GRADED.format(topic=1))
    (tmp_path / "22.xml").write_text(MARKED.format(topic=22))
    before, entry = read_judgements(tmp_path), FORMATS["inex_full_recall_base"]
    assert entry.loses(before) == {}
    file = tmp_path / "all"
    file.write_bytes(b"".join(entry.write(before)))
    assert contents(read_judgements(file)) == contents(before)


def test_highlighted_offsets_are_said_to_be_lost(tmp_path):
    (tmp_path / "qrels").write_text("1 Q0 a 10 40 5 5:10\n1 Q0 b 0 30\n")
    lost = FORMATS["inex_full_recall_base"].loses(read_judgements(tmp_path / "qrels"))
    assert lost["relevant documents with nothing that this format can hold"] == 1


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        (GRADED.format(topic=1) * 2, "topic '1' a second time; expected each topic once"),
        ("<other/>", "<other>"),
        ("", "expected <full-recall-base>"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, inside, message):
    file = tmp_path / "all"
    file.write_text(f"<full-recall-base>{inside}</full-recall-base>")
    with pytest.raises(FormatError, match=message):
        read_judgements(file)
