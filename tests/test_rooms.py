"""The house rule: imports run one way, and working rooms do not see each other."""

import ast

import pytest

from source_code import MODULES, NAMES, dotted, imports, parsed, room

WORKING = {
    "formats",
    "collection",
    "ground",
    "measure",
    "compare",
    "report",
    "retrieve",
    "spread",
}
ANYWHERE = {"version", "errors"}
MAY_IMPORT = {
    "version": set(),
    "errors": set(),
    "model": set(),
    **{name: {"model"} for name in WORKING},
    "profiles": WORKING | {"model"},
    "kinds": WORKING | {"model"},
    "pipeline": WORKING | {"model", "kinds", "profiles"},
    "request": WORKING | {"model", "profiles", "pipeline"},
    "scoring": WORKING | {"model", "profiles", "pipeline", "request"},
    "shards": WORKING | {"model", "profiles", "pipeline", "request", "scoring"},
    "evaluating": WORKING | {"model", "profiles", "pipeline", "shards"},
    "stating": WORKING | {"model"},
    "budgets": WORKING | {"model", "profiles", "pipeline", "stating"},
    "comparing": WORKING
    | {"model", "profiles", "pipeline", "shards", "evaluating", "stating", "budgets"},
    "app": WORKING
    | {
        *("model", "kinds", "profiles", "pipeline", "shards", "evaluating", "stating"),
        *("comparing", "budgets", "front door"),
    },
    "__main__": {"app"},
    "front door": WORKING | {"model", "profiles", "evaluating", "comparing", "budgets"},
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
