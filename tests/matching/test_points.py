"""Points in text nodes, and back to the positions they were made of."""

from itertools import product

import pytest

from collections_by_hand import one
from spanwise.errors import InputError
from spanwise.matching.placing import TextPoints
from spanwise.model.documents import CharacterPolicy

XML = "<a> x <b> y</b> <b/> <c>\n<b>z\u00e9 </b> <!-- --> </c>w</a>"
POLICIES = [
    CharacterPolicy(*choice)
    for choice in product(("codepoints", "bytes"), ("keep", "collapse"), ("keep", "strip"))
]


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_every_position_and_back(tmp_path, policy):
    store = one(tmp_path, XML, policy)
    points = TextPoints(store, "d")
    for position in range(store.length("d")):
        assert store.span("d", points.start(position)) == (position, 0)
        assert store.span("d", points.end(position + 1)) == (position + 1, 0)
    for nowhere in (-1, store.length("d")):
        with pytest.raises(InputError, match="d: found no text at character"):
            points.start(nowhere)
