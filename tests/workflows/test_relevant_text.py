"""Which text is painted as relevant, whatever was judged."""

import pytest

from spanwise.collection import opened
from spanwise.formats import read_judgements
from spanwise.matching.placing import placed_judgements
from spanwise.model.spans import UNKNOWN
from spanwise.workflows.explain import relevant_text

ARTICLE = "<article><sec><p>first</p><p>second</p></sec><sec>third</sec></article>"
#                             0-5        5-11            11-16


@pytest.fixture
def relevant(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.xml").write_text(ARTICLE)
    texts = opened(tmp_path / "texts")

    def relevant(judged, name=b"a", collection=texts):
        (tmp_path / "judged").write_text(judged)
        judgements = placed_judgements(read_judgements(tmp_path / "judged"), collection)
        spans, entry = relevant_text(judgements, b"1", name, collection)
        return list(zip(spans.starts.tolist(), spans.ends.tolist(), strict=True)), entry

    return relevant


def test_highlighted_text_and_its_entry(relevant):
    assert relevant("1 Q0 a 6 16 5 5:6\n") == ([(5, 11)], 5)
    assert relevant("1 Q0 a 6 16 5 5:6\n", b"b") == ([], UNKNOWN)


def test_the_smallest_elements_that_were_judged_relevant(relevant):
    path = "<path path='/article[1]{}' exhaustiveness='{}' specificity='1'/>"
    parts = [("", 1), ("/sec[1]", 2), ("/sec[1]/p[2]", 3), ("/sec[1]/p[1]", 0), ("/sec[2]", 1)]
    inside = "".join(path.format(*part) for part in parts)
    judged = f"<assessments pool='1' topic='1'><file file='a'>{inside}</file></assessments>"
    assert relevant(judged) == ([(5, 11), (11, 16)], UNKNOWN)
    assert relevant(judged, collection=None) == ([], UNKNOWN)


def test_all_of_a_relevant_document(relevant):
    assert relevant("1 0 a 2\n") == ([(0, 16)], UNKNOWN)
    assert relevant("1 0 a 0\n") == ([], UNKNOWN)
    assert relevant("1 0 a 1\n", collection=None) == ([], UNKNOWN)
