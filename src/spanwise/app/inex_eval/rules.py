"""Line by line as inex_eval goes: what it rejects and in which words, and what it counts.

It remembers one topic only, the one that it met last for the first time. A topic that is resumed
after another is held against what was remembered of that other one.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from spanwise.errors import SpanwiseError
from spanwise.model.ids import text

if TYPE_CHECKING:
    from spanwise.app.inex_eval.options import Task


class Rejected(SpanwiseError):
    """A run that inex_eval does not score; the message is what it prints."""


def shown_name(file: str) -> str:
    """What a file is called in the output: its name without folders."""
    return Path(file).name


def counted_documents(
    pieces: Iterable[bytes], file: str, task: Task, judged: Collection[bytes]
) -> dict[bytes, list[bytes]]:
    """The documents that inex_eval counts for each topic; a run with a fault is `Rejected`.

    Of topics that are not judged only the number of columns matters.
    """
    memory = _Memory(task, f"*** ({shown_name(file)})")
    lines = chain.from_iterable(piece.split(b"\n")[:-1] for piece in pieces)
    for number, line in enumerate((line.removesuffix(b"\r") for line in lines), start=1):
        fields = _fields(line)
        if len(fields) != 8:
            fault = "fields missing" if len(fields) < 8 else "too many fields"
            raise Rejected(f"Error {memory.begin} {fault} in line {number}: {text(line)}")
        if fields[0] in judged and not memory.take(fields, number, line):
            break
    return memory.documents


def _fields(line: bytes) -> list[bytes]:
    """Split at white space; what stands before a blank at the beginning is a field, and empty."""
    fields = line.split()
    return [b"", *fields] if fields and line[:1].isspace() else fields


@dataclass(slots=True)
class _Memory:
    """What is remembered from line to line."""

    task: Task
    begin: str  # of every message
    documents: dict[bytes, list[bytes]] = field(default_factory=dict)  # counted, for each topic
    passages: dict[bytes, list[tuple[int, int]]] = field(default_factory=dict)
    latest: bytes | None = None  # document

    def take(self, fields: list[bytes], number: int, line: bytes) -> bool:
        """Take in a result; False: inex_eval would have ended here, without words of its own."""
        topic, document = fields[0], fields[2]
        if topic not in self.documents:
            self.documents[topic], self.passages, self.latest = [], {}, None
        where = f"topic {text(topic)}\tarticle id: {text(document)}"
        self._visit(topic, document, where, number)
        if fields[6] in (b"X", b"-1"):
            return True
        try:
            start, size = int(fields[6]), int(fields[7])
        except ValueError:
            return False
        if size < 0:
            raise Rejected(f"ERROR {self.begin} negative passage size {number}: {text(line)}")
        if self.task != "t" and size and self._overlaps(document, start, start + size):
            told = "passage overlaps with previously retrieved passages"
            raise Rejected(f"ERROR {self.begin} {told} in {where}\tin line: {number}")
        return True

    def _visit(self, topic: bytes, document: bytes, where: str, number: int) -> None:
        """Note the document of a result: the same as before, one that is come back to, or new."""
        if document == self.latest:
            if self.task == "b":
                told = f"multiple results from single article in {where}\tin line: {number}"
                raise Rejected(f"ERROR {self.begin} {told}")
        elif document not in self.passages:
            self.passages[document] = []
            self.documents[topic].append(document)
        elif self.task in ("r", "i", "b"):
            told = f"article results are interleaved in {where}"
            more = "\n\tinterleaved results not allowed in inContext tasks!"
            raise Rejected(f"ERROR {self.begin} {told}{more}")
        self.latest = document

    def _overlaps(self, document: bytes, start: int, end: int) -> bool:
        """Whether some of this text was returned before; remembers it."""
        passages = self.passages[document]
        place = bisect_right(passages, (start, end))
        before = place > 0 and passages[place - 1][1] > start
        after = place < len(passages) and passages[place][0] < end
        insort(passages, (start, end))
        return before or after
