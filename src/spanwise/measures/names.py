"""Names of measures: `nDCG(dcg='exp-log2')@10`, `P(rel=2)@5`, `IPrec@0.1`, and trec_eval's own.

    name    = word [ "(" parameter { "," parameter } ")" ] [ "@" number | "[" number "]" ]
    parameter = word "=" value
    value   = number | word | 'text' | "[" numbers "]" | "{" grade ":" gain, ... "}"

Spaces do not matter, and case does not where only one measure has the name in any case. The number
after `@` or in brackets is the cut-off, or the recall level of a measure that has one. Other
spellings (`ndcg_cut_10`, `hit_rate@5`) are aliases in the table of measures.

A list of names has commas between them: `AP,nDCG(rel=2)@10,P_5,10`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import inf, isinf
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from spanwise.errors import UnknownName, UsageError
from spanwise.measures.registry import MEASURES, load_families
from spanwise.model.measure import REQUIRED, Gains, Measure, MeasureRequest
from spanwise.plugin_loading import load

SHAPE = re.compile(r"([^()\[\]@\s]+)(?:\((.*)\))?(?:@([^()\[\]@]+)|\[([^\]]*)\])?")
POSITIONAL = {"cutoff": "@10", "recall": "[0.1]"}
"""Parameters that may stand after the name, each with an example."""
MOST_DIGITS = 12
NUMBER = re.compile(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?(?:=[-+.\deE]+)?")
"""What follows a comma inside a name: `P_5,10` and `ndcg_1=3,2=9` are single items of a list."""
PARTS = re.compile(r"""((?:[^,\[\]{}'"]|'[^']*'|"[^"]*"|\[[^\]]*\]|\{[^}]*\})+)(?:,|$)""")


def parse(name: str) -> MeasureRequest:
    """Return the measure that a name asks for, with its parameters.

    Plug-ins are loaded only for a name that none of ours has.
    """
    known = _parsed.get(name)
    if known is not None and known[0] == _version():
        return known[1]
    found = _parse(name)
    _parsed[name] = _version(), found
    return found


_parsed: dict[str, tuple[tuple[int, int], MeasureRequest]] = {}
"""The measures asked for so far, each with the version of the registry in which it was found."""


def _parse(name: str) -> MeasureRequest:
    squeezed = "".join(name.split())
    found = _as_written(name, squeezed)
    families = load_families()
    while found is None and next(families, None) is not None:
        found = _as_written(name, squeezed)
    if found is None:
        try:
            found = _in_other_letters(name, squeezed)
        except UnknownName:
            if not load():
                raise
            found = _as_written(name, squeezed) or _in_other_letters(name, squeezed)
    measure, given = found
    parameters = {key: _value(measure, key, text, name) for key, text in given.items()}
    required = [key for key, value in measure.parameters.items() if value is REQUIRED]
    missing = [key for key in required if key not in parameters]
    if missing:
        raise UsageError(
            f"measure {name!r} needs its {missing[0]}, such as {_with(missing[0], squeezed)}"
        )
    return MeasureRequest(name, measure, parameters)


Found = tuple[Measure, dict[str, str]]
"""A measure, and the parameters that its name states, as text."""


def _as_written(name: str, squeezed: str) -> Found | None:
    """Return the registered measure of a name whose letters match exactly."""
    exact = plain_names().get(squeezed)
    measure, given = (exact, {}) if exact else _by_template(squeezed)
    if measure is not None:
        return measure, given
    shape = SHAPE.fullmatch(squeezed)
    if shape is None or shape[1] not in plain_names():
        return None
    return _by_grammar(name, squeezed)


def _in_other_letters(name: str, squeezed: str) -> Found:
    """Return the measure of a name that is written in capitals or small letters."""
    list(load_families())
    measure, given = _in_any_case(squeezed)
    return _by_grammar(name, squeezed) if measure is None else (measure, given)


def listed(text: str) -> list[str]:
    """Return the names in a list, one for each measure.

    >>> listed("AP, nDCG(dcg='exp-log2')@10,P_5,10,P.5,10")
    ['AP', "nDCG(dcg='exp-log2')@10", 'P_5', 'P_10', 'P.5,10']
    """
    items: list[list[str]] = []
    for part in _split(text):
        if items and NUMBER.fullmatch(part):
            items[-1].append(part)
        elif part:
            items.append([part])
        else:
            raise UsageError(
                f"measures {text!r}: a name is missing; expected names, such as AP,P@5"
            )
    return [name for item in items for name in _with_each_number(item)]


def _split(text: str) -> list[str]:
    """Split at the commas that are outside of brackets and quotes."""
    parts, begin, depth, quote = [], 0, 0, ""
    for place, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        elif sign == "," and depth <= 0:
            parts.append(text[begin:place].strip())
            begin = place + 1
    return [*parts, text[begin:].strip()]


def _with_each_number(item: list[str]) -> list[str]:
    """Return a name with each of the numbers that follow it, unless it takes them all at once."""
    whole = ",".join(item)
    stem = re.fullmatch(r"(.*?)[-+]?[\d.]+", item[0])
    if len(item) == 1 or stem is None or "=" in whole.rpartition(")")[2] or _is_name(whole):
        return [whole]
    names = [item[0], *(f"{stem[1]}{number}" for number in item[1:])]
    return names if all(map(_is_name, names)) else [whole]


def _is_name(name: str) -> bool:
    try:
        parse(name)
    except UsageError:
        return False
    return True


def _with(key: str, name: str) -> str:
    """Return the name with an example of the parameter that it lacks."""
    if key in POSITIONAL:
        return f"{name}{POSITIONAL[key]}"
    word, _, number = name.partition("@")
    inside = f"{word[:-1]},{key}=...)" if word.endswith(")") else f"{word}({key}=...)"
    return f"{inside}@{number}" if number else inside


def plain_names() -> dict[str, Measure]:
    """Return the measure of every registered name and alias that contains no parameter."""
    return _plain_names(_version())


def _version() -> tuple[int, int]:
    """Return what changes with every registration, so that tables can be kept until then."""
    return len(MEASURES.registered), MEASURES.changes


@lru_cache(maxsize=1)
def _plain_names(_: tuple[int, int]) -> dict[str, Measure]:
    names: dict[str, Measure] = dict(MEASURES.registered)
    for entry in MEASURES.registered.values():
        names |= {alias: entry for alias in entry.aliases if "{" not in alias}
    return names


@lru_cache(maxsize=1)
def _templates(_: tuple[int, int]) -> list[tuple[re.Pattern[str], Measure]]:
    return [
        (_pattern(entry, alias), entry)
        for entry in MEASURES.registered.values()
        for alias in entry.aliases
        if "{" in alias
    ]


def _pattern(entry: Measure, alias: str) -> re.Pattern[str]:
    before, _, rest = alias.partition("{")
    key, _, after = rest.partition("}")
    shape = _shape(entry.parameter_type(key))
    return re.compile(f"{re.escape(before)}(?P<{key}>{shape}){re.escape(after)}")


def _shape(kind: Any) -> str:
    """Return the pattern of a value of a type inside an alias."""
    if kind == Gains:
        return r"[-+.\d][^=]*=.+"
    if get_origin(kind) is Literal:
        return "|".join(get_args(kind))
    return r"\d+" if _is_int(kind) else r"[-+.\deE,]+"


def _is_int(kind: object) -> bool:
    return kind is int or (isinstance(kind, UnionType) and int in get_args(kind))


def _by_template(name: str) -> tuple[Measure | None, dict[str, str]]:
    for pattern, entry in _templates(_version()):
        match = pattern.fullmatch(name)
        if match:
            return entry, match.groupdict()
    return None, {}


def _in_any_case(name: str) -> tuple[Measure | None, dict[str, str]]:
    """Return the only measure that has the name, or a template of it, if case is ignored."""
    same = [other for other in plain_names() if other.lower() == name.lower()]
    found: dict[str, tuple[Measure, dict[str, str]]] = {
        plain_names()[other].name: (plain_names()[other], {}) for other in same
    }
    if not found:
        for pattern, entry in _templates(_version()):
            match = re.fullmatch(pattern.pattern, name, re.IGNORECASE)
            if match:
                found.setdefault(entry.name, (entry, match.groupdict()))
    if len(found) > 1:
        raise UsageError(
            f"measure {name!r} is ambiguous; expected one of {', '.join(same or found)}"
        )
    return next(iter(found.values()), (None, {}))


def _by_grammar(name: str, squeezed: str) -> tuple[Measure, dict[str, str]]:
    match = SHAPE.fullmatch(squeezed)
    if not match:
        raise UsageError(
            f"measure {name!r} is not well formed; expected Name, Name@10, Name(rel=2)@10"
            " or Name[0.1]"
        )
    word, inside, at, level = match.groups()
    measure = plain_names().get(word) or _in_any_case(word)[0]
    if measure is None:
        raise UnknownName("measure", word, list(plain_names()), "see: spanwise measures")
    given: dict[str, str] = {}
    for part in _parts(inside, name):
        key, sign, value = part.partition("=")
        if not sign or key not in measure.parameters:
            known = ", ".join(measure.parameters) or "none at all"
            raise UsageError(f"measure {name!r}: {part!r}: {word} has the parameters {known}")
        if key in given:
            raise UsageError(f"measure {name!r}: {key} is given twice")
        given[key] = value
    if at or level:
        given[_positional(measure, name, "cutoff" if at else "recall")] = at or level
    return measure, given


def _parts(inside: str | None, name: str) -> list[str]:
    parts = PARTS.findall(inside or "")
    if inside and ",".join(parts) != inside:
        raise UsageError(f"measure {name!r}: the parameters {inside!r} are not well formed")
    return parts


def _positional(measure: Measure, name: str, meant: str) -> str:
    """Return the parameter that a number sets: that of its sign, else the only one there is."""
    for key in (meant, *POSITIONAL):
        if key in measure.parameters:
            return key
    raise UsageError(f"measure {name!r}: {measure.name} takes no cut-off")


def _value(measure: Measure, key: str, text: str, name: str) -> Any:
    kind = measure.parameter_type(key)
    try:
        value = _converted(kind, text.strip("'\""))
    except ValueError as error:
        raise UsageError(f"measure {name!r}: {key} is {text!r}; expected {error}") from None
    if key == "cutoff" and value is not None and value < 1:
        raise UsageError(f"measure {name!r}: the cut-off is {text}; it must be 1 or more")
    low, high = measure.ranges.get(key, (-inf, inf))
    if isinstance(value, int | float) and not low <= value <= high:
        due = f"{low:g} to {high:g}".replace("inf", "infinity")
        raise UsageError(f"measure {name!r}: {key} is {text}; expected a number from {due}")
    return value


def _converted(kind: Any, text: str) -> Any:
    """Return the text as a value of a type; ValueError states what was expected."""
    if isinstance(kind, UnionType) or get_origin(kind) is Union:
        kind = next(option for option in get_args(kind) if option is not NoneType)
    if get_origin(kind) is Literal:
        if text not in get_args(kind):
            raise ValueError("one of " + ", ".join(get_args(kind)))
        return text
    if kind is str:
        return text
    if kind == Gains:
        return _gains(text)
    if get_origin(kind) is tuple:
        return tuple(_number(part) for part in text.strip("[]").split(","))
    if kind is bool:
        if text not in ("True", "False"):
            raise ValueError("True or False")
        return text == "True"
    if kind is int:
        if not re.fullmatch(r"[+-]?\d+", text):
            raise ValueError("a whole number")
        if len(text) > MOST_DIGITS:  # more than arrays can count
            raise ValueError(f"a whole number of at most {MOST_DIGITS} digits")
        return int(text)
    return _number(text)


def _number(text: str) -> float:
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text):
        raise ValueError("a number")
    if isinf(float(text)):
        raise ValueError("a smaller number")
    return float(text)


def _gains(text: str) -> Gains:
    pairs = []
    for part in text.strip("{}").split(","):
        grade, sign, gain = part.replace(":", "=").partition("=")
        if not sign:
            raise ValueError("grades and gains, such as {1:1,2:3}")
        pairs.append((_number(grade), _number(gain)))
    return tuple(pairs)


def by_stem(stem: str) -> tuple[Measure, str | None, dict[str, Any]]:
    """Return what a bare trec_eval name means: measure, parameter of its numbers, fixed ones."""
    named = plain_names().get(stem)
    for entry in [named] if named else MEASURES.registered.values():
        for alias in entry.aliases:
            before, brace, rest = alias.partition("_{")
            if brace and before == stem:
                return entry, rest.rstrip("}"), {}
    asked = parse(stem)
    return asked.measure, None, dict(asked.parameters)
