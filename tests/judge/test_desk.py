"""The desk: assigning, closing, looking on; and documents that a judge adds."""

import json

import pytest

from calling import called
from judging import (
    Judge,
    Server,
    campaign,
    needs_browser,
)
from judging_page import saved
from spanwise.cli import main
from spanwise.judge.store import Store

TEXT = "Something to read."
DOCUMENT = f"<a><p>{TEXT}</p></a>"


@pytest.fixture
def server(tmp_path):
    folder = campaign(tmp_path / "c", {"d0": DOCUMENT, "d1": DOCUMENT}, topics=2)
    for name in ("other", "Another"):
        (folder / "docs" / f"{name}.xml").write_text(DOCUMENT)
    with Server(folder, "--desk", judges=("anna", "ben")) as running:
        yield running


def decide(server, **what):
    token = server.links["desk"].partition("#k=")[2]
    desk = Judge(server.port, token, "desk-0000")
    decide.count = getattr(decide, "count", 0) + 1
    return desk.ask("POST", "/api/desk", {"client": "desk-0000", "n": decide.count, **what})


def seen(server, name):
    return server.judge(name).ask("GET", "/api/me")[2]["topics"]


def judged(server, name, start, end, topic=0):
    judge = server.judge(name)
    judge.client = f"client-{name}-{topic}"
    stretch = judge.event("add", topic, text=TEXT, start=start, end=end)
    entry = judge.event("bep", topic, text=TEXT, start=start)
    return judge.send(stretch, entry, judge.event("done", topic))


def test_only_the_desk_may_ask_and_decide(server):
    for path in ("/api/desk", "/api/desk/export"):
        assert server.judge("anna").ask("GET", path)[0] == 403
    refused = server.judge("anna").ask("POST", "/api/desk", {"kind": "freeze"})
    assert refused[0] == 403
    assert decide(server, kind="freeze", topic=7, on=True)[0] == 400
    assert decide(server, kind="assign", topic=0, judge="nobody", on=True)[0] == 400
    assert decide(server, kind="assign", topic=0, judge=["anna"], on=True)[0] == 400
    desk = server.judge("desk")
    assert desk.send(desk.event("open"))[0] == 403
    lesson = {"client": "desk-0001", "n": 0, "number": 0, "spans": []}
    assert desk.ask("POST", "/api/practice", lesson)[0] == 403


def test_a_topic_is_everybodys_until_it_is_given_to_somebody(server):
    assert [one["number"] for one in seen(server, "ben")] == [0, 1]
    assert decide(server, kind="assign", topic=0, judge="anna", on=True)[0] == 200
    assert [one["number"] for one in seen(server, "anna")] == [0, 1]
    assert [one["number"] for one in seen(server, "ben")] == [1]
    for path in ("/api/t/0/pool", "/api/t/0/d/0"):
        assert server.judge("ben").ask("GET", path)[0] == 403
    assert judged(server, "ben", 0, 9)[0] == 403
    decide(server, kind="assign", topic=0, judge="anna", on=False)
    assert [one["number"] for one in seen(server, "ben")] == [0, 1]


def test_a_frozen_topic_is_read_and_not_judged(server):
    assert judged(server, "anna", 0, 9)[0] == 200
    assert decide(server, kind="freeze", topic=0, on=True)[0] == 200
    status, _, answer = judged(server, "ben", 0, 9)
    assert status == 409
    assert {one["error"] for one in answer["results"]} == {"this topic is closed by the organiser"}
    assert server.judge("ben").ask("GET", "/api/t/0/d/0")[2]["closed"] is True
    assert [one["frozen"] for one in seen(server, "ben")] == [True, False]
    assert judged(server, "ben", 0, 9, topic=1)[0] == 200
    decide(server, kind="freeze", topic=0, on=False)
    assert judged(server, "ben", 0, 9)[0] == 200


def test_progress_agreement_and_export(server):
    judged(server, "anna", 0, 9)
    judged(server, "ben", 0, 18)
    answer = server.judge("desk").ask("GET", "/api/desk")[2]
    finished = {(row["judge"], row["topic"]): row["finished"] for row in answer["progress"]}
    assert finished == {("anna", "t0"): 1, ("anna", "t1"): 0, ("ben", "t0"): 1, ("ben", "t1"): 0}
    (pair,) = answer["agreement"]
    assert (pair["a"], pair["b"], pair["overlap"]) == ("anna", "ben", 0.5)
    assert [one["others"] for one in seen(server, "anna")] == [1, 0]
    lines = server.judge("desk").ask("GET", "/api/desk/export")[2]["lines"].splitlines()
    assert [json.loads(one)["by"] for one in lines[1:]] == ["anna", "ben"]
    assert Store(server.store).verify() == []
    out, _, status = called(main, "judge", "log", server.store)
    assert (status, len(out.splitlines())) == (0, 6)


def test_decisions_are_in_the_log_and_are_checked(server):
    decide(server, kind="freeze", topic=1, on=True)
    assert Store(server.store).verify() == []
    out, _, _ = called(main, "judge", "log", server.store)
    (said,) = map(json.loads, out.splitlines())
    assert (said["judge"], said["topic"], said["doc"], said["kind"]) == (
        *("desk", "t1", None),
        "freeze",
    )
    out, _, status = called(main, "judge", "status", server.store)
    assert status == 0
    assert b"desk" not in out


def test_a_judge_adds_a_document_for_nobody_else(server):
    anna, ben = server.judge("anna"), server.judge("ben")
    answer = anna.ask("GET", "/api/t/0/find?q=OTHER")[2]
    assert answer == {
        "found": [["Another", ""], ["other", ""]],
        "read": 4,
        "documents": 4,
        "more": False,
    }
    status, _, answer = anna.ask("POST", "/api/t/0/documents", {"id": "other"})
    assert (status, answer) == (200, {"number": 2})
    assert anna.ask("POST", "/api/t/0/documents", {"id": "d1"})[2] == {"number": 1}
    for odd, due in (("nowhere", 404), ("../docs/d0", 404), (["d0"], 404), ("\ud800", 400)):
        assert anna.ask("POST", "/api/t/0/documents", {"id": odd})[0] == due

    def names(judge):
        pool = judge.ask("GET", "/api/t/0/pool")[2]["documents"]
        return [(one["id"], one["added"]) for one in pool]

    assert names(anna) == [("d0", False), ("d1", False), ("other", True)]
    assert names(ben) == [("d0", False), ("d1", False)]
    assert ben.ask("GET", "/api/t/0/d/2")[0] == 404
    assert ben.ask("POST", "/api/t/0/documents", {"id": "other"})[2] == {"number": 2}
    assert names(ben) == names(anna)


def test_the_desk_in_a_browser(server, opened):
    needs_browser()
    judged(server, "anna", 0, 9)
    judged(server, "ben", 0, 9)
    page = opened(server.links["desk"])
    assert page.inner_text("h1") == "Organiser"
    assert "1 of 2" in page.inner_text("main")
    assert "1.000" in page.inner_text("[aria-label='Agreement by characters']")
    states = ".pair > span:first-child"
    assert page.locator(states).all_inner_texts() == ["in progress", "open to all"]
    page.get_by_label("assign t1 to ben").uncheck()
    page.wait_for_selector("[aria-label='assign t1 to ben']:not(:checked)")
    page.wait_for_selector(f"{states}:text-is('assigned')")
    assert page.locator(states).all_inner_texts() == ["in progress", "assigned"]
    page.get_by_role("button", name="Close").first.click()
    page.get_by_role("button", name="Reopen").wait_for()
    assert page.locator(states).all_inner_texts() == ["closed", "assigned"]
    assert [one["number"] for one in seen(server, "ben")] == [0]
    with page.expect_download() as download:
        page.get_by_role("button", name="Download finished judgements").click()
    assert len(download.value.path().read_text().splitlines()) == 3


def test_adding_in_a_browser(server, opened):
    needs_browser()
    page = opened(server.links["anna"])
    page.click("a[href='/t/0']")
    page.click("text=Add a document")
    page.fill("#wanted", "anoth")
    page.keyboard.press("Enter")
    page.click("button:has-text('Another')")
    page.wait_for_selector(".text")
    assert page.url.endswith("/t/0/d/2")
    page.keyboard.press("0")
    saved(page)
    assert seen(server, "anna")[0]["nothing"] == 1


def test_who_was_not_given_a_topic_does_not_hold_up_adjudication(tmp_path):
    """Nor a machine; a document that one judge added is compared among those who have it."""
    folder = campaign(tmp_path / "c", {"d0": DOCUMENT})
    (folder / "docs" / "other.xml").write_text(DOCUMENT)
    people = ("anna", "ben", "carl", "machine:m")
    with Server(folder, "--desk", "--adjudicate", judges=people) as server:
        for name in ("anna", "ben"):
            assert decide(server, kind="assign", topic=0, judge=name, on=True)[0] == 200
        last = server.judge("adjudicated")
        assert server.judge("anna").ask("POST", "/api/t/0/documents", {"id": "other"})[0] == 200
        assert judged(server, "anna", 0, 9)[0] == 200
        assert last.ask("GET", "/api/t/0/d/0/compare")[0] == 409
        assert judged(server, "ben", 0, 9)[0] == 200
        assert last.ask("GET", "/api/t/0/d/0/compare")[0] == 409  # anna's own document is open
        anna = server.judge("anna")
        anna.client = "client-anna-1"
        assert anna.send(anna.event("done", 0, 1))[0] == 200
        for number, names in enumerate([["anna", "ben"], ["anna"]]):
            status, _, answer = last.ask("GET", f"/api/t/0/d/{number}/compare")
            assert (status, [one["judge"] for one in answer["judges"]]) == (200, names)


def test_who_skipped_has_no_vote_and_what_was_taken_is_in_the_log(tmp_path, opened):
    needs_browser()
    folder = campaign(tmp_path / "c", {"d0": DOCUMENT})
    with Server(folder, "--adjudicate", judges=("anna", "ben", "carl")) as server:
        judged(server, "anna", 0, 9)
        judged(server, "ben", 0, 12)
        carl = server.judge("carl")
        carl.client = "client-carl"
        assert carl.send(carl.event("skip", value="too long"))[0] == 200
        page = opened(server.links["adjudicated"])
        page.goto(f"http://127.0.0.1:{server.port}/t/0/d/0")
        page.wait_for_selector("text=carl skipped this document: too long")
        assert page.locator(".strip .lane").count() == 2
        page.click("button:text-is('Intersection')")
        saved(page)
        events = Store(server.store).events("adjudicated")
        assert [
            (e.gesture.start, e.gesture.end, e.gesture.value)
            for e in events
            if e.gesture.kind == "add"
        ] == [(0, 9, "intersection")]
