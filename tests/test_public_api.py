"""The public names, and how little is imported before they are used."""

import ast
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import spanwise
from source_code import ROOT, parsed

COMMANDS = [("--help",), ("--version",), ("measures",), ("measures", "AP"), ("formats",)]
HEAVY = {"numpy", "polars", "pandas", "pyarrow", "scipy"}


def test_the_public_names_are_these():
    assert sorted(spanwise.__all__) == [
        "Built",
        "Checked",
        "Clusters",
        "Comparison",
        "Converted",
        "Evaluator",
        "Explanation",
        "Findings",
        "Gate",
        "Judgements",
        "MEASURES",
        "Picture",
        "Plan",
        "Policy",
        "Pool",
        "Preferences",
        "Rankings",
        "RelevantElements",
        "Run",
        "ScoreTable",
        "Scores",
        "SpanwiseError",
        "SpanwiseWarning",
        "Topics",
        "Verification",
        "__version__",
        "agree",
        "build_collection",
        "check",
        "check_pool",
        "cluster",
        "compare",
        "convert",
        "estimate",
        "evaluate",
        "experiment",
        "explain",
        "extend_pool",
        "fuse",
        "gate",
        "open_collection",
        "plan",
        "plot",
        "pool",
        "read_judgements",
        "read_pool",
        "read_run",
        "read_topics",
        "recallbase",
        "reliability",
        "search",
        "show_collection",
        "simulate",
        "sweep",
        "verify",
        "write_judgements",
        "write_pool",
        "write_run",
    ]


def test_type_checkers_see_the_same_names():
    (block,) = [n for n in parsed(ROOT / "__init__.py").body if isinstance(n, ast.If)]
    seen = {}
    for node in block.body:
        for alias in node.names:
            assert alias.name == alias.asname  # so that checkers take it for a public name
            seen[alias.name] = node.module
    assert {*seen, "__version__"} == set(spanwise.__all__)
    for name, module in seen.items():
        assert getattr(import_module(module), name) is getattr(spanwise, name)


def test_no_public_name_is_also_a_module():
    """Importing a module of the package would replace a public name that is called so."""
    modules = {file.stem for file in ROOT.iterdir() if file.suffix == ".py" or file.is_dir()}
    assert not modules & set(spanwise.__all__)


def test_a_package_is_a_package_and_the_module_is_an_ordinary_one():
    import spanwise.judge.pooling
    import spanwise.report

    assert type(sys.modules["spanwise"]) is ModuleType
    assert spanwise.report is sys.modules["spanwise.report"]
    assert spanwise.pool is spanwise.judge.pooling.pool


def test_names_are_listed():
    assert dir(spanwise) == sorted(spanwise.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'spanwise' has no attribute 'evalute'"):
        spanwise.evalute  # noqa: B018


def imported_by(code: str, *words: str) -> set[str]:
    """The modules that a fresh process has imported after running this."""
    program = f"import sys, json, atexit; sys.path.insert(0, {str(ROOT.parent)!r})\n"
    program += "atexit.register(lambda: print(json.dumps(list(sys.modules)), file=sys.stderr))\n"
    done = subprocess.run(
        [sys.executable, "-c", program + code, *words],
        capture_output=True,
        timeout=60,
        check=True,
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_importing_the_package_imports_no_library():
    modules = imported_by("import spanwise; spanwise.__version__")
    assert "spanwise" in modules
    assert not modules & (HEAVY | {"click", "rich", "msgspec"})


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_short_command_imports_no_table_library(words):
    modules = imported_by("from spanwise.cli import run; run()", *words)
    assert not modules & (HEAVY - {"numpy"})


@pytest.mark.parametrize(
    "words",
    [("--help",), ("--version",), ("search", "--help"), ("sweep", "--help")],
    ids=" ".join,
)
def test_help_needs_no_arrays(words):
    assert "numpy" not in imported_by("from spanwise.cli import run; run()", *words)


def test_a_small_evaluation_imports_no_table_library(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 me\n")
    files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
    modules = imported_by("from spanwise.cli import run; run()", "eval", *files)
    assert "numpy" in modules
    assert not modules & (HEAVY - {"numpy"})


def test_the_package_says_that_it_is_typed():
    assert (Path(spanwise.__file__).parent / "py.typed").is_file()
