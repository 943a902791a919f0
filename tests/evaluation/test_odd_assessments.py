"""Assessments of 2005 to 2007 that are incomplete or impossible: what is made of them is reported.

One document of 100 characters: a section of 40, of which a paragraph of 10 is all highlighted.
"""

import json

import pytest

SECTION, PARAGRAPH = "/a[1]/s[1]", "/a[1]/s[1]/p[1]"
UNLISTED = (
    "elements around highlighted text that the assessments do not list, so they are not relevant"
)
CAPPED = "elements with more highlighted characters than they have, which count as all highlighted"


def assessments(elements, topic="7", name="d"):
    lines = [
        f'<assessments pool="1" topic="{topic}" version="2">',
        f'<file collection="c" name="{name}">',
        f'<passage start="{PARAGRAPH}" end="{PARAGRAPH}" size="10"/>',
    ]
    lines += [
        f'<element path="{path}" exhaustivity="2" size="{size}" rsize="{lit}"/>'
        for path, size, lit in elements
    ]
    return "\n".join([*lines, "</file>", "</assessments>", ""])


def submission(*paths):
    results = "".join(f"<result><file>d</file><path>{path}</path></result>" for path in paths)
    return (
        '<inex-submission participant-id="1" run-id="mine" task="Thorough">'
        f'<topic topic-id="7">{results}</topic></inex-submission>'
    )


@pytest.fixture
def judged(folder):
    def written(*elements):
        (folder / "judged.xml").write_text(assessments(elements))
        (folder / "run.xml").write_text(submission(SECTION, PARAGRAPH))

    return written


def values(answer):
    return {line["measure"]: line["value"] for line in map(json.loads, answer.out.splitlines())}


def remarks(answer):
    (file,) = json.loads(answer.out)["files"]
    return file["remarks"]


def test_a_list_without_ancestors_is_complete(judged, ask):
    """Section and article are not listed: the paragraph is all of the recall base."""
    judged((PARAGRAPH, 10, 10))
    words = ("judged.xml", "run.xml", "-m", "xCG(overlap=off)@2", "-m", "MAep", "--format", "jsonl")
    answer = ask("eval", *words)
    assert values(answer) == {"xCG(overlap=off)@2": 1, "MAep": 0.5}
    assert f"{UNLISTED}: 2 ('d' /a[1], ...)" in answer.err


def test_ancestors_are_counted_once(judged, ask):
    """Two highlighted paragraphs of two sections lack both sections; the article is listed."""
    other = "/a[1]/s[2]/p[1]"
    judged(("/a[1]", 100, 20), (PARAGRAPH, 10, 5), ("/a[1]/s[1]/p[2]", 10, 5), (other, 10, 10))
    answer = ask("check", "judged.xml", "--format", "json")
    assert answer.status == 0
    assert remarks(answer) == [f"{UNLISTED}: 2 ('d' /a[1]/s[1], ...)"]
    assert f"remark: {UNLISTED}: 2 ('d' /a[1]/s[1], ...)\n" in ask("check", "judged.xml").text


def test_only_ancestors_of_highlighted_text_are_missed(judged, ask):
    judged(("/a[1]", 100, 10), (SECTION, 40, 10), (PARAGRAPH, 10, 10), ("/a[1]/s[2]/p[1]", 5, 0))
    assert remarks(ask("check", "judged.xml", "--format", "json")) == []
    assert UNLISTED not in ask("eval", "judged.xml", "run.xml", "-m", "xCG@2").text


def test_the_first_missing_ancestor_is_that_of_the_first_topic(folder, judged, ask):
    judged((PARAGRAPH, 10, 10))
    (folder / "pool").mkdir()
    (folder / "pool" / "1.xml").write_text(assessments([(SECTION, 40, 10)], "1", "e"))
    (folder / "pool" / "7.xml").write_text(assessments([(PARAGRAPH, 10, 10)]))
    answer = ask("eval", "pool", "run.xml", "-m", "xCG@2")
    assert f"{UNLISTED}: 3 ('e' /a[1], ...)" in answer.text


def test_no_element_has_more_highlighted_text_than_text(judged, ask):
    """The paragraph's 12 highlighted characters count as its 10, in every family of measures."""
    judged(("/a[1]", 100, 10), (SECTION, 40, 10), (PARAGRAPH, 10, 12))
    answer = ask("eval", "judged.xml", "run.xml", "-m", "xCG@2", "-m", "HiP@1", "--format", "jsonl")
    # 10 of the section's 40 characters; then the paragraph, which was seen
    assert values(answer) == {"xCG@2": 0.25, "HiP@1": 0.25}
    assert f"{CAPPED}: 1 ('d' {PARAGRAPH})" in answer.err
    answer = ask("check", "judged.xml", "--format", "json")
    assert answer.status == 0
    assert remarks(answer) == [
        "elements with more highlighted characters than they have: 1",
        f"document 'd' (line 2): {PARAGRAPH} has 12 highlighted characters and size 10; 10 is used",
    ]


def test_every_element_with_too_much_is_named(judged, ask):
    judged(("/a[1]", 100, 10), (SECTION, 40, 41), (PARAGRAPH, 10, 12))
    text = ask("check", "judged.xml").text
    assert f"document 'd' (line 2): {SECTION} has 41 highlighted characters and size 40; 40" in text
    assert f"document 'd' (line 2): {PARAGRAPH} has 12 highlighted characters and size 10" in text
    assert f"{CAPPED}: 2 ('d' {SECTION}, ...)" in ask("eval", "judged.xml", "run.xml").text


def test_many_remarks_are_cut_short(judged, ask):
    judged(("/a[1]", 100, 10), (SECTION, 40, 41), (PARAGRAPH, 10, 12))
    text = ask("check", "judged.xml", "--most", "1").text
    assert text.count("remark: ") == 1
    assert "and 2 more remarks\n" in text


def test_readers_of_documents_see_no_more_either(folder, judged, ask):
    """Of the document the paragraph is shown: precision 1, recall 1; uncapped they would be 1.2."""
    judged(("/a[1]", 100, 10), (SECTION, 40, 10), (PARAGRAPH, 10, 12))
    (folder / "docs").mkdir()
    text = f"<a><s><p>{'x' * 10}</p>{'y' * 30}</s>{'z' * 60}</a>"
    (folder / "docs" / "d.xml").write_text(text)
    (folder / "run.xml").write_text(submission(PARAGRAPH))
    words = ("judged.xml", "run.xml", "--collection", "docs", "--format", "jsonl")
    answer = ask("eval", *words, "-m", "gP(beta=1)@1", "-m", "iP[0.00]")
    assert values(answer) == {"gP(beta=1)@1": 1, "iP[0.00]": 1}
    assert f"{CAPPED}: 1 ('d' {PARAGRAPH})" in answer.err
