"""Small files, small functions, no cycles, everything public explained."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from source_code import MODULES, dotted, imports, parsed

FUNCTION, FILE = 60, 400  # lines
TESTS = sorted(Path(__file__).parent.rglob("*.py"))
DOCUMENTED_ONCE = {"spanwise.model.ids"}  # methods are explained in the protocol

every_module = pytest.mark.parametrize("file", MODULES, ids=dotted)


def functions(tree: ast.AST):
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def length(node: ast.FunctionDef) -> int:
    """Lines from `def` on, without the docstring."""
    first = node.body[0]
    docstring = first.end_lineno - first.lineno + 1 if ast.get_docstring(node) else 0
    return node.end_lineno - node.lineno + 1 - docstring


def public(tree: ast.Module):
    """Functions and methods that others may call."""
    classes = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name[0] != "_"]
    for holder in (tree, *classes):
        for node in holder.body:
            if isinstance(node, ast.FunctionDef) and node.name[0] != "_":
                yield node


@pytest.mark.parametrize("file", [*MODULES, *TESTS], ids=lambda file: file.name)
def test_no_file_is_long(file):
    assert len(file.read_text(encoding="utf-8").splitlines()) <= FILE


@every_module
def test_no_function_is_long(file):
    assert [f.name for f in functions(parsed(file)) if length(f) > FUNCTION] == []


@every_module
def test_every_public_function_is_typed(file):
    untyped = []
    for function in public(parsed(file)):
        a = function.args
        given = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, [a.vararg, a.kwarg])]
        if function.returns is None or any(
            arg.annotation is None for arg in given if arg.arg not in ("self", "cls")
        ):
            untyped.append(function.name)
    assert untyped == []


@every_module
def test_everything_public_is_explained(file):
    tree = parsed(file)
    classes = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name[0] != "_"]
    nodes = classes if dotted(file) in DOCUMENTED_ONCE else [*classes, *public(tree)]
    assert ast.get_docstring(tree)
    assert [node.name for node in nodes if not ast.get_docstring(node)] == []


def test_no_module_imports_itself_in_a_circle():
    """Not even in a function, or for types only."""
    graph = {dotted(file): imports(parsed(file)) - {dotted(file)} for file in MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" > ".join(error.args[1]))


def test_the_search_for_circles_finds_one():
    with pytest.raises(CycleError):
        TopologicalSorter({"a": {"b"}, "b": {"a"}}).prepare()
