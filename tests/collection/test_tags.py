"""Codes of tag names, few or many."""

import random
import tracemalloc

import numpy as np
import pytest

from spanwise.collection.positions import WINDOW, TagTable


def made_names(count):
    drawn = random.Random(count)
    return ["".join(drawn.choices("abcdefgh", k=drawn.randint(1, 40))) for _ in range(count)]


@pytest.mark.parametrize("count", [10, 1500, 1999, 2500, 6000, 30_000])
def test_every_name_has_one_code_and_every_code_one_name(count):
    names = made_names(count)
    names += names[: count // 2]
    markup = "".join(f"<{name}/>" for name in names).encode()
    places = np.flatnonzero(np.frombuffer(markup, np.uint8) == ord("<")) + 1
    table = TagTable()
    tracemalloc.start()
    codes = table.codes_at(markup + b"\0" * WINDOW, places)
    again = table.codes_at(markup + b"\0" * WINDOW, places[::-1])
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [table.names[code].decode() for code in codes.tolist()] == names
    assert again[::-1].tolist() == codes.tolist()
    assert len(table.names) == len(set(names))
    assert most < 60_000_000  # room for every pair of names would be gigabytes
