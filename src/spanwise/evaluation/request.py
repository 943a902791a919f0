"""What was asked for, as plain data that can travel to any worker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from os import PathLike, fspath
from typing import Any

from spanwise.errors import UsageError
from spanwise.model.policy import Policy


@dataclass(frozen=True, slots=True)
class Request:
    """Runs to be scored, and how."""

    judgements: Any  # a file, or an object
    runs: Sequence[Any]  # files, or objects
    measures: Sequence[str] = ()  # none: those of the profile or task, else what fits the files
    profile: str | None = None
    task: str | None = None
    policy: Mapping[str, Any] | None = None  # fields of a policy that replace the profile's
    judgements_format: str | None = None
    run_format: str | None = None
    collection: Any = None  # a store, a folder of documents, or an open one
    topics: Any = None  # topics with queries on structure
    names: Sequence[str | None] = ()  # what runs are to be called; None: as they call themselves
    assume: Mapping[str, Any] = field(default_factory=dict)  # parameters of measures, by name
    chunks: Mapping[str, Any] = field(default_factory=dict)  # all chunks of runs, by name of run
    derived: bool = False  # made of another request, which was checked


def request_of(judgements: Any, runs: Sequence[Any], measures: object, **options: Any) -> Request:
    """Return the request of a call from Python; other options are fields of a policy."""
    known = {entry.name for entry in fields(Request)}
    parts = {name: options.pop(name) for name in list(options) if name in known}
    policy = dict(_fields_of(parts.pop("policy", None)), **options)
    for name in policy:
        if name not in Policy.__dataclass_fields__:
            choices = ", ".join(Policy.__dataclass_fields__)
            raise UsageError(f"unknown option {name!r}; a policy has {choices}")
    parts["chunks"] = {name: plain(one) for name, one in (parts.get("chunks") or {}).items()}
    if policy.get("unit") in ("char", "chars"):
        policy["unit"] = "characters"
    return Request(
        plain(judgements), [*map(plain, runs)], names_of(measures), policy=policy, **parts
    )


def _fields_of(policy: Policy | Mapping[str, Any] | None) -> Mapping[str, Any]:
    if isinstance(policy, Policy):
        return {entry.name: getattr(policy, entry.name) for entry in fields(Policy)}
    return policy or {}


def names_of(measures: object) -> tuple[str, ...]:
    """Return the names of measures, of which there may be one, many or none."""
    if measures is None:
        return ()
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        return (str(measures),)
    return tuple(str(one) for one in measures)


def plain(source: Any) -> Any:
    """Return a path as text, and anything else as it is."""
    return fspath(source) if isinstance(source, PathLike) else source
