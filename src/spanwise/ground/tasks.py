"""The tasks of INEX and their rules, as data. Nothing else in the package lists them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from spanwise.errors import UnknownName, UsageError


@dataclass(frozen=True, slots=True)
class Rules:
    """What a run of some task may hold for one topic. No result may be there twice."""

    most: int = 1500
    counted: Literal["results", "documents"] = "results"  # what there may be `most` of
    overlap: bool = True  # whether results of one document may share text
    consecutive: bool = False  # results of one document follow each other
    alone: bool = False  # one result of each document
    per_document: int | None = None  # most characters of one document
    per_topic: int | None = None  # most characters of all results


IN_CONTEXT = Rules(counted="documents", overlap=False, consecutive=True)

TASKS: dict[str, Rules] = {
    "thorough": Rules(),
    "focused": Rules(overlap=False),
    "fetch-browse": Rules(consecutive=True),
    "all-in-context": replace(IN_CONTEXT, counted="results"),
    "ric": IN_CONTEXT,
    "bic": Rules(alone=True),
    "restricted-focused": Rules(overlap=False, per_topic=1000),
    "restricted-ric": replace(IN_CONTEXT, per_document=500),
    "efficiency": Rules(),
}
"""The rules by task; in 2006 the limit of relevant in context counted results."""

ALIASES: dict[str, tuple[str, ...]] = {
    "thorough": (
        *("CO", "CAS", "SCAS", "VCAS", "CO.Thorough", "COS.Thorough", "CO+S.Thorough"),
        *("VVCAS", "VSCAS", "SVCAS", "SSCAS"),
    ),
    "focused": ("Focussed", "CO.Focussed", "COS.Focussed", "CO+S.Focussed", "CO.Focused"),
    "fetch-browse": ("FetchBrowse", "CO.FetchBrowse", "COS.FetchBrowse", "CO+S.FetchBrowse"),
    "all-in-context": ("AllInContext",),
    "ric": ("RelevantInContext",),
    "bic": ("BestInContext",),
    "restricted-focused": ("RestrictedFocused",),
    "restricted-ric": ("RestrictedRelevantInContext",),
}
"""What submissions of the years called them; capitals, blanks and marks do not matter."""


def _folded(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


def find_task(name: str, most: int | None = None) -> Rules:
    """The rules of a task; `most` replaces its limit of results, as for the top 15 or 150.

    >>> find_task("CO.Focussed").overlap
    False
    """
    if most is not None and most < 1:
        raise UsageError(f"at most {most} results: expected 1 or more")
    names = {_folded(task): task for task in TASKS}
    names |= {_folded(alias): task for task, some in ALIASES.items() for alias in some}
    if _folded(name) not in names:
        raise UnknownName("task", name, list(TASKS))
    rules = TASKS[names[_folded(name)]]
    return rules if most is None else replace(rules, most=most)
