"""Judgements of INEX's entity track."""

import numpy as np
import pytest

from spanwise.errors import FormatError, SpanwiseWarning
from spanwise.formats import FORMATS, read_judgements
from spanwise.formats.registry import recognised


def test_two_counts_as_not_relevant(tmp_path):
    """Topic, document and judgement are in columns 1, 3 and 5."""
    path = tmp_path / "entities.qrels"
    path.write_text("60 0 35834 1 1\n60 0 777 1 2\n60 0 12 3 0\n")
    with pytest.warns(SpanwiseWarning, match="judgements of 2, counted as 0: 1"):
        judged = read_judgements(path, "inex_entity_qrels")
    assert judged.documents.take(np.arange(3)) == [b"35834", b"777", b"12"]
    assert judged.grades.tolist() == [1, 0, 0]


def test_preferences_look_alike_so_it_must_be_named(tmp_path):
    content = "60 0 35834 1 1\n"
    assert recognised(content.encode(), ("judgements", "preferences")).name == "prefs"
    assert FORMATS["inex_entity_qrels"].write is None
    path = tmp_path / "entities.qrels"
    path.write_text("60 0 35834 1\n")
    with pytest.raises(FormatError, match="expected 5 columns"):
        read_judgements(path, "inex_entity_qrels")
