"""The architecture: imports run one way, never in a circle, and what is public is explained."""

import ast
from graphlib import CycleError, TopologicalSorter

import pytest

from source_code import MODULES, NAMES, dotted, imports, package, parsed

WORKING = {
    *("formats", "collection", "matching", "measures"),
    *("stats", "retrieve", "executors", "report"),
}
"""Packages that know the model and themselves, not each other."""

TIERS = [
    {"errors", "version"},
    {"console", "plugin_loading"},
    {"model"},
    WORKING,
    {"evaluation"},
    {"judge"},
    {"workflows"},
    {"dropins"},
    {"cli"},
    {"public API", "plugins", "__main__"},
]
"""From the ground up: a package imports only what stands on lower tiers."""

DOCUMENTED_ONCE = {"spanwise.model.columns"}  # methods are explained in the protocol

every_module = pytest.mark.parametrize("file", MODULES, ids=dotted)


def below(name: str) -> set[str]:
    """The packages that a package may import."""
    (tier,) = [number for number, packages in enumerate(TIERS) if name in packages]
    return set().union(*TIERS[:tier])


@every_module
def test_a_package_imports_only_what_is_below_it(file):
    mine = package(dotted(file))
    assert {package(name) for name in imports(parsed(file))} <= below(mine) | {mine}


def test_every_package_has_its_place():
    assert {package(name) for name in NAMES} == set().union(*TIERS)


def test_every_import_is_of_a_module_that_exists():
    for file in MODULES:
        assert imports(parsed(file)) <= NAMES, file


@pytest.mark.parametrize(
    "code",
    [
        "import spanwise.matching.documents",
        "from spanwise.matching import documents",
        "from spanwise.matching.documents import Aligned",
        "def f():\n    from spanwise.matching import documents",
        "if TYPE_CHECKING:\n    from spanwise.matching.documents import Aligned",
        "from spanwise import matching",
    ],
)
def test_no_import_escapes_the_rule(code):
    assert {package(name) for name in imports(ast.parse(code))} == {"matching"}


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


def public(tree: ast.Module):
    """Functions and methods that other modules may call."""
    classes = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name[0] != "_"]
    for holder in (tree, *classes):
        for node in holder.body:
            if not isinstance(node, ast.FunctionDef) or node.name[0] == "_":
                continue
            if "overload" not in map(ast.unparse, node.decorator_list):
                yield node


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
