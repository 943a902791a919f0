"""What an event must look like before anybody looks at what it means."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from spanwise.model.gestures import KINDS, RELEVANT

CLIENT = re.compile(r"[0-9a-zA-Z_-]{8,64}")
CHECK = re.compile(r"[0-9a-f]{16}")
FIELDS = frozenset(
    ["client", "n", "topic", "doc", "kind", "layer", "start", "end", "value", "check", "base", "at"]
)
LONGEST = 10_000
"""Characters of a note."""
LATEST = 1e12
"""Seconds since 1970; what is not a number is not below it either."""
HIGHEST = 1 << 53
"""Numbers that a page can count."""


def refusal(sent: Mapping[str, Any], mode: str, aspects: Sequence[str]) -> str:
    """What is wrong with an event; empty if nothing is."""
    if not isinstance(sent, Mapping):
        return "an event is an object"
    if unknown := set(sent) - FIELDS:
        return f"unknown field {min(unknown)!r}"
    if not isinstance(sent.get("client"), str) or not CLIENT.fullmatch(sent["client"]):
        return "client is no name of 8 to 64 letters"
    for name, needed in (("n", True), ("topic", True), ("doc", True), ("base", False)):
        if (name in sent or needed) and not whole(sent.get(name)):
            return f"{name} is no whole number from 0 on"
    if sent.get("kind") not in KINDS:
        return "no such kind of event"
    for name in ("layer", "value", "check"):
        if not isinstance(sent.get(name, ""), str) or len(sent.get(name, "")) > LONGEST:
            return f"{name} is no text of at most {LONGEST} characters"
        if any(0xD800 <= ord(c) <= 0xDFFF for c in sent.get(name, "")):
            return f"{name} has half a character"
    at = sent.get("at", 0)
    if not isinstance(at, int | float) or isinstance(at, bool) or not 0 <= at < LATEST:
        return "at is no time"
    return _meaning(sent, mode, aspects)


def whole(value: object) -> bool:
    """Whether a value is a whole number that a page can count."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < HIGHEST


def _meaning(sent: Mapping[str, Any], mode: str, aspects: Sequence[str]) -> str:
    kind, value = sent["kind"], sent.get("value", "")
    if kind in ("add", "remove"):
        if not (whole(sent.get("start")) and whole(sent.get("end"))):
            return "a stretch needs start and end"
        if sent["start"] >= sent["end"]:
            return "a stretch ends after its start"
        if not CHECK.fullmatch(sent.get("check", "")):
            return "a stretch needs a check of its text"
        layers = aspects if mode == "aspects" else (RELEVANT,)
        if sent.get("layer") not in layers:
            return "no such layer"
    elif kind == "bep" and not whole(sent.get("start")):
        return "an entry point needs a place"
    elif kind == "bep" and not CHECK.fullmatch(sent.get("check", "")):
        return "an entry point needs a check of its text"
    elif kind == "grade" and value not in ("", "0", "1", "2", "3"):
        return "a grade is 0 to 3, or empty"
    elif kind == "exh" and (value not in ("-1", "0", "1", "2") or not sent.get("layer")):
        return "exhaustivity is -1, 0, 1 or 2 of a path"
    elif kind == "skip" and not value.strip():
        return "a skip needs a reason"
    elif kind in ("undo", "redo") and ":" not in value:
        return "an undo names an event"
    return ""
