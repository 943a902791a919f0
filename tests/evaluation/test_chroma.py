"""Recall, precision and IoU at 5 as Chroma's chunking evaluation defines them, on all its topics.

The definition is implemented here once more with sets of characters: found are the characters of
the references that some chunk has; recall divides them by the lengths of all references, precision
by the lengths of all chunks, and IoU by both together less what is found.
"""

import csv
import json
import re
from collections import Counter

import pytest

import spanwise
from shared_data import shared

K = 5
MEASURES = [f"{name}@{K}" for name in ("SpanR", "SpanP", "SpanIoU")]


def windows(text, size, step):
    """Chunks of a size, which overlap if the step is smaller."""
    return [(s, min(s + size, len(text))) for s in range(0, len(text), step)]


def paragraphs(text):
    """Chunks of very different sizes, without the white space between them."""
    return [one.span() for one in re.finditer(r"\S(?:.*?\S)??(?=\s*\n|\s*\Z)", text)]


WAYS = {
    "apart": lambda text: windows(text, 400, 400),
    "overlapping": lambda text: windows(text, 500, 150),
    "paragraphs": paragraphs,
}


def words(text):
    return Counter(re.findall(r"\w+", text.lower()))


@pytest.fixture(scope="module")
def chroma():
    file = shared("data", "spans", "chroma-chunking", "questions_df.csv")
    rows = list(csv.DictReader(file.read_text("utf-8").splitlines(keepends=True)))
    names = {row["corpus_id"] for row in rows}
    texts = {name: (file.parent / f"{name}.md").read_bytes().decode("utf-8") for name in names}
    return file, rows, texts


def defined(references, chunks):
    """Recall, precision and IoU by Chroma's definition."""
    gold = [set(range(one["start_index"], one["end_index"])) for one in references]
    found = set().union(*gold) & set().union(*(range(s, e) for s, e in chunks))
    relevant, read = sum(map(len, gold)), sum(e - s for s, e in chunks)
    return len(found) / relevant, len(found) / read, len(found) / (read + relevant - len(found))


@pytest.mark.parametrize("way", WAYS)
def test_every_topic_has_the_values_of_the_definition(chroma, way):
    file, rows, texts = chroma
    chunks = {name: WAYS[way](text) for name, text in texts.items()}
    bags = {name: [words(texts[name][s:e]) for s, e in some] for name, some in chunks.items()}
    run, due = {}, {}
    for number, row in enumerate(rows, start=1):
        name, asked = row["corpus_id"], set(words(row["question"]))
        shares = [sum(bag[word] > 0 for word in asked) for bag in bags[name]]
        best = sorted(range(len(shares)), key=lambda n: -shares[n])[: K + 2]
        spans = [chunks[name][n] for n in best]
        run[str(number)] = [(name, s, e) for s, e in spans]
        due[str(number)] = defined(json.loads(row["references"]), spans[:K])
    scores = spanwise.evaluate(file, run, MEASURES, collection=texts)
    assert len(scores.per_topic) == len(rows) == 472
    for topic, expected in due.items():
        found = [scores.per_topic[topic][name] for name in MEASURES]
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-15), topic
    assert all(0.03 < scores.means[name] < 0.97 for name in MEASURES[:1])
    assert sum(recall > 0 for recall, _, _ in due.values()) > 100
