"""Making and opening a campaign: what does not fit is said, and nothing is taken in silence."""

import pytest

from calling import called
from judging import campaign
from spanwise.cli import main

FILES = ["--collection", "docs", "--topics", "topics.xml", "--prepare"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    made = campaign(tmp_path / "c", {"d0": "<a><p>Something to read.</p></a>"})
    (made / "old.md").write_bytes("Règles\nvieilles".encode("latin-1"))
    (made / "rules.md").write_text("# Rules\n")
    monkeypatch.chdir(made)
    return made


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--guidelines", "none.md"], "none.md: cannot be opened (No such file or directory)"),
        (["--guidelines", "docs"], "docs: this is a folder; expected a file"),
        (["--guidelines", "old.md"], "old.md:1: byte 0xE8 is not UTF-8; expected text in UTF-8"),
        (["--mode", "aspects", "--aspect", " "], "--aspect is empty or repeated"),
        (["--mode", "aspects", "--aspect", "a", "--aspect", "a"], "--aspect is empty or repeated"),
        (["--aspect", "a"], "--aspect has no effect with --mode highlight"),
        (["--demo"], "--demo has its own pool"),
    ],
)
def test_what_does_not_fit_is_said(folder, words, message):
    _, err, status = called(main, "judge", "pool.jsonl", *FILES, *words)
    assert status == 2
    assert message in err
    assert not (folder / "pool.jsonl.judged").exists()


@pytest.mark.parametrize(
    "words",
    [["--order", "id"], ["--seed", "7"], ["--support", "off"], ["--guidelines", "rules.md"]],
)
def test_a_store_is_opened_as_it_was_made_or_not_at_all(folder, words):
    assert called(main, "judge", "pool.jsonl", *FILES)[2] == 0
    _, err, status = called(main, "judge", "pool.jsonl", *FILES, *words)
    assert status == 2
    assert f"pool.jsonl.judged: was made with another {words[0]}; choose another --store" in err
    kept = ["--store", "other.judged", *words]
    assert called(main, "judge", "pool.jsonl", *FILES, *kept)[2] == 0
    assert called(main, "judge", "pool.jsonl", *FILES, *kept)[2] == 0
    assert called(main, "judge", "pool.jsonl", *FILES, "--store", "other.judged")[2] == 0
