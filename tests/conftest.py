"""How generated tests run: quick by default, `--hypothesis-profile=thorough` before a release.

And the one session of Playwright: a process can have no second one.
"""

import pytest
from hypothesis import settings

settings.register_profile("quick", max_examples=50, deadline=None)  # machines may be busy
settings.register_profile("thorough", max_examples=2000, deadline=None)
settings.load_profile("quick")


@pytest.fixture(scope="session")
def playwright_session():
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as session:
        yield session
