"""The fold of gestures: its laws, and sets of characters as the plain truth."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanwise.judge.events import (
    Gesture,
    State,
    added,
    applied,
    folded,
    inconsistencies,
    removed,
    unsupported,
    with_exhaustivity,
)

stretches = st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda p: (min(p), max(p) + 1))
edits = st.lists(st.tuples(st.sampled_from(["add", "remove"]), stretches), max_size=12)


def gestures(some):
    return [Gesture("c", n, kind, "relevant", *where) for n, (kind, where) in enumerate(some)]


def characters(spans):
    return {place for start, end in spans for place in range(start, end)}


@given(edits)
def test_layers_are_sets_of_characters(some):
    truth = set()
    for kind, (start, end) in some:
        part = set(range(start, end))
        truth = truth | part if kind == "add" else truth - part
    spans = folded(gestures(some)).layers.get("relevant", ())
    assert characters(spans) == truth
    assert all(a[1] < b[0] for a, b in itertools.pairwise(spans))
    assert all(start < end for start, end in spans)


@given(edits, stretches, stretches)
def test_laws_of_adding_and_removing(some, one, other):
    spans = folded(gestures(some)).layers.get("relevant", ())
    assert added(added(spans, *one), *one) == added(spans, *one)
    assert added(added(spans, *one), *other) == added(added(spans, *other), *one)
    assert added(removed(spans, *one), *one) == added(spans, *one)


@given(edits.filter(bool))
def test_undo_of_the_last_equals_never_having_done_it(some):
    made = gestures(some)
    undone = [*made, Gesture("c", 99, "undo", value=made[-1].key)]
    assert folded(undone).layers == folded(made[:-1]).layers
    redone = [*undone, Gesture("c", 100, "redo", value=made[-1].key)]
    assert folded(redone) == folded(made)


@given(edits, st.integers(0, 12))
def test_a_fold_can_be_resumed(some, place):
    made = gestures(some)
    state = folded(made[:place]) if made else State()
    for one in made[place:]:
        state = applied(state, one)
    assert state.layers == folded(made).layers


def test_states_of_a_document():
    made = [Gesture("c", 0, "open")]
    assert folded([]).status == "new"
    assert folded(made).status == "open"
    made += [Gesture("c", 1, "add", "relevant", 0, 5), Gesture("c", 2, "bep", start=0)]
    assert folded(made).status == "touched"
    made.append(Gesture("c", 3, "done"))
    assert folded(made).status == "done"
    made.append(Gesture("c", 4, "remove", "relevant", 0, 5))
    assert folded(made).status == "touched"
    made.append(Gesture("c", 5, "skip", value="too long"))
    assert (folded(made).status, folded(made).reason) == ("skipped", "too long")


MARKED = {"relevant": ((0, 5),)}


@pytest.mark.parametrize(
    ("state", "mode", "problems"),
    [
        (State(), "highlight", 0),
        (State(layers=MARKED, bep=3), "highlight", 0),
        (State(layers=MARKED), "highlight", 1),
        (State(bep=3), "highlight", 1),
        (State(layers=MARKED, bep=0, grade=2), "grades", 0),
        (State(layers=MARKED, bep=0, grade=0), "grades", 1),
        (State(grade=1), "grades", 1),
        (State(), "document", 1),
        (State(grade=0), "document", 0),
    ],
)
def test_finishing_needs_consistency(state, mode, problems):
    assert len(inconsistencies(state, mode)) == problems


def test_rules_of_exhaustivity():
    values = {"/a[1]": 1, "/a[1]/b[1]": 1, "/a[1]/b[1]/c[1]": 1, "/a[1]/d[1]": -1}
    # the highest grade lifts what is around it, and nothing else
    assert with_exhaustivity(values, "/a[1]/b[1]", 2) == {**values, "/a[1]": 2, "/a[1]/b[1]": 2}
    # too small spreads downwards
    assert with_exhaustivity(values, "/a[1]/b[1]", -1)["/a[1]/b[1]/c[1]"] == -1
    # a descendant above its element becomes unknown
    assert "/a[1]/b[1]" not in with_exhaustivity({"/a[1]": 2, "/a[1]/b[1]": 2}, "/a[1]", 1)
    # an element that was the highest by nothing else becomes unknown, when that is taken back
    lifted = {"/a[1]": 2, "/a[1]/b[1]": 2, "/a[1]/b[1]/c[1]": 2, "/a[1]/d[1]": 2}
    assert with_exhaustivity(lifted, "/a[1]/b[1]/c[1]", 1) == {
        "/a[1]": 2,
        "/a[1]/d[1]": 2,
        "/a[1]/b[1]/c[1]": 1,
    }


def test_what_the_exhaustivity_phase_still_asks():
    state = State(layers=MARKED, bep=0, exhaustivity={"/a[1]": -1})
    asked = [("/a[1]", True), ("/a[1]/b[1]", False), ("/c[1]", False)]
    assert inconsistencies(state, "exhaustivity", asked) == [
        "/a[1] contains a whole passage, so it cannot be too small",
        "assess the exhaustivity of /c[1]",  # b is inside what is too small, and so is too small
    ]


def test_the_highest_grade_lifts_what_was_not_asked_yet():
    lifted = with_exhaustivity({}, "/a[1]/b[2]/c[1]", 2)
    assert lifted == {"/a[1]": 2, "/a[1]/b[2]": 2, "/a[1]/b[2]/c[1]": 2}
    assert with_exhaustivity(lifted, "/a[1]/b[2]/c[1]", 1) == {"/a[1]/b[2]/c[1]": 1}


def test_what_is_around_something_better_is_not_too_small():
    values = {"/a[1]": -1, "/a[1]/b[1]": -1, "/a[1]/d[1]": -1}
    assert with_exhaustivity(values, "/a[1]/b[1]/c[1]", 1) == {
        "/a[1]/b[1]/c[1]": 1,
        "/a[1]/d[1]": -1,
    }


def test_what_is_no_longer_highlighted_holds_nothing_up():
    """Its own grade is remembered: highlighted again it is what it was, and lifts as it did."""
    lifted = with_exhaustivity({"/a[1]/d[1]": 1}, "/a[1]/b[1]/c[1]", 2)
    every = {"/a[1]", "/a[1]/b[1]", "/a[1]/b[1]/c[1]", "/a[1]/d[1]"}
    left = {"/a[1]", "/a[1]/d[1]"}  # the highlight in b was taken away, the one in d stays
    assert unsupported(lifted, every) == set()
    assert "/a[1]" in unsupported(lifted, left)
    state = State(layers=MARKED, bep=0, exhaustivity=lifted)
    asked = [("/a[1]", True), ("/a[1]/d[1]", True)]
    assert inconsistencies(state, "exhaustivity", asked) == ["assess the exhaustivity of /a[1]"]
    # said once more it rests on itself
    again = with_exhaustivity(lifted, "/a[1]", 2)
    assert again == {"/a[1]": 2, "/a[1]/d[1]": 1}
    assert unsupported(again, left) == set()


def test_an_element_that_holds_up_and_is_not_held_up_itself():
    values = {"/a[1]": 2, "/a[1]/b[1]": 2, "/a[1]/b[1]/c[1]": 2}
    assert unsupported(values, {"/a[1]", "/a[1]/b[1]"}) == {"/a[1]", "/a[1]/b[1]"}
    assert unsupported({"/a[1]": 2, "/a[1]/b[1]": 2}, {"/a[1]", "/a[1]/b[1]"}) == set()


FINISHED = [
    Gesture("one", 0, "add", "relevant", 0, 5),
    Gesture("one", 1, "bep", start=0),
    Gesture("one", 2, "done"),
]


def test_an_older_edit_that_is_taken_back_in_another_window_opens_what_was_finished():
    taken = Gesture("two", 0, "undo", value="one:1")
    assert folded(FINISHED).status == "done"
    assert folded([*FINISHED, taken]).status == "touched"
    assert folded([*FINISHED, taken, Gesture("two", 1, "redo", value="one:1")]).status == "touched"
    again = [*FINISHED, taken, Gesture("one", 3, "done")]
    assert folded(again).status == "done"


def test_what_was_done_after_the_finish_can_be_taken_back():
    later = Gesture("one", 3, "add", "relevant", 7, 9)
    assert folded([*FINISHED, later, Gesture("one", 4, "undo", value="one:3")]) == folded(FINISHED)
    back = [Gesture("one", 10 + n, "undo", value=f"one:{2 - n}") for n in range(3)]
    again = [Gesture("one", 20 + n, "redo", value=f"one:{n}") for n in range(3)]
    assert folded([*FINISHED, *back]).status == "open"
    assert folded([*FINISHED, *back, *again]) == folded(FINISHED)
