"""Documents, elements and chunks of a collection as units."""

import json

import pytest

from collections_by_hand import stored
from spanwise.errors import InputError, UsageError
from spanwise.model.documents import CharacterPolicy, Document
from spanwise.retrieve.units import (
    Grain,
    grain_of,
    ids_of,
    units_of,
)

ARTICLE = "<a><s>one two<p>three</p></s><s>four<e/></s></a>"


def test_documents_are_units_by_default(tmp_path):
    store = stored(tmp_path, {"x.xml": ARTICLE, "y.txt": "plain text"})
    units = units_of(store, Grain())
    assert list(units.texts()) == ["one two three four", "plain text"]
    assert list(units.ids) == ["x", "y"]


def test_elements_with_text_are_units_of_their_own(tmp_path):
    units = units_of(stored(tmp_path, {"x.xml": ARTICLE}), grain_of("element"))
    assert units.paths == ["/a[1]", "/a[1]/s[1]", "/a[1]/s[1]/p[1]", "/a[1]/s[2]"]
    assert list(units.texts()) == ["one two three four", "one two three", "three", "four"]


def test_elements_can_be_chosen_by_tag(tmp_path):
    units = units_of(stored(tmp_path, {"x.xml": ARTICLE}), grain_of("element:p,e"))
    assert units.paths == ["/a[1]/s[1]/p[1]"]  # an element without text is no unit


@pytest.mark.parametrize("unit", ["codepoints", "bytes"])
def test_spans_and_texts_agree_whatever_a_character_is(unit, tmp_path):
    store = stored(tmp_path, {"x.xml": "<a>é<b>über</b>ö</a>"}, CharacterPolicy(unit))
    units = units_of(store, grain_of("element:b"))
    assert list(units.texts()) == ["über"]


@pytest.mark.parametrize("unit", ["codepoints", "bytes"])
def test_words_on_both_sides_of_a_seam_are_two_words(unit, tmp_path):
    xml = "<a><p>é one</p><p>two</p><q/><p><i>thr</i>ee</p></a>"
    units = units_of(stored(tmp_path, {"x.xml": xml}, CharacterPolicy(unit)), grain_of("element"))
    assert list(units.texts()) == ["é one two three", "é one", "two", "three", "thr"]


@pytest.mark.parametrize("unit", ["codepoints", "bytes"])
def test_a_line_break_stands_between_two_words(unit, tmp_path):
    html = "<p>sé walls<br>and dunes<ul><li>gra<b>ss</b></li></ul>stones"
    units = units_of(stored(tmp_path, {"x.html": html}, CharacterPolicy(unit)), Grain())
    assert [text.split() for text in units.texts()] == [
        ["sé", "walls", "and", "dunes", "grass", "stones"]
    ]


@pytest.mark.parametrize("unit", ["codepoints", "bytes"])
def test_chunks_lie_where_their_text_is_whatever_a_character_is(unit, tmp_path):
    store = stored(tmp_path, {"x.txt": "éé walls ü dunes ß"}, CharacterPolicy(unit))
    units = units_of(store, grain_of("chunk:9"))
    assert list(units.texts()) == ["éé walls ", "ü dunes ß"]
    found = zip(units.spans.starts.tolist(), units.spans.lengths.tolist(), strict=True)
    assert [store.text("x", start, length) for start, length in found] == list(units.texts())


def test_chunks_cover_the_text_and_end_at_blanks(tmp_path):
    text = "alpha beta gamma delta epsilon zeta"
    store = stored(tmp_path, {"x.txt": text})
    chunks = list(units_of(store, grain_of("chunk:12")).texts())
    assert "".join(chunks) == text
    assert chunks[0] == "alpha beta "
    assert all(len(chunk) <= 12 for chunk in chunks)


def test_chunks_overlap_as_asked(tmp_path):
    store = stored(tmp_path, {"x.txt": "abcdefghij" * 3})
    units = units_of(store, grain_of("chunk:10/4"))
    assert units.spans.starts.tolist() == [0, 6, 12, 18, 24]
    assert units.spans.ends.tolist() == [10, 16, 22, 28, 30]


def test_own_text_is_what_no_smaller_unit_holds(tmp_path):
    from dataclasses import replace

    units = replace(units_of(stored(tmp_path, {"x.xml": ARTICLE}), grain_of("element")), own=True)
    assert [text.strip() for text in units.texts()] == ["", "one two", "three", "four"]


@pytest.mark.parametrize(
    "wrong", ["word", "document:x", "element:", "element:a,,b", "chunk", "chunk:0", "chunk:5/5"]
)
def test_a_grain_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(UsageError, match="grain"):
        grain_of(wrong)


@pytest.mark.parametrize("text", ["document", "element", "element:sec,p", "chunk:80", "chunk:8/2"])
def test_a_grain_is_printed_as_it_is_written(text):
    assert str(grain_of(text)) == text


def test_a_tag_that_does_not_occur_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no element:zz"):
        units_of(stored(tmp_path, {"x.xml": ARTICLE}), grain_of("element:zz"))


@pytest.mark.parametrize(
    ("names", "ids"),
    [
        (["a/x.xml", "b/x.xml", "c/y.xml"], ["a/x", "b/x", "c/y"]),
        (["x.xml", "x.txt"], ["x.xml", "x.txt"]),
        (["WT-1.10", "WT-2.11"], ["WT-1.10", "WT-2.11"]),
    ],
)
def test_documents_are_called_as_shortly_as_is_clear(names, ids):
    assert ids_of([Document(name, 1, 1) for name in names]) == ids


def test_ids_that_a_corpus_states_are_not_taken_for_paths(tmp_path):
    stated = ["<dbpedia:AC/DC>", "page.html", "x/y.txt"]
    lines = "".join(json.dumps({"_id": one, "text": "stone"}) + "\n" for one in stated)
    assert units_of(stored(tmp_path, {"corpus.jsonl": lines}), Grain()).ids == stated
