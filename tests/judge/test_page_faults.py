"""The page when things go wrong: killed servers and browsers, two windows, long undo."""

import contextlib
import os
import random
import signal
from pathlib import Path

import pytest

from judging import (
    ARGUMENTS,
    CHROMIUM,
    Server,
    campaign,
    needs_browser,
    scaled,
)
from judging_page import (
    ALL,
    DOCUMENT,
    FIRST,
    at_document,
    saved,
    selected,
    state,
)
from spanwise.judge.events import Gesture, folded
from spanwise.judge.store import Store


@pytest.fixture
def server(tmp_path):
    needs_browser()
    folder = campaign(tmp_path / "c", {f"d{n}": DOCUMENT for n in range(3)})
    with Server(folder) as running:
        yield running


def test_everything_undone_and_redone_also_after_reload(server, opened):
    page = at_document(server, opened)
    draw, count = random.Random(3), scaled(25, 500)
    page.keyboard.press("v")
    for _ in range(count):
        start = draw.randrange(len(FIRST) - 1)
        selected(page, start, draw.randrange(start + 1, len(FIRST)))
        page.keyboard.press(draw.choice("hhu"))
    saved(page)
    final = state(server).layers
    page.reload()
    page.wait_for_selector(".text .b")
    for _ in range(count):
        page.keyboard.press("z")
    saved(page)
    page.wait_for_timeout(300 if count < 100 else 12_000)
    assert state(server).layers == {}
    for _ in range(count):
        page.keyboard.press("Z")
    saved(page)
    page.wait_for_timeout(300 if count < 100 else 12_000)
    assert state(server).layers == final


def test_two_windows_converge(server, opened):
    one = at_document(server, opened)
    other = one.context.new_page()
    other.goto(one.url)
    other.wait_for_selector(".text .b")
    draw, count = random.Random(4), scaled(30, 1000)
    for number in range(count):
        page = draw.choice([one, other])
        start = draw.randrange(len(FIRST) - 1)
        selected(page, start, draw.randrange(start + 1, len(FIRST)))
        page.keyboard.press(draw.choice("hhhuuz"))
        if number % 40 == 39:
            page.wait_for_timeout(900 if count > 100 else 100)  # a judge is not faster than 50/s
    for page in (one, other):
        saved(page)

    def shown(page):
        return page.evaluate(
            "Array.from(document.querySelectorAll('.marks .jump .small'), e => e.textContent)"
        )

    due = [f"{end - start} characters" for start, end in state(server).highlighted]
    for page in (one, other):
        for _ in range(60):  # a window looks every four seconds what others did
            if shown(page) == due:
                break
            page.wait_for_timeout(250)
        assert shown(page) == due
    log = Store(server.store)
    keys = [event.gesture.key for event in log.events("anna")]
    assert len(keys) == len(set(keys)) >= count


def highlighted_elsewhere(server):
    """The title, by the same judge on another machine."""
    judge = server.judge()
    judge.client = "another-machine"
    assert judge.send(judge.event("add", 0, 0, ALL, start=0, end=7))[0] == 200


def test_what_another_machine_did_just_before_is_seen_and_blocks_finishing(server, opened):
    page = at_document(server, opened)
    saved(page)
    highlighted_elsewhere(server)
    selected(page, 0, 9)  # its number in the log is the next one, and it is acknowledged first
    for key in "hbbf":
        page.keyboard.press(key)
    page.wait_for_selector("text=was changed in another window")
    page.wait_for_selector("text=My highlights (2)", timeout=10_000)
    assert state(server).status == "touched"
    page.keyboard.press("f")
    saved(page)
    assert state(server).status == "done"
    assert state(server).highlighted == ((0, 7), (15, 24))


def test_what_changed_elsewhere_is_shown_when_finishing_is_refused(server, opened):
    page = at_document(server, opened)
    saved(page)
    highlighted_elsewhere(server)
    selected(page, 4, 9)
    for key in "hbbf":
        page.keyboard.press(key)
    page.wait_for_selector(".told li")
    marked = "Array.from(CSS.highlights.get('changed'), (r) => r.startContainer.data.slice(0, 7))"
    assert page.evaluate(marked) == ["A title"]
    assert page.inner_text(".told").startswith(
        "Rejected: the document was changed in another window"
    )
    assert page.inner_text(".told li") == ALL[0:7]
    page.keyboard.press("f")
    saved(page)
    assert state(server).status == "done"
    assert page.evaluate("CSS.highlights.has('changed')") is False


def test_a_refusal_that_comes_when_the_page_has_gone_on_is_said(server, opened):
    page = at_document(server, opened)
    saved(page)
    highlighted_elsewhere(server)
    page.keyboard.press("0")  # nothing relevant, as far as this page knows
    page.wait_for_selector(".crumb:has-text('d1')")
    page.wait_for_selector("#notices :text('d0')")
    assert "changed in another window" in page.inner_text("#notices")
    assert page.inner_text(".blocked") == ""
    page.keyboard.press("2")
    page.wait_for_selector(".row")
    assert page.inner_text(".row:has-text('d0') .state") == "in progress"
    page.click("#notices a")
    page.wait_for_selector("text=My highlights (1)")
    assert page.inner_text("#notices") == ""


def test_two_windows_may_take_back_and_bring_back_the_same(server, opened):
    page = opened(server.links["anna"])
    said = [("add", 1, ""), ("add", 2, ""), ("undo", 3, "c:2"), ("undo", 4, "c:1")]
    said += [("redo", 5, "c:1"), ("redo", 6, "c:1")]
    events = [{"client": "c", "n": n, "kind": kind, "value": value} for kind, n, value in said]
    script = "async (events) => (await import('/page/fold.js')).redoable(events)"
    assert page.evaluate(script, events) == "c:2"
    both = "async (events) => (await import('/page/fold.js')).redoable(events, ['c:1'])"
    assert page.evaluate(both, events[:4]) == "c:2"
    assert page.evaluate(script, [*events[:3], {**events[2], "n": 9}]) == "c:2"
    assert (
        page.evaluate(script, [*events[:3], {**events[2], "n": 9}, {**events[4], "value": "c:2"}])
        is None
    )


def test_a_server_that_goes_away_loses_nothing(server, opened):
    page = at_document(server, opened)
    saved(page)
    for number in range(scaled(2, 20)):
        server.kill()
        selected(page, 3 * number, 3 * number + 2)
        page.keyboard.press("h")
        page.wait_for_timeout(100)
        server.start()
        saved(page)
    events = Store(server.store).events("anna", 0, 0)
    assert sum(event.gesture.kind == "add" for event in events) == scaled(2, 20)
    assert Store(server.store).verify() == []


def test_what_waits_is_shown_with_the_reason_also_after_reload(server, opened):
    page = at_document(server, opened)
    saved(page)
    page.wait_for_load_state("networkidle")  # keys are heard once the page has all it asked for
    fault = {"status": 507, "json": {"error": "the store cannot be written (a reason)"}}
    page.route("**/api/events", lambda route: route.fulfill(**fault))
    page.keyboard.press("x")
    page.wait_for_selector("text=1 unsaved: the store cannot be written (a reason)")
    page.reload()
    page.wait_for_selector("text=My highlights (1)")
    for key, name in (("3", "d1"), ("1", "d0")):
        page.wait_for_selector(".text .b")
        page.keyboard.press(key)
        page.wait_for_selector(f".crumb:has-text('{name}')")
    page.wait_for_selector("text=My highlights (1)")
    page.unroute("**/api/events")
    page.wait_for_selector("text=saved", timeout=20_000)
    assert state(server).highlighted == ((0, 7),)
    page.keyboard.press("z")
    saved(page)
    assert state(server).highlighted == ()


def test_a_killed_browser_sends_later_what_was_not_sent(tmp_path, chromium):
    sent = 0
    folder = campaign(tmp_path / "c", {"d0": DOCUMENT})
    with Server(folder) as server:
        for number in range(scaled(2, 50)):
            options = {"executable_path": str(CHROMIUM), "args": ARGUMENTS}
            context = chromium.launch_persistent_context(str(tmp_path / "profile"), **options)
            page = context.pages[0] if context.pages else context.new_page()
            page.goto(server.links["anna"])
            page.goto(f"http://127.0.0.1:{server.port}/t/0/d/0")
            page.wait_for_selector(".text .b")
            page.wait_for_timeout(300)
            server.kill()
            selected(page, number % 40, number % 40 + 3)
            page.keyboard.press("h")
            sent += 1
            page.wait_for_timeout(400)  # IndexedDB has it
            pids = _browser_processes(str(tmp_path / "profile"))
            for pid in pids:
                _kill(pid)
            with contextlib.suppress(Exception):  # the browser is gone
                context.close()
            server.start()
        context = chromium.launch_persistent_context(str(tmp_path / "profile"), **options)
        page = context.pages[0]
        page.goto(server.links["anna"])
        page.goto(f"http://127.0.0.1:{server.port}/t/0/d/0")
        page.wait_for_selector(".text .b")
        page.wait_for_timeout(3000)
        context.close()
        adds = [e for e in Store(server.store).events("anna") if e.gesture.kind == "add"]
        assert len(adds) == sent


def _browser_processes(profile):
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if f"--user-data-dir={profile}".encode() in words:
                found.append(int(entry.name))
    return found


def _kill(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def test_the_page_folds_as_the_server_does(server, opened):
    page = opened(server.links["anna"])
    draw = random.Random(5)
    kinds = ["add", "remove", "bep", "unbep", "grade", "note", "done", "reopen", "skip", "exh"]
    for _ in range(scaled(100, 1000)):
        made = []
        for n in range(draw.randrange(1, 15)):
            kind = draw.choice([*kinds, "undo", "redo"])
            start = draw.randrange(30)
            gesture = Gesture(
                "c",
                n,
                kind,
                draw.choice(["/a[1]", "/a[1]/b[1]", "/a[1]/b[1]/c[1]"]),
                start,
                start + draw.randrange(1, 9),
                "",
            )
            value = {
                "grade": str(draw.randrange(4)),
                "exh": draw.choice(["-1", "0", "1", "2"]),
                "undo": f"c:{draw.randrange(15)}",
                "redo": f"c:{draw.randrange(15)}",
            }
            made.append(
                Gesture(
                    *[
                        getattr(gesture, f)
                        for f in ("client", "n", "kind", "layer", "start", "end")
                    ],
                    value.get(kind, "x"),
                )
            )
        theirs = page.evaluate(
            "async (events) => (await import('/page/fold.js')).folded(events)",
            [{f: getattr(one, f) for f in Gesture.__slots__} for one in made],
        )
        ours = folded(made)
        assert theirs["layers"] == {k: [list(s) for s in v] for k, v in ours.layers.items()}
        for name in ("status", "bep", "grade", "note", "reason"):
            assert theirs[name] == getattr(ours, name)
        assert theirs["exhaustivity"] == dict(ours.exhaustivity)
