"""spanwise gate --anytime: verdicts that hold at every look, and their state."""

import json

import numpy as np
import pytest

import spanwise
from calling import called
from scores_by_hand import scores_of_values
from spanwise.cli import main
from spanwise.errors import FormatError, InputError, UsageError
from spanwise.stats.betting import crossings
from spanwise.workflows.anytime import in_random_order, read_state, share_of_alpha


def scores(values, run="mine"):
    return scores_of_values(run, {"AP": values})


def first(some, topics):
    """The scores of some topics only."""
    rows = [some.topics.index(topic) for topic in topics]
    values = some.values["AP"][rows]
    return spanwise.Scores("mine", tuple(topics), {"AP": values}, {"AP": 0.5}, {"AP": 1}, "")


RNG = np.random.default_rng(1)
OLD = scores(RNG.uniform(0.4, 0.9, 200))
WORSE = scores(OLD.values["AP"] - RNG.uniform(0.2, 0.4, 200))
SAME = scores(OLD.values["AP"] + RNG.uniform(-0.1, 0.1, 200))


def gate(new, state, **more):
    (verdict,) = spanwise.gate(new, OLD, "AP", anytime=state, **more).verdicts
    return verdict


def test_a_clear_drop_is_decided_with_few_topics(tmp_path):
    state = tmp_path / "state.jsonl"
    found = gate(WORSE, state)
    assert not found.passed
    assert found.decision == "fail"
    assert found.low > 0
    assert found.topics < 60
    assert found.saved == 1 - found.topics / 200
    order = in_random_order(OLD.topics)[: found.topics]
    (look,) = read_state(state)
    assert list(look.topics) == order
    rows = [OLD.topics.index(topic) for topic in order]
    drops = (OLD.values["AP"] - WORSE.values["AP"])[rows]
    assert look.drops == tuple(drops)
    # decided by the last of these topics, and not before
    assert crossings((drops + 1) / 2, 0.5, share_of_alpha(0.05, 1))[0] == found.topics


def test_a_run_that_is_surely_not_worse_passes(tmp_path):
    found = gate(SAME, tmp_path / "state.jsonl", max_drop=0.2)
    assert (found.passed, found.decision) == (True, "pass")
    assert found.high <= 0.2
    assert found.topics < 100


def test_looks_go_on_with_topics_not_yet_seen(tmp_path):
    state, order = tmp_path / "state.jsonl", in_random_order(OLD.topics)
    whole = gate(WORSE, tmp_path / "whole.jsonl")
    sizes = []
    for stop in (5, 10, 10, 200):
        found = gate(first(WORSE, order[:stop]), state)
        sizes.append(found.topics)
    assert sizes == [5, 10, 10, whole.topics]
    assert (found.low, found.high, found.p) == (whole.low, whole.high, whole.p)
    assert [len(one.topics) for one in read_state(state)] == [5, 5, whole.topics - 10]
    assert [one.look for one in read_state(state)] == [1, 2, 3]
    before = state.read_bytes()
    again = gate(WORSE, state)  # decided: nothing is added
    assert (again.decision, again.topics) == ("fail", whole.topics)
    assert state.read_bytes() == before


def test_earlier_lines_are_never_changed(tmp_path):
    state, order = tmp_path / "state.jsonl", in_random_order(OLD.topics)
    gate(first(SAME, order[:20]), state)
    before = state.read_bytes()
    gate(first(SAME, order[:40]), state)
    assert state.read_bytes().startswith(before)
    assert len(state.read_bytes()) > len(before)


def test_a_changed_run_goes_on_until_a_decision_and_then_begins_anew(tmp_path):
    state, order = tmp_path / "state.jsonl", in_random_order(OLD.topics)
    gate(first(SAME, order[:10]), state)
    found = gate(WORSE, state)  # changed before a decision: the ten topics stay
    assert found.decision == "fail"
    assert read_state(state)[1].sequence == 1
    assert read_state(state)[0].run_hash != read_state(state)[1].run_hash
    repaired = gate(SAME, state, max_drop=0.0)
    assert repaired.passed
    assert read_state(state)[2].sequence == 2
    assert repaired.topics == 200


def test_the_shares_of_alpha_add_up():
    assert sum(share_of_alpha(0.05, n) for n in range(1, 100_000)) == pytest.approx(0.05, rel=1e-4)


def test_an_interrupted_line_is_ignored_and_another_refused(tmp_path, capfd):
    state, order = tmp_path / "state.jsonl", in_random_order(OLD.topics)
    gate(first(WORSE, order[:5]), state)
    gate(first(WORSE, order[:8]), state)
    whole = state.read_bytes()
    state.write_bytes(whole[:-40])
    found = gate(first(WORSE, order[:8]), state)
    assert found.topics == 8
    assert "last line is incomplete" in capfd.readouterr().err
    assert state.read_bytes() == whole
    state.write_bytes(b'{"run": 1}\n' + whole)
    with pytest.raises(FormatError, match=r"state\.jsonl:1"):
        gate(WORSE, state)


def test_choices_stay_those_of_the_first_look(tmp_path):
    state = tmp_path / "state.jsonl"
    gate(SAME, state)
    for changed in ({"alpha": 0.1}, {"max_drop": 0.1}, {"seed": 1}):
        with pytest.raises(UsageError, match="expected the same, or another state"):
            gate(SAME, state, **changed)


def test_what_has_no_effect_or_no_bounds_is_refused(tmp_path):
    state = tmp_path / "state.jsonl"
    for words in ({"floor": 0.1}, {"test": "t"}):
        with pytest.raises(UsageError, match="no effect"):
            gate(SAME, state, **words)
    odd = scores_of_values("mine", {"NumRet": [1.0, 2.0]})
    with pytest.raises(UsageError, match="fixed bounds"):
        spanwise.gate(odd, odd, "NumRet", anytime=state)
    with pytest.raises(InputError, match="the range of the measure"):
        spanwise.gate(scores([3.0]), scores([0.5]), "AP", anytime=state)
    with pytest.raises(UsageError, match="cannot drop by more"):
        gate(SAME, state, max_drop=1.0)
    assert not state.exists()


def write(path, some):
    rows = [*zip(some.topics, some.values["AP"].tolist(), strict=True), ("all", some.means["AP"])]
    path.write_text(
        "".join(
            json.dumps({"run": some.run, "topic": t, "measure": "AP", "value": v}) + "\n"
            for t, v in rows
        )
    )


def test_the_command_prints_what_was_saved(tmp_path):
    new, old, state = (tmp_path / name for name in ("new.jsonl", "old.jsonl", "state.jsonl"))
    write(new, WORSE)
    write(old, OLD)
    words = ("gate", new, "--baseline", old, "-m", "AP", "--anytime", state)
    out, _, status = called(main, *words)
    topics = len(read_state(state)[0].topics)
    assert status == 1
    assert f"decided after {topics} of 200 topics ({100 - topics / 2:g} % saved)" in out.decode()
    out, _, status = called(main, *words, "--json")
    (found,) = json.loads(out)["verdicts"]
    assert (status, found["decision"], found["of"]) == (1, "fail", 200)
    assert found["saved"] == 1 - topics / 200
    for more in (("--min", "0.1"), ("--test", "t")):
        _, err, status = called(main, *words, *more)
        assert (status, f"{more[0]} has no effect with --anytime" in err) == (2, True)


def test_a_run_that_is_as_good_may_change_at_every_look(tmp_path):
    """A topic for each of 30 looks, and then new sequences over all of them."""
    rng, order = np.random.default_rng(7), in_random_order([str(n + 1) for n in range(30)])
    state, old = tmp_path / "state.jsonl", scores(rng.random(30))
    for n in range(60):
        new = first(scores(rng.permutation(old.values["AP"])), order[: n + 1])
        assert spanwise.gate(new, old, "AP", anytime=state).passed
    looks = read_state(state)
    assert [one.sequence for one in looks[:31]] == [1] * 30 + [2]
    assert looks[-1].sequence == 31
    assert len({one.run_hash for one in looks}) == 60


def test_topics_in_which_a_budget_is_not_reached_do_not_count(tmp_path):
    values = {"SpanR(budget=9)": np.array([0.5, 0.9, 0.1])}
    returned = np.array([9.0, 3.0, 20.0])
    made = {"returned": returned, "budgets": {"SpanR(budget=9)": 9.0}}
    means, counts = {"SpanR(budget=9)": 0.5}, {"SpanR(budget=9)": 3}
    old = spanwise.Scores("mine", ("1", "2", "3"), values, means, counts, "", **made)
    spanwise.gate(old, old, "SpanR(budget=9)", anytime=tmp_path / "state.jsonl")
    (look,) = read_state(tmp_path / "state.jsonl")
    assert sorted(look.topics) == ["1", "3"]
