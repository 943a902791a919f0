"""What stands around the package: workflows, extras, make targets, forms, and words kept out."""

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
SYSTEMS = ["ubuntu-latest", "macos-latest", "windows-latest"]
VERSIONS = ["3.11", "3.12", "3.13", "3.14"]
DEPENDENCY = re.compile(r"(?P<name>[\w.-]+)(\[(?P<extras>[\w,-]+)\])?")


def loaded(file: Path):
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def workflow(name: str):
    return loaded(ROOT / ".github" / "workflows" / f"{name}.yml")


def triggers(document):
    """The key `on`, which YAML 1.1 reads as a truth value."""
    return document[True]


def steps(document):
    return [step for job in document["jobs"].values() for step in job["steps"]]


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):(?!=)", MAKEFILE, re.MULTILINE))


def make_targets(text: str) -> set[str]:
    """Targets named as commands: in a shell's line, or in backticks."""
    found = re.findall(r"^\s*(?:\$ |run: )?make (?:-\w+ )*([a-z][a-z-]*)", text, re.MULTILINE)
    return {*found, *re.findall(r"`make (?:-\w+ )*([a-z][a-z-]*)`", text)}


def extras_named(text: str) -> set[str]:
    """Extras in `spanwise[one,two]` and `'.[one,two]'`."""
    lists = re.findall(r"(?:\bspanwise|(?<=['\x22])\.)\[([a-z0-9_,]+)\]", text)
    return {extra for several in lists for extra in several.split(",")}


def requirements(extra: str) -> set[str]:
    """What an extra brings, without conditions; extras of our own stand for what they bring."""
    found = set()
    for dependency in EXTRAS[extra]:
        named = DEPENDENCY.match(dependency)
        if named["name"] == PROJECT["project"]["name"]:
            found = found.union(*map(requirements, named["extras"].split(",")))
        else:
            found.add(dependency.partition(";")[0])
    return found


# Workflows ----------------------------------------------------------------------------------


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_may_only_read_and_uses_pinned_actions(file):
    document = loaded(file)
    assert document["permissions"] == {"contents": "read"}
    assert document["concurrency"]["group"]
    assert all("timeout-minutes" in job for job in document["jobs"].values())
    uses = [step["uses"] for step in steps(document) if "uses" in step]
    assert uses
    assert [action for action in uses if not re.search(r"@(v\d+|release/v\d+)$", action)] == []
    assert "secrets." not in file.read_text(encoding="utf-8")


def test_the_tests_run_on_every_system_and_version():
    matrix = workflow("test")["jobs"]["test"]["strategy"]["matrix"]
    assert matrix == {"system": SYSTEMS, "python": VERSIONS}


def test_the_versions_tested_are_those_that_the_package_claims():
    claimed = re.findall(r"Python :: (3\.\d+)'", str(PROJECT["project"]["classifiers"]))
    assert claimed == VERSIONS
    assert PROJECT["project"]["requires-python"] == f">={VERSIONS[0]}"


def test_windows_runs_the_commands_of_make_test():
    """It has no make, so that the commands stand twice."""
    rules = MAKEFILE.replace("$(BIN)/", "")
    pytest_command = re.search(r"^PYTEST := (.+)$", rules, re.MULTILINE)[1]
    lint = re.search(r"^define LINT\n(.*?)\nendef$", rules, re.MULTILINE | re.DOTALL)[1]
    assert re.search(r"^test: .*\n\t\$\(LINT\)\n\t\$\(PYTEST\)\n\n", rules, re.MULTILINE)
    named = {step.get("name"): step for step in steps(workflow("test"))}
    assert named["Test (Windows)"]["run"].split("\n") == [*lint.split("\n"), pytest_command, ""]


def test_workflows_call_targets_that_exist():
    document = workflow("test")
    called = set(document["jobs"]["optional"]["strategy"]["matrix"]["target"])
    for step in steps(document):
        called |= make_targets(step.get("run", ""))
    assert {"check", "test", "test-oldest", "docs"} <= called <= targets()


def test_a_release_is_published_by_a_tag_and_without_a_stored_token():
    document = workflow("release")
    assert triggers(document) == {"push": {"tags": ["v*"]}}
    publish = document["jobs"]["publish"]
    assert publish["needs"] == "build"
    assert publish["environment"] == "pypi"
    assert publish["permissions"] == {"id-token": "write"}
    assert "permissions" not in document["jobs"]["build"]


# Make ---------------------------------------------------------------------------------------


def test_make_names_files_that_exist():
    """A target that names a moved file would fail for everybody who calls it."""
    named = re.findall(r"(?<![\w/.-])(?:tests|docs|bench)/[\w/-]+\.py", MAKEFILE)
    assert "docs/simulate.py" in named
    assert not [one for one in named if not (ROOT / one).exists()]


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", ".ci/run"])
def test_make_targets_that_are_named_exist(name):
    named = make_targets((ROOT / name).read_text(encoding="utf-8"))
    assert "test" in named
    assert named <= targets()


def test_every_target_is_listed_as_one_and_explained():
    phony = set(re.search(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)[1].split())
    explained = set(re.findall(r"^([a-z-]+): .*## \S", MAKEFILE, re.MULTILINE))
    assert targets() == phony == explained


def test_what_the_quick_checks_leave_out_exists():
    slow = re.search(r"^SLOW := ((?:.*\\\n)*.*)$", MAKEFILE, re.MULTILINE)[1]
    names = slow.replace("\\\n", " ").split()
    assert len(names) > 1
    existing = {path.name for path in (ROOT / "tests").rglob("*")}
    assert [name for name in names if name not in existing] == []


# Extras -------------------------------------------------------------------------------------


def test_all_is_every_other_extra():
    others = set(EXTRAS) - {"all"}
    assert requirements("all") == set().union(*map(requirements, others))
    by_name = extras_named(" ".join(EXTRAS["all"]))
    assert by_name == others - {"xapian"}  # which is there with a condition


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_extras_that_a_page_names_exist(page):
    assert extras_named(page.read_text(encoding="utf-8")) <= set(EXTRAS)


def test_extras_that_messages_name_exist():
    """`MissingExtra(library, extra, purpose)`, or `pip install spanwise[extra]` in a text."""
    named = set()
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            match node:
                case ast.Constant(value=str(text)):
                    named |= extras_named(text)
                case ast.Call(func=ast.Name("MissingExtra"), args=[_, ast.Constant(str(extra)), _]):
                    named.add(extra)
    assert {"pandas", "report"} <= named
    assert named <= set(EXTRAS)


def test_extras_are_found_in_text():
    text = "pip install 'spanwise[one]' and '.[two,three]', `P[0.1]` or see [four]"
    assert extras_named(text) == {"one", "two", "three"}


# Forms --------------------------------------------------------------------------------------


def test_issues_are_asked_for_by_forms():
    assert {form.stem for form in FORMS} == {"config", "crash", "missing", "wrong-number"}
    assert loaded(ROOT / ".github" / "ISSUE_TEMPLATE" / "config.yml") == {
        "blank_issues_enabled": False,
        "contact_links": [
            {"name": "Documentation", "url": PROJECT["project"]["urls"]["Documentation"]}
            | {"about": "Guides, concepts and the reference of measures, formats and commands."}
        ],
    }


@pytest.mark.parametrize("stem", ["crash", "missing", "wrong-number"])
def test_a_form_is_complete(stem):
    form = loaded(ROOT / ".github" / "ISSUE_TEMPLATE" / f"{stem}.yml")
    assert {"name", "description", "body"} <= set(form)
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert {field["type"] for field in fields} <= {"input", "textarea", "dropdown"}
    assert all(field["attributes"]["label"] for field in fields)
    names = [field["id"] for field in fields]
    assert len(names) == len(set(names))


def test_a_wrong_number_is_reported_with_all_that_it_depends_on():
    form = loaded(ROOT / ".github" / "ISSUE_TEMPLATE" / "wrong-number.yml")
    required = [f["id"] for f in form["body"] if f.get("validations", {}).get("required")]
    assert required == ["command", "versions", "signature", "files", "expected"]


# Words --------------------------------------------------------------------------------------

FORBIDDEN = {
    "a path of the machine it was written on": rb"(?<![\w.<$}\)])/(?:work|root)/",
    "the address of a package registry": rb"(?:pypi|pythonhosted|npmjs|anaconda)\.(?:org|com)\b"
    rb"|artifactory|\bindex-url\b",
    "a key": rb"-----BEGIN [A-Z ]*PRIVATE KEY|\bgh[pousr]_[A-Za-z0-9]{30}|\bpypi-[A-Za-z0-9_-]{30}",
}


def tracked() -> list[Path]:
    """The files that git knows; without git, all but those it would ignore."""
    done = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("this is not a checkout")
    files = [ROOT / name for name in done.stdout.split("\0") if name]
    return [file for file in files if file.is_file() and file != Path(__file__)]


@pytest.mark.parametrize("pattern", FORBIDDEN.values(), ids=FORBIDDEN)
def test_no_file_has(pattern):
    files = tracked()
    assert len(files) > 100
    found = {f: re.search(pattern, f.read_bytes(), re.IGNORECASE) for f in files}
    assert [(str(file), match[0]) for file, match in found.items() if match] == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (0, b"see /" + b"work/notes"),
        (0, b"'/" + b"root/run.txt'"),
        (1, b"https://PyPI.org/simple"),
        (2, b"pypi-" + b"A" * 40),
    ],
)
def test_what_must_not_be_there_would_be_found(name, text):
    assert re.search(list(FORBIDDEN.values())[name], text, re.IGNORECASE)
