"""Scores: what they say, and the tables they become."""

from math import isnan, nan

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import spanwise
from spanwise.model.policy import Policy
from spanwise.model.scores import Scores

SCORES = Scores(
    run="mine",
    topics=("1", "2"),
    values={"AP": np.array([0.5, nan]), "P@1": np.array([0.0, 1.0])},
    means={"AP": 0.5, "P@1": 0.5},
    counts={"AP": 1, "P@1": 2},
    signature="ties:docno",
)
ROWS = [
    ("mine", "1", "AP", 0.5),
    ("mine", "1", "P@1", 0.0),
    ("mine", "2", "AP", None),
    ("mine", "2", "P@1", 1.0),
]
EMPTY = Scores("mine", (), {}, {}, {}, "")
ODD = Scores("mine", ("\udcff", "ä"), {"AP": np.array([1.0, 0.0])}, {"AP": 0.5}, {"AP": 2}, "")
UNDEFINED = Scores("mine", ("1",), {"AP": np.array([nan])}, {"AP": nan}, {"AP": 0}, "")


def test_values_by_topic():
    per_topic = SCORES.per_topic
    assert per_topic["1"] == {"AP": 0.5, "P@1": 0.0}
    assert per_topic["2"]["P@1"] == 1.0
    assert isnan(per_topic["2"]["AP"])
    assert all(type(value) is float for value in per_topic["1"].values())
    assert list(SCORES.to_dict()) == ["1", "2"]


def test_rows_come_topic_by_topic_with_none_for_undefined():
    assert [("mine", *row) for row in SCORES.rows()] == ROWS


def test_to_polars():
    frame = SCORES.to_polars()
    assert frame.schema == {
        "run": pl.String,
        "topic": pl.String,
        "measure": pl.String,
        "value": pl.Float64,
    }
    assert frame.rows() == ROWS


def test_to_arrow():
    table = SCORES.to_arrow()
    assert table.schema == pa.schema(
        [
            ("run", pa.string()),
            ("topic", pa.string()),
            ("measure", pa.string()),
            ("value", pa.float64()),
        ]
    )
    assert [tuple(row.values()) for row in table.to_pylist()] == ROWS


def test_to_pandas():
    frame = SCORES.to_pandas()
    assert list(frame.columns) == ["run", "topic", "measure", "value"]
    assert frame["value"].dtype == np.float64
    assert frame["value"].isna().tolist() == [False, False, True, False]
    assert frame.dropna().to_numpy().tolist() == [list(row) for row in ROWS if row[3] is not None]


def test_a_column_of_undefined_values_is_still_one_of_numbers():
    assert UNDEFINED.to_pandas()["value"].dtype == np.float64
    assert UNDEFINED.to_polars().schema["value"] == pl.Float64
    assert UNDEFINED.to_arrow()["value"].to_pylist() == [None]


def test_no_topics_give_empty_tables():
    assert EMPTY.to_polars().shape == (0, 4)
    assert EMPTY.to_arrow().num_rows == 0
    assert EMPTY.to_pandas().shape == (0, 4)
    assert EMPTY.per_topic == {}


def test_topics_that_are_not_text_are_escaped_where_text_is_due():
    expected = [r"\xff", "ä"]
    assert ODD.to_polars()["topic"].to_list() == expected
    assert ODD.to_arrow()["topic"].to_pylist() == expected
    assert ODD.to_pandas()["topic"].tolist() == expected
    assert list(ODD.per_topic) == ["\udcff", "ä"]


def test_scores_show_their_means():
    assert repr(SCORES) == "<Scores of 'mine': AP 0.5000, P@1 0.5000; ties:docno>"


# From an evaluation ---------------------------------------------------------------------------

QRELS = {"a": {"d": 1}, "b": {"d": 1}, "none": {"d": 0}}
RUN = {"a": {"d": 1.0}, "none": {"d": 1.0}, "unasked": {"d": 1.0}}


def test_an_evaluation_says_everything_about_itself():
    scores = spanwise.evaluate(QRELS, RUN, ["AP", "P@1"], ties="file")
    assert scores.topics == ("a", "b", "none")
    assert scores.means == {"AP": 0.5, "P@1": 0.5}  # b is missing and counts 0
    assert scores.counts == {"AP": 2, "P@1": 2}  # none has nothing relevant
    assert scores.signature == Policy(ties="file").signature()
    assert scores.notes == (
        "1 topic ('unasked') of the run not judged, so ignored",
        "1 topic ('b') missing from the run, counted as empty",
        "1 topic with nothing relevant, left out",
    )


@pytest.mark.parametrize(
    ("topics", "expected"),
    [
        ("judged", {"a": 1.0, "b": 0.0, "none": None}),
        ("both", {"a": 1.0, "none": None}),
        ("run", {"a": 1.0, "none": None, "unasked": None}),
    ],
)
def test_topics_that_count(topics, expected):
    frame = spanwise.evaluate(QRELS, RUN, "AP", average_over=topics).to_polars()
    assert dict(zip(frame["topic"], frame["value"], strict=True)) == expected


def test_what_an_empty_topic_is_worth_is_a_choice():
    values = [
        spanwise.evaluate(QRELS, RUN, "AP", average_over="both", empty=empty).means["AP"]
        for empty in ("skip", "zero")
    ]
    assert values == [1.0, 0.5]


def test_an_unknown_option_is_refused():
    with pytest.raises(spanwise.SpanwiseError) as caught:
        spanwise.evaluate(QRELS, RUN, "AP", tie="docno")
    assert str(caught.value).startswith("unknown option 'tie'; a policy has ties, ")


def test_frames_come_in_and_go_out():
    run = pd.DataFrame({"query_id": ["a"], "doc_id": ["d"], "score": [1]})
    qrels = pa.table({"query_id": ["a"], "doc_id": ["d"], "relevance": [1]})
    assert spanwise.evaluate(qrels, run, "AP").to_pandas().to_numpy().tolist() == [
        ["run", "a", "AP", 1.0]
    ]
