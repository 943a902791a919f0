"""What a page must bear: quick changes of address, documents without text, every mode's buttons."""

import pytest

from judging import Server, campaign, needs_browser
from judging_page import (
    ALL,
    DOCUMENT,
    at_document,
    saved,
    state,
)
from spanwise.judge.store import Store


@pytest.fixture
def server(tmp_path):
    needs_browser()
    with Server(campaign(tmp_path / "c", {f"d{n}": DOCUMENT for n in range(3)})) as running:
        yield running


def test_two_addresses_at_once_are_one_document(server, opened):
    """As when somebody presses Back twice: only the document that is shown hears the keys."""
    page = opened(server.links["anna"])
    page.evaluate(
        "async () => { const { go } = await import('/page/app.js');"
        " go('/t/0/d/0'); await new Promise(d => setTimeout(d, 1)); go('/t/0/d/2');"
        " go('/t/0/d/1'); }"
    )
    page.wait_for_selector(".crumb:has-text('d1')")
    page.wait_for_selector(".text .b")
    page.keyboard.press("x")
    saved(page)
    assert [bool(state(server, n).highlighted) for n in range(3)] == [False, True, False]


def test_a_document_without_text(tmp_path, opened):
    needs_browser()
    folder = campaign(tmp_path / "c", {"d0": "<a/>", "d1": "<a> \n </a>", "d2": DOCUMENT})
    with Server(folder) as server:
        for number in range(2):
            page = at_document(server, opened, number)
            for key in [*"jk.,xhubbcgGpv[]{}zZ", "Tab", "ArrowRight", "ArrowDown", "Shift+End"]:
                page.keyboard.press(key)
            page.keyboard.press("Escape")
            for _ in range(6):
                page.keyboard.press("z")  # letters that nobody sees can be highlighted
            page.keyboard.press("0")
            page.wait_for_selector(".crumb:has-text('d2')", timeout=10_000) if number else None
            saved(page)
            assert state(server, number).status == "done"


def test_nothing_relevant_is_grade_0_of_a_document(tmp_path, opened):
    needs_browser()
    folder = campaign(tmp_path / "c", {"d0": DOCUMENT, "d1": DOCUMENT})
    with Server(folder, "--mode", "document") as server:
        page = at_document(server, opened)
        page.keyboard.press("j")
        page.keyboard.press("b")
        page.click("button:text-is('Nothing relevant')")
        page.wait_for_selector(".crumb:has-text('d1')")
        saved(page)
        found = state(server)
        assert (found.status, found.grade, found.bep) == ("done", 0, None)


def test_a_note_is_kept_while_it_is_written(server, opened):
    page = at_document(server, opened)
    page.keyboard.press("m")
    page.keyboard.type("half a sent")
    page.wait_for_selector("html[data-unsaved='0']", state="attached")
    for _ in range(40):
        if state(server).note:
            break
        page.wait_for_timeout(100)
    assert state(server).note == "half a sent"
    page.keyboard.type("ence")
    page.keyboard.press("Escape")
    saved(page)
    assert state(server).note == "half a sentence"
    kinds = [event.gesture.kind for event in Store(server.store).events("anna")]
    assert kinds == ["open", "note", "note"]


def test_every_one_of_many_elements_can_be_said(tmp_path, opened):
    """2005's second phase, with more elements than are shown at once."""
    needs_browser()
    body = "".join(f"<sec><st>S{n}</st><p>One <it>two</it></p></sec>" for n in range(40))
    folder = campaign(tmp_path / "c", {"d0": f"<article>{body}</article>"})
    with Server(folder, "--mode", "exhaustivity") as server:
        page = at_document(server, opened)
        page.evaluate("getSelection().selectAllChildren(document.querySelector('.text'))")
        page.keyboard.press("h")
        page.keyboard.press("b")
        page.wait_for_selector("text=Exhaustivity: 161 of 161 unassessed")
        assert page.locator(".exh").count() == 50
        page.click("button:text-is('Next 50')")
        assert page.inner_text(".exh legend").startswith("/article[1]/sec[13]")
        page.locator(".exh input[value='1']").first.check()
        saved(page)
        page.wait_for_selector("text=Exhaustivity: 160 of 161 unassessed")
        page.click("button:text-is('First unassessed')")
        assert page.inner_text(".exh legend") == "/article[1]"


def test_the_keyboard_stays_where_it_is_in_the_panels(tmp_path, opened):
    needs_browser()
    folder = campaign(tmp_path / "c", {"d0": DOCUMENT})
    with Server(folder, "--mode", "grades") as server:
        page = at_document(server, opened)
        page.focus(".grades button:text-is('2')")
        page.keyboard.press("Enter")
        page.wait_for_selector(".grades button:text-is('2')[aria-pressed=true]")
        assert page.evaluate("document.activeElement.textContent") == "2"
        page.keyboard.press("j")
        page.keyboard.press("h")
        page.focus(".marks .remove")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=No highlights.")
        assert page.evaluate("document.activeElement.className") == "text"
        saved(page)


def test_keys_of_other_alphabets(server, opened):
    """On a Hebrew keyboard the key of h says yod."""
    page = at_document(server, opened)
    page.keyboard.press("j")
    page.evaluate(
        "document.dispatchEvent(new KeyboardEvent('keydown', { key: 'י', code: 'KeyH' }))"
    )
    saved(page)
    assert state(server).highlighted == ((0, 7),)


def test_guidelines_are_written_as_elements(tmp_path, opened):
    """The little of Markdown that they need; what looks like markup is text."""
    needs_browser()
    folder = campaign(tmp_path / "c", {"d0": DOCUMENT})
    text = (
        "# What counts\nRead **all** of it,\nthen `judge` *slowly*.\n\n- one\n  more\n"
        "- <b>two</b>\n1. first\n2) second\n\n2 * 3 * 4 and **open"
    )
    (folder / "guide.md").write_text(text)
    with Server(folder, "--guidelines", "guide.md") as server:
        page = opened(server.links["anna"])
        page.click(".card")
        page.wait_for_selector("summary:has-text('Guidelines')")
        shown = page.evaluate(
            "[...document.querySelectorAll('details.statement > *')].slice(1)"
            ".map(e => [e.tagName, [...e.querySelectorAll('*')].map(i => i.tagName).join(' '),"
            " e.textContent])"
        )
        assert shown == [
            ["H3", "", "What counts"],
            ["P", "STRONG CODE EM", "Read all of it, then judge slowly."],
            ["UL", "LI LI", "one more<b>two</b>"],
            ["OL", "LI LI", "firstsecond"],
            ["P", "", "2 * 3 * 4 and **open"],
        ]


def test_an_arrow_points_to_where_it_goes(tmp_path, opened):
    """In text that runs from right to left, the left arrow goes on."""
    needs_browser()
    hebrew = "<article><p>זהו משפט ראשון.</p><p>A line of text from left to right.</p></article>"
    with Server(campaign(tmp_path / "c", {"d0": hebrew})) as server:
        page = at_document(server, opened)
        for key in ["c", "ArrowLeft", "ArrowLeft", "Shift+ArrowLeft", "h"]:
            page.keyboard.press(key)
        saved(page)
        assert state(server).highlighted == ((2, 3),)
        for key in ["ArrowDown", "ArrowRight", "Shift+ArrowRight", "h"]:
            page.keyboard.press(key)
        saved(page)
        start, end = state(server).highlighted[1]
        assert end - start == 1
        assert start >= 15


def test_metadata_is_folded_and_opened_by_who_marks_it(tmp_path, opened):
    needs_browser()
    markup = (
        "<TEI><teiHeader><title>About</title><p>Who wrote it.</p></teiHeader>"
        "<front><p>A summary.</p></front><text><p>One.</p><p>Two.</p></text></TEI>"
    )
    with Server(campaign(tmp_path / "c", {"d0": markup, "d1": markup})) as server:
        page = opened(server.links["anna"])
        page.goto(f"http://127.0.0.1:{server.port}/t/0/d/0")
        page.wait_for_selector("summary:has-text('teiHeader: 18 characters')")
        page.wait_for_selector("summary:has-text('front: 10 characters')")
        assert not page.is_visible("text=Who wrote it.")
        assert page.is_visible("text=A summary.")
        page.keyboard.press("j")  # the first block lies in what is folded
        assert page.is_visible("text=Who wrote it.")
        page.goto(f"http://127.0.0.1:{server.port}/t/0/d/1")
        page.wait_for_selector(".text .b", state="attached")
        assert not page.is_visible("text=Who wrote it.")
        page.evaluate("getSelection().selectAllChildren(document.querySelector('.text'))")
        page.keyboard.press("h")
        saved(page)
        assert page.is_visible("text=Who wrote it.")
        assert state(server, 1).highlighted == ((0, 36),)


def test_nothing_is_said_to_be_done_where_nothing_can_be_done(tmp_path, opened):
    needs_browser()
    folder = campaign(tmp_path / "c", {"d0": DOCUMENT, "d1": DOCUMENT})
    with Server(folder, "--desk") as server:
        freeze = {"client": "desk-0000", "n": 0, "kind": "freeze", "topic": 0, "on": True}
        assert server.judge("desk").ask("POST", "/api/desk", freeze)[0] == 200
        page = at_document(server, opened)
        page.keyboard.press(".")
        assert page.inner_text("#live") == "A title"
        for key in "hbf0":
            page.keyboard.press(key)
            assert page.inner_text("#live").strip() == "this document cannot be judged"
        assert page.url.endswith("/t/0/d/0")
        assert Store(server.store).events("anna") == []


def test_every_act_is_said_to_who_listens(server, opened):
    page = at_document(server, opened)
    said = []
    for key in (*"..hb[", "Escape", *"gB", "Tab"):
        page.keyboard.press(key)
        said.append(page.inner_text("#live").strip())
    assert said == [
        "A title",
        "Part one",
        "highlighted 2 words in Part one",
        "best entry point set in Part one",
        "highlight is now: Part",
        "highlight is now: Part",
        "no match",
        "best entry point removed",
        "Part",
    ]


def test_what_was_found_can_be_highlighted_by_keyboard(server, opened):
    page = at_document(server, opened)
    page.keyboard.press("/")
    page.keyboard.type("second one")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.keyboard.press("h")
    saved(page)
    start = ALL.index("second one")
    assert state(server).highlighted == ((start, start + len("second one")),)


def test_aspects_may_have_any_name(tmp_path, opened):
    needs_browser()
    names = ["constructor", "__proto__"]
    folder = campaign(tmp_path / "c", {"d0": DOCUMENT})
    words = [word for name in names for word in ("--aspect", name)]
    with Server(folder, "--mode", "aspects", *words) as server:
        page = at_document(server, opened)
        for key in (".", "h", "Alt+Digit2", ".", "h", "u", "z"):
            page.keyboard.press(key)
        page.wait_for_selector("text=My highlights (2)")
        saved(page)
        assert dict(state(server).layers) == {names[0]: ((0, 7),), names[1]: ((7, 15),)}


def test_every_one_of_many_aspects_is_seen(tmp_path, opened):
    needs_browser()
    names = [f"aspect {n}" for n in range(9)]
    words = [word for name in names for word in ("--aspect", name)]
    with Server(campaign(tmp_path / "c", {"d0": DOCUMENT}), "--mode", "aspects", *words) as server:
        page = at_document(server, opened)
        for key in (".", "h", "Alt+Digit9", ".", "h"):
            page.keyboard.press(key)
        page.wait_for_selector("text=My highlights (2)")
        assert page.evaluate("CSS.highlights.get('aspect-0').size") == 2


def test_what_must_be_known_stands_above_the_text_on_a_phone(tmp_path, opened):
    needs_browser()
    with Server(campaign(tmp_path / "c", {"d0": DOCUMENT})) as server:
        page = opened(server.links["anna"], viewport={"width": 390, "height": 844})
        page.goto(f"http://127.0.0.1:{server.port}/practice")
        page.wait_for_selector(".told")
        tops = [
            page.locator(name).bounding_box()["y"]
            for name in (".told", ".topic", ".text", ".marks")
        ]
        assert tops == sorted(tops)
        page.click(".topic summary")
        page.wait_for_selector(".topic .narrative")


def test_only_what_is_highlighted_has_a_ground_where_colours_are_forced(server, opened):
    page = at_document(server, opened, forced_colors="active")
    ground = """(name) => getComputedStyle(document.querySelector('.text .b'),
      `::highlight(${name})`).backgroundColor"""
    assert page.evaluate(ground, "relevant") != "rgba(0, 0, 0, 0)"
    assert page.evaluate(ground, "keyword") == "rgba(0, 0, 0, 0)"


def test_a_dispute_names_who_is_alone_and_with_what(server, opened):
    page = opened(server.links["anna"])
    people = [
        {"judge": "anna", "layers": {"cause": [[0, 9]], "effect": [[20, 25]]}},
        {"judge": "ben", "layers": {"cause": [[0, 4], [9, 12]], "constructor": [[0, 1]]}},
    ]
    script = "async ([some, name]) => (await import('/page/fold.js')).disputes(some, name)"
    found = [page.evaluate(script, [people, name]) for name in ("cause", "effect", "constructor")]
    said = [[(one["start"], one["end"], *one["who"]) for one in some] for some in found]
    assert said == [[(4, 9, "anna"), (9, 12, "ben")], [(20, 25, "anna")], [(0, 1, "ben")]]


def test_judges_who_differ_in_a_grade_alone_do_not_agree(tmp_path, opened):
    needs_browser()
    folder = campaign(tmp_path / "c", {"d0": DOCUMENT})
    with Server(folder, "--mode", "document", "--adjudicate", judges=("anna", "ben")) as server:
        for name, grade in (("anna", "1"), ("ben", "3")):
            judge = server.judge(name)
            judge.client = f"client-{name}"
            assert judge.send(judge.event("grade", value=grade), judge.event("done"))[0] == 200
        page = at_document(server, opened, name="adjudicated")
        page.wait_for_selector("text=The assessors disagree on the grade")
        lanes = [one.strip() for one in page.locator(".lane-name").all_inner_texts()]
        assert lanes == ["anna: grade 1", "ben: grade 3"]
