"""Files of groups: lines or tables, and what is wrong in them."""

import pytest

from spanwise.errors import FormatError
from spanwise.formats.groups import read_groups


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("g.txt", "q1 law\nq2 patent claims\n", {"group": {"q1": "law", "q2": "patent claims"}}),
        ("g.txt", "q1\tlaw\nq2\tnews\n", {"group": {"q1": "law", "q2": "news"}}),
        ("g.txt", "topic\tkind\nq1\tlaw\n", {"kind": {"q1": "law"}}),
        ("g.csv", "id,kind\nq1,law\n", {"kind": {"q1": "law"}}),
        ("g", "id,kind,size\nq1,law,\nq2,,big\n", {"kind": {"q1": "law"}, "size": {"q2": "big"}}),
        ("g.tsv", "x\ty\tz\nq1\ta\tb\n", {"y": {"q1": "a"}, "z": {"q1": "b"}}),
        ("g.csv", 'id,kind\nq1,"law, old"\n', {"kind": {"q1": "law, old"}}),
        ("g.txt", "\n q1  a,b \n", {"group": {"q1": "a,b"}}),
    ],
)
def test_groups_are_read_from_lines_and_tables(tmp_path, name, text, expected):
    (tmp_path / name).write_text(text)
    assert read_groups(str(tmp_path / name)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("\n\n", "found nothing; expected `topic group` on each line"),
        ("q1\n", ":1: found 'q1'; expected `topic group`"),
        ('{"id": "q1"}\n', r":1: found '\{\"id.*; for a field of topics, name the field"),
        ("q1 a\nq1 b\n", ":2: topic 'q1' a second time, first on line 1"),
        ("id,kind\nq1,a,b\n", ":2: found 3 columns; expected 2, as in the header"),
        ("id,kind,kind\nq1,a,b\n", ":1: found the columns"),
        ("id,,b\nq1,a,b\n", ":1: found the columns"),
    ],
)
def test_what_is_wrong_is_reported_with_its_line(tmp_path, text, message):
    file = tmp_path / "groups"
    file.write_text(text)
    with pytest.raises(FormatError, match=message):
        read_groups(str(file))
