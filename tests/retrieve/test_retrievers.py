"""Retrievers of a sweep: their order, and how many results they return."""

import logging
import math

import numpy as np
import pytest

from spanwise.errors import InputError, UnknownName, UsageError
from spanwise.retrieve.asking import asking, full_name, until
from spanwise.retrieve.retrievers import (
    Asked,
    Dense,
    Depth,
    Hybrid,
    Indexes,
    Scored,
    find_reranker,
    refuse_missing,
    reranked,
)

TEXTS = ["red apple tree", "green pear tree", "red car", "blue car and red apple"]
ALL = Depth(np.ones(len(TEXTS)), 100, 1)


class Given(Scored):
    """An index with given scores."""

    def __init__(self, table, *, every=True):
        self.table, self.every = np.array(table, float), every

    def scores(self, questions):
        return self.table[: len(questions)]


def order(index, question, depth=ALL):
    (ranking,) = index.rank([question], depth)
    return ranking[0].tolist()


def test_equal_scores_stand_in_the_order_of_the_texts_at_any_depth():
    scores = [3.0, 1.0, 3.0, 0.0, 1.0, 3.0]
    for least in range(1, 7):
        found = order(Given([scores]), "q", Depth(np.ones(6), 1, least))
        assert found == [0, 2, 5, 1, 4, 3][:least]


def test_results_reach_the_budget_and_no_more():
    """Texts of 30, 10 and 20 in the order 2, 0, 1: after 20 and 50 characters, 60 in all."""
    costs = np.array([30.0, 10.0, 20.0])
    index = Given([[0.5, 0.1, 0.9]])
    assert order(index, "q", Depth(costs, 20, 1)) == [2]
    assert order(index, "q", Depth(costs, 21, 1)) == [2, 0]
    assert order(index, "q", Depth(costs, 50, 1)) == [2, 0]
    assert order(index, "q", Depth(costs, 51, 1)) == [2, 0, 1]
    assert order(index, "q", Depth(costs, 5000, 1)) == [2, 0, 1]
    assert order(index, "q", Depth(costs, 20, 2)) == [2, 0]


def test_more_is_asked_for_where_the_best_texts_are_short():
    """The 1000 best texts have 1 character, the mean is 100: the first guess does not suffice."""
    costs = np.concatenate([np.ones(1000), np.full(1000, 199.0)])
    found = order(Given([np.arange(2000.0)[::-1]]), "q", Depth(costs, 1199, 1))
    assert found == list(range(1001))  # 1000 + 199


def test_tfidf_is_the_formula():
    """(1 + ln tf) ln(N / df), by cosine: `red` has df 3, `pear` 1, `apple` and `car` 2, of 4."""
    (ranking,) = Indexes(TEXTS).of("tfidf").rank(["apple pear"], ALL)
    df = {"red": 3, "appl": 2, "tree": 2, "green": 1, "pear": 1, "car": 2, "blue": 1}
    idf = {word: math.log(4 / count) for word, count in df.items()}
    texts = [["red", "appl", "tree"], ["green", "pear", "tree"], ["red", "car"],
             ["blue", "car", "red", "appl"]]  # fmt: skip
    asked = math.hypot(idf["appl"], idf["pear"])
    expected = [
        sum(idf[w] ** 2 for w in text if w in ("appl", "pear"))
        / (asked * math.hypot(*(idf[w] for w in text)))
        for text in texts
    ]
    best = sorted(range(4), key=lambda n: -expected[n])
    assert ranking[0].tolist() == best
    assert ranking[1].tolist() == pytest.approx([expected[n] for n in best])


def test_bm25_finds_words_and_orders_ties_by_place():
    pytest.importorskip("bm25s")
    assert order(Indexes(TEXTS).of("bm25"), "pear") == [1, 0, 2, 3]
    with pytest.raises(InputError, match="no words except stop words"):
        Indexes(["the", "and of"]).of("bm25")


def test_vectors_are_compared_by_cosine():
    vectors = {"a": [3.0, 0.0], "b": [1.0, 1.0], "c": [0.0, 9.0], "": [0.0, 0.0]}
    index = Dense(["a", "b", "c", ""], lambda texts: np.array([vectors[t] for t in texts]))
    (ranking,) = index.rank(["c"], Depth(np.ones(4), 100, 1))
    assert ranking[0].tolist() == [2, 1, 0, 3]
    assert ranking[1].tolist() == pytest.approx([1, math.sqrt(0.5), 0, 0], abs=1e-6)


def test_a_hybrid_adds_reciprocal_ranks_and_ignores_what_a_part_does_not_find():
    """Ranks 1 2 3 and 3 - 1: sums 1/61 + 1/62, 1/62, 1/63 + 1/61."""
    words = Given([[2.0, 0.0, 5.0]], every=False)  # the second text is not found
    sense = Given([[0.9, 0.8, -0.1]])
    index = Hybrid([sense, words])
    found = index.scores(["q"])[0].tolist()
    assert found == pytest.approx([1 / 61 + 1 / 62, 1 / 62, 1 / 63 + 1 / 61])


def test_an_index_is_made_once_for_all_retrievers_that_use_it(monkeypatch):
    made = []
    monkeypatch.setattr(
        "spanwise.retrieve.retrievers.Bm25", lambda texts: made.append("bm25") or Given([[1.0]])
    )
    monkeypatch.setattr(
        "spanwise.retrieve.retrievers.TfIdf", lambda texts: made.append("tfidf") or Given([[1.0]])
    )
    indexes = Indexes(["x"])
    for name in ("bm25", "hybrid:bm25+tfidf", "tfidf", "hybrid:tfidf+bm25", "bm25"):
        indexes.of(name)
    assert sorted(made) == ["bm25", "tfidf"]


def test_a_model_that_embeds_is_a_retriever():
    class Model:
        def encode(self, texts):
            return np.array([[len(text), 1.0] for text in texts])

    assert order(Indexes(["aaaa", "a", "aa"]).of(Model()), "aaaa")[0] == 0


@pytest.mark.parametrize(
    "answer",
    [
        [3, 1],
        [(3, 0.9), (1, 0.8)],
        [TEXTS[3], TEXTS[1]],
        [type("Document", (), {"page_content": TEXTS[n]})() for n in (3, 1)],
        [type("Scored", (), {"node": type("Node", (), {"text": TEXTS[n]})()})() for n in (3, 1)],
    ],
    ids=["numbers", "pairs", "texts", "LangChain", "LlamaIndex"],
)
def test_functions_return_numbers_texts_or_documents(answer):
    index = Indexes(TEXTS).of(lambda texts: lambda question: answer)
    assert order(index, "q") == [3, 1]


def test_functions_are_asked_for_more_until_the_budget_is_reached():
    asked = []

    def search(question, most):
        asked.append(most)
        return list(range(most))

    costs = np.concatenate([np.ones(50), np.full(150, 39.0)])  # mean 29.5
    index = Asked(search, [f"text {n}" for n in range(200)])
    found = order(index, "q", Depth(costs, 590, 1))
    assert found == list(range(64))  # 50 + 14 * 39 = 596
    assert asked == [35, 140]  # one and a half times 590 / 29.5, and 5 more; then four times that


def test_objects_search_by_a_method():
    class Engine:
        def __init__(self, texts):
            self.count = len(texts)

        def search(self, question, top):
            return list(range(self.count))[::-1][:top]

    assert order(Indexes(TEXTS).of(Engine), "q") == [3, 2, 1, 0]
    with pytest.raises(UsageError, match="a method invoke, retrieve or search"):
        Indexes(TEXTS).of(lambda texts: 3)


def test_equal_texts_are_found_one_after_the_other():
    index = Asked(lambda question: ["same", "same", "other", "same"], ["same", "other", "same"])
    assert order(index, "q") == [0, 2, 1]


def test_what_was_not_given_cannot_be_returned():
    with pytest.raises(InputError, match="'other'; expected one of the texts it was given"):
        order(Asked(lambda question: ["other"], TEXTS), "q")
    with pytest.raises(InputError, match="number 4; expected one from 0 to 3"):
        order(Asked(lambda question: [4], TEXTS), "q")


def test_fields_with_the_number_of_results_are_set_and_restored():
    class Library:
        search_kwargs = {"k": 4, "filter": "x"}  # noqa: RUF012

        def invoke(self, question):
            return [self.search_kwargs["filter"]] * self.search_kwargs["k"]

    class Other:
        similarity_top_k = 2

        def retrieve(self, question):
            return ["x"] * self.similarity_top_k

    for retriever in (Library(), Other()):
        ask, more = asking(retriever)
        assert ask("q", 30) == ["x"] * 30
        assert more
    assert Library().search_kwargs["k"] == 4
    one = Other()
    asking(one)[0]("q", 30)
    assert one.similarity_top_k == 2


@pytest.mark.parametrize(
    ("search", "more"),
    [
        (lambda question: 0, False),
        (lambda question, k=5: k, True),
        (lambda question, *, top_k=5: top_k, True),
        (lambda question, count: count, True),
        (lambda question, verbose=0: verbose, False),
    ],
)
def test_functions_take_the_number_of_results_in_many_ways(search, more):
    ask, can = asking(search)
    assert can is more
    assert ask("q", 30) == (30 if more else 0)


def test_asking_ends_where_nothing_is_left():
    asked = []

    def ask(most):
        asked.append(most)
        return list(range(min(most, 10)))

    assert until(ask, lambda found: False, 4) == list(range(10))
    assert asked == [4, 16]
    assert until(ask, lambda found: False, 4, more=False) == list(range(4))
    assert until(ask, lambda found: len(found) > 3, 4) == list(range(4))


def test_names_stand_for_what_they_leave_out():
    for wrong in ("hybrid:bm25", "hybrid:hybrid+bm25", "hybrid:a+b+c"):
        with pytest.raises(UsageError, match=r"expected two others|unknown retriever"):
            full_name(wrong)
    with pytest.raises(UnknownName, match="bm25, tfidf, dense:wordllama, dense:FOLDER, hybrid"):
        full_name("bm52")
    with pytest.raises(UnknownName, match="'tfdif'"):
        refuse_missing("hybrid:bm25+tfdif")
    with pytest.raises(UsageError, match="expected a name, a model with a method encode, or a fun"):
        refuse_missing(3)


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(UsageError, match="found no such folder; expected dense:wordllama"):
        refuse_missing(f"dense:{tmp_path / 'no'}")
    with pytest.raises(UsageError, match="found no model; expected a folder that model2vec"):
        refuse_missing(f"dense:{tmp_path}")


def test_a_missing_library_names_its_extra(monkeypatch):
    import sys

    from spanwise.errors import MissingExtra
    from spanwise.retrieve.retrievers import embedding

    embedding.cache_clear()
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(MissingExtra, match=r"pip install 'spanwise\[wordllama\]'"):
        refuse_missing("dense")
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(MissingExtra, match=r"pip install 'spanwise\[sweep\]'"):
        refuse_missing("hybrid:tfidf+bm25")


def test_a_reranker_orders_what_was_found():
    rankings = [(np.array([2, 0, 1]), np.array([9.0, 8.0, 7.0]))]
    found = reranked(rankings, ["q"], ["a", "bbb", "cc"], lambda q, texts: map_of(texts))
    assert found[0][0].tolist() == [1, 2, 0]
    assert found[0][1].tolist() == [3, 2, 1]

    class CrossEncoder:
        def predict(self, pairs):
            return [len(text) for _, text in pairs]

    again = reranked(rankings, ["q"], ["a", "bbb", "cc"], find_reranker(CrossEncoder()))
    assert again[0][0].tolist() == [1, 2, 0]
    with pytest.raises(InputError, match="1 scores; expected one for each of 3 texts"):
        reranked(rankings, ["q"], ["a", "bbb", "cc"], lambda q, texts: [1])
    with pytest.raises(UnknownName, match="dense:wordllama"):
        find_reranker("bm25")


def map_of(texts):
    return [len(text) for text in texts]


def test_libraries_do_not_write_to_the_log(caplog):
    pytest.importorskip("bm25s")
    with caplog.at_level(logging.DEBUG):
        Indexes(TEXTS).of("bm25")
    assert not caplog.records
