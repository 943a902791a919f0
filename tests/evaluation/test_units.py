"""Budgets in bytes and UTF-16 code units, against a count character by character."""

import json
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spanwise
from spanwise.errors import InputError, SpanwiseError, UnknownName

ALPHABET = "ab é\u0301ß中\U0001f600\U0001d11e"
"""One to four bytes of UTF-8, one or two UTF-16 code units, and a combining accent."""
SIZES = {
    "chars": lambda character: 1,
    "bytes": lambda character: len(character.encode("utf-8")),
    "utf16": lambda character: len(character.encode("utf-16-le")) // 2,
}
GOLD = [("one", 2, 5), ("two", 4, 6)]
"""Documents, starts and lengths of the relevant text."""


def read_by_hand(texts, chunks, unit, budget):
    """Read chunk after chunk, character by character, until one cannot be paid for."""
    read, paid = [], 0
    for document, start, length in chunks:
        for place in range(start, start + length):
            paid += SIZES[unit](texts[document][place])
            if paid > budget:
                return read
            read.append((document, place))
    return read


def recall_and_precision(texts, chunks, unit, budget):
    needed = {(d, c) for d, start, length in GOLD for c in range(start, start + length)}
    read = read_by_hand(texts, chunks, unit, budget)
    found = needed & set(read)
    return len(found) / len(needed), len(found) / len(read) if read else 0.0


def jsonl(file, *records):
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


def judged(folder, unit="codepoint", gold=GOLD):
    lines = [
        {"qid": "q", "doc": d, "spans": [{"s": start, "e": start + length}]}
        for d, start, length in gold
    ]
    return jsonl(folder / "gold.jsonl", {"format": "span-qrels/1", "unit": unit}, *lines)


def returned(folder, chunks):
    lines = [
        {"qid": "q", "rank": rank, "doc": d, "s": start, "e": start + length}
        for rank, (d, start, length) in enumerate(chunks, start=1)
    ]
    return jsonl(folder / "run.jsonl", *lines)


texts_of = st.fixed_dictionaries(
    {name: st.text(ALPHABET, min_size=12, max_size=12) for name in ("one", "two")}
)
chunk = st.tuples(st.sampled_from(["one", "two"]), st.integers(0, 8), st.integers(1, 4))
units = st.sampled_from(["bytes", "utf16", "chars"])


@settings(max_examples=60, deadline=None)
@given(texts_of, st.lists(chunk, min_size=1, max_size=4), units, st.integers(1, 40))
def test_a_budget_reads_the_characters_whose_units_are_paid_for(texts, chunks, unit, budget):
    names = [f"SpanR(budget={budget})", f"SpanP(budget={budget})"]
    with TemporaryDirectory() as folder:
        files = judged(Path(folder)), returned(Path(folder), chunks)
        scores = spanwise.evaluate(*files, names, collection=texts, unit=unit)
    expected = recall_and_precision(texts, chunks, unit, budget)
    assert [scores.means[name] for name in names] == pytest.approx(expected)


@settings(max_examples=40, deadline=None)
@given(texts_of, st.lists(chunk, min_size=1, max_size=4, unique=True), units, st.integers(1, 30))
def test_a_ceiling_is_what_the_best_order_reads(texts, chunks, unit, budget):
    orders = permutations(chunks)
    best = max(recall_and_precision(texts, order, unit, budget)[0] for order in orders)
    with TemporaryDirectory() as folder:
        files = judged(Path(folder)), returned(Path(folder), chunks)
        name = f"Ceiling(budget={budget})"
        scores = spanwise.evaluate(*files, name, collection=texts, unit=unit)
    assert scores.means[name] == pytest.approx(best)


def test_a_bound_of_many_chunks_is_never_below_what_is_read(tmp_path):
    text = "aé中\U0001f600b\u0301" * 30
    chunks = [("d", start, 14) for start in range(0, 160, 13)]
    gold, run = judged(tmp_path, gold=[("d", 0, 174)]), returned(tmp_path, chunks)
    measures = ["Ceiling(budget=60)", "SpanR(budget=60)"]
    found = spanwise.evaluate(gold, run, measures, collection={"d": text}, unit="bytes").means
    # a group of six characters has 1 + 2 + 3 + 4 + 1 + 2 = 13 bytes: 60 bytes are at most
    # 60 / 13 * 6 = 27.7 characters and a cheap beginning of another chunk
    assert found["SpanR(budget=60)"] <= found["Ceiling(budget=60)"] <= (28 + 6 * 13) / 174


def test_a_text_that_is_in_no_document_is_paid_for_too(tmp_path):
    """The strange text has 3 characters in 9 bytes, so that 3 of 12 bytes remain."""
    gold = judged(tmp_path, gold=[("d", 0, 6)])
    results = [
        {"qid": "q", "rank": 1, "doc": "d", "text": "中中中"},
        {"qid": "q", "rank": 2, "doc": "d", "s": 0, "e": 6},
    ]
    run = jsonl(tmp_path / "run.jsonl", *results)
    docs = {"d": "abcdefghi"}

    def recall(unit, budget):
        name = f"SpanR(budget={budget})"
        return spanwise.evaluate(gold, run, name, collection=docs, unit=unit).means[name]

    assert recall("bytes", 12) == 3 / 6
    assert recall("utf16", 6) == 3 / 6
    assert recall("tokens:whitespace", 1) == 0


def test_texts_are_needed_and_their_lack_is_an_error(tmp_path):
    gold, run = judged(tmp_path), returned(tmp_path, [("one", 0, 4)])
    with pytest.raises(InputError, match="counting UTF-16 code units needs the texts of documents"):
        spanwise.evaluate(gold, run, "SpanR(budget=4)", unit="utf16")
    with pytest.raises(SpanwiseError, match="'one' is not in the collection; counting bytes"):
        spanwise.evaluate(gold, run, "SpanR(budget=4)", collection={"two": "a" * 12}, unit="bytes")


def test_positions_that_count_bytes_already_need_no_texts(tmp_path):
    gold = judged(tmp_path, "byte", [("d", 2, 4)])
    line = {"qid": "q", "rank": 1, "doc": "d", "s": 0, "e": 8}
    run = jsonl(tmp_path / "run.jsonl", {"format": "span-run/1", "unit": "byte"}, line)
    name = "SpanR(budget=4)"
    assert spanwise.evaluate(gold, run, name, unit="bytes").means[name] == 2 / 4


@pytest.mark.parametrize(("unit", "expected"), [("bytes", 2 / 5), ("utf16", 5 / 5)])
def test_a_store_may_count_in_bytes_itself(tmp_path, unit, expected):
    """Positions are bytes of "éa😀bc", whose characters have 2, 1, 4, 1, 1 bytes.

    Relevant are bytes 2 to 6, which are a and 😀. Four bytes read bytes 0 to 3. Four code units of
    UTF-16 read é, a and the pair of 😀.
    """
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "1.xml").write_text("<article>éa\U0001f600bc</article>", encoding="utf-8")
    spanwise.build_collection(tmp_path / "docs", tmp_path / "s.store", characters="bytes")
    (tmp_path / "gold.txt").write_text("1 Q0 1 5 9 2 2:1 3:4\n")
    (tmp_path / "run.txt").write_text("1 Q0 1 1 1.0 me 0 9\n")
    name = "SpanR(budget=4)"
    files = tmp_path / "gold.txt", tmp_path / "run.txt"
    found = spanwise.evaluate(*files, name, collection=tmp_path / "s.store", unit=unit).means
    assert found[name] == expected


def test_a_unit_that_does_not_exist_is_an_error_with_the_list(tmp_path):
    gold, run = judged(tmp_path), returned(tmp_path, [("one", 0, 4)])
    with pytest.raises(UnknownName, match="expected one of characters, bytes, utf16,"):
        spanwise.evaluate(gold, run, "SpanR(budget=4)", unit="byte")
