"""The rules of tasks on runs small enough to check by hand."""

import time
from typing import ClassVar

import numpy as np
import pytest

from spanwise.errors import InputError, UnknownName, UsageError
from spanwise.formats import read_run
from spanwise.matching.tasks import (
    ALIASES,
    TASKS,
    Rules,
    find_task,
    repaired,
    unchecked,
    violations,
)
from spanwise.model.spans import Spans


@pytest.fixture
def run_of(tmp_path):
    """A run of one topic from lines `document place`, as they would stand in a file."""

    def run_of(*results: str, topic: str = "1"):
        file = tmp_path / "some.run"
        lines = []
        for rank, result in enumerate(results, start=1):
            document, place = result.split(" ", 1)
            lines.append(f"{topic} Q0 {document} {rank} {1 / rank} mine {place}\n")
        file.write_text("".join(lines))
        return read_run(str(file))

    return run_of


def found(run, task, **more):
    return [(one.rank, one.rule) for one in violations(run, task, **more)]


def left(run, task, **more):
    """What stays of a run: document and place of each result."""
    mended, changes = repaired(run, task, **more)
    every = np.arange(len(mended.rows))
    documents = [name.decode() for name in mended.documents.take(every)]
    if mended.spans is None:
        places = [path.decode() for path in mended.paths.take(every)]
    else:
        pairs = zip(mended.spans.starts.tolist(), mended.spans.lengths.tolist(), strict=True)
        places = [f"{start} {length}" for start, length in pairs]
    results = [f"{name} {place}" for name, place in zip(documents, places, strict=True)]
    return results, changes


# Overlap ------------------------------------------------------------------------------------


def test_overlap_is_allowed_in_thorough_only(run_of):
    run = run_of("a 0 10", "a 5 10")
    assert found(run, "thorough") == []
    assert found(run, "focused") == [(2, "overlap")]


def test_spans_that_touch_do_not_overlap(run_of):
    assert found(run_of("a 0 10", "a 10 10", "b 0 10", "a 30 0"), "focused") == []


def test_every_result_that_overlaps_an_earlier_one_is_told(run_of):
    run = run_of("a 0 10", "a 5 10", "a 12 10")
    assert found(run, "focused") == [(2, "overlap"), (3, "overlap")]
    ranks = [one.message.rpartition(" ")[2] for one in violations(run, "focused")]
    assert ranks == ["1", "2"]


def test_but_only_those_that_overlap_what_stays_are_taken_out(run_of):
    run = run_of("a 0 10", "a 5 10", "a 12 10")
    assert left(run, "focused") == (["a 0 10", "a 12 10"], {"overlap": 1})


def test_a_result_around_smaller_ones_overlaps_them(run_of):
    run = run_of("a 10 5", "a 20 5", "a 0 100", "a 50 1")
    assert found(run, "focused") == [(3, "overlap"), (4, "overlap")]
    assert left(run, "focused")[0] == ["a 10 5", "a 20 5", "a 50 1"]


def test_elements_are_compared_by_path(run_of):
    run = run_of("a /a[1]/s[1]", "a /a[1]/s[10]", "a /a[1]/s[1]/p[2]", "a /a[1]", "b /a[1]")
    assert found(run, "focused") == [(3, "overlap"), (4, "overlap")]
    assert left(run, "focused")[0] == ["a /a[1]/s[1]", "a /a[1]/s[10]", "b /a[1]"]


def test_ranges_of_elements_are_compared_by_their_ends(run_of):
    run = run_of("a /a[1]/s[1] /a[1]/s[3]", "a /a[1]/s[3]/p[1] /a[1]/s[4]")
    assert found(run, "focused") == [(2, "overlap")]
    assert unchecked(run, "focused") == [
        "results from one path to another, compared by paths only: 2"
    ]


@pytest.mark.parametrize("seed", range(20))
def test_overlap_is_what_comparing_all_pairs_finds(run_of, seed):
    random = np.random.default_rng(seed)
    spans = [
        (int(start), int(length))
        for start, length in zip(random.integers(0, 60, 25), random.integers(0, 9, 25), strict=True)
    ]
    spans = list(dict.fromkeys(spans))
    run = run_of(*(f"a {start} {length}" for start, length in spans))

    def share(one, other):
        return max(one[0], other[0]) < min(sum(one), sum(other))

    pairs = [n for n, one in enumerate(spans, 1) if any(share(one, o) for o in spans[: n - 1])]
    assert found(run, "focused") == [(rank, "overlap") for rank in pairs]
    stay = []
    for one in spans:
        if not any(share(one, other) for other in stay):
            stay.append(one)
    assert left(run, "focused")[0] == [f"a {start} {length}" for start, length in stay]


def test_many_results_of_one_document_take_no_long_time(run_of):
    run = run_of(*(f"a {place * 37 % 20000} 3" for place in range(20000)))
    begin = time.process_time()
    violations(run, "ric")
    repaired(run, "ric")
    assert time.process_time() - begin < 3


# Duplicates and results without a place -----------------------------------------------------


def test_a_result_that_is_there_twice_is_told_once(run_of):
    run = run_of("a 0 10", "b 0 10", "a 0 10")
    assert found(run, "thorough") == [(3, "duplicate")]
    assert found(run, "focused") == [(3, "duplicate")]
    assert left(run, "focused") == (["a 0 10", "b 0 10"], {"duplicate": 1})


def test_results_that_could_not_be_placed(run_of):
    run = run_of("a 0 10", "a X X", "a -1 -1")
    assert found(run, "thorough") == [(2, "unplaced"), (3, "unplaced")]
    assert left(run, "thorough") == (["a 0 10"], {"unplaced": 2})


def test_nothing_may_be_left(run_of):
    with pytest.raises(InputError, match="nothing is left"):
        repaired(run_of("a X X", "b X X"), "thorough")


# Documents ----------------------------------------------------------------------------------


def test_results_of_a_document_are_to_follow_each_other(run_of):
    run = run_of("a 0 5", "a 10 5", "b 0 5", "a 20 5", "a 30 5", "b 10 5")
    assert found(run, "focused") == []
    assert found(run, "ric") == [(4, "grouping"), (6, "grouping")]
    results, changes = left(run, "ric")
    assert results == ["a 0 5", "a 10 5", "a 20 5", "a 30 5", "b 0 5", "b 10 5"]
    assert changes == {"grouping": 3}


def test_one_result_of_each_document(run_of):
    run = run_of("a 7", "b 0", "a 9")
    assert found(run, "bic") == [(3, "one-per-document")]
    assert left(run, "bic") == (["a 7 0", "b 0 0"], {"one-per-document": 1})


# Limits -------------------------------------------------------------------------------------


def test_at_most_1500_results(run_of):
    results = [f"d{number} 0 5" for number in range(1502)]
    assert found(run_of(*results[:1500]), "focused") == []
    run = run_of(*results)
    (one,) = violations(run, "focused")
    assert (one.rank, one.rule) == (1501, "length")
    assert one.message == "1502 results; at most 1500 are allowed"
    assert left(run, "focused") == (results[:1500], {"length": 2})


def test_the_limit_can_be_another(run_of):
    run = run_of("a 0 5", "b 0 5", "c 0 5")
    assert found(run, "efficiency", most=2) == [(3, "length")]
    assert left(run, "efficiency", most=2) == (["a 0 5", "b 0 5"], {"length": 1})


def test_in_context_documents_are_counted_but_results_in_2006(run_of):
    run = run_of("a 0 5", "a 10 5", "b 0 5", "b 10 5")
    assert found(run, "ric", most=2) == []
    assert found(run, "ric", most=1) == [(3, "length")]
    assert found(run, "AllInContext", most=2) == [(3, "length")]
    assert left(run, "ric", most=1)[0] == ["a 0 5", "a 10 5"]


def test_at_most_500_characters_of_a_document(run_of):
    run = run_of("a 0 300", "a 400 200", "b 0 400", "b 500 300", "b 900 10")
    (one,) = violations(run, "restricted-ric")
    assert (one.rank, one.rule) == (4, "document-characters")
    assert one.message == "710 characters of document 'b'; at most 500 are allowed"
    results, changes = left(run, "restricted-ric")
    assert results == ["a 0 300", "a 400 200", "b 0 400", "b 500 100"]
    assert changes == {"document-characters": 2}


def test_at_most_1000_characters_of_a_topic(run_of):
    run = run_of("a 0 600", "b 0 400", "c 0 1")
    assert found(run, "restricted-focused") == [(3, "topic-characters")]
    run = run_of("a 0 600", "b 0 600", "c 0 1")
    assert found(run, "restricted-focused") == [(2, "topic-characters")]
    results, changes = left(run, "restricted-focused")
    assert results == ["a 0 600", "b 0 400"]
    assert changes == {"topic-characters": 2}


def test_characters_of_elements_are_not_known_from_a_run(run_of):
    run = run_of("a /a[1]", "b /a[1]")
    assert found(run, "restricted-focused") == []
    assert unchecked(run, "restricted-focused") == [
        "results of unknown size, not counted in characters: 2"
    ]
    assert unchecked(run, "focused") == []


# A collection -------------------------------------------------------------------------------


class Shelf:
    """Two documents; every section has 600 characters, every paragraph 10."""

    PLACES: ClassVar = {
        (b"a", b"/a[1]"): (0, 1200),
        (b"a", b"/a[1]/s[1]"): (0, 600),
        (b"a", b"/a[1]/s[2]"): (600, 600),
        (b"b", b"/a[1]"): (0, 10),
    }

    def lengths(self, documents):
        return np.array([{b"a": 1200, b"b": 10}.get(name, -1) for name in documents])

    def spans(self, documents, paths):
        found = [self.PLACES.get(key, (-1, -1)) for key in zip(documents, paths, strict=True)]
        return Spans(*np.array(found).T)


def test_a_collection_says_what_does_not_exist(run_of):
    run = run_of("a /a[1]/s[1]", "a /a[1]/s[3]", "c /a[1]")
    assert found(run, "thorough", collection=Shelf()) == [(2, "unknown"), (3, "unknown")]
    assert left(run, "thorough", collection=Shelf()) == (["a /a[1]/s[1]"], {"unknown": 2})


def test_a_collection_says_how_large_elements_are(run_of):
    run = run_of("a /a[1]/s[1]", "a /a[1]/s[2]", "b /a[1]")
    task = "restricted-ric"
    assert found(run, task, collection=Shelf()) == [(1, "document-characters")]
    assert unchecked(run, task, collection=Shelf()) == []
    results, changes = left(run, task, collection=Shelf())
    assert (results, changes) == (["b /a[1]"], {"document-characters": 2})


def test_what_has_no_room_is_in_nobodys_way(run_of):
    run = run_of("a /a[1]", "a /a[1]/s[1]", "a /a[1]/s[2]", "b /a[1]")
    found_now = [(1, "topic-characters"), (2, "overlap"), (3, "overlap")]
    assert found(run, "restricted-focused", collection=Shelf()) == found_now
    results, changes = left(run, "restricted-focused", collection=Shelf())
    assert (results, changes) == (["a /a[1]/s[1]", "b /a[1]"], {"topic-characters": 2})


def test_a_collection_says_where_ranges_end(run_of):
    run = run_of("a /a[1]/s[1] /a[1]/s[2]", "b /a[1] /a[1]", "a /a[1]/s[2] /a[1]/s[2]")
    assert found(run, "focused", collection=Shelf()) == [(3, "overlap")]


# Names --------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS)
def test_a_run_that_keeps_the_rules_stays_as_it_is(run_of, task):
    run = run_of("a 0 100", "b 50 100")
    assert found(run, task) == []
    assert left(run, task) == (["a 0 100", "b 50 100"], {})


@pytest.mark.parametrize("task", TASKS)
def test_a_repaired_run_keeps_the_rules(run_of, task):
    random = np.random.default_rng(7)
    run = run_of(*(f"{'abc'[random.integers(3)]} {random.integers(900)} 90" for _ in range(60)))
    mended, _ = repaired(run, task, most=9)
    assert violations(mended, task, most=9) == []


def test_names_of_the_years():
    for task, names in ALIASES.items():
        assert all(find_task(name) is TASKS[task] for name in names)
    assert find_task("Relevant in Context ") is TASKS["ric"]
    assert find_task("efficiency", 15) == Rules(most=15)


def test_names_that_nobody_knows():
    with pytest.raises(UnknownName, match="expected one of thorough, focused"):
        find_task("snippets")
    with pytest.raises(UsageError, match="expected 1 or more"):
        find_task("focused", 0)
