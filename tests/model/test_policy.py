"""Policies: what may be chosen, and the signature that says what was."""

from dataclasses import FrozenInstanceError, fields

import pytest

from spanwise.errors import UnknownName, UsageError
from spanwise.model.policy import CHOICES, CONVENTIONS, Policy
from spanwise.version import __version__

END = f"|spanwise:{__version__}"


def test_the_usual_choices_are_always_said():
    assert Policy().signature() == "ties:docno|average_over:judged|empty:skip" + END


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"ties": "expected"}, "ties:expected|average_over:judged|empty:skip"),
        ({"depth": 100}, "ties:docno|average_over:judged|empty:skip|depth:100"),
        ({"depth": 0}, "ties:docno|average_over:judged|empty:skip|depth:0"),
        (
            {"unjudged": "drop", "follow": "trec_eval 9"},
            "ties:docno|average_over:judged|empty:skip|unjudged:drop|follow:trec_eval 9",
        ),
        ({"order": "rising"}, "ties:docno|average_over:judged|empty:skip|order:rising"),
    ],
)
def test_unusual_choices_are_said_where_they_were_made(choice, said):
    assert Policy(**choice).signature() == said + END


def alternatives():
    for name, choices in CHOICES.items():
        for choice in choices:
            yield name, choice
    yield from (("depth", 0), ("depth", 7))


def test_different_policies_have_different_signatures():
    policies = {Policy(**{name: choice}) for name, choice in alternatives()}
    assert len({policy.signature() for policy in policies}) == len(policies)


def test_every_field_is_a_choice_or_the_depth_or_the_unit():
    assert {field.name for field in fields(Policy)} == {*CHOICES, "depth", "unit"}


@pytest.mark.parametrize("name", CHOICES)
def test_an_unknown_choice_is_refused(name):
    with pytest.raises(UnknownName) as caught:
        Policy(**{name: "nonsense"})
    assert str(caught.value).startswith(f"unknown {name} 'nonsense'")


def test_a_misspelt_choice_gets_a_hint():
    with pytest.raises(UnknownName) as caught:
        Policy(ties="dokno")
    assert str(caught.value) == "unknown ties 'dokno'; expected one of docno, file, rank, expected"


def test_a_negative_depth_is_refused():
    with pytest.raises(UsageError) as caught:
        Policy(depth=-1)
    assert str(caught.value) == "depth is -1; expected a whole number, 0 or more"


@pytest.mark.parametrize("depth", ["10", 1.5, True])
def test_a_depth_is_a_whole_number(depth):
    with pytest.raises(UsageError):
        Policy(depth=depth)


def test_a_policy_does_not_change():
    with pytest.raises(FrozenInstanceError):
        Policy().ties = "file"


@pytest.mark.parametrize("program", CHOICES["follow"])
def test_every_program_has_its_conventions(program):
    assert Policy(follow=program).conventions is CONVENTIONS[program]
