"""Every public object of the model shows itself in one short line, and in a notebook."""

import numpy as np
import pytest

import spanwise
from spanwise.formats import read_pool
from spanwise.model.rankings import Rankings

RUN = "1 Q0 a 1 9 mine 0 100\n1 Q0 b 2 8 mine 0 50\n2 Q0 a 3 7 mine 50 100\n"
POOL = '{"format": "pool/1", "method": "depth"}\n{"topic": "1", "doc": "<d>"}\n'
PREFERENCES = "1 x a 3\n1 x b 2\n"


@pytest.fixture
def shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.run").write_text(RUN)
    (tmp_path / "pool").write_text(POOL)
    (tmp_path / "prefs").write_text(PREFERENCES)
    (tmp_path / "inex").write_text("1 Q0 ape 6 9 3 1:3 6:3\n1 Q0 bat 0 4\n")
    return {
        "run": spanwise.read_run({"q1": {"<d>": 2.0, "e": 1.0}}),
        "passages": spanwise.read_run("p.run"),
        "judgements": spanwise.read_judgements({"q1": {"<d>": 2, "e": 0}}),
        "highlights": spanwise.read_judgements("inex"),
        "preferences": spanwise.read_judgements("prefs", "qrels_prefs"),
        "topics": spanwise.read_topics({"q1": "<cats>", "q2": "dogs"}),
        "pool": read_pool("pool"),
        "policy": spanwise.Policy(ties="file", depth=10),
        "default": spanwise.Policy(),
    }


def test_the_lines_are_these(shown):
    assert {name: repr(one) for name, one in shown.items()} == {
        "run": "<Run 'run': 2 results for 1 topic, documents>",
        "passages": "<Run 'mine': 3 results for 2 topics, passages>",
        "judgements": "<Judgements 'the judgements': 2 judged documents (1 relevant) of 1 topic>",
        "highlights": "<Judgements 'inex': 2 judged documents (1 relevant) of 1 topic, passages>",
        "preferences": "<Preferences 'prefs': 2 documents of 1 topic>",
        "topics": "<Topics 'topics': 2 topics>",
        "pool": "<Pool 'pool': 1 document of 1 topic, method depth>",
        "policy": "Policy(ties='file', depth=10)",
        "default": "Policy()",
    }


def test_a_notebook_sees_a_table_and_names_are_escaped(shown):
    for name in ("run", "judgements", "topics", "pool"):
        page = shown[name]._repr_html_()
        assert page.startswith("<table>")
    assert "&lt;d&gt;" in shown["run"]._repr_html_()
    assert "&lt;cats&gt;" in shown["topics"]._repr_html_()
    assert "0-100" in shown["passages"]._repr_html_()


def test_a_long_run_shows_its_beginning():
    run = spanwise.read_run({"q": {f"d{n:03}": float(-n) for n in range(1000)}})
    assert run._repr_html_().count("<tr>") == 11
    assert repr(run) == "<Run 'run': 1,000 results for 1 topic, documents>"


def test_a_block_of_rankings_shows_its_shape():
    one = np.ones((2, 3), np.int64)
    block = Rankings(
        (b"1", b"2"), one[:, 0], one * 1.0, one.astype(np.int8), one * 1.0, one[:, 0],
        one[:, 0] * 0, spanwise.Policy(),
    )  # fmt: skip
    assert repr(block) == "<Rankings: 2 topics, 3 ranks>"
