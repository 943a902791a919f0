"""Judgements of the entity track of INEX 2007-2009: documents that stand for entities.

Nothing in a file tells them from preferences, which have five columns too: so it must be named.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spanwise.formats.columns import Layout
from spanwise.formats.columns import read as read_columns
from spanwise.formats.registry import Reading, reader
from spanwise.formats.trec import check_grades

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements

ENTITIES = Layout("5 columns: topic - document - judgement", 5, False, (2,), (4,))
RELATED = 2
"""About the topic, but no entity of the kind that was asked for."""


@reader("inex_entity_qrels", holds="judgements")
def parse_entity_qrels(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """Judgements of INEX's entity track: `topic - document - judgement`, to be named.

    What stands in the second and fourth column is ignored. A judgement of 2 counts as not relevant,
    which is also said; every other is the grade.
    """
    from spanwise.model.judgements import Judgements

    layout = replace(ENTITIES, comments=how.comments)
    rows, texts, numbers = read_columns(pieces, file, layout, how.report)
    related = numbers[4] == RELATED
    if related.any():
        from warnings import warn

        from spanwise.errors import SpanwiseWarning

        count = int(np.count_nonzero(related))
        warn(f"{file}: judgements of 2, which count as 0: {count}", SpanwiseWarning, stacklevel=2)
    judgements = Judgements(rows, texts[2], np.where(related, 0.0, numbers[4]))
    check_grades(judgements, how)
    return judgements
