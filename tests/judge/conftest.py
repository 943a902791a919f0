"""One browser for all tests of the page."""

import pytest

from judging import ARGUMENTS, CHROMIUM, needs_browser


@pytest.fixture(scope="session")
def chromium(request):
    needs_browser()
    return request.getfixturevalue("playwright_session").chromium


@pytest.fixture(scope="session")
def browser(chromium):
    running = chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
    yield running
    running.close()


@pytest.fixture
def problems():
    """What pages complain of: nothing, at the end of every test."""
    found = []
    yield found
    assert found == []


@pytest.fixture
def opened(browser, problems):
    """Opens a link in a fresh profile; complaints and foreign requests are collected."""
    contexts = []

    def open_link(link, **options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        contexts.append(context)
        page = context.new_page()
        watch(page, link, problems)
        page.goto(link)
        page.wait_for_selector("main h1")
        return page

    yield open_link
    for context in contexts:
        context.close()


def watch(page, link, problems):
    home = link.partition("/#")[0]

    def request(one):
        if not one.url.startswith((home, "blob:", "data:")):
            problems.append(f"foreign request {one.url}")

    def console(one):
        expected = "Failed to load resource" in one.text  # a refused gesture, a server that is away
        if one.type == "error" and not expected:
            problems.append(one.text)

    page.on("request", request)
    page.on("console", console)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda dialog: (problems.append(dialog.message), dialog.dismiss()))
