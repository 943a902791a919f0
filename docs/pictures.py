"""Make the pictures of the guide to judging: python docs/pictures.py [FOLDER].

The page is served with the handbook, judged a little, and photographed in Chromium, which has to be
installed, as Playwright has to be. FOLDER is docs/images unless it is given.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
TOPIC, DOCUMENT = "unjudged documents", "incomplete-judgements"
COUNT = 7
"""Number of documents of the topic."""
RELEVANT = (
    "What a measure does with an unjudged result decides how well it survives gaps.",
    "It is harmless while the judged part covers the top of every run. When it does not, scores are"
    " too low, and too low by different amounts: systems that resemble those of the pool lose"
    " least.",
    "Rankings of systems survive heavy gaps surprisingly well. The error now has the other sign: a"
    " system with a single judged result, by luck a good one, looks perfect.",
)
OTHERWISE = (RELEVANT[0], f"The traditional rule. {RELEVANT[1]}", RELEVANT[2][58:])
"""What the second assessor marks."""
SELECT = """(words) => {
  const walker = document.createTreeWalker(document.querySelector(".text"), NodeFilter.SHOW_TEXT);
  const nodes = [];
  let all = "";
  while (walker.nextNode()) {
    nodes.push([walker.currentNode, all.length]);
    all += walker.currentNode.data;
  }
  const place = (at) => {
    const [node, start] = nodes.filter(([, begin]) => begin <= at).at(-1);
    return [node, at - start];
  };
  const at = all.indexOf(words);
  if (at < 0) throw new Error("not in the document: " + words);
  const [first, from] = place(at), [last, to] = place(at + words.length - 1);
  getSelection().setBaseAndExtent(first, from, last, to + 1);
}"""

TO_THE_TOP = "document.querySelector('main').scrollTo(0, 0); scrollTo(0, 0)"


@contextmanager
def served(folder: str) -> Iterator[dict[str, str]]:
    """Serve the handbook, and give the link of each assessor."""
    people = ("--judge", "anna", "--judge", "ben", "--adjudicate")
    command = [sys.executable, "-m", "spanwise", "judge", "serve", "--demo", "--no-open"]
    command += ["--port", "0", "--store", f"{folder}/handbook.judged", *people]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    assert process.stdout is not None
    links: dict[str, str] = {}
    try:
        for line in process.stdout:
            found = re.match(r"(\S+): (http\S+)$", line.strip())
            if found is None:
                break
            links[found[1]] = found[2]
        yield links
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)


def opened(browser: Browser, link: str, **options: Any) -> Page:
    """Open the page of an assessor."""
    view = {"viewport": {"width": 1200, "height": 720}, "color_scheme": "light", **options}
    page = browser.new_context(**view).new_page()
    page.goto(link)
    page.wait_for_selector("main h1")
    return page


def at_document(page: Page) -> None:
    """Go to the document of the pictures."""
    page.click(f"text={TOPIC}")
    page.click(f"text={DOCUMENT}")
    page.wait_for_selector(".text .b")


def saved(page: Page) -> None:
    """Wait until the server has everything; practice is not saved."""
    page.wait_for_timeout(300)
    page.wait_for_selector("html:not([data-unsaved]), html[data-unsaved='0']", state="attached")


def mark(page: Page, passages: tuple[str, ...], finish: bool) -> None:
    """Highlight passages and set the entry point at the first one."""
    for words in passages:
        page.evaluate(SELECT, words)
        page.keyboard.press("h")
        saved(page)
    page.evaluate(SELECT, passages[0])
    page.keyboard.press("b")
    page.evaluate("getSelection().removeAllRanges()")
    if finish:
        page.keyboard.press("f")
    saved(page)
    page.evaluate(TO_THE_TOP)


def judged(page: Page, topic: int, documents: tuple[int, ...], keys: tuple[str, ...]) -> None:
    """Judge documents of a topic with a few keys; leave out the document of the pictures."""
    origin = page.url.partition("/t/")[0].rstrip("/")
    for number in documents:
        page.goto(f"{origin}/t/{topic}/d/{number}")
        page.wait_for_selector(".text .b")
        if page.locator(f"text={DOCUMENT}").count():
            continue
        for key in keys:
            page.keyboard.press(key)
        saved(page)


def pictures(browser: Browser, links: dict[str, str], folder: Path) -> None:
    """Take all pictures."""
    anna = opened(browser, links["anna"])
    home = anna.url.partition("#")[0]
    anna.click("text=Practise on three")
    anna.wait_for_selector(".text .b")
    mark(anna, ("A bee that has found many flowers dances when she comes home.",), finish=True)
    anna.wait_for_selector("text=% correct")
    anna.screenshot(path=folder / "judge-practice.png")

    anna.goto(home)
    at_document(anna)
    mark(anna, RELEVANT, finish=False)
    anna.screenshot(path=folder / "judge-document.png")
    phone = opened(browser, links["anna"], viewport={"width": 390, "height": 744}, has_touch=True)
    at_document(phone)
    phone.wait_for_timeout(500)
    phone.evaluate(TO_THE_TOP)
    phone.screenshot(path=folder / "judge-phone.png")
    anna.keyboard.press("f")
    saved(anna)
    judged(anna, 0, tuple(range(COUNT)), ("0",))
    judged(anna, 1, (0, 1, 2), ("j", "h", "b", "b", "f"))
    judged(anna, 1, (3, 4), ("0",))
    judged(anna, 2, (0, 1), ("0",))
    anna.goto(home)
    anna.wait_for_selector("text=documents are left to judge")
    anna.screenshot(path=folder / "judge-home.png")

    ben = opened(browser, links["ben"])
    at_document(ben)
    mark(ben, OTHERWISE, finish=True)
    judged(ben, 0, tuple(range(COUNT)), ("0",))

    last = opened(browser, links["adjudicated"])
    at_document(last)
    last.wait_for_selector("text=in dispute")
    last.click("aside summary >> nth=0")  # folds the topic, to show the disputes below it
    last.evaluate(TO_THE_TOP)
    last.screenshot(path=folder / "judge-adjudicate.png")


def main() -> None:
    """Make the pictures in the folder of the guide, or in another one."""
    folder = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent / "images"
    with tempfile.TemporaryDirectory() as place, served(place) as links, sync_playwright() as play:
        options = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        browser = play.chromium.launch(executable_path=CHROMIUM, args=options)
        pictures(browser, links, folder)
        browser.close()


if __name__ == "__main__":
    main()
