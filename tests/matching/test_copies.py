"""Evidence that stands in several places of its document."""

from random import Random

import pytest

import spanwise
from spanwise.errors import UsageError

MEASURES = ["SpanR", "SpanP", "SpanIoU", "FullEvidence", "Waste"]


def plain_occurrences(text, words):
    """The places of a text from left to right, none of which overlaps the one before it."""
    places, at = [], 0
    while at <= len(text) - len(words):
        if text[at : at + len(words)] == words:
            places.append(at)
            at += len(words)
        else:
            at += 1
    return places


def classes(text, items, counted):
    """The class of each character: those at the same place of two copies are one."""
    parent = list(range(len(text)))

    def top(at):
        while parent[at] != at:
            at = parent[at]
        return at

    for number, (start, end) in enumerate(items):
        if counted[number]:
            for copy in plain_occurrences(text, text[start:end]):
                if abs(copy - start) >= end - start:
                    for offset in range(end - start):
                        one, other = top(start + offset), top(copy + offset)
                        parent[max(one, other)] = min(one, other)
    return [top(at) for at in range(len(text))]


def naive(text, items, counted, chunks, budget):
    of = classes(text, items, counted)
    needed = {of[at] for start, end in items for at in range(start, end)}
    read = [of[at] for start, end in chunks for at in range(start, end)][:budget]
    hit = len(needed & set(read))
    return {
        "SpanR": hit / len(needed),
        "SpanP": hit / len(read) if read else 0.0,
        "SpanIoU": hit / (len(read) + len(needed) - hit),
        "FullEvidence": float(needed <= set(read)),
        "Waste": 1 - len(set(read)) / len(read) if read else 0.0,
    }


def world(random):
    blocks = ["abcdefgh", "bcd", "stuvw", "xyz", "abcxyz", "defst"]
    text = "".join(random.choices(blocks, k=random.randint(4, 14)))

    def stretch(most):
        start = random.randrange(len(text) - 2)
        return start, min(len(text), start + random.randint(2, most))

    items = [stretch(14) for _ in range(random.randint(1, 4))]
    chunks = [stretch(30) for _ in range(random.randint(1, 5))]
    return text, items, chunks, random.choice([None, random.randint(1, 40)])


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("copies", ["any", "stated", None])
def test_copies_follow_their_definition(seed, copies):
    random = Random(seed)
    text, items, chunks, budget = world(random)
    quoted = [copies is None and random.random() < 0.5 for _ in items]
    if copies is None:  # a quote is placed where it stands first
        items = [
            (text.find(text[s:e]), text.find(text[s:e]) + e - s) if quote else (s, e)
            for quote, (s, e) in zip(quoted, items, strict=True)
        ]
    spans = [
        {"text": text[s:e], "doc": "d"} if quote else {"s": s, "e": e, "doc": "d"}
        for quote, (s, e) in zip(quoted, items, strict=True)
    ]
    counted = {"any": [True] * 9, "stated": [False] * 9, None: quoted}[copies]
    names = [name + (f"(budget={budget})" if budget else "") for name in MEASURES]
    scores = spanwise.evaluate(
        [{"id": "q", "spans": spans}],
        {"q": [("d", start, end) for start, end in chunks]},
        names,
        collection={"d": text},
        **({"copies": copies} if copies else {}),
    )
    due = naive(text, items, counted, chunks, budget)
    found = dict(zip(MEASURES, (scores.means[name] for name in names), strict=True))
    assert found == pytest.approx(due, abs=1e-12), (text, items, chunks)


ANSWER = "The answer is forty-two."
TEXT = f"First. {ANSWER} Between. {ANSWER} Last."
SECOND = TEXT.rindex(ANSWER)


def score(span, **policy):
    chunk = ("d", SECOND, SECOND + len(ANSWER))
    return spanwise.evaluate(
        [{"id": "q", "spans": [span]}],
        {"q": [chunk]},
        ["SpanR", "SpanP", "FullEvidence"],
        collection={"d": TEXT},
        **policy,
    )


def test_a_quote_may_be_read_in_any_place_and_a_position_only_there():
    quote = {"doc": "d", "text": ANSWER}
    place = {"doc": "d", "s": 7, "e": 7 + len(ANSWER)}
    assert list(score(quote).means.values()) == [1, 1, 1]
    assert list(score(place).means.values()) == [0, 0, 0]
    assert list(score(quote, copies="stated").means.values()) == [0, 0, 0]
    assert list(score(place, copies="any").means.values()) == [1, 1, 1]


def test_the_signature_shows_the_choice_where_it_matters():
    quote = {"doc": "d", "text": ANSWER}
    assert "copies:any" in score(quote).signature
    assert "copies:stated" in score(quote, copies="stated").signature
    assert "copies" not in score({"doc": "d", "text": "Between."}).signature
    assert "copies" not in score({"doc": "d", "s": 0, "e": 6}).signature


def test_copies_have_no_effect_without_evidence_in_documents(tmp_path):
    (tmp_path / "q.txt").write_text("q 0 d 1\n")
    (tmp_path / "r.txt").write_text("q Q0 d 1 1.0 r\n")
    with pytest.raises(UsageError, match="--copies has no effect"):
        spanwise.evaluate(tmp_path / "q.txt", tmp_path / "r.txt", "AP", copies="any")
