"""The page in a real browser: gestures by mouse, keyboard and touch, and what the log has."""

import json
import time

import pytest

from calling import called
from judging import Server, campaign, needs_browser, scaled
from judging_page import ALL, DOCUMENT, FIRST, SECOND, at_document, saved, selected, state, texts
from spanwise.app.cli import main


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
        page.wait_for_selector("text=2 stretches in dispute")
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
            assert "say how exhaustive" in page.inner_text(".blocked")
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
