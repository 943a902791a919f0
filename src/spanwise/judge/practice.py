"""Practice documents with known answers for new assessors.

Answers are stored in the log under the name of the practice, not of the assessor: they are no
judgements, but show how well an assessor understood the task.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanwise.judge.events import CLIENT, Gesture, Spans, added, removed, whole
from spanwise.judge.store import PRACTICE, Event
from spanwise.judge.views import fingerprint

if TYPE_CHECKING:
    from spanwise.judge.store import Store

MOST = 100
"""Maximum number of spans in an answer."""
NOWHERE = -1
"""Number that the log has in place of a topic's."""
TOPIC = {
    "title": "the dances of honey bees",
    "narrative": "I want to know why honey bees dance, and what their dances say. Relevant is text"
    " that explains a dance or its meaning. How bees live otherwise, and how people keep them, is"
    " not relevant.",
}


@dataclass(frozen=True, slots=True)
class Lesson:
    """A practice document as roles and sentences; relevant sentences begin with `+`."""

    name: str
    hint: str
    parts: tuple[tuple[str, tuple[str, ...]], ...]

    def blocks(self) -> list[tuple[int, int, str]]:
        """Return the element, start and text of every block."""
        found, place = [], 0
        for row, (_, sentences) in enumerate(self.parts, 1):
            text = " ".join(one.removeprefix("+") for one in sentences)
            found.append((row, place, text))
            place += len(text)
        return found

    def elements(self) -> list[tuple[int, str, str]]:
        """Return the parent, role and name of every element."""
        return [(-1, "section", "article"), *((0, role, role) for role, _ in self.parts)]

    def text(self) -> str:
        """Return the text of the whole document."""
        return "".join(text for *_, text in self.blocks())

    def known(self) -> Spans:
        """Return the relevant spans, including the space between two relevant sentences."""
        text = self.text()
        spans: Spans = ()
        for _, sentences in self.parts:
            before = False
            for one in sentences:
                relevant = one.startswith("+")
                if relevant:
                    start = text.index(one[1:])
                    spans = added(spans, start - before, start + len(one) - 1)
                before = relevant
        return spans


LESSONS = (
    Lesson(
        "A day in the hive",
        "Highlight what is relevant and nothing else, then set the entry point where you would"
        " begin to read.",
        (
            ("heading", ("A day in the hive",)),
            ("block", ("A hive wakes with the sun.", "Young bees clean the cells.")),
            (
                "block",
                (
                    "Old bees leave to search for flowers.",
                    "+A bee that has found many flowers dances when she comes home.",
                    "+The dance tells the others how far they have to fly, and in which direction.",
                    "In the evening the hive is quiet.",
                ),
            ),
        ),
    ),
    Lesson(
        "Keeping bees in a town",
        "If nothing is relevant, press 0.",
        (
            ("heading", ("Keeping bees in a town",)),
            ("block", ("A roof is a good place for a hive.", "Neighbours like to be asked first.")),
            ("block", ("Gardens feed bees from spring to autumn.", "Honey is taken in July.")),
        ),
    ),
    Lesson(
        "What scouts report",
        "Judge every part on its own merit, even if you have read the same before.",
        (
            ("heading", ("What scouts report",)),
            (
                "block",
                (
                    "+The angle of a dance to the vertical is the angle of the flight to the sun.",
                    "Bees see ultraviolet light.",
                ),
            ),
            ("block", ("The queen does not dance.", "She may live for five years.")),
            ("block", ("+Once more: the longer the dance, the farther the flowers.",)),
        ),
    ),
)


def lessons(store: Store, assessor: str) -> dict[str, Any]:
    """Return the practice topic and its documents without the answers."""
    done = practised(store).get(assessor, {})
    documents = [
        {
            "number": number,
            "id": one.name,
            "hint": one.hint,
            "sha256": fingerprint(one.text()),
            "chars": len(one.text()),
            "elements": one.elements(),
            "blocks": one.blocks(),
            "done": number in done,
        }
        for number, one in enumerate(LESSONS)
    ]
    return {"topic": TOPIC, "documents": documents}


def practised(store: Store) -> dict[str, dict[int, float]]:
    """Return each assessor's score in every practice document at the first attempt."""
    found: dict[str, dict[int, float]] = {}
    for event in store.events(PRACTICE):
        mine = found.setdefault(event.gesture.layer, {})
        mine.setdefault(event.doc, json.loads(event.gesture.value)["overlap"])
    return found


def refusal(sent: Mapping[str, Any]) -> str:
    """Return what is wrong with a submitted answer; empty if it is valid."""
    if set(sent) - {"client", "n", "number", "spans", "bep"}:
        return "an answer needs client, n, number, spans and optionally bep"
    if not isinstance(sent.get("client"), str) or not CLIENT.fullmatch(sent["client"]):
        return "client must have 8 to 64 letters, digits, - or _"
    if not whole(sent.get("n")) or not whole(sent.get("number")) or sent["number"] >= len(LESSONS):
        return "n must be a whole number, and number that of a lesson"
    spans = sent.get("spans")
    if not isinstance(spans, list) or len(spans) > MOST:
        return f"spans must be a list of at most {MOST}"
    if not all(isinstance(one, list) and len(one) == 2 and all(map(whole, one)) for one in spans):
        return "a span must have a start and an end"
    if sent.get("bep") is not None and not whole(sent["bep"]):
        return "an entry point must be a position"
    return ""


def answered(sent: Mapping[str, Any], assessor: str) -> tuple[Event, dict[str, Any]]:
    """Return an answer as an event of the log, and the feedback on it."""
    known = LESSONS[sent["number"]].known()
    mine: Spans = ()
    for start, end in sent["spans"]:
        mine = added(mine, start, end)
    entry = known[0][0] if known else None
    far = None if entry is None or sent.get("bep") is None else abs(sent["bep"] - entry)
    right = {"overlap": _overlap(mine, known), "distance": far}
    feedback = json.dumps(right | {"spans": mine, "bep": sent.get("bep")})
    gesture = Gesture(sent["client"], sent["n"], "practice", assessor, value=feedback)
    event = Event(0, PRACTICE, NOWHERE, sent["number"], gesture, 0, 0.0, time.time())
    return event, right | {"known": known, "bep": entry}


def _overlap(mine: Spans, known: Spans) -> float:
    """Return the characters in both sets by those in either; two empty sets agree."""
    union, rest = mine, mine
    for start, end in known:
        union, rest = added(union, start, end), removed(rest, start, end)
    both = _size(mine) - _size(rest)
    return both / _size(union) if union else 1.0


def _size(spans: Spans) -> int:
    return sum(end - start for start, end in spans)
