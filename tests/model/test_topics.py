"""Topics: which of their fields is a query, and where it stood."""

import pytest

from spanwise.model.topics import Context, Topic, Topics


@pytest.mark.parametrize(
    ("topic", "field"),
    [
        (Topic("1", title="wind"), None),
        (Topic("1", title="wind", castitle="//sec[about(., wind)]"), "castitle"),
        (Topic("1", title="wind", castitle=""), None),
        (Topic("1", title="//sec", query_type="CAS"), "title"),
        (Topic("1", title="//sec", query_type="vcas"), "title"),
        (Topic("1", title="wind", query_type="CO+S"), None),
        (Topic("1", title="wind", query_type="CAS", contexts=(Context("wind"),)), None),
        (Topic("1", title="wind", query_type="CAS", targets=("sec",)), None),
        (Topic("1", query_type="CAS"), None),
    ],
)
def test_structured(topic, field):
    assert topic.structured == field


def test_lines():
    topic = Topic("1", castitle="//a\n[about(.,\nx)]", lines={"id": 3, "castitle": 5})
    assert [topic.line("castitle", at) for at in (0, 3, 4, 14)] == [5, 5, 6, 7]
    assert topic.line("id") == 3
    assert topic.line("title") is None


def test_lines_are_no_part_of_what_a_topic_says():
    assert Topic("1", lines={"id": 3}) == Topic("1")
    assert hash(Topic("1", lines={"id": 3})) == hash(Topic("1"))


def test_by_id():
    topics = Topics("here", (Topic("b"), Topic("a")))
    assert topics["a"] == Topic("a")
    assert [topic.id for topic in topics] == ["b", "a"]
    assert len(topics) == 2
    with pytest.raises(KeyError):
        topics["c"]
