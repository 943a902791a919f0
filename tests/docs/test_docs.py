"""The documentation cannot lie: examples run, lists are complete, links lead somewhere."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import spanwise
from docs.fences import blocks, steps
from spanwise.cli import COMMANDS
from spanwise.errors import SpanwiseError, SpanwiseWarning
from spanwise.evaluation.profiles import NICKNAMES, PROFILES, TREC_EVAL
from spanwise.formats import FORMATS
from spanwise.measures import MEASURES
from spanwise.model.policy import CHOICES, CONVENTIONS, Policy

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PACKAGE = Path(spanwise.__file__).parent
RUN_PAGE = Path(__file__).parent / "run_page.py"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?)(?: *\{ *#(\S+) *\})?$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)

ELSEWHERE = "ARCHITECTURE.md"
"""A page of recipes that are tested by following them: see test_recipes."""
WITH_EXAMPLES = [
    p
    for p in PAGES
    if p.name != ELSEWHERE and {"python", "console"} & {b.language for b in blocks(p)}
]


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


every_page = pytest.mark.parametrize("page", PAGES, ids=named)


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return FENCED.sub("", page.read_text(encoding="utf-8"))


def reference(name: str) -> str:
    return (DOCS / "reference" / f"{name}.md").read_text(encoding="utf-8")


def environment(folder: Path) -> dict[str, str]:
    """An environment in which the command `spanwise` is this package."""
    folder.mkdir()
    command = folder / "spanwise"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m spanwise "$@"\n')
    command.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), str(ROOT / "tests")]),
        "PYTHONIOENCODING": "utf-8",
        "COLUMNS": "100",
    }


# Examples -----------------------------------------------------------------------------------


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=named)
def test_examples_do_what_the_page_says(page, tmp_path):
    folder = tmp_path / "demo"
    shutil.copytree(PACKAGE / "data" / "demo", folder)
    shutil.copytree(PACKAGE / "data" / "handbook", folder / "handbook")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(RUN_PAGE), str(page)],
        cwd=folder,
        env=environment(tmp_path / "bin"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@every_page
def test_make_targets_that_are_named_exist(page):
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    console = [block for block in blocks(page) if block.language == "console"]
    commands = [step.command.split() for block in console for step in steps(block)]
    wanted = {words[1] for words in commands if words[0] == "make"}
    wanted |= set(re.findall(r"`make ([a-z]+)`", prose(page)))
    assert wanted <= targets


@every_page
def test_blocks_have_a_language(page):
    assert all(block.language for block in blocks(page))


def test_the_readme_shows_the_real_demo(capfd):
    from spanwise.cli import main

    assert main(["demo"]) == 0
    real = capfd.readouterr().out
    shown = next(block.text for block in blocks(ROOT / "README.md") if block.language == "text")
    assert doctest.OutputChecker().check_output(shown, real, doctest.ELLIPSIS), real


# Reference ----------------------------------------------------------------------------------


def test_the_reference_is_fresh():
    done = subprocess.run(
        [sys.executable, str(DOCS / "generate.py"), "--check"],
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name):
    assert f"## spanwise {name}\n" in reference("commands")
    guides = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("*/*.md"))
    assert re.search(rf"spanwise {name}\b", guides)


def test_every_public_name_is_in_the_reference():
    page = reference("python")
    names = set(spanwise.__all__) - {"__version__"}
    assert [name for name in names if f"\n::: spanwise.{name}\n" not in page] == []
    assert page.count("\n:::") == len(names)


def test_every_measure_is_in_the_reference():
    page = reference("measures")
    assert [name for name in MEASURES if f"\n### {name} {{ #{name} }}\n" not in page] == []
    assert [name for name in (*TREC_EVAL, *NICKNAMES) if f"| `{name}` |" not in page] == []


def test_every_format_is_in_the_reference():
    assert [name for name in FORMATS if f"\n## {name}\n" not in reference("formats")] == []


def test_every_policy_and_profile_is_in_the_reference():
    page = reference("policies")
    names = [*(field.name for field in fields(Policy)), *PROFILES]
    assert [name for name in names if f"\n### {name}\n" not in page] == []
    choices = [choice for several in CHOICES.values() for choice in several]
    assert [choice for choice in choices if f"`{choice}`" not in page] == []
    assert [program for program in CONVENTIONS if f"| {program} |" not in page] == []


def test_every_error_is_in_the_reference():
    kinds = (*kinds_of(SpanwiseError), SpanwiseWarning)
    names = {kind.__name__ for kind in kinds if kind.__module__ == "spanwise.errors"}
    assert [name for name in sorted(names) if f"| `{name}` |" not in reference("errors")] == []


def kinds_of(error: type[Exception]) -> list[type[Exception]]:
    return [error, *(kind for child in error.__subclasses__() for kind in kinds_of(child))]


# Links --------------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    """What a heading can be linked by: its own id, or its words as MkDocs and GitHub join them."""
    found = HEADING.findall(prose(page))
    return {own or re.sub(r"[^\w\- ]", "", words).lower().replace(" ", "-") for words, own in found}


@every_page
def test_internal_links_lead_somewhere(page):
    links = [link for link in LINK.findall(prose(page)) if not link.startswith("http")]
    for link in links:
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_file(), link
        assert not anchor or anchor in anchors(target), link
        if DOCS in page.parents:
            assert DOCS in target.parents, f"{link} leads out of the site"


def test_the_site_lists_every_page():
    listed = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))
