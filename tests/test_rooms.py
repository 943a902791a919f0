"""The house rule: imports run one way, and working rooms do not see each other."""

import ast

import pytest

from source_code import MODULES, NAMES, dotted, imports, parsed, room

WORKING = {"formats", "collection", "ground", "measure", "compare", "report", "retrieve"}
ANYWHERE = {"version", "errors"}
MAY_IMPORT = {
    "version": set(),
    "errors": set(),
    "model": set(),
    **{name: {"model"} for name in WORKING},
    "profiles": WORKING | {"model"},
    "kinds": WORKING | {"model"},
    "pipeline": WORKING | {"model", "kinds", "profiles"},
    "comparing": WORKING | {"model", "profiles", "pipeline", "budgets"},
    "budgets": WORKING | {"model", "profiles", "pipeline", "comparing"},
    "app": WORKING
    | {"model", "kinds", "profiles", "pipeline", "comparing", "budgets", "front door"},
    "__main__": {"app"},
    "front door": WORKING | {"model", "profiles", "pipeline", "comparing", "budgets"},
}


@pytest.mark.parametrize("file", MODULES, ids=dotted)
def test_a_room_imports_only_what_it_may(file):
    mine = room(dotted(file))
    allowed = MAY_IMPORT[mine] | ANYWHERE | {mine}
    assert {room(name) for name in imports(parsed(file))} <= allowed


def test_every_import_is_of_a_module_that_exists():
    for file in MODULES:
        assert imports(parsed(file)) <= NAMES, file


@pytest.mark.parametrize(
    "code",
    [
        "import spanwise.ground.align",
        "from spanwise.ground import align",
        "from spanwise.ground.align import Aligned",
        "def f():\n    from spanwise.ground import align",
        "if TYPE_CHECKING:\n    from spanwise.ground.align import Aligned",
        "from spanwise import ground",
    ],
)
def test_no_import_escapes_the_rule(code):
    assert {room(name) for name in imports(ast.parse(code))} == {"ground"}
