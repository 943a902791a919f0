"""The page in a real browser: gestures by mouse, keyboard and touch, and what the log has."""

import json
import time

import pytest

from calling import called
from judging import (
    Server,
    campaign,
    needs_browser,
    scaled,
)
from judging_page import (
    ALL,
    DOCUMENT,
    FIRST,
    SECOND,
    at_document,
    saved,
    selected,
    state,
    texts,
)
from spanwise.cli import main
from spanwise.judge.store import Store


@pytest.fixture
def server(tmp_path):
    needs_browser()
    folder = campaign(tmp_path / "c", {f"d{n}": DOCUMENT for n in range(3)})
    with Server(folder) as running:
        yield running


def test_highlight_merge_split_undo(server, opened):
    page = at_document(server, opened)
    selected(page, 4, 9)
    page.keyboard.press("h")
    saved(page)
    assert texts(server) == ["first"]
    selected(page, 21, 10)  # from right to left; snaps to words, and touches
    page.keyboard.press("h")
    saved(page)
    assert texts(server) == ["first", "sentence is"]
    selected(page, 9, 10)
    page.keyboard.press("v")  # sentence
    page.keyboard.press("h")
    saved(page)
    assert texts(server) == ["The first sentence is here."]
    page.keyboard.press("v")
    page.keyboard.press("v")  # letter
    selected(page, 4, 10)
    page.keyboard.press("u")
    saved(page)
    assert texts(server) == ["The ", "sentence is here."]
    for _ in range(3):
        page.keyboard.press("z")
    page.keyboard.press("Z")
    saved(page)
    page.wait_for_timeout(200)
    assert texts(server) == ["first", "sentence is"]


def test_a_document_cannot_be_finished_while_inconsistent(server, opened):
    page = at_document(server, opened)
    page.keyboard.press("j")
    page.keyboard.press("h")
    page.keyboard.press("f")
    assert "set the best entry point" in page.inner_text(".blocked")
    page.keyboard.press("Escape")
    page.keyboard.press("b")  # proposed, hollow
    assert page.is_visible(".flag.hollow")
    page.keyboard.press("b")
    assert page.is_visible(".flag:not(.hollow)")
    page.keyboard.press("f")
    saved(page)
    assert state(server).status == "done"
    page.keyboard.press("B")
    saved(page)
    assert (state(server).status, state(server).bep) == ("touched", None)
    assert "changed after it was finished" in page.inner_text(".blocked")


def test_a_real_mouse(server, opened):
    page = at_document(server, opened)
    box = page.evaluate(
        """() => {
          const node = document.querySelectorAll('.text .b')[2].firstChild, range = new Range();
          const at = (from) => { range.setStart(node, from); range.setEnd(node, from + 1);
            const b = range.getBoundingClientRect(); return [b.left + 1, b.top + b.height / 2]; };
          return [at(5), at(24)];
        }"""
    )
    page.mouse.move(*box[0])
    page.mouse.down()
    page.mouse.move(*box[1], steps=5)
    page.mouse.up()
    page.click("button:text-is('Highlight')")
    saved(page)
    assert texts(server) == ["first sentence is here"]
    page.mouse.dblclick(*box[0])
    page.keyboard.press("u")
    saved(page)
    assert texts(server) == [" sentence is here"]


def test_edges_move_by_keys(server, opened):
    page = at_document(server, opened)
    for key in ["j", "j", ".", ".", "h"]:
        page.keyboard.press(key)
    saved(page)
    before = texts(server)[0]
    page.keyboard.press("[")
    page.keyboard.press("[")
    saved(page)
    assert texts(server)[0] == before.rstrip(".").rpartition(" ")[0] + " "
    page.keyboard.press("]")
    page.keyboard.press("}")
    saved(page)
    assert before.startswith(before.split()[0])
    assert not texts(server)[0].startswith(before.split()[0])


def test_the_text_cursor(server, opened):
    page = at_document(server, opened)
    for key in ["c", "ArrowDown", "ArrowDown", "ArrowRight", "Shift+End", "h"]:
        page.keyboard.press(key)
    saved(page)
    assert texts(server) == [FIRST[1:]]


def test_keyboard_alone_judges_twenty_documents(tmp_path, opened):
    """Ten with highlights and an entry point, ten where one key says that nothing is relevant."""
    count = scaled(6, 20)
    documents = {f"d{n:02}": DOCUMENT for n in range(count)}
    with Server(campaign(tmp_path / "c", documents)) as server:
        page = opened(server.links["anna"])
        page.keyboard.press("Tab")
        page.evaluate("document.querySelector('.card').focus()")
        page.keyboard.press("Enter")
        page.wait_for_selector(".button.strong")
        page.evaluate("document.querySelector('.button.strong').focus()")
        page.keyboard.press("Enter")
        for number in range(count):
            page.wait_for_selector(f".crumb:has-text('d{number:02}')")
            page.wait_for_selector(".text .b")
            if number % 2:
                page.keyboard.press("0")
                continue
            for key in ["j", "j", ".", "x", "x", "Escape", "b", "b", "f", "n"]:
                page.keyboard.press(key)
        page.wait_for_selector(".rows")
        page.wait_for_timeout(1500)
        states = [state(server, number) for number in range(count)]
        assert [one.status for one in states] == ["done"] * count
        assert [bool(one.highlighted) for one in states] == [n % 2 == 0 for n in range(count)]


def test_skip_note_and_help(server, opened):
    page = at_document(server, opened)
    page.keyboard.press("m")
    page.keyboard.type("odd text")
    page.keyboard.press("Escape")
    saved(page)
    page.keyboard.press("s")
    page.click("dialog >> text=I cannot tell")
    page.wait_for_selector(".crumb:has-text('d1')")
    page.wait_for_timeout(300)
    assert (state(server).status, state(server).reason) == ("skipped", "I cannot tell")
    assert state(server).note == "odd text"
    page.keyboard.press("?")
    page.wait_for_selector("text=How to judge")


def test_a_finger(server, opened):
    page = at_document(
        server, opened, viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True
    )
    page.tap("button:text-is('Tap')")
    page.locator(".text .b").nth(2).tap(position={"x": 20, "y": 10})
    page.locator(".text .b").nth(3).tap(position={"x": 20, "y": 10})
    page.tap("button:text-is('Highlight')")
    saved(page)
    assert texts(server) == [FIRST + SECOND.partition(". ")[0] + "."]
    sizes = page.evaluate(
        "Array.from(document.querySelectorAll('.bottom button'), e => e.getBoundingClientRect())"
        ".filter(b => b.width).map(b => Math.min(b.width, b.height))"
    )
    assert min(sizes) >= 44


def test_two_judges_and_one_who_adjudicates(tmp_path, opened):
    folder = campaign(tmp_path / "c", {"d0": DOCUMENT})
    with Server(folder, "--adjudicate", judges=("anna", "ben")) as server:
        for name, (start, end) in (("anna", (15, 42)), ("ben", (19, 69))):
            judge = server.judge(name)
            judge.client = f"client-{name}"
            judge.send(judge.event("add", 0, 0, ALL, start=start, end=end))
            judge.send(judge.event("bep", 0, 0, ALL, start=start))
            if name == "anna":
                early = server.judge("adjudicated").ask("GET", "/api/t/0/d/0/compare")
                assert early[0] == 409
            assert judge.send(judge.event("done", base=99))[0] == 200
        page = at_document(server, opened, name="adjudicated")
        page.wait_for_selector("text=2 passages in dispute")
        page.click("text=Intersection")
        page.keyboard.press("f")
        saved(page)
        page.wait_for_timeout(200)
        assert state(server, judge="adjudicated").highlighted == ((19, 42),)
        out = tmp_path / "merged.jsonl"
        called(main, "judge", "export", server.store, "-o", out, "--merge", "adjudicated")
        assert json.loads(out.read_text().splitlines()[1])["spans"] == [{"s": 19, "e": 42}]
        answer = json.loads(called(main, "agree", server.store, "--format", "json")[0])
        assert answer["pairs"][0]["overlap"] == pytest.approx(23 / 54)


@pytest.mark.parametrize("mode", ["grades", "aspects", "exhaustivity", "document"])
def test_other_modes(tmp_path, opened, mode):
    words = [
        "--mode",
        mode,
        *(["--aspect", "cause", "--aspect", "effect"] if mode == "aspects" else []),
    ]
    with Server(campaign(tmp_path / "c", {"d0": DOCUMENT, "d1": DOCUMENT}), *words) as server:
        page = at_document(server, opened)
        if mode == "document":
            page.keyboard.press("2")
            page.wait_for_selector(".crumb:has-text('d1')")
            page.wait_for_timeout(300)
            assert (state(server).grade, state(server).status) == (2, "done")
            return
        for key in ["j", "j", "j"]:
            page.keyboard.press(key)
        if mode == "aspects":
            page.keyboard.press("Alt+2")
        page.keyboard.press("h")
        page.keyboard.press("b")
        if mode == "grades":
            page.keyboard.press("f")
            assert "grade of 1 or more" in page.inner_text(".blocked")
            page.keyboard.press("Alt+3")
        if mode == "exhaustivity":
            page.keyboard.press("f")
            assert "assess the exhaustivity of" in page.inner_text(".blocked")
            page.locator(".exh input").first.click()
            page.wait_for_timeout(100)
            while page.locator(".exh:not(:has(:checked)) input").count():
                page.locator(".exh:not(:has(:checked)) input").nth(1).click()
                page.wait_for_timeout(50)
            page.keyboard.press("Escape")
        page.keyboard.press("f")
        saved(page)
        time.sleep(0.2)
        found = state(server)
        assert found.status == "done"
        assert list(found.layers) == ["effect" if mode == "aspects" else "relevant"]


def test_alt_while_dragging_takes_letters(server, opened):
    page = at_document(server, opened)
    box = page.evaluate(
        "() => { const n = document.querySelectorAll('.text .b')[2].firstChild, r = new Range();"
        " r.setStart(n, 5); r.setEnd(n, 7); const b = r.getBoundingClientRect();"
        " return [b.left, b.right, b.top + b.height / 2]; }"
    )
    page.keyboard.down("Alt")
    page.mouse.move(box[0], box[2])
    page.mouse.down()
    page.mouse.move(box[1], box[2], steps=4)
    page.mouse.up()
    page.keyboard.up("Alt")
    page.keyboard.press("h")
    saved(page)
    assert texts(server) == [FIRST[5:7]]


def test_addresses_lead_to_a_place_and_to_the_next_document(server, opened):
    page = at_document(server, opened)
    home = f"http://127.0.0.1:{server.port}"
    page.goto(f"{home}/t/0/d/0?at={ALL.index(SECOND)}")
    page.wait_for_selector(".text .b")
    page.keyboard.press("h")  # the sentence at the place
    saved(page)
    assert texts(server) == [SECOND.partition(". ")[0] + "."]
    page.keyboard.press("b")
    page.keyboard.press("f")
    saved(page)
    page.goto(f"{home}/t/0/next")
    page.wait_for_url(f"{home}/t/0/d/1")


def test_a_gesture_that_is_never_taken_does_not_hold_up_the_others(tmp_path, opened):
    folder = campaign(tmp_path / "c", {"d0": DOCUMENT, "d1": DOCUMENT}, topics=2)
    with Server(folder, "--desk", judges=("anna", "ben")) as server:
        page = at_document(server, opened)
        saved(page)
        desk = server.judge("desk")
        given = {"client": "desk-0000", "n": 0, "kind": "assign", "topic": 0, "judge": "ben"}
        assert desk.ask("POST", "/api/desk", given | {"on": True})[0] == 200
        page.keyboard.press("x")
        page.wait_for_selector("text=Rejected: this topic is assigned to other assessors")
        page.goto(f"http://127.0.0.1:{server.port}/t/1/d/0")
        page.wait_for_selector(".text .b")
        page.keyboard.press("x")
        saved(page)
        assert len(Store(server.store).events("anna", 1, 0)) == 2


def test_what_waits_for_one_store_is_not_sent_to_another(tmp_path, opened):
    first = campaign(tmp_path / "first", {"d0": DOCUMENT})
    other = campaign(tmp_path / "other", {"d0": DOCUMENT})
    server = Server(first).start()
    page = at_document(server, opened)
    saved(page)
    server.kill()
    page.keyboard.press("0")
    page.wait_for_timeout(500)
    another = Server(other)
    another.port = server.port
    with another:
        page.goto("about:blank")
        page.goto(another.links["anna"])
        page.wait_for_selector("main h1")
        page.wait_for_timeout(1500)
        assert Store(another.store).events("anna") == []
    with server:
        page.goto("about:blank")
        page.goto(server.links["anna"])
        page.wait_for_selector("main h1")
        for _ in range(40):
            if state(server).status == "done":
                break
            page.wait_for_timeout(250)
        assert state(server).status == "done"


def test_aspects_are_adjudicated_one_by_one(tmp_path, opened):
    words = ["--mode", "aspects", "--aspect", "cause", "--aspect", "effect", "--adjudicate"]
    folder = campaign(tmp_path / "c", {"d0": DOCUMENT})
    with Server(folder, *words, judges=("anna", "ben")) as server:
        for name, cause, effect in (("anna", (15, 42), (50, 60)), ("ben", (15, 30), (50, 60))):
            judge = server.judge(name)
            judge.client = f"client-{name}"
            for layer, (start, end) in (("cause", cause), ("effect", effect)):
                judge.send(judge.event("add", 0, 0, ALL, start=start, end=end) | {"layer": layer})
            judge.send(judge.event("bep", 0, 0, ALL, start=15))
            assert judge.send(judge.event("done", base=99))[0] == 200
        page = at_document(server, opened, name="adjudicated")
        page.wait_for_selector("text=1 passage in dispute")
        page.keyboard.press("j")
        assert page.evaluate("[...CSS.highlights.get('cursor')].length") == 1
        page.click("text=Union")
        saved(page)
        due = {"cause": ((15, 42),), "effect": ((50, 60),)}
        assert state(server, judge="adjudicated").layers == due
        page.click("text=Take ben")
        saved(page)
        due["cause"] = ((15, 30),)
        assert state(server, judge="adjudicated").layers == due
