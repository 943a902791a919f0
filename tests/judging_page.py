"""A small document on the page, and what the log has of it."""

from spanwise.judge.events import folded
from spanwise.judge.store import Store

FIRST = "The first sentence is here. The second one follows it. A third sentence ends the block."
SECOND = "Another block begins. It has two sentences."
DOCUMENT = (
    f"<article><title>A title</title><sec><st>Part one</st><p>{FIRST}</p><p>{SECOND}</p></sec>"
    "</article>"
)
ALL = "A titlePart one" + FIRST + SECOND


def at_document(server, opened, number=0, name="anna", **options):
    page = opened(server.links[name], **options)
    page.goto(f"http://127.0.0.1:{server.port}/t/0/d/{number}")
    page.wait_for_selector(".text .b")
    return page


def saved(page):
    """Wait until nothing is on its way."""
    page.wait_for_selector("html[data-unsaved='0']", state="attached", timeout=60_000)


def state(server, number=0, judge="anna"):
    return folded(event.gesture for event in Store(server.store).events(judge, 0, number))


def selected(page, start, end):
    """Select by the browser's own selection, as a mouse would, given characters of a block."""
    page.evaluate(
        """([block, from, to]) => {
          const node = document.querySelectorAll('.text .b')[block].firstChild;
          getSelection().setBaseAndExtent(node, from, node, to);
        }""",
        [2, start, end],
    )


def texts(server, number=0):
    return [ALL[start:end] for start, end in state(server, number).highlighted]
