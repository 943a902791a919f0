"""The view of the log that is kept up to date says what folding all of it says."""

import random

from spanwise.judge.events import Gesture
from spanwise.judge.store import Event, create
from spanwise.judge.verdicts import (
    FINISHED,
    Tally,
    seconds,
    states,
)

KINDS = ["open", "add", "remove", "bep", "note", "done", "skip", "undo", "redo", "reopen"]


def events(draw, count, first=0):
    for n in range(first, first + count):
        judge = draw.choice(["anna", "ben"])
        kind, client = draw.choice(KINDS), f"client-{judge}"
        # An undo may name a gesture of another document, or one that comes later.
        value = f"{client}:{draw.randrange(first + count)}" if kind in ("undo", "redo") else "x"
        start = draw.randrange(50)
        gesture = Gesture(client, n, kind, "relevant", start, start + 5, value)
        place = draw.randrange(2), draw.randrange(3)
        yield Event(0, judge, *place, gesture, 0, 0.0, n * draw.uniform(0, 3))


def test_it_says_what_the_fold_of_the_whole_log_says(tmp_path):
    draw = random.Random(2)
    store = create(str(tmp_path / "s"), {}, [("1", {}), ("2", {})], iter(()))
    tally = Tally(store)
    for turn in range(60):
        count = draw.choice([1, 2, 30])
        store.append(list(events(draw, count, turn * 30)))
        for judge in ("anna", "ben"):
            mine = store.events(judge)
            due = states(mine)
            assert tally.states(judge) == due
            assert tally.seconds(judge) == seconds(mine)
            assert tally.last(judge) == (mine[-1] if mine else None)
            for topic in range(2):
                finished = [s.status in FINISHED for (t, _), s in due.items() if t == topic]
                assert tally.finished(judge)[topic] == sum(finished)
    assert Tally(store).states("anna") == tally.states("anna")
    store.close()


def test_a_judge_who_did_nothing(tmp_path):
    store = create(str(tmp_path / "s"), {}, [("1", {})], iter(()))
    tally = Tally(store)
    assert (tally.states("x"), tally.seconds("x"), tally.last("x")) == ({}, {}, None)
    store.close()
