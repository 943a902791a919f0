"""Keywords and regular expressions, and looking for a document by its name or title."""

import pytest

from judging import Server, campaign, needs_browser
from judging_page import DOCUMENT, FIRST, at_document
from spanwise.collection import open_collection
from spanwise.errors import InputError
from spanwise.judge.views import found, ids_like, matches

BLOCKS = [(0, 0, "One two"), (1, 7, "three \U0001f600 two")]


def test_an_expression_is_looked_for_block_by_block():
    assert matches(r"TWO$", BLOCKS) == {"spans": [[4, 7], [15, 18]], "more": False}
    assert matches(r"twothree|x*", BLOCKS)["spans"] == []
    assert matches("\U0001f600", BLOCKS)["spans"] == [[13, 14]]


def test_not_all_of_very_many_places_and_it_says_so():
    answer = matches("a", [(0, 0, "a" * 6000)])
    assert (len(answer["spans"]), answer["more"]) == (5000, True)


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(a+)+b", "takes longer than 200 ms"),
        ("(", "invalid regular expression: missing"),
        ("", "expected an expression"),
        ("a" * 501, "expected an expression"),
        (["a"], "expected an expression"),
        ("a{99999999999}", "invalid regular expression"),
        ("(" * 400 + ")" * 400, "expected an expression"),
    ],
)
def test_what_is_no_expression_or_never_ends_is_refused(pattern, reason):
    with pytest.raises(InputError, match=reason):
        matches(pattern, [(0, 0, "a" * 40)])


def test_expressions_are_coloured_and_faults_named(tmp_path, opened):
    needs_browser()
    lines = ["third", "/s\\w+ce\\b/", "/(/", "block", "another"]
    with Server(campaign(tmp_path / "c", {"d0": DOCUMENT})) as server:
        page = at_document(server, opened)
        page.fill("#words", "\n".join(lines))
        page.keyboard.press("Escape")
        page.wait_for_selector("text=Line 3: invalid regular expression")
        counts = page.evaluate(
            "Object.fromEntries([...CSS.highlights].map(([n, h]) => [n, h.size]))"
        )
        # The fifth line has the style of the first: none is left out.
        assert {name: counts.get(name) for name in ("keyword", "keyword-1", "keyword-3")} == {
            "keyword": 2,
            "keyword-1": FIRST.count("sentence"),
            "keyword-3": 2,
        }


def library(folder):
    for name, title in (("one", "A <it>Great</it>\n Day"), ("two", "Nothing"), ("three", "")):
        markup = f"<article><title>{title}</title><p>Text of {name}.</p></article>"
        (folder / f"{name}.xml").write_text(markup)
    return open_collection(folder)


def test_documents_are_found_by_name_and_by_title(tmp_path):
    collection = library(tmp_path)
    everything = {"documents": 3, "read": 3, "more": False}
    assert found(collection, "x", "great d") == {"found": [["one", "A Great Day"]], **everything}
    assert found(collection, "x", "T")["found"] == [
        *(["three", ""], ["two", "Nothing"], ["one", "A Great Day"])
    ]


def test_ids_that_stand_in_the_file_are_kept_as_they_are(tmp_path):
    lines = [f"<DOC>\n<DOCNO>a.{n}</DOCNO>\n<TEXT>Some text.</TEXT>\n</DOC>\n" for n in range(3)]
    (tmp_path / "all.trec").write_text("".join(lines))
    collection = open_collection(tmp_path / "all.trec")
    assert list(ids_like(collection, "a.1")) == ["a.0", "a.1", "a.2"]
