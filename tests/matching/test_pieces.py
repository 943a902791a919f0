"""Chunks of which some or all text is not in their document, and chunks with equal texts."""

import json

import pytest

import spanwise
from shared_data import shared
from spanwise.errors import SpanwiseWarning
from spanwise.matching.quotes import Page, Quote
from spanwise.matching.units import tokens_of
from spanwise.model.spans import LABELS

HEAD = "Annual report of the ministry of fisheries. "
ONE = "Cod stocks recovered after the quota of 1998 was enforced by inspectors. "
TWO = "Herring, however, declined to the lowest level that was ever measured. "
THREE = "The minister resigned in spring without giving any reason to the press."
TEXT = HEAD + ONE + TWO + THREE
PREFIX = "Context: [pp. 3-9] QZX/1177 \u2192 JVWK\u00df 0xFA.\n\n"


def parts(words, text=TEXT):
    """The label of a text, and of each part the place (None if it has none) and the text read."""
    found = Page(text).placed(Quote(words))
    return LABELS[found.label], [
        (one.start if one.start >= 0 else None, words[one.offset : one.offset + one.length])
        for one in found.parts
    ]


def test_a_prefix_is_read_first_and_stands_nowhere():
    assert parts(PREFIX + TWO) == (
        "partial",
        [(None, PREFIX), (TEXT.index(TWO), TWO)],
    )


def test_pieces_are_read_in_the_order_of_the_chunk():
    words = f"{PREFIX}{ONE}[...] *** [...]{THREE}##### END OF EXTRACT #####"
    assert parts(words) == (
        "partial",
        [
            (None, PREFIX),
            (TEXT.index(ONE), ONE),
            (None, "[...] *** [...]"),
            (TEXT.index(THREE), THREE),
            (None, "##### END OF EXTRACT #####"),
        ],
    )


def test_a_long_piece_is_as_long_as_text_and_document_agree():
    """Neither `x` before it nor `y` after it is in the document at that place."""
    label, found = parts(PREFIX + "x" + TWO[5:40] + "y" * 30)
    assert label == "partial"
    assert found[1] == (TEXT.index(TWO) + 5, TWO[5:40])


def test_three_words_are_a_piece_and_two_are_not():
    document = "Zero. Anna is ill. Then much else happened to everybody else around here."
    filler = "qq rr ss\n"
    assert parts(filler + "Anna is ill", document) == (
        "partial",
        [(None, filler), (document.index("Anna"), "Anna is ill")],
    )
    assert parts(filler + "Anna is", document) == ("lost", [])


@pytest.mark.parametrize(("foreign", "label"), [(110, "partial"), (140, "lost")])
def test_a_fifth_of_a_text_must_be_placed(foreign, label):
    """30 characters of the document are 21.4 % of 140, and 17.6 % of 170."""
    assert parts("#" * foreign + ONE[:30])[0] == label


def test_pieces_rise_in_the_document():
    """Of two parts in the wrong order the longer one is placed."""
    both = THREE + "\n" + ONE
    label, found = parts(both)
    assert label == "partial"
    (place,) = [place for place, _ in found if place is not None]
    assert place == TEXT.index(ONE)
    assert "".join(words for _, words in found) == both


def test_small_differences_of_spelling_are_no_pieces():
    assert parts(TWO.replace("lowest", "lowset").replace("ever", "evr"))[0] == "fuzzy"


# Reading ------------------------------------------------------------------------------------------


def gold(*places):
    return [{"id": "q", "doc": "d", "spans": [{"s": s, "e": e} for s, e in places]}]


def scored(chunks, measures, judged, **more):
    return spanwise.evaluate(judged, {"q": chunks}, measures, collection={"d": TEXT}, **more).means


def test_a_chunk_in_pieces_is_one_result_whose_whole_text_is_read_in_order():
    start, size, before = TEXT.index(TWO), len(TWO), len(PREFIX)
    judged = gold((start, start + size))
    chunk = {"doc": "d", "text": PREFIX + TWO}
    found = scored(
        [chunk, {"doc": "d", "text": THREE}],
        [
            "Read@1",
            "SpanR@1",
            "SpanP@1",
            "FirstEvidence",
            "ChunkHit@1",
            "ChunkP@2",
            f"SpanR(budget={before})",
            f"SpanR(budget={before + 10})",
            f"SpanP(budget={before + 10})",
        ],
        judged,
    )
    assert found == pytest.approx(
        {
            "Read@1": before + size,
            "SpanR@1": 1,
            "SpanP@1": size / (before + size),
            "FirstEvidence": before,
            "ChunkHit@1": 1,
            "ChunkP@2": 1 / 2,
            f"SpanR(budget={before})": 0,
            f"SpanR(budget={before + 10})": 10 / size,
            f"SpanP(budget={before + 10})": 10 / (before + 10),
        }
    )


def test_pieces_behind_each_other_find_what_each_of_them_holds():
    first, third = TEXT.index(ONE), TEXT.index(THREE)
    judged = gold((first, first + len(ONE)), (third, third + len(THREE)))
    middle = " *** omitted: 0123456789 *** "
    found = scored(
        [{"doc": "d", "text": ONE + middle + THREE}],
        ["SpanR", "FullEvidence@1", "Read", "Waste", f"SpanR(budget={len(ONE + middle) + 7})"],
        judged,
    )
    total = len(ONE) + len(THREE)
    assert found == pytest.approx(
        {
            "SpanR": 1,
            "FullEvidence@1": 1,
            "Read": total + len(middle),
            "Waste": 0,
            f"SpanR(budget={len(ONE + middle) + 7})": (len(ONE) + 7) / total,
        }
    )


def test_tokens_of_what_stands_nowhere_are_paid_for():
    start = TEXT.index(TWO)
    judged = gold((start, start + len(TWO)))
    prefix = len(tokens_of(PREFIX, "token:whitespace")[0])
    more = len(tokens_of(TWO, "token:whitespace")[0])
    chunk = {"doc": "d", "text": PREFIX + TWO}
    names = [f"SpanR(budget={n})" for n in (prefix, prefix + 1, prefix + more)]
    found = scored([chunk], names, judged, unit="tokens:whitespace")
    assert list(found.values()) == pytest.approx([0, len("Herring, ") / len(TWO), 1])
    lost = {"doc": "d", "text": "#### nothing here is known ####"}  # 6 tokens
    names = ["SpanR(budget=6)", "SpanR(budget=7)"]
    found = scored([lost, {"doc": "d", "text": TWO}], names, judged, unit="tokens:whitespace")
    assert list(found.values()) == pytest.approx([0, len("Herring, ") / len(TWO)])


def test_a_quote_with_an_ellipsis_is_evidence_in_pieces():
    judged = [{"id": "q", "quotes": [{"doc": "d", "text": f"{ONE}[...] *** [...]{THREE}"}]}]
    found = scored([("d", TEXT.index(TWO), len(TEXT))], ["SpanR"], judged)
    assert found["SpanR"] == pytest.approx(len(THREE) / (len(ONE) + len(THREE)))


# Equal texts --------------------------------------------------------------------------------------

TABLE = "| a | b |\n|---|---|\n"
THRICE = f"1 {TABLE} first 2 {TABLE} second 3 {TABLE} third"


def places(chunks, document=THRICE):
    """Recall of each occurrence of the table after each rank."""
    starts = [at for at in range(len(document)) if document.startswith(TABLE, at)]
    table = []
    for start in starts:
        judged = [{"id": "q", "doc": "d", "spans": [{"s": start, "e": start + len(TABLE)}]}]
        names = [f"SpanR@{k}" for k in range(1, len(chunks) + 1)]
        found = spanwise.evaluate(judged, {"q": chunks}, names, collection={"d": document})
        table.append([found.means[name] for name in names])
    return table


def test_equal_chunks_take_one_occurrence_after_the_other():
    chunk = {"doc": "d", "text": TABLE}
    assert places([chunk] * 4) == [[1, 1, 1, 1], [0, 1, 1, 1], [0, 0, 1, 1]]
    assert places([{"text": TABLE}] * 2) == [[1, 1], [0, 1], [0, 0]]


def test_equal_chunks_apart_from_case_do_so_too():
    chunk = {"doc": "d", "text": TABLE.upper().replace("| A", "|  A")}
    most = (len(TABLE) - 1) / len(TABLE)  # white space at the end is not looked for
    assert places([chunk] * 3) == [[most, most, most], [0, most, most], [0, 0, most]]


def test_the_order_is_that_of_ranks_and_not_of_lines(tmp_path):
    lines = [{"qid": "q", "doc": "d", "text": TABLE, "rank": rank} for rank in (3, 1)] + [
        {"qid": "q", "doc": "d", "text": "second", "rank": 2}
    ]
    run = tmp_path / "run.jsonl"
    run.write_text("".join(json.dumps(line) + "\n" for line in lines))
    start = THRICE.index(TABLE)
    judged = [{"id": "q", "doc": "d", "spans": [{"s": start, "e": start + len(TABLE)}]}]
    found = spanwise.evaluate(judged, run, ["SpanR@1"], collection={"d": THRICE})
    assert found.means == {"SpanR@1": 1}


def test_more_chunks_than_occurrences_are_repeats():
    judged = [{"id": "q", "doc": "d", "spans": [{"s": 0, "e": 5}]}]
    chunk = {"doc": "d", "text": TABLE}
    found = spanwise.evaluate(judged, {"q": [chunk] * 4}, ["Waste"], collection={"d": THRICE})
    assert found.means["Waste"] == pytest.approx(1 / 4)


# Nothing placed -----------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.txt").write_text(TEXT)
    start = TEXT.index(TWO)
    span = {"s": start, "e": start + len(TWO)}
    lines = [{"qid": q, "doc": "d", "query": "herring?", "spans": [span]} for q in "qr"]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    for name, words in (("lost", "Altogether unrelated words, number"), ("good", TWO)):
        lines = [
            {"qid": q, "doc": "d", "text": f"{words} {n}" if name == "lost" else words, "rank": n}
            for q in "qr"
            for n in (1, 2)
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    return tmp_path


CAUSE = "none of the 4 chunks in the documents.*another corpus"


@pytest.mark.parametrize("names", [["lost"], ["lost", "good"], ["good", "lost"]])
def test_a_run_without_any_placed_chunk_is_scored(files, names):
    runs = {name: files / f"{name}.jsonl" for name in names}
    judged, docs = files / "gold.jsonl", files / "docs"
    with pytest.warns(SpanwiseWarning, match=CAUSE):
        scores = spanwise.evaluate(judged, runs, ["SpanR", "Ceiling(budget=50)"], collection=docs)
    assert scores["lost"].means == {"SpanR": 0, "Ceiling(budget=50)": 0}
    with pytest.warns(SpanwiseWarning, match=CAUSE):
        found = spanwise.compare(judged, runs, ["SpanR"], collection=docs)
    values = {one["run"]: one["value"] for one in found.to_dict()["scores"]}
    assert values["lost"] == 0
    with pytest.warns(SpanwiseWarning, match=CAUSE):
        found = spanwise.compare(judged, runs, budget=[50, 1000], collection=docs)
    for one in found.to_dict()["scores"]:
        if one["run"] == "lost" and one["measure"].startswith(("SpanR", "SpanP", "FullEvidence")):
            assert one["value"] == 0
    assert any("another corpus" in line for line in found.warnings)


def test_what_was_not_placed_is_explained(files):
    judged, run = files / "gold.jsonl", files / "lost.jsonl"
    found = spanwise.explain(judged, run, topic="q", measure="SpanR", collection=files / "docs")
    assert "another corpus" in str(found)


# Check --------------------------------------------------------------------------------------------

KEYS = ["exact", "shifted", "normalised", "fuzzy", "ambiguous", "lost"]


def test_check_counts_pieces_and_copies_beside_the_labels(files):
    lines = [
        {"qid": "q", "doc": "d", "text": PREFIX + TWO, "rank": 1},
        {"qid": "q", "doc": "d", "text": ONE, "rank": 2},
    ]
    (files / "run.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    (files / "docs" / "e.txt").write_text("Twice it is said. And twice it is said.")
    with (files / "gold.jsonl").open("a") as more:
        more.write(json.dumps({"qid": "s", "doc": "e", "spans": [{"text": "wice it is"}]}) + "\n")
    both = [files / "run.jsonl", files / "gold.jsonl"]
    run, judged = spanwise.check(both, collection=files / "docs").to_dict()["files"]
    assert list(run["placements"]) == KEYS
    assert run["placements"] == dict.fromkeys(KEYS, 0) | {"exact": 1}
    share = len(TWO) / len(PREFIX + TWO)
    assert run["in_pieces"] == {"texts": 1, "share": pytest.approx(share)}
    assert judged["evidence"] == {"pieces": 3, "in_several_places": 1}


def test_pieces_of_evidence_of_chroma_that_stand_in_several_places():
    folder = shared("data", "spans", "chroma-chunking")
    documents = {
        name: (folder / f"{name}.md").read_text()
        for name in ("chatlogs", "finance", "pubmed", "state_of_the_union", "wikitexts")
    }
    (found,) = spanwise.check(folder / "questions_df.csv", collection=documents).to_dict()["files"]
    assert found["evidence"] == {"pieces": 790, "in_several_places": 97}
