"""TEMPORARY module docstring to replace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanwise.dropins.trec_eval.options import real, whole
from spanwise.errors import UsageError
from spanwise.evaluation.profiles import TREC_EVAL, TrecMeasure
from spanwise.measures.names import by_stem
from spanwise.model.measure import Asked, Measure

if TYPE_CHECKING:
    from spanwise.dropins.trec_eval.options import Options
    from spanwise.measures.gains import Gains


@dataclass(frozen=True, slots=True)
class Column:
    """A printed measure with its name and parameters."""

    name: str
    entry: TrecMeasure
    asked: Asked

    @property
    def kind(self) -> str:
        """The kind of its aggregate over topics."""
        return self.asked.measure.aggregate

    @property
    def key(self) -> str:
        """The key of its values, which is unique even if two cut-offs are printed alike."""
        return self.asked.label


def columns(options: Options) -> list[Column]:
    """Return the columns that are printed for a topic, in trec_eval's order, without runid."""
    found: list[Column] = []
    for name, entry in TREC_EVAL.items():
        if name in options.marked and name != "runid":
            found += _of_measure(entry, options.parameters.get(name), options)
    return found


def _of_measure(entry: TrecMeasure, text: str | None, options: Options) -> list[Column]:
    measure, key, fixed = by_stem(entry.name)
    if "rel" in measure.parameters and entry.name != "num_ret":
        fixed["rel"] = options.level
    if entry.name == "utility":
        fixed["documents"] = options.collection_size
    if entry.kind in ("whole cut-offs", "real cut-offs"):
        values = _cutoffs(entry, text) if text is not None else entry.defaults
        return [_column(entry.spelled(v), entry, measure, {**fixed, str(key): v}) for v in values]
    if text is None:
        return [_column(entry.name, entry, measure, fixed)]
    given = _pairs(entry, text, options) if entry.kind == "pairs" else _values(entry, text)
    return [_column(f"{entry.name}_{text}", entry, measure, {**fixed, **given})]


def _column(name: str, entry: TrecMeasure, measure: Measure, parameters: dict[str, Any]) -> Column:
    return Column(name, entry, Asked(f"{entry.name} {parameters}", measure, parameters))


def _cutoffs(entry: TrecMeasure, text: str) -> list[float]:
    read = whole if entry.kind == "whole cut-offs" else real
    values = sorted(read(piece) for piece in text.split(","))
    if entry.kind == "whole cut-offs" and values[0] <= 0:
        raise UsageError(f"-m {entry.name}.{text}: a cut-off must be 1 or more")
    if len(set(values)) < len(values):
        raise UsageError(f"-m {entry.name}.{text}: the same cut-off twice")
    return values


def _values(entry: TrecMeasure, text: str) -> dict[str, Any]:
    values = tuple(real(piece) for piece in text.split(","))
    key = by_stem(entry.name)[1]
    many = key in ("weights", "recalls")
    return {str(key): values if many else values[0]}


def _pairs(entry: TrecMeasure, text: str, options: Options) -> dict[str, Any]:
    """Parse gains of grades, and the persistence of rank-biased precision."""
    given: dict[str, Any] = {}
    gains: list[tuple[float, float]] = []
    for piece in text.split(","):
        if piece.count("=") != 1:
            raise UsageError(f"-m {entry.name}.{text}: {piece!r} should be name=value")
        key, value = piece.split("=")
        if key == "p" and entry.name.startswith("rbp"):
            given["p"] = real(value)
        elif _is_whole(key) or options.version == 9:
            gains.append((float(whole(key)), real(value)))
    if entry.name != "rbp_resid":
        table: Gains = tuple(gains)
        given["gains"] = table
    return given


def _is_whole(text: str) -> bool:
    return text.lstrip("+-").isdecimal() and len(text) - len(text.lstrip("+-")) <= 1
