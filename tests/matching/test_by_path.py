"""Elements found by row and path, against a plain dictionary."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spanwise.matching.trees import NOT_FOUND, ByPath
from spanwise.model.columns import Coded

PATHS = st.sampled_from([b"/a[1]", b"/a[1]/b[1]", b"/a[1]/b[2]", b"/c[1]", b""])
ELEMENTS = st.lists(st.tuples(st.integers(-1, 3), PATHS), max_size=12)


def columns(pairs):
    return np.array([row for row, _ in pairs], np.int64), Coded.of([path for _, path in pairs])


@given(ELEMENTS, ELEMENTS)
def test_the_last_of_equals_is_found_and_no_row_finds_nothing(elements, asked):
    known = {pair: number for number, pair in enumerate(elements) if pair[0] >= 0}
    found = ByPath(*columns(elements)).find(*columns(asked))
    assert found.tolist() == [known.get(pair, NOT_FOUND) for pair in asked]


@given(st.lists(PATHS, max_size=12), st.data())
def test_coded_ids_are_a_sequence_of_the_same_ids(ids, data):
    coded = Coded.of(ids)
    rows = data.draw(st.lists(st.integers(0, max(len(ids) - 1, 0)), max_size=5 if ids else 0))
    assert list(coded) == ids == coded.tolist()
    assert [coded[row] for row in rows] == [ids[row] for row in rows]
    assert list(coded.at(np.array(rows, np.int64))) == [ids[row] for row in rows]
    assert list(coded[1:3]) == ids[1:3]
    assert sorted(coded.names) == sorted(set(ids))
