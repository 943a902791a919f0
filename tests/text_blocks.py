"""Readings made of a few lines of text."""

import numpy as np

from spanwise.formats.inex.qrels import parse_inex_qrels
from spanwise.formats.inex.runs import parse_inex_run
from spanwise.formats.registry import Reading
from spanwise.formats.spans.judgements import parse_span_qrels
from spanwise.formats.trec.columns import parse_run
from spanwise.matching.text import readings
from spanwise.model.policy import Policy

FILE_ORDER = Policy(ties="file")


def judged(*lines):
    """Judgements of lines such as `1 Q0 d 20 100 10 10:20`."""
    return parse_inex_qrels(iter([_bytes(lines)]), "judged", Reading())


def pointed_out(text):
    """Judgements of JSON objects, which may go over several lines."""
    data = text.replace("[\n", "[").strip().encode() + b"\n"
    return parse_span_qrels(iter([data]), "judged", Reading())


def returned(*lines, ranks=False):
    """A run of spans; each line has topic, document, offset and length."""
    full = []
    for number, line in enumerate(lines, start=1):
        topic, document, *place = line.split()
        full.append(f"{topic} Q0 {document} {number} {-number} mine {' '.join(place)}")
    return parse_inex_run(iter([_bytes(full)]), "mine", Reading(ranks=ranks))


def returned_documents(*lines):
    """A run of whole documents; each line has topic and document."""
    full = [f"{line.split()[0]} Q0 {line.split()[1]} 1 {-n} mine" for n, line in enumerate(lines)]
    return parse_run(iter([_bytes(full)]), "mine", Reading())


def _bytes(lines):
    return "".join(line + "\n" for line in lines).encode()


def block(judgements, run, policy=FILE_ORDER, topics=None):
    """All topics of the judgements in one block."""
    (one,) = readings(run, judgements, topics or judgements.rows.topics, policy)
    return one


def rows(table):
    """A table as lists."""
    return np.asarray(table).tolist()
