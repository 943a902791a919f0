"""The tour: known answers, what is kept of it, and that nothing of it is a judgement."""

import json

import pytest

from calling import called
from judging import Server, campaign, needs_browser
from judging_page import DOCUMENT
from spanwise.cli import main
from spanwise.judge.practice import LESSONS, answered
from spanwise.judge.store import Store


@pytest.fixture
def server(tmp_path):
    with Server(campaign(tmp_path / "c", {"d0": DOCUMENT}), "--desk") as running:
        yield running


def answer(number, spans, bep=None, n=0):
    return {"client": "client-0001", "n": n, "number": number, "spans": spans, "bep": bep}


def test_the_known_answers_are_the_relevant_sentences():
    known = [[one.text()[s:e] for s, e in one.known()] for one in LESSONS]
    assert [len(some) for some in known] == [1, 0, 2]
    assert known[0][0].startswith(
        "A bee that has found many flowers dances when she comes home. The"
    )


def test_overlap_with_what_is_known():
    ((start, end),) = LESSONS[0].known()
    event, said = answered(
        answer(0, [[start, start + 10], [start + 10, start + 20]], start + 5), "anna"
    )
    assert said["overlap"] == 20 / (end - start)
    assert (said["distance"], said["bep"]) == (5, start)
    assert (event.assessor, event.gesture.layer) == ("practice", "anna")
    assert answered(answer(1, []), "anna")[1]["overlap"] == 1
    assert answered(answer(1, [[0, 3]]), "anna")[1]["overlap"] == 0


@pytest.mark.parametrize(
    "change",
    [
        *({"number": 3}, {"number": -1}, {"client": "x"}, {"n": 1.5}, {"spans": 7}, {"x": 1}),
        *({"spans": [[1]]}, {"spans": [[1, "2"]]}, {"spans": [[0, 1]] * 101}, {"bep": "a"}),
    ],
    ids=str,
)
def test_odd_answers_are_refused(server, change):
    assert server.judge().ask("POST", "/api/practice", answer(0, []) | change)[0] == 400
    assert Store(server.store).events() == []


def test_practice_is_in_the_log_and_no_judgement(server, tmp_path):
    anna = server.judge()
    assert anna.ask("GET", "/api/me")[2]["practised"] == 0
    assert "known" not in json.dumps(anna.ask("GET", "/api/practice")[2])
    assert anna.ask("POST", "/api/practice", answer(1, []))[0] == 200
    assert anna.ask("GET", "/api/me")[2]["practised"] == 1
    done = [one["done"] for one in anna.ask("GET", "/api/practice")[2]["documents"]]
    assert done == [False, True, False]
    assert server.judge("desk").ask("GET", "/api/desk")[2]["practised"] == {"anna": {"1": 1.0}}
    assert Store(server.store).verify() == []
    out, _, status = called(main, "judge", "log", server.store)
    assert (status, json.loads(out)["kind"]) == (0, "practice")
    assert called(main, "judge", "status", server.store)[2] == 0
    words = ["export", server.store, "-o", tmp_path / "out.jsonl", "--state", "all"]
    assert called(main, "judge", *words)[2] == 0
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 1  # the header


def test_the_tour_by_keyboard(server, opened):
    needs_browser()
    page = opened(server.links["anna"])
    page.click("text=practise on three short documents")
    page.wait_for_selector(".told:has-text('Highlight what is relevant')")
    for key in [*"jjjj", "3"]:  # nothing is finished, so it does not go on
        page.keyboard.press(key)
    page.wait_for_selector("text=Finish this document first")
    page.keyboard.press("Escape")
    for key in [*"jjj", *"..", "x", "x", "Escape", "b", "b", "f"]:
        page.keyboard.press(key)
    page.wait_for_selector("text=% correct: relevant text")
    page.keyboard.press("3")
    page.wait_for_selector(".crumb:has-text('Keeping bees')")
    page.keyboard.press("0")
    page.wait_for_selector("text=Correct.")
    page.keyboard.press("n")
    page.wait_for_selector(".crumb:has-text('scouts')")
    for key in ["j", "j", "j", "x", "Escape", "b", "b", "f"]:
        page.keyboard.press(key)
    page.wait_for_selector("text=% correct: relevant text")
    page.keyboard.press("3")
    page.wait_for_selector("text=Practice completed")
    page.click("text=My topics")
    page.wait_for_selector(".cards")
    assert page.locator("text=practise on three").count() == 0
    assert len(Store(server.store).events("practice")) == 3
    assert Store(server.store).events("anna") == []
