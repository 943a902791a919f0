"""Real XML of different shapes: plays, journal articles, guidelines, a manual in fragments."""

import tarfile
import warnings

import pytest

from collections_by_hand import Account
from shared_data import shared
from spanwise.collection.building import Plan, build
from spanwise.collection.store import Store
from spanwise.errors import SpanwiseWarning
from spanwise.model.documents import CharacterPolicy

# Documents, and files that are no documents: lists of entities, several roots in one file
COLLECTIONS = {
    "shakespeare-bosak": (37, 0),
    "plos-jats": (122, 0),
    "tei-guidelines": (40, 0),
    "pgdocs": (425, 7),
}


@pytest.mark.parametrize("name", COLLECTIONS)
def test_every_document_is_read(tmp_path, name):
    archive = shared("data", "collections", "xml", f"{name}.tar.xz")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpanwiseWarning)
        plan = Plan(on_error="skip", shard_bytes=4_000_000)
        summary = build([str(archive)], str(tmp_path / "store"), plan)
    assert (summary.documents, summary.skipped) == COLLECTIONS[name]


@pytest.mark.parametrize(
    "policy", [CharacterPolicy(), CharacterPolicy("bytes", "collapse", "strip")]
)
@pytest.mark.parametrize("name", ["shakespeare-bosak", "plos-jats", "tei-guidelines"])
def test_positions_agree_with_a_plain_walk(tmp_path, name, policy):
    archive = shared("data", "collections", "xml", f"{name}.tar.xz")
    build([str(archive)], str(tmp_path / "store"), Plan(policy))
    store = Store(str(tmp_path / "store"))
    with tarfile.open(archive) as members:
        files = [member for member in members if member.isfile()][::12]
        for member in files:
            account = Account(members.extractfile(member).read(), policy)
            assert store.text(member.name) == account.text
            paths = [*account.spans, *account.nodes]
            spans = store.spans([member.name] * len(paths), paths)
            expected = [*account.spans.values(), *account.nodes.values()]
            found = list(zip(spans.starts.tolist(), spans.lengths.tolist(), strict=True))
            assert found == expected
