"""Texts placed in their documents, and units turned into one another."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spanwise
from shared_data import shared
from spanwise.collection import opened
from spanwise.errors import InputError
from spanwise.formats import read_judgements
from spanwise.matching.placing import placed_judgements
from spanwise.matching.quotes import (
    Finder,
    Page,
    Quote,
    SoughtTexts,
    placed_anywhere,
    window_hashes,
)
from spanwise.matching.units import in_codepoints, in_unit
from spanwise.model.spans import LABELS, Spans, counted

TEXT = (
    "Chapter one. The quick brown fox jumps over the lazy dog, and then it rests.\n\n"
    "Chapter two. “Smart”   quotes – and dashes; the of\ufb01ce of Dr. Müller is closed today.\n"
    "Chapter three. The end."
)


def placed(words, start=None):
    found = Page(TEXT).placed(Quote(words, start))
    where = TEXT[found.start : found.start + found.length] if found.start >= 0 else None
    return LABELS[found.label], where


@pytest.mark.parametrize(
    ("words", "start", "label", "where"),
    [
        ("Chapter two", 78, "exact", "Chapter two"),
        ("Chapter two", None, "exact", "Chapter two"),
        ("Chapter two", 70, "shifted", "Chapter two"),
        ("Chapter two", -1, "shifted", "Chapter two"),
        ("Chapter", 0, "exact", "Chapter"),
        ("Chapter", 3, "ambiguous", "Chapter"),
        ("Chapter", None, "ambiguous", "Chapter"),
        ('"smart" QUOTES - and dashes', None, "normalised", "“Smart”   quotes – and dashes"),
        ("the office of dr. mu\u0308ller", 5, "normalised", "the of\ufb01ce of Dr. Müller"),
        (
            "dog, and\nthen it rests. Chapter",
            None,
            "normalised",
            "dog, and then it rests.\n\nChapter",
        ),
        ("Rain fell on the plain in Spain, mostly.", None, "lost", None),
        ("", None, "lost", None),
    ],
)
def test_every_label(words, start, label, where):
    assert placed(words, start) == (label, where)


def test_similar_text_is_found_and_said_to_be_only_that():
    label, where = placed("The quick brown fox jumped over a lazy dog, and then it rested")
    assert label == "fuzzy"
    assert where.startswith("The quick brown")
    assert "lazy dog" in where


def test_of_several_places_the_nearest_is_taken():
    page = Page("abc " * 50)
    assert page.placed(Quote("abc ", 99)).start == 100


@given(st.text("ab", max_size=60), st.text("ab", min_size=1, max_size=8), st.integers(0, 60))
def test_search_agrees_with_a_plain_one(text, wanted, hint):
    finder = Finder(text)
    places = [n for n in range(len(text)) if text.startswith(wanted, n)]
    for _ in range(12):  # after some searches windows are hashed
        found = finder.nearest(wanted, hint)
    if not places:
        assert found is None
    else:
        assert abs(found[0] - hint) == min(abs(place - hint) for place in places)
        assert found[1] == (len(places) > 1)


@given(st.lists(st.text("ab", max_size=20), max_size=6), st.text("ab", max_size=60))
def test_what_stands_in_a_text_may_be_in_it(wanted, text):
    held = {number for number, words in enumerate(wanted) if words in text}
    assert held <= set(SoughtTexts(wanted).maybe_in(text))


def test_texts_that_nobody_says_whose_they_are():
    pages = [TEXT, "Another page. The end.", "chapter  THREE and a half, quite unlike the others."]
    words = ["The quick brown fox", "The end.", "Chapter three and", "quick brown cat", "No."]
    found = placed_anywhere([Quote(one) for one in words], lambda: map(Page, pages))
    assert [(page, LABELS[place.label]) for page, place in found] == [
        (0, "exact"),
        (0, "ambiguous"),  # in two documents: the first one is taken
        (2, "normalised"),
        (0, "fuzzy"),
        (0, "lost"),
    ]


def test_where_a_text_was_said_to_stand_tells_its_document():
    pages = ["The end. No.", "Once. The end.", "The end. Twice. The end."]
    quotes = [Quote("The end.", 6), Quote("The end.", 0), Quote("The end.", 3), Quote("Twice.", 2)]
    found = placed_anywhere(quotes, lambda: map(Page, pages))
    assert [(page, place.start, LABELS[place.label]) for page, place in found] == [
        (1, 6, "exact"),
        (0, 0, "ambiguous"),  # two begin so
        (0, 0, "ambiguous"),
        (2, 9, "shifted"),
    ]


def test_of_similar_documents_the_most_similar_one_is_taken():
    words = "The quick brown fox jumps over the lazy dog, and then it rests."
    worse = words.replace("lazy dog", "idle cat").replace("quick", "swift")
    pages = ["Nothing of that kind.", f"Once more: {worse}", f"Before. {words} After."]
    typed = words.replace("quick brown", "quikc brown")
    (page, place), again = placed_anywhere([Quote(typed)] * 2, lambda: map(Page, pages))
    assert (page, LABELS[place.label]) == (2, "ambiguous")
    assert pages[2][place.start :].startswith("The quick")
    assert again == (page, place)


def test_the_nearest_of_very_many_places_is_taken():
    """A short text that stands in thousands of places, the first ones far from the stated one."""
    assert Page("ab " * 3000).placed(Quote("a", 8998)).start == 8997


def test_equal_windows_have_equal_hashes():
    hashes = window_hashes("abcabcabd", 3)
    assert hashes[0] == hashes[3] != hashes[6]
    assert len(hashes) == 7


@given(st.text(max_size=30), st.data())
def test_units_convert_there_and_back(text, data):
    text = text.encode("utf-8", "ignore").decode()
    end = data.draw(st.integers(0, len(text)))
    start = data.draw(st.integers(0, end))
    span = Spans(np.array([start]), np.array([end - start]))
    for unit, size in (("byte", len(text[:start].encode())), ("utf16", len(text[:start].encode("utf-16-le")) // 2)):  # fmt: skip  # noqa: E501
        there = in_unit(text, span, unit)
        assert there.starts[0] == size
        back = in_codepoints(text, there, unit)
        assert (back.starts[0], back.lengths[0]) == (start, end - start)


def test_tokens_convert_where_they_begin_and_end():
    text = "the quick  brown fox"
    spans = in_codepoints(text, Spans(np.array([1, 0]), np.array([2, 0])), "token:whitespace")
    assert [text[s:e] for s, e in zip(spans.starts, spans.ends, strict=True)] == [
        "quick  brown",
        "",
    ]
    back = in_unit(text, Spans(np.array([4, 5]), np.array([12, 3])), "token:whitespace")
    assert back.starts.tolist() == [1, -1]  # the second one begins inside a token
    assert back.lengths.tolist() == [2, 0]


@pytest.mark.parametrize("language", ["hi", "zh"])
def test_bytes_and_utf16_agree_with_characters_on_real_text(tmp_path, language):
    source = shared("data", "spans", "xquad", f"xquad.{language}.json")
    gold = placed_judgements(read_judgements(source), None)
    evidence = gold.evidence
    documents = opened(evidence.documents)
    owner = np.repeat(np.arange(len(gold.rows)), evidence.counts)
    names = gold.documents.take(owner)
    answers = {}
    for unit in ("codepoint", "byte", "utf16"):
        head = {"format": "span-qrels/1", "unit": "byte"}
        if unit != "byte":
            head = {"format": "span-qrels/1", "unit": "char", "char": unit}
        lines = [head]
        topics = np.searchsorted(gold.rows.starts, owner, side="right") - 1
        for item, name in enumerate(names[:300]):
            span = in_unit(documents.text(name), evidence.spans.at(np.array([item])), unit)
            s, e = int(span.starts[0]), int(span.ends[0])
            topic = gold.rows.topics[topics[item]].decode()
            lines.append({"qid": topic, "doc": name.decode(), "spans": [{"s": s, "e": e}]})
        file = tmp_path / f"{unit}.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        run = tmp_path / "run.jsonl"
        results = [
            {"qid": line["qid"], "doc": line["doc"], "s": 0, "e": 200, "rank": 1}
            for line in lines[1:]
        ]
        run.write_text("".join(json.dumps(line) + "\n" for line in results))
        scores = spanwise.evaluate(file, run, ["SpanR", "SpanP"], collection=evidence.documents)
        answers[unit] = scores.means
    assert answers["byte"] == answers["utf16"] == answers["codepoint"]
    assert 0 < answers["byte"]["SpanR"] < 1


def test_units_are_not_mixed_without_texts(tmp_path):
    gold, run = tmp_path / "gold.jsonl", tmp_path / "run.jsonl"
    gold.write_text(
        '{"format": "span-qrels/1", "unit": "byte"}\n'
        '{"qid": "q", "doc": "d", "spans": [{"s": 1, "e": 3}]}\n'
    )
    run.write_text('{"qid": "q", "doc": "d", "s": 0, "e": 2, "rank": 1}\n')
    with pytest.raises(InputError, match="counts in codepoint units"):
        spanwise.evaluate(gold, run, "SpanR")
    assert spanwise.evaluate(gold, run, "SpanR", collection={"d": "aébc"}).means["SpanR"] == 1
    with pytest.raises(InputError, match="not a span of whole characters"):
        spanwise.evaluate(gold, run, "SpanR", collection={"d": "abéc"})


def test_answers_of_covid_qa():
    judgements = read_judgements(shared("data", "spans", "covid-qa", "200423_covidQA.json"))
    documents = opened(judgements.evidence.documents)
    found = counted(placed_judgements(judgements, documents).evidence.labels)
    assert found == {
        "exact": 1146, "shifted": 227, "normalised": 0, "fuzzy": 0, "ambiguous": 7, "lost": 0
    }  # fmt: skip
