"""Results and the targets in them, against trying every pair."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spanwise.matching.readers import by_path, by_start
from spanwise.model.columns import Coded
from spanwise.model.spans import Spans

NO_ELEMENT = -1
PATHS = st.sampled_from([b"/a[1]", b"/a[1]/b[1]", b"/a[1]/b[10]", b"/a[1]/b[1]/c[2]", b"/a[11]"])
SPANS = st.tuples(st.integers(0, 8), st.integers(0, 5))


def rows(what, least=0):
    return st.lists(st.tuples(st.integers(least, 2), what), min_size=1, max_size=8)


def spans_of(pairs):
    table = np.array([span for _, span in pairs], np.int64)
    return Spans(table[:, 0], table[:, 1])


def found(pairs):
    return sorted(zip(pairs.result.tolist(), pairs.target.tolist(), strict=True))


@given(rows(PATHS), rows(PATHS | st.just(b""), NO_ELEMENT))
def test_what_lies_in_an_element_is_found_by_path(targets, results):
    owner, row = (np.array([row for row, _ in pairs]) for pairs in (targets, results))
    names = Coded.of([path for _, path in results])
    pairs = by_path(owner, [path for _, path in targets], row, names, np.arange(len(results)))
    assert found(pairs) == [
        (result, target)
        for result, (mine, outer) in enumerate(results)
        for target, (theirs, path) in enumerate(targets)
        if mine == theirs and (path == outer or path.startswith(outer + b"/"))
    ]


@given(rows(SPANS), rows(SPANS, NO_ELEMENT))
def test_what_begins_in_a_span_is_found_by_start(targets, results):
    owner, row = (np.array([row for row, _ in pairs]) for pairs in (targets, results))
    some = np.arange(len(results))
    pairs = by_start(owner, spans_of(targets), row, spans_of(results), some)
    assert found(pairs) == [
        (result, target)
        for result, (mine, (start, size)) in enumerate(results)
        for target, (theirs, (begin, _)) in enumerate(targets)
        if mine == theirs and start <= begin < start + size
    ]
