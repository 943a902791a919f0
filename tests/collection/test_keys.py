"""Keys of paths, one by one and as columns."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spanwise.collection.positions import (
    ROOT,
    PathKeys,
    name_key,
    step_keys,
)
from spanwise.collection.store import rows_of

STEPS = st.tuples(st.sampled_from([b"a", b"sec", b"x:y"]), st.integers(1, 10**9))


@given(st.lists(STEPS, min_size=1, max_size=8))
def test_a_written_path_has_the_key_that_is_made_level_by_level(steps):
    key = np.array([ROOT], np.uint64)
    for tag, index in steps:
        key = step_keys(key, np.array([name_key(tag)], np.uint64), np.array([index]))
    path = b"".join(b"/%b[%d]" % step for step in steps)
    assert PathKeys()[path] == int(key[0])


def test_what_is_no_path_has_no_key():
    keys = PathKeys()
    wrong = b" a a[1] / // /a /a[] /a[0] /a[01] /a[x] /a[1 /a[1]/ /[1] /a[1]x /a[-1] /a[1]//b[1]"
    for path in [*wrong.split(b" ")[1:], b"/a[1] ", b"/a[99999999999]", b"/a[1]/text()[1]"]:
        assert keys[path] is None, path


@given(st.lists(st.lists(st.integers(0, 50), max_size=9), min_size=1), st.integers(0, 50))
def test_a_key_is_found_within_its_document_only(documents, wanted):
    documents = [sorted(set(keys)) for keys in documents]
    keys = np.array([key for document in documents for key in document], np.uint64)
    ends = np.cumsum([len(document) for document in documents])
    begins = ends - [len(document) for document in documents]
    found = rows_of(keys, np.full(len(ends), wanted, np.uint64), begins, ends)
    for row, document, begin in zip(found, documents, begins, strict=True):
        assert row == (begin + document.index(wanted) if wanted in document else -1)
