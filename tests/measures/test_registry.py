"""The table says everything that documentation and command line need, and omits no module."""

import pkgutil
import re
from math import inf

import pytest

from spanwise import measures
from spanwise.errors import UsageError
from spanwise.measures import MEASURES
from spanwise.model.measure import Law, keywords

NO_FAMILIES = {"registry", "names", "discoveries", "references"}
every_measure = pytest.mark.parametrize("entry", MEASURES.values(), ids=lambda entry: entry.name)


def test_every_family_is_imported():
    families = {module.name for module in pkgutil.iter_modules(measures.__path__)} - NO_FAMILIES
    assert families == set(measures.FAMILIES)
    assert families == {entry.family for entry in MEASURES.values()}


@every_measure
def test_every_measure_says_in_one_sentence_what_it_tells(entry):
    assert re.fullmatch(r"([A-Z]|trec_eval).{15,}\.", entry.summary)
    assert len(entry.summary) <= 110


@every_measure
def test_every_measure_is_cited(entry):
    assert re.search(r"\d", entry.reference), "a reference has a year or a version"


@every_measure
def test_every_measure_has_bounds(entry):
    low, high = entry.bounds
    assert low < high


@every_measure
def test_parameters_are_annotated_and_aliases_use_them(entry):
    for name in entry.parameters:
        assert entry.parameter_type(name) is not None
    for alias in entry.aliases:
        assert set(re.findall(r"{(\w+)}", alias)) <= set(entry.parameters)


@every_measure
def test_laws_fit_the_measure(entry):
    if Law.BLIND_BELOW_CUTOFF in entry.laws:
        assert "cutoff" in entry.parameters
    if Law.IDEAL_IS_ONE in entry.laws:
        assert entry.bounds in ((0, 1), (0, inf))  # some of its parameters may lift the bound


@every_measure
def test_an_expectation_over_ties_takes_the_same_parameters(entry):
    if entry.expected is not None:
        taken = set(entry.expected.__kwdefaults__ or {}) | {"cutoff", "recall"}
        assert set(keywords(entry.function)) <= taken


def test_two_measures_cannot_share_a_name():
    before = dict(MEASURES)
    taken = "measure 'AP' of .*test_registry already exists in spanwise.measures.ranks"
    with pytest.raises(UsageError, match=taken):

        @measures.measure("AP", reference="nowhere, 2000")
        def another(r):
            """Another one."""

    assert before == MEASURES


def test_a_measure_cannot_have_the_alias_of_another():
    before = dict(MEASURES)
    with pytest.raises(UsageError, match=r"measure 'map' of .* already exists"):

        @measures.measure("Mine", reference="nowhere, 2000", aliases=("map",))
        def another(r):
            """Another one."""

    assert before == MEASURES


@every_measure
def test_every_measure_has_a_heading(entry):
    assert re.fullmatch(r"[A-Z].{5,}", entry.heading)
    assert not entry.heading.startswith("Plug-in") or entry.plugin
