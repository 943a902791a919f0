"""The table of names: sorted range by range, never all of it in memory."""

from hashlib import blake2b

import polars
import pytest

from spanwise.collection import names
from spanwise.collection.building import Plan, build
from spanwise.collection.store import Store


def key(name):
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little")


@pytest.mark.parametrize("at_once", [1, 7, 250_000])
def test_every_name_in_the_order_of_keys(tmp_path, monkeypatch, at_once):
    monkeypatch.setattr(names, "AT_ONCE", at_once)
    folder, due = tmp_path / "documents", []
    for number in range(60):
        place = folder / f"part{number % 4}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number}.xml").write_text("<a/>")
        (place / f"{number}.xhtml").write_text("<a>x</a>")
    order = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.x*"))
    for document, name in enumerate(order):
        base, stem = name.rpartition("/")[2], name.rpartition(".")[0]
        called = (name, base, stem, stem.rpartition("/")[2])
        due += [(key(each), document) for each in called]
    build([str(folder)], str(tmp_path / "store"), Plan(shard_bytes=30))
    table = polars.read_ipc(tmp_path / "store" / "names.arrow")
    assert table.rows() == sorted(due)
    store = Store(str(tmp_path / "store"))
    assert store.numbers(order).tolist() == list(range(120))
