"""The examples beside the package do what they say."""

import runpy
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_a_known_distribution_is_found_again(tmp_path):
    example = runpy.run_path(str(EXAMPLES / "recovery.py"))
    words, distance = example["recovered"]()
    assert (distance < 0.05).all()
    assert abs(words.sum(axis=1) - 1).max() < 1e-12
    table, _ = example["drawn"]()
    assert table.shape == (50, 10)
    assert example["picture"](words).count("<circle") == 20
