"""A command that has a function of its name is a wrapper: the same options and defaults."""

import inspect

import pytest

import spanwise
from spanwise.cli import cli

PRINTED = {"output", "layout", "as_json", "to", "engines", "most"}
"""What a command does with a result."""

FUNCTIONS = {
    # command: function, what a word of the command is called in Python, where these differ
    ("check",): ("check", {}),
    ("convert",): ("convert", {"target": "path", "parts": "partition"}),
    ("search",): ("search", {}),
    ("fuse",): ("fuse", {}),
    ("pool", "build"): ("pool", {"leave": "without"}),
    ("pool", "extend"): ("extend_pool", {}),
    ("recallbase",): ("recallbase", {}),
    ("simulate",): ("simulate", {}),
    ("cluster",): ("cluster", {}),
    ("collection", "build"): ("build_collection", {"output": "path"}),
    ("collection", "show"): ("show_collection", {"store": "collection"}),
}
OF_COMMANDS = {("check", "fix"): "Checked.repaired", ("check", "most"): "Checked.to_text"}
"""Options whose part a method of the result plays."""
ELSEWHERE = {("build_collection", "workers")}
"""Defaults that differ, because a script must be importable before it may start processes."""
CHOSEN_LATER = {("pool", "method"), ("pool", "order")}
"""Defaults that a command leaves to its function."""


def command(words):
    found = cli
    for word in words:
        found = found.get_command(None, word)
    return found


def same(theirs, ours):
    """Whether two defaults mean the same; what is absent has many names."""
    theirs = {"on": True, "off": False}.get(theirs, theirs)
    if isinstance(theirs, str | int | float) and theirs is not False:
        return theirs == ours
    return ours in (None, (), False, "ignore")


@pytest.mark.parametrize("words", FUNCTIONS, ids=" ".join)
def test_a_command_and_its_function_have_the_same_options_and_defaults(words):
    name, renamed = FUNCTIONS[words]
    function = inspect.signature(getattr(spanwise, name)).parameters
    seen = set()
    for word in command(words).params:
        ours = renamed.get(word.name, word.name)
        if ours not in function:
            assert word.name in PRINTED or (*words, word.name) in OF_COMMANDS, word.name
            continue
        seen.add(ours)
        if (name, ours) in ELSEWHERE or word.param_type_name == "argument" or word.required:
            continue
        if (name, ours) not in CHOSEN_LATER:
            assert same(word.default, function[ours].default), word.name
    assert set(function) - seen <= {"progress"}


@pytest.mark.parametrize("name", [name for name, _ in FUNCTIONS.values()])
def test_options_of_functions_are_given_by_name(name):
    kinds = [one.kind for one in inspect.signature(getattr(spanwise, name)).parameters.values()]
    assert inspect.Parameter.VAR_KEYWORD not in kinds
    assert kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD) <= 3


def test_every_function_has_an_example_that_runs():
    functions = [getattr(spanwise, name) for name in spanwise.__all__ if name[0].islower()]
    ours = [one for one in functions if callable(one) and one.__name__ in LISTED]
    assert len(ours) == len(LISTED)
    assert [one.__name__ for one in ours if ">>>" not in one.__doc__] == []


LISTED = {
    *(name for name, _ in FUNCTIONS.values()),
    *("open_collection", "read_run", "read_judgements", "read_topics"),
    *("write_run", "write_judgements", "write_pool"),
}
