"""Models on four tiny texts, their values worked out by hand."""

from math import log, sqrt

import numpy as np
import pytest

from spanwise.retrieve.expansion import (
    _synset,
    rm3,
    rocchio,
    synonyms,
)
from spanwise.retrieve.models.latent import counts_of, fitted, folded_in
from spanwise.retrieve.models.vectors import Bm25, QueryLikelihood, TfIdf
from spanwise.retrieve.postings import (
    load,
    postings_of,
    spellings,
    stems,
)
from spanwise.retrieve.queries import search_weighted
from spanwise.retrieve.registry import ENGINES, engine_names, find_engine

TEXTS = ["wing wing lift", "wing drag", "heat of the slab", "heat heat wing lift"]


def answers(engine, folder, words, top=10):
    engine.build(TEXTS, folder)
    with engine.open(folder) as searcher:
        units, scores = searcher.search(words, top)
    return dict(zip(units.tolist(), scores.tolist(), strict=True))


def test_words_are_stemmed_counted_and_stopped():
    postings = postings_of([*TEXTS, "Flying flies"])
    assert set(postings.words) == {"wing", "lift", "drag", "heat", "slab", "fly", "fli"}
    assert postings.lengths.tolist() == [3, 2, 2, 4, 2]
    units, counts = postings.of(postings.words["wing"])
    assert (units.tolist(), counts.tolist()) == ([0, 1, 3], [2, 1, 1])
    assert postings.totals[postings.words["heat"]] == 3
    assert stems(["Slabs", "heating"]) == ["slab", "heat"]


def test_postings_are_kept_in_a_file(tmp_path):
    postings_of(TEXTS).save(tmp_path / "p.npz")
    again = load(tmp_path / "p.npz")
    assert again.words == postings_of(TEXTS).words
    assert again.table().tolist() == postings_of(TEXTS).table().tolist()


def test_bm25(tmp_path):
    found = answers(Bm25(1.2, 0.75), tmp_path, ["wing", "drag"])
    mean = 11 / 4

    def part(df, tf, length):
        idf = log(1 + (4 - df + 0.5) / (df + 0.5))
        return idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / mean))

    assert found == pytest.approx(
        {0: part(3, 2, 3), 1: part(3, 1, 2) + part(1, 1, 2), 3: part(3, 1, 4)}, rel=1e-12
    )


def test_cosine_of_tf_idf(tmp_path):
    found = answers(TfIdf(), tmp_path, ["lift"])
    wing, lift, heat = log(4 / 3), log(2), log(2)
    first = sqrt(((1 + log(2)) * wing) ** 2 + lift**2)
    last = sqrt(((1 + log(2)) * heat) ** 2 + wing**2 + lift**2)
    assert found == pytest.approx({0: lift / first, 3: lift / last}, rel=1e-12)


def test_query_likelihood(tmp_path):
    found = answers(QueryLikelihood(10.0), tmp_path, ["slab", "slab"])
    assert found == pytest.approx({2: 2 * log((1 + 10 / 11) / (2 + 10))}, rel=1e-12)


@pytest.mark.parametrize("name", ["fts5", "tfidf", "bm25", "ql", "plsi"])
def test_words_that_nobody_knows_find_nothing(name, tmp_path):
    assert answers(find_engine(name).made(), tmp_path, ["zzz"]) == {}
    with find_engine(name).made().open(tmp_path) as searcher:
        assert len(searcher.search([], 5)[0]) == 0


@pytest.mark.parametrize("name", ["fts5", "tfidf", "bm25", "ql"])
def test_the_best_come_first_and_no_more_than_asked(name, tmp_path):
    found = answers(find_engine(name).made(), tmp_path, ["heat", "wing"], 2)
    assert len(found) == 2
    assert next(iter(found)) == 3
    assert sorted(found.values(), reverse=True) == list(found.values())


# PLSI --------------------------------------------------------------------------------------------


def test_the_likelihood_never_falls():
    table = np.random.default_rng(3).integers(0, 4, (12, 9)).astype(float)
    climbed = np.diff(fitted(counts_of(table), 3, rounds=40, seed=1).likelihoods)
    assert (climbed >= -1e-9).all()
    assert climbed.sum() > 0


def test_one_topic_is_the_collection_itself():
    table = np.array([[2.0, 1, 0], [0, 1, 4]])
    model = fitted(counts_of(table), 1, rounds=3)
    assert model.topics.tolist() == [[1.0], [1.0]]
    assert model.words[0] == pytest.approx(np.array([2, 2, 4]) / 8, abs=1e-12)


def test_texts_without_a_word_in_common_get_topics_of_their_own():
    table = np.array([[5.0, 3, 0, 0], [4, 4, 0, 0], [0, 0, 2, 6], [0, 0, 5, 5]])
    model = fitted(counts_of(table), 2, rounds=200, seed=0)
    mine = model.topics.argmax(axis=1)
    assert mine[0] == mine[1] != mine[2] == mine[3]
    assert model.topics.max(axis=1) == pytest.approx(np.ones(4), abs=1e-6)
    assert model.words[mine[0]] == pytest.approx(np.array([9, 7, 0, 0]) / 16, abs=1e-6)


def test_a_query_is_folded_in_without_changing_topics():
    words = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]])
    assert folded_in(words, {0: 3}) == pytest.approx([1, 0], abs=1e-9)
    assert folded_in(words, {1: 3}) == pytest.approx([0.5, 0.5], abs=1e-9)
    # one update from an even start: word 0 is topic 0's, word 1 is shared evenly
    assert folded_in(words, {0: 1, 1: 1}, rounds=1) == pytest.approx([0.75, 0.25], abs=1e-12)


def test_tempering_evens_out():
    words = np.array([[0.9, 0.1], [0.1, 0.9]])
    once, tempered = (folded_in(words, {0: 1}, rounds=1, beta=beta) for beta in (1.0, 0.5))
    assert once == pytest.approx([0.9, 0.1], abs=1e-12)
    assert tempered == pytest.approx([0.75, 0.25], abs=1e-12)  # sqrt(0.9) : sqrt(0.1) = 3 : 1


def test_the_same_seed_gives_the_same_model():
    table = counts_of(np.random.default_rng(1).integers(0, 3, (6, 5)).astype(float))
    one, two = (fitted(table, 2, seed=5) for _ in range(2))
    assert one.topics.tobytes() == two.topics.tobytes()


# Expansion ---------------------------------------------------------------------------------------


def test_rm3_mixes_the_query_with_the_relevance_model():
    postings = postings_of(TEXTS)
    wing, lift = postings.words["wing"], postings.words["lift"]
    weights = rm3(postings, ["drag", "wing"], [{wing: 2, lift: 1}], [7.0])
    # half of the weight on the query's words, half on P(w | unit) = 2/3, 1/3
    assert weights == pytest.approx({"drag": 1 / 4, "wing": 1 / 4 + 1 / 3, lift: 1 / 6}, rel=1e-9)


def test_rocchio_adds_the_mean_of_the_best():
    postings = postings_of(TEXTS)
    heat, slab = postings.words["heat"], postings.words["slab"]
    weights = rocchio(postings, ["heat"], [{heat: 1, slab: 1}])
    length = sqrt(log(2) ** 2 + log(4) ** 2)
    expected = {"heat": 1 + 0.75 * log(2) / length, slab: 0.75 * log(4) / length}
    assert weights == pytest.approx(expected, rel=1e-9)


def test_synonyms_are_read_from_files_in_the_manner_of_wordnet(tmp_path):
    data = (
        "  1 licence\n00000014 06 n 03 car 0 auto 0 motor_car 0 001 @ 00000099 n 0000 | a thing\n"
    )
    place = data.index("00000014")
    for part in ("noun", "verb", "adj", "adv"):
        (tmp_path / f"data.{part}").write_text(data if part == "noun" else "")
        entry = f"car n 1 1 @ 1 0 {place:08d}  \n"
        (tmp_path / f"index.{part}").write_text("  1 licence\n" + (entry if part == "noun" else ""))
    assert _synset(tmp_path / "data.noun", place) == ["car", "auto"]
    assert synonyms(tmp_path)(["car", "red"]) == {"car": 1.0, "red": 1.0, "auto": 0.3}
    assert synonyms(tmp_path)(["cars"]) == {"cars": 1.0, "auto": 0.3}
    (tmp_path / "noun.exc").write_text("caren car\n")
    assert synonyms(tmp_path)(["caren"]) == {"caren": 1.0, "auto": 0.3}


def test_without_wordnet_the_error_says_what_to_install(tmp_path):
    with pytest.raises(Exception, match="wordnet-base"):
        synonyms(tmp_path)


# Weighted words ----------------------------------------------------------------------------------


def weighted(engine, folder, words):
    engine.build(TEXTS, folder)
    with engine.open(folder) as searcher:
        hits = search_weighted(searcher, words, 10)
    return dict(zip(hits.units.tolist(), hits.scores.tolist(), strict=True))


def test_a_unit_without_a_word_is_charged_for_it_by_query_likelihood(tmp_path):
    found = weighted(QueryLikelihood(10.0), tmp_path, {"wing": 0.75, "slab": 0.25})

    def score(wings, slabs, length):
        chances = (wings + 10 * 4 / 11) / (length + 10), (slabs + 10 / 11) / (length + 10)
        return 0.75 * log(chances[0]) + 0.25 * log(chances[1])

    assert found == pytest.approx(
        {0: score(2, 0, 3), 1: score(1, 0, 2), 2: score(0, 1, 2), 3: score(1, 0, 4)}, rel=1e-12
    )


def test_the_cosine_of_weighted_words_is_one_cosine(tmp_path):
    found = weighted(TfIdf(), tmp_path, {"lift": 0.5, "drag": 0.25})
    wing, lift, drag = log(4 / 3), log(2), log(4)
    query = sqrt((0.5 * lift) ** 2 + (0.25 * drag) ** 2)
    second = sqrt(wing**2 + drag**2)
    assert found[1] == pytest.approx(0.25 * drag * drag / (query * second), rel=1e-12)


@pytest.mark.parametrize("name", ["bm25", "ql"])
def test_equal_weights_rank_as_the_words_alone_do(name, tmp_path):
    engine = find_engine(name).made()
    plain = answers(engine, tmp_path, ["heat", "wing"])
    assert weighted(engine, tmp_path, {"heat": 2.0, "wing": 2.0}) == pytest.approx(
        {unit: 2 * score for unit, score in plain.items()}, rel=1e-12
    )


def test_feedback_counts_the_more_likely_unit_more(tmp_path):
    postings = postings_of(TEXTS)
    wing, heat = postings.words["wing"], postings.words["heat"]
    weights = rm3(postings, [], [{wing: 1}, {heat: 1}], [log(0.3), log(0.1)])
    assert weights == pytest.approx({wing: 0.5 * 3 / 4, heat: 0.5 / 4}, rel=1e-9)


def test_a_stem_is_spelled_as_it_mostly_is():
    counts = {"flying": 2, "flyings": 3, "organization": 1, "x_y": 9}
    assert spellings(counts) == {"fly": "flyings", "organ": "organization"}


def test_the_names_that_help_lists_are_those_of_the_registry():
    assert engine_names() == list(ENGINES)
