"""Retrievers as runs: they are asked for as many chunks as the largest budget needs."""

import pytest

import spanwise

TEXT = "".join(f"Line {n:03} of the text. " for n in range(400))  # 22 characters each
DOCUMENTS = {"d": TEXT}
GOLD = [
    {"id": "q", "question": "Which line?", "spans": [{"doc": "d", "s": 22 * 99, "e": 22 * 100}]}
]
CHUNKS = [("d", 22 * n, 22 * n + 22) for n in range(400)]


class Library:
    """A retriever as LangChain has them."""

    def __init__(self):
        self.search_kwargs = {"k": 4}
        self.asked = []

    def invoke(self, question):
        self.asked.append(self.search_kwargs["k"])
        return CHUNKS[: self.search_kwargs["k"]]


class Index:
    """A retriever as LlamaIndex has them."""

    similarity_top_k = 2

    def retrieve(self, question):
        return CHUNKS[: self.similarity_top_k]


def by_default(question, k=4):
    return CHUNKS[:k]


def compared(run, **more):
    return spanwise.compare(GOLD, {"it": run}, collection=DOCUMENTS, **more).scores[0]


def by_number(question, number):
    return CHUNKS[:number]


@pytest.mark.parametrize("retriever", [Library(), Index(), by_default, by_number])
def test_the_largest_budget_is_reached(retriever):
    """The evidence is the 100th line: 2,200 characters. 4,000 are reached by 182 lines."""
    found = compared(retriever, budget=[500, 4000])
    assert found.means["SpanR(budget=4000)"] == 1
    assert found.means["SpanR(budget=500)"] == 0
    assert found.facts["results"] == 182


def test_a_retriever_is_asked_for_more_and_left_as_it_was():
    retriever = Library()
    compared(retriever, budget=4000)
    assert set(retriever.asked) == {50, 200}
    assert retriever.search_kwargs == {"k": 4}


def test_a_retriever_that_cannot_be_asked_for_more_is_taken_as_it_is():
    assert compared(lambda question: CHUNKS[:3], budget=4000).facts["results"] == 3


def test_nothing_is_left_after_the_last_chunk():
    assert compared(by_default, budget=10**6).facts["results"] == 400


def test_tokens_are_counted_where_the_budget_counts_them():
    """A line has 5 words and a full stop: 6 tokens of 22 characters, 600 are 100 lines."""

    def search(question, k=4):
        return [{"doc": "d", "s": s, "e": e, "text": TEXT[s:e]} for _, s, e in CHUNKS[:k]]

    found = compared(search, budget=600, unit="tokens:words")
    assert found.facts["results"] == 100
    assert found.means["SpanR(budget=600)"] == 1


def test_without_a_budget_a_retriever_returns_what_it_does_by_default():
    for retriever, count in ((Library(), 4), (Index(), 2), (by_default, 4)):
        found = spanwise.evaluate(GOLD, {"it": retriever}, ["SpanR@3"], collection=DOCUMENTS)
        assert found["it"].facts["results"] == count
