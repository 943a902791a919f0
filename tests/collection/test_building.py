"""Building: shards, interruption, errors, workers."""

import gc
import json
import os
import subprocess
import sys
import tarfile
import time
import warnings
from pathlib import Path

import pytest

from collections_by_hand import stored
from spanwise.collection import building, shards
from spanwise.collection import building as workers
from spanwise.collection.archives import Source
from spanwise.collection.building import Plan, build
from spanwise.collection.store import Store
from spanwise.errors import (
    FormatError,
    InputError,
    SpanwiseWarning,
    UsageError,
)
from spanwise.model.documents import CharacterPolicy

SMALL = 220  # bytes of a shard: some three documents


@pytest.fixture
def folder(tmp_path):
    """Twenty documents of about 90 bytes."""
    source = tmp_path / "documents"
    source.mkdir()
    for number in range(20):
        text = f"Document {number}. " * 4
        (source / f"{number:02}.xml").write_text(f"<a><t>{number}</t><p>{text}</p></a>")
    return source


def contents(store):
    return {path.name: path.read_bytes() for path in Path(store).iterdir()}


def test_shards_do_not_show(tmp_path, folder):
    build([str(folder)], str(tmp_path / "one"))
    build([str(folder)], str(tmp_path / "many"), Plan(shard_bytes=SMALL))
    one, many = Store(str(tmp_path / "one")), Store(str(tmp_path / "many"))
    assert len(list((tmp_path / "many").glob("elements-*.arrow"))) == 8
    assert list(one.documents()) == list(many.documents())
    for number in range(20):
        name = f"{number:02}"
        assert one.elements(name) == many.elements(name)
        assert one.text(name) == many.text(name)


def test_the_bytes_do_not_depend_on_workers(tmp_path, folder):
    for count in (1, 2, 3):
        output = str(tmp_path / f"store{count}")
        build([str(folder)], output, Plan(shard_bytes=SMALL, workers=count))
    assert contents(tmp_path / "store1") == contents(tmp_path / "store2")
    assert contents(tmp_path / "store1") == contents(tmp_path / "store3")


class Interruption(BaseException):
    """As if the user had pressed a key."""


def interrupt_after(monkeypatch, count):
    made = []

    def build_some(task):
        if len(made) == count:
            raise Interruption
        made.append(task.number)
        return shards.build_shard(task)

    monkeypatch.setattr(workers, "build_shard", build_some)
    return made


BUILDING = """
import sys
from spanwise.collection.building import Plan, build
if __name__ == "__main__":
    folder, store = sys.argv[1:]
    plan = Plan(shard_bytes=220, workers=2)
    build([folder], store, plan, lambda *_: sys.stdin.read())  # stops after the first shard
"""


def test_workers_end_with_a_build_that_is_killed(tmp_path, folder):
    script = tmp_path / "building.py"
    script.write_text(BUILDING)
    command = [sys.executable, str(script), str(folder), str(tmp_path / "store")]
    started = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    part = tmp_path / ".store.part"
    deadline = time.monotonic() + 60
    while not list(part.glob("shard-*.json")) and time.monotonic() < deadline:
        time.sleep(0.02)
    started.kill()
    started.communicate(timeout=60)  # workers that are left would keep the pipes open
    assert not (tmp_path / "store").exists()
    assert build([str(folder)], str(tmp_path / "store"), Plan(shard_bytes=SMALL)).reused


def test_an_interrupted_build_goes_on(tmp_path, folder, monkeypatch):
    output, plan = tmp_path / "store", Plan(shard_bytes=SMALL)
    with monkeypatch.context() as patch:
        interrupt_after(patch, 4)
        with pytest.raises(Interruption):
            build([str(folder)], str(output), plan)
    assert not output.exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == [".store.part", "documents"]
    made = interrupt_after(monkeypatch, 100)
    assert build([str(folder)], str(output), plan).reused == 4
    assert made == [4, 5, 6, 7]
    build([str(folder)], str(tmp_path / "whole"), plan)
    assert contents(output) == contents(tmp_path / "whole")
    assert not (tmp_path / ".store.part").exists()


def test_fresh_uses_nothing(tmp_path, folder, monkeypatch):
    output = str(tmp_path / "store")
    with monkeypatch.context() as patch:
        interrupt_after(patch, 4)
        with pytest.raises(Interruption):
            build([str(folder)], output, Plan(shard_bytes=SMALL))
    assert build([str(folder)], output, Plan(shard_bytes=SMALL, fresh=True)).reused == 0


@pytest.mark.parametrize(
    ("change", "reused"),
    [
        (lambda folder, part: (folder / "00.xml").write_text("<a>other</a>"), 3),
        (lambda folder, part: (folder / "19.xml").unlink(), 4),
        (lambda folder, part: (part / "shard-00001.json").unlink(), 3),
        (lambda folder, part: (part / "shard-00001.json").write_text("{"), 3),
        (lambda folder, part: os.truncate(part / "elements-00002.arrow", 100), 3),
    ],
)
def test_only_what_would_be_the_same_is_used_again(tmp_path, folder, monkeypatch, change, reused):
    output, plan = tmp_path / "store", Plan(shard_bytes=SMALL)
    with monkeypatch.context() as patch:
        interrupt_after(patch, 4)
        with pytest.raises(Interruption):
            build([str(folder)], str(output), plan)
    change(folder, tmp_path / ".store.part")
    found = build([str(folder)], str(output), plan).reused
    assert found == reused or (found < 4 and reused == 3)
    build([str(folder)], str(tmp_path / "whole"), plan)
    assert contents(output) == contents(tmp_path / "whole")


def test_another_policy_uses_nothing(tmp_path, folder, monkeypatch):
    output = str(tmp_path / "store")
    with monkeypatch.context() as patch:
        interrupt_after(patch, 4)
        with pytest.raises(Interruption):
            build([str(folder)], output, Plan(shard_bytes=SMALL))
    plan = Plan(CharacterPolicy("bytes"), shard_bytes=SMALL)
    assert build([str(folder)], output, plan).reused == 0
    assert Store(output).policy == CharacterPolicy("bytes")


class TestBrokenDocuments:
    """Stop or skip."""

    @pytest.fixture
    def broken(self, folder):
        (folder / "03.xml").write_text("<a>\n<b></a>")
        (folder / "11.xml").write_text("<a>" * 1200 + "</a>" * 1200)
        return str(folder)

    @pytest.mark.parametrize("workers", [1, 2])
    def test_stop(self, tmp_path, broken, workers):
        with pytest.raises(FormatError, match=r"03\.xml:2: not well-formed XML: mismatched tag"):
            build([broken], str(tmp_path / "store"), Plan(shard_bytes=SMALL, workers=workers))
        assert not (tmp_path / "store").exists()

    @pytest.mark.parametrize("workers", [1, 2])
    def test_skip(self, tmp_path, broken, workers):
        plan = Plan(on_error="skip", shard_bytes=SMALL, workers=workers)
        with pytest.warns(SpanwiseWarning) as caught:
            summary = build([broken], str(tmp_path / "store"), plan)
        said = [str(warning.message) for warning in caught]
        assert [text.split(": ")[1].rpartition("/")[2] for text in said] == ["03.xml:2", "11.xml:1"]
        assert (summary.documents, summary.skipped) == (18, 2)
        store = Store(str(tmp_path / "store"))
        assert "03" not in store
        assert store.text("04").startswith("4Document 4.")

    def test_what_was_skipped_is_said_again_after_an_interruption(
        self, tmp_path, broken, monkeypatch
    ):
        plan = Plan(on_error="skip", shard_bytes=SMALL)
        with monkeypatch.context() as patch:
            interrupt_after(patch, 4)
            with pytest.raises(Interruption), pytest.warns(SpanwiseWarning):
                build([broken], str(tmp_path / "store"), plan)
        with pytest.raises(FormatError, match="mismatched tag"):
            build([broken], str(tmp_path / "store"), Plan(shard_bytes=SMALL))
        with pytest.warns(SpanwiseWarning) as caught:
            summary = build([broken], str(tmp_path / "store"), plan)
        assert summary.skipped == len(caught) == 2

    def test_mended_and_given_again(self, tmp_path, broken, folder):
        plan = Plan(shard_bytes=SMALL)
        with pytest.raises(FormatError):
            build([broken], str(tmp_path / "store"), plan)
        (folder / "03.xml").write_text("<a/>")
        (folder / "11.xml").write_text("<a/>")
        assert build([broken], str(tmp_path / "store"), plan).documents == 20

    def test_none_left(self, tmp_path):
        with pytest.warns(SpanwiseWarning), pytest.raises(InputError, match="no document could be"):
            stored(tmp_path, {"a.xml": "<a>"}, on_error="skip")


class TestTheFinalName:
    """What stands there already."""

    def test_a_store_is_kept(self, tmp_path, folder):
        build([str(folder)], str(tmp_path / "store"))
        with pytest.raises(UsageError, match="--fresh"):
            build([str(folder)], str(tmp_path / "store"))

    def test_fresh_replaces_it_at_the_end(self, tmp_path, folder, monkeypatch):
        output = str(tmp_path / "store")
        build([str(folder)], output)
        (folder / "new.xml").write_text("<a/>")
        with monkeypatch.context() as patch:
            interrupt_after(patch, 0)
            with pytest.raises(Interruption):
                build([str(folder)], output, Plan(fresh=True))
        assert len(Store(output)) == 20
        build([str(folder)], output, Plan(fresh=True))
        assert len(Store(output)) == 21
        assert sorted(p.name for p in tmp_path.iterdir()) == ["documents", "store"]

    def test_anything_else_is_never_touched(self, tmp_path, folder):
        (tmp_path / "file").write_text("mine")
        (tmp_path / "folder").mkdir()
        for name in ("file", "folder"):
            with pytest.raises(UsageError, match="is not a store"):
                build([str(folder)], str(tmp_path / name), Plan(fresh=True))
        with pytest.raises(UsageError, match="no such folder"):
            build([str(folder)], str(tmp_path / "no" / "store"))

    def test_one_build_at_a_time(self, tmp_path, folder):
        pytest.importorskip("fcntl")
        with (
            building._locked(tmp_path / ".store.part"),
            pytest.raises(UsageError, match="another build"),
        ):
            build([str(folder)], str(tmp_path / "store"))

    def test_fresh_leaves_a_build_alone_that_is_under_way(self, tmp_path, folder):
        pytest.importorskip("fcntl")
        part = tmp_path / ".store.part"
        with building._locked(part):
            (part / "shard-00000.json").write_text("of the other build")
            with pytest.raises(UsageError, match="another build"):
                build([str(folder)], str(tmp_path / "store"), Plan(fresh=True))
        assert (part / "shard-00000.json").read_text() == "of the other build"

    @pytest.mark.parametrize("fresh", [False, True])
    def test_a_build_that_comes_to_nothing_leaves_nothing(self, tmp_path, fresh):
        with pytest.raises(FormatError, match="cannot be read"):
            build([str(tmp_path / "nowhere")], str(tmp_path / "store"), Plan(fresh=fresh))
        assert list(tmp_path.iterdir()) == []

    def test_a_link_to_another_place_is_followed(self, tmp_path, folder):
        other = tmp_path / "other"
        other.mkdir()
        (tmp_path / "store").symlink_to(other / "store")
        for fresh in (False, True):
            build([str(folder)], str(tmp_path / "store"), Plan(fresh=fresh))
            assert [path.name for path in other.iterdir()] == ["store"]
        assert len(Store(str(tmp_path / "store"))) == 20
        assert sorted(path.name for path in tmp_path.iterdir()) == ["documents", "other", "store"]


class TestOpening:
    """What is not a store of ours."""

    def test_no_store(self, tmp_path):
        with pytest.raises(InputError, match="not a store"):
            Store(str(tmp_path))

    def test_another_version(self, tmp_path, folder):
        build([str(folder)], str(tmp_path / "store"))
        header = tmp_path / "store" / "store.json"
        header.write_text(json.dumps(json.loads(header.read_text()) | {"version": 99}))
        with pytest.raises(InputError, match="version 99; expected version 2"):
            Store(str(tmp_path / "store"))

    def test_a_damaged_shard(self, tmp_path, folder):
        build([str(folder)], str(tmp_path / "store"))
        os.truncate(tmp_path / "store" / "elements-00000.arrow", 10)
        with pytest.raises(InputError, match="shard 0 is damaged"):
            Store(str(tmp_path / "store")).text("00")


def test_progress_adds_up(tmp_path, folder):
    steps = []
    build(
        [str(folder)],
        str(tmp_path / "s"),
        Plan(shard_bytes=SMALL),
        lambda *step: steps.append(step),
    )
    size = sum(path.stat().st_size for path in folder.iterdir())
    assert [sum(column) for column in zip(*steps, strict=True)] == [size, 20]


def test_documents_of_an_archive_are_let_go_shard_by_shard(tmp_path, folder):
    with tarfile.open(tmp_path / "all.tar", "w") as archive:
        archive.add(folder, "all")
    alive = []

    def count(*_):
        found = [each for each in gc.get_objects() if isinstance(each, Source)]
        alive.append(sum(str(tmp_path) in each.place for each in found))

    build([str(tmp_path / "all.tar")], str(tmp_path / "s"), Plan(shard_bytes=SMALL), count)
    assert len(alive) == 8
    assert max(alive) <= 4  # three of a shard, and the first of the next


def test_no_warnings_from_a_worker_are_lost_or_made(tmp_path, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build([str(folder)], str(tmp_path / "s"), Plan(shard_bytes=SMALL, workers=2))
