"""Judgements of whole campaigns in one file: the XML of XCGEval, and those of the entity track."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spanwise.errors import FormatError
from spanwise.formats.io.columns import Layout
from spanwise.formats.io.columns import read as read_columns
from spanwise.formats.io.files import beginning
from spanwise.formats.registry import Reading, reader, writer
from spanwise.formats.trec.columns import check_grades

if TYPE_CHECKING:
    from spanwise.formats.inex.assessments import Form
    from spanwise.model.judgements import Judgements

NAME = "inex_full_recall_base"
ROOT = "full-recall-base"
DUE = f"<{ROOT}> with <assessments topic=...> for each topic"


def _recognised(head: bytes) -> bool:
    from spanwise.formats.io.xml import root_of

    return beginning(head) == b"<" and root_of(head) == ROOT


@reader(NAME, holds="judgements", recognise=_recognised)
def parse(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """INEX assessments of many topics in one file.

    `<full-recall-base>` contains an `<assessments>` for each topic, in the form of any year from
    2002 to 2007. `spanwise evalj` writes such a file if EXPANDED_FULLRB names one.
    """
    from spanwise.formats.inex.assessments import Assessed, inferred
    from spanwise.formats.io.xml import events

    content = Assessed(file, how)
    seen: set[bytes] = set()
    for event in events(pieces, file, DUE):
        if event.depth == 1:
            if event.kind == "start" and event.name != ROOT:
                raise FormatError(file, event.line, f"<{event.name}>", DUE)
            continue
        content.take(event._replace(depth=event.depth - 1))
        if event.depth == 2 and event.kind == "start":
            if content.topic in seen:
                topic = content.topic.decode()
                found = f"topic {topic!r} a second time"
                raise FormatError(file, event.line, found, "each topic once")
            seen.add(content.topic)
    judgements, _ = content.finished(DUE)
    return inferred(judgements, content)


def _form_of(topic: Judgements) -> Form:
    """Return the form that holds most of the assessments of a topic."""
    from spanwise.formats.inex.assessments import FORMS

    return min(FORMS.values(), key=lambda form: sum(form.loses(topic).values()))


def _loses(judgements: Judgements) -> Mapping[str, int]:
    from spanwise.model import contents
    from spanwise.model.judgements import by_topic

    lost = Counter[str]()
    for _, topic in by_topic(judgements):
        lost.update(_form_of(topic).loses(topic))
    every = contents.of_judgements(judgements)
    whole = (contents.ASSESSORS, contents.QUESTIONS, contents.UNIT)  # of no single topic
    return contents.without({**lost, **{kind: every.get(kind, 0) for kind in whole}})


@writer(NAME, loses=_loses)
def write(judgements: Judgements) -> Iterator[bytes]:
    """Write one file for all topics, each in the form that holds most of it."""
    from spanwise.formats.io.xml import DECLARATION
    from spanwise.model.judgements import by_topic

    yield f"{DECLARATION}<{ROOT}>\n".encode()
    for _, topic in by_topic(judgements):
        pieces = _form_of(topic).write(topic)
        yield next(pieces).removeprefix(DECLARATION.encode())
        yield from pieces
    yield f"</{ROOT}>\n".encode()


# Entity track of INEX 2007-2009 ------------------------------------------------------------------
#
# The documents stand for entities. The format must be named, because preferences have five columns
# too.

ENTITIES = Layout("5 columns: topic - document - judgement", 5, False, (2,), (4,))
RELATED = 2
"""Grade of a related document that is not an entity of the requested kind."""


@reader("inex_entity_qrels", holds="judgements")
def parse_entity_qrels(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """INEX entity track: `topic - document - judgement`, to be named.

    The second and the fourth column are ignored. A judgement of 2 counts as not relevant, with a
    warning; every other judgement is the grade.
    """
    from spanwise.model.judgements import Judgements

    layout = replace(ENTITIES, comments=how.comments)
    rows, texts, numbers = read_columns(pieces, file, layout, how.report)
    related = numbers[4] == RELATED
    if related.any():
        from warnings import warn

        from spanwise.errors import SpanwiseWarning

        count = int(np.count_nonzero(related))
        warn(f"{file}: judgements of 2, counted as 0: {count}", SpanwiseWarning, stacklevel=2)
    judgements = Judgements(rows, texts[2], np.where(related, 0.0, numbers[4]))
    check_grades(judgements, how)
    return judgements
