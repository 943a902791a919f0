"""Runs of Lemur in its own three columns; Indri, Terrier and Zettair write TREC's six.

Terrier counts ranks from 0, Indri's scores are logarithms and so below 0, Zettair calls every run
`zettair`: all of that is fine in TREC's columns, because the score alone orders results.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from spanwise.formats.columns import Layout
from spanwise.formats.columns import read as read_columns
from spanwise.formats.registry import Reading, reader
from spanwise.formats.trec import beginning, first_lines, stem

if TYPE_CHECKING:
    from spanwise.model.run import Run

LEMUR = Layout("3 columns: topic document score", 3, True, (1,), (2,), indented_comments=True)


SCORE = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def looks_like_lemur(head: bytes) -> bool:
    """Three columns, the last one a number; whole numbers alone are judgements of Cranfield."""
    lines = [] if beginning(head) in (b"<", b"{") else first_lines(head)
    scores = [fields[2] for fields in lines if len(fields) == 3 and SCORE.fullmatch(fields[2])]
    return 0 < len(scores) == len(lines) and any(re.search(rb"[.eE]", one) for one in scores)


@reader("lemur_run", holds="run", recognise=looks_like_lemur)
def parse_lemur(pieces: Iterator[bytes], file: str, how: Reading) -> Run:
    """A run of Lemur: `topic document score`, as its simple result format has it.

    The run is called as its file. Indri, Terrier and Zettair write TREC's columns (`trec_run`).
    """
    from spanwise.model.run import Run

    layout = replace(LEMUR, comments=how.comments)
    rows, texts, numbers = read_columns(pieces, file, layout, how.report)
    return Run(stem(file), rows, texts[1], numbers[2])
