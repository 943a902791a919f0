"""An open store: ids, many spans at once, files that others can open."""

import gc

import numpy as np
import pytest

from collections_by_hand import stored
from spanwise.collection import open_collection
from spanwise.errors import InputError, SpanwiseWarning, UsageError
from spanwise.model.documents import CharacterPolicy

XML = "<a>one <b>two</b></a>"


class TestIds:
    """What a document may be called."""

    @pytest.fixture
    def store(self, tmp_path):
        names = (
            "co/2001/r1.xml",
            "co/2002/r1.xml",
            "co/2001/r2.xml",
            "j.p.3.xml",
            "x.xml",
            "x.txt",
        )
        return stored(tmp_path, dict.fromkeys((*names, "bare"), XML))

    @pytest.mark.parametrize(
        "name",
        [
            "co/2001/r1",
            "co/2001/r1.xml",
            "2001/r1",
            "r2",
            "r2.xml",
            "j.p.3",
            "j.p.3.xml",
            "x.txt",
            "bare",
        ],
    )
    def test_found(self, store, name):
        assert name in store
        assert name.encode() in store
        assert store.length(name) == store.length(name.encode()) > 0

    @pytest.mark.parametrize("name", ["r1", "r1.xml", "x"])
    def test_ambiguous(self, store, name):
        for ask in (store.length, store.__contains__, lambda name: store.spans([name], ["/a[1]"])):
            with pytest.raises(InputError, match=f"2 documents have the name '{name}'"):
                ask(name)

    @pytest.mark.parametrize(
        "name", ["r3", "2003/r1", "/co/2001/r1", "co", "", "j.p", "é", b"\xff"]
    )
    def test_unknown(self, store, name):
        assert name not in store
        assert store.spans([name], ["/a[1]"]).starts.tolist() == [-1]
        assert store.lengths([name]).tolist() == [-1]
        with pytest.raises(InputError, match="no document '"):
            store.text(name)

    def test_a_whole_path_goes_before_the_end_of_another(self, tmp_path):
        texts = {"d.xml": "<a>1</a>", "x/d.xml": "<a>22</a>", "y/x/d.xml": "<a>333</a>"}
        store = stored(tmp_path, texts)
        assert [store.length(name) for name in ("x/d", "x/d.xml", "y/x/d")] == [2, 2, 3]
        with pytest.raises(InputError, match="3 documents have the name 'd'"):
            store.length("d")
        assert store.lengths(["x/d", "d"]).tolist() == [2, 1]  # ids are paths here

    def test_a_folder_is_called_as_it_was_asked_for(self, tmp_path, monkeypatch):
        stored(tmp_path, {"x/d.xml": XML, "y/d.xml": XML})
        monkeypatch.chdir(tmp_path)
        with pytest.raises(InputError, match=r"^source: 2 documents have the name 'd'"):
            open_collection("source").length("d")
        with pytest.raises(InputError, match=r"^source: no document 'e'"):
            open_collection("source").length("e")

    def test_the_very_same_name_twice(self, tmp_path):
        for folder in ("1", "2"):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "d.xml").write_text(XML)
        from spanwise.collection.building import build
        from spanwise.collection.store import Store

        with pytest.warns(
            SpanwiseWarning, match="1 documents have exactly the path.* pass the folder"
        ):
            build([str(tmp_path / "1"), str(tmp_path / "2")], str(tmp_path / "s"))
        with pytest.raises(InputError, match="2 documents have the name 'd'"):
            Store(str(tmp_path / "s")).text("d")
        with pytest.raises(InputError, match=r"2 documents have the name 'd\.xml'"):
            Store(str(tmp_path / "s")).text("d.xml")

    def test_all_of_them(self, store):
        assert len(store) == 7
        documents = list(store.documents())
        assert [d.name for d in documents] == sorted(d.name for d in documents)
        assert {(d.length, d.elements) for d in documents} == {(7, 2), (21, 1)}
        assert store.mean_length() == (6 * 7 + 21) / 7


def test_many_at_once(tmp_path):
    documents = {f"{n}.xml": f"<a><p>{'x' * n}</p><p>y</p></a>" for n in range(50)}
    store = stored(tmp_path, documents, shard_bytes=200)
    rng = np.random.default_rng(3)
    asked = rng.integers(0, 60, 500)
    paths = rng.choice(
        ["/a[1]", "/a[1]/p[1]", "/a[1]/p[2]", "/a[1]/p[2]/text()[1].1", "/a[1]/p[3]", "a"], 500
    ).tolist()
    spans = store.spans([str(n) for n in asked], paths)
    for n, path, start, length in zip(asked, paths, spans.starts, spans.lengths, strict=True):
        expected = {
            "/a[1]": (0, n + 1),
            "/a[1]/p[1]": (0, n),
            "/a[1]/p[2]": (n, 1),
            "/a[1]/p[2]/text()[1].1": (n + 1, 0),
        }.get(path, (-1, -1))
        assert (start, length) == (expected if n < 50 else (-1, -1))
    assert store.lengths([str(n) for n in asked]).tolist() == [
        n + 1 if n < 50 else -1 for n in asked
    ]


def test_nothing_asked(tmp_path):
    spans = stored(tmp_path, {"d.xml": XML}).spans([], [])
    assert len(spans) == 0


def test_a_folder_stands_for_the_store_made_from_it(tmp_path):
    built = stored(tmp_path, {"d.xml": XML, "e.xml": "<a> x </a>"})
    opened = open_collection(tmp_path / "source")
    assert opened.elements("d") == built.elements("d")
    assert open_collection(tmp_path / "store").elements("d") == built.elements("d")
    place = opened._path
    assert place.exists()
    del opened
    gc.collect()
    assert not place.parent.exists()


def test_a_folder_under_a_policy(tmp_path):
    policy = CharacterPolicy("bytes", "collapse")
    stored(tmp_path, {"d.xml": "<a>é  é</a>"})
    assert open_collection(tmp_path / "source", policy).length("d") == 5
    with pytest.raises(UsageError, match="built with another policy"):
        open_collection(tmp_path / "store", policy)


def test_pyarrow_and_polars_open_the_files(tmp_path):
    ipc = pytest.importorskip("pyarrow.ipc")
    import polars as pl

    documents = {"d.xml": "<a>x&who;<b>é</b><b/></a>", "e.txt": "text", "long-name.xml": "<a/>"}
    stored(tmp_path, documents)
    tables = {}
    for file in (tmp_path / "store").glob("*.arrow"):
        with ipc.open_file(file) as reader:
            table = reader.read_all()
        table.validate(full=True)
        assert pl.read_ipc(file).to_dicts() == table.to_pylist()
        tables[file.name] = table.to_pydict()
    assert tables["documents-00000.arrow"] == {
        "name": ["d.xml", "e.txt", "long-name.xml"],
        "stated": [0, 0, 0],
        "length": [3, 4, 0],
        "elements": [3, 1, 1],
        "first_element": [0, 3, 4],
        "text": ["x\ufffdé", "text", ""],
    }
    elements = tables["elements-00000.arrow"]
    assert elements["tag"] == ["a", "b", "b", "document", "a"]
    assert elements["index"] == [1, 1, 2, 1, 1]
    assert elements["parent"] == [-1, 0, 0, -1, -1]
    assert elements["start"] == [0, 2, 3, 0, 0]
    assert tables["entities-00000.arrow"] == {"document": [0], "place": [1], "name": ["who"]}


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("names.arrow", b""),
        ("names.arrow", None),
        ("store.json", b'{"format": "spanwise collection"}'),
        ("elements-00000.arrow", b"ARROW1"),
        ("shard-00000.json", None),
    ],
)
def test_a_damaged_store(tmp_path, file, content):
    stored(tmp_path, {"d.xml": XML})
    damaged = tmp_path / "store" / file
    damaged.unlink()
    if content is not None:
        damaged.write_bytes(content)
    with pytest.raises(InputError, match=r"store: .*damaged; build .* again"):
        open_collection(tmp_path / "store").text("d")


def test_a_file_that_cannot_be_read_later(tmp_path):
    store = stored(tmp_path, {"d.xml": XML})
    assert "d" in store
    assert store.length("d") > 0
    (tmp_path / "store" / "elements-00000.arrow").write_bytes(b"ARROW1")
    with pytest.raises(InputError, match=r"elements-00000\.arrow: cannot be read \("):
        store.elements("d")


@pytest.mark.parametrize(
    ("path", "nearest"),
    [
        ("/a[1]/b[2]/c[9]/d[1]", "/a[1]/b[2]"),
        ("/a[1]/b[3]", "/a[1]"),
        ("/a[1]/b[1]/text()[3].0", "/a[1]/b[1]"),
        ("/b[1]/c[1]", "/a[1]"),
    ],
)
def test_an_unknown_path_is_told_the_nearest(tmp_path, path, nearest):
    store = stored(tmp_path, {"d.xml": "<a><b>x</b><b><c/></b></a>"})
    with pytest.raises(InputError) as raised:
        store.span("d", path)
    assert str(raised.value).endswith(
        f"document 'd' has no '{path}'; the nearest existing path is '{nearest}'"
    )


def test_an_unknown_document_is_told_where_to_look(tmp_path):
    store = stored(tmp_path, {"d.xml": XML})
    with pytest.raises(
        InputError, match=r"no document 'e'; list the documents with: spanwise .* show .*store"
    ):
        store.text("e")
