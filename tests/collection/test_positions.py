"""Positions worked out on paper."""

import pytest

from collections_by_hand import one, spans_of, stored
from spanwise.errors import InputError
from spanwise.model.documents import CharacterPolicy

BYTES = CharacterPolicy("bytes")
COLLAPSE = CharacterPolicy(white_space="collapse")
STRIP = CharacterPolicy(blank_nodes="strip")
BOTH = CharacterPolicy(white_space="collapse", blank_nodes="strip")


def test_nested_elements_and_mixed_content(tmp_path):
    #        0123 4567  8    90 1
    xml = "<a>one <b>two</b> <b>x</b><c/>!</a>"
    store = one(tmp_path, xml)
    assert spans_of(store) == {
        "/a[1]": (0, 10),
        "/a[1]/b[1]": (4, 3),
        "/a[1]/b[2]": (8, 1),
        "/a[1]/c[1]": (9, 0),
    }
    assert store.text("d") == "one two x!"
    assert store.text("d", *store.span("d", "/a[1]/b[1]")) == "two"
    root, first, second, empty = store.elements("d")
    assert (root.parent, root.depth) == (-1, 1)
    assert [e.parent for e in (first, second, empty)] == [0, 0, 0]
    assert {e.depth for e in (first, second, empty)} == {2}


def test_numbers_are_counted_per_parent_and_name(tmp_path):
    xml = "<a><s><p/><p/></s><p/><s><p/><q/><p/></s></a>"
    assert [e.path for e in one(tmp_path, xml).elements("d")] == [
        "/a[1]",
        "/a[1]/s[1]",
        "/a[1]/s[1]/p[1]",
        "/a[1]/s[1]/p[2]",
        "/a[1]/p[1]",
        "/a[1]/s[2]",
        "/a[1]/s[2]/p[1]",
        "/a[1]/s[2]/q[1]",
        "/a[1]/s[2]/p[2]",
    ]


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        ("<a>x<!-- <b> & --> y</a>", "x y"),
        ("<a>x<?go <b> ?> y</a>", "x y"),
        ("<a>x<![CDATA[<b> & > ]]>y</a>", "x<b> & > y"),
        ("<a><![CDATA[]]></a>", ""),
        ("<a><![CDATA[<!-- ]]>z<!-- ]]> --></a>", "<!-- z"),
        ("<a>1 &lt; 2 &amp;&gt;&quot;&apos;</a>", "1 < 2 &>\"'"),
        ("<a>&#65;&#x42;&#60;&#xe9;</a>", "AB<é"),
        ("<a>2 > 1 -> x</a>", "2 > 1 -> x"),
        ("<a t='x > y'>z</a>", "z"),
        ("<a t=\"it's > y\" u='\">\"'>z > 1<b t='>'/></a>", "z > 1"),
        ("<a t='/'>z</a>", "z"),
        ("<a\n t='1'\n>z<b\n/></a\n>", "z"),
        (
            "<?xml version='1.0'?>\n<!-- <x> -->\n"
            "<!DOCTYPE a [<!-- ]> --><!ENTITY e '>'>]>\n<a>z</a>",
            "z",
        ),
        ("<a>z</a>\n<!-- after -->\n<?and this?>\n", "z"),
        ("<a>x\r\ny\rz</a>", "x\ny\nz"),
        ("<a>x&#13;y</a>", "x\ry"),
    ],
)
def test_only_text_counts(tmp_path, xml, text):
    store = one(tmp_path, xml)
    assert store.text("d") == text
    assert store.span("d", "/a[1]") == (0, len(text))


def test_names_are_kept_as_written(tmp_path):
    xml = '<r xmlns:m="urn:m" xmlns="urn:d"><m:x.y-z>1</m:x.y-z><é/><m:x.y-z>22</m:x.y-z></r>'
    assert spans_of(one(tmp_path, xml)) == {
        "/r[1]": (0, 3),
        "/r[1]/m:x.y-z[1]": (0, 1),
        "/r[1]/é[1]": (1, 0),
        "/r[1]/m:x.y-z[2]": (1, 2),
    }


def test_long_names_of_every_length(tmp_path):
    names = ["n" * length for length in (1, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 100)]
    names += [name[:-1] + "m" for name in names[1:]]
    xml = "<r>" + "".join(f"<{n}>.</{n}><{n} t='1'/>" for n in names) + "</r>"
    found = spans_of(one(tmp_path, xml))
    assert len(found) == 1 + 2 * len(names)
    for place, name in enumerate(names):
        assert found[f"/r[1]/{name}[1]"] == (place, 1)
        assert found[f"/r[1]/{name}[2]"] == (place + 1, 0)


def test_characters_or_bytes(tmp_path):
    xml = "<a>é<b>漢字</b>😀<c>x</c></a>"
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    assert spans_of(one(tmp_path / "1", xml)) == {
        "/a[1]": (0, 5),
        "/a[1]/b[1]": (1, 2),
        "/a[1]/c[1]": (4, 1),
    }
    counted = one(tmp_path / "2", xml, BYTES)
    assert spans_of(counted) == {"/a[1]": (0, 13), "/a[1]/b[1]": (2, 6), "/a[1]/c[1]": (12, 1)}
    assert counted.text("d", 2, 6) == "漢字"


def test_a_run_of_white_space_counts_one_across_borders(tmp_path):
    #  text: "x", "  \n", [b] " y ", "\t", [c] " z"  ->  "x y z"
    store = one(tmp_path, "<a>x  \n<b> y </b>\t<c> z</c></a>", COLLAPSE)
    assert store.text("d") == "x y z"
    assert spans_of(store) == {"/a[1]": (0, 5), "/a[1]/b[1]": (2, 2), "/a[1]/c[1]": (4, 1)}


def test_white_space_is_not_shared_between_documents(tmp_path):
    store = stored(tmp_path, {"1.xml": "<a>x </a>", "2.xml": "<a> y</a>"}, COLLAPSE)
    assert (store.text("1"), store.text("2")) == ("x ", " y")


def test_blank_nodes_stripped(tmp_path):
    store = one(tmp_path, "<a>\n <b> x </b> \n<b>\t</b>y</a>", STRIP)
    assert store.text("d") == " x y"
    assert spans_of(store) == {"/a[1]": (0, 4), "/a[1]/b[1]": (0, 3), "/a[1]/b[2]": (3, 0)}
    assert store.span("d", "/a[1]/text()[1]") == (3, 1)


def test_blank_nodes_stripped_and_white_space_collapsed(tmp_path):
    store = one(tmp_path, "<a>\n <b> x  </b> \n<b> y</b></a>", BOTH)
    assert store.text("d") == " x y"
    assert spans_of(store) == {"/a[1]": (0, 4), "/a[1]/b[1]": (0, 3), "/a[1]/b[2]": (3, 1)}


class TestPoints:
    """`text()[k].n` in `<a>one <b>two</b><c/>three<!-- - --> four</a>`."""

    XML = "<a>one <b>two</b><c/>three<!-- - --> four</a>"

    @pytest.mark.parametrize(
        ("path", "span"),
        [
            ("/a[1]/text()[1].0", (0, 0)),
            ("/a[1]/text()[1].4", (4, 0)),
            ("/a[1]/text()[1]", (0, 4)),
            ("/a[1]/b[1]/text()[1].3", (7, 0)),
            ("/a[1]/text()[2]", (7, 10)),
            ("/a[1]/text()[2].0", (7, 0)),
            ("/a[1]/text()[2].7", (14, 0)),
        ],
    )
    def test_known(self, tmp_path, path, span):
        assert one(tmp_path, self.XML).span("d", path) == span

    @pytest.mark.parametrize(
        "path",
        [
            "/a[1]/text()[1].5",
            "/a[1]/text()[3].0",
            "/a[1]/text()[0].0",
            "/a[1]/c[1]/text()[1].0",
            "/a[1]/d[1]/text()[1].0",
            "/a[1]/text()",
            "/a[1]/text().0",
            "/text()[1].0",
        ],
    )
    def test_unknown(self, tmp_path, path):
        store = one(tmp_path, self.XML)
        assert store.spans(["d"], [path]).starts.tolist() == [-1]
        with pytest.raises(InputError, match="document 'd' has no"):
            store.span("d", path)

    def test_a_blank_node_swallowed_by_a_run_still_has_its_number(self, tmp_path):
        store = one(tmp_path, "<a>x <b/> <b/>y</a>", COLLAPSE)
        assert store.text("d") == "x y"
        nodes = [store.span("d", f"/a[1]/text()[{k}]") for k in (1, 2, 3)]
        assert nodes == [(0, 2), (2, 0), (2, 1)]


class TestEntities:
    """References that are neither predefined nor numbers."""

    def test_each_counts_one(self, tmp_path):
        store = one(tmp_path, "<a>x&nbsp;&mdash;<b>&version;!</b></a>")
        assert store.text("d") == "x\xa0—\ufffd!"
        assert store.entities("d") == {3: "version"}
        assert store.span("d", "/a[1]/b[1]") == (3, 2)

    def test_with_bytes_each_counts_those_of_its_character(self, tmp_path):
        store = one(tmp_path, "<a>&mdash;<b>&version;</b></a>", BYTES)
        assert store.span("d", "/a[1]/b[1]") == (3, 3)
        assert store.entities("d") == {3: "version"}

    def test_those_in_attributes_do_not_count(self, tmp_path):
        store = one(tmp_path, "<a t='&one;'>&two;<b t='&three;'/>&four;</a>")
        assert store.entities("d") == {0: "two", 1: "four"}

    def test_declared_ones_are_not_expanded(self, tmp_path):
        xml = "<!DOCTYPE a [<!ENTITY e '&#228;'><!ENTITY pg 'PostgreSQL'>]><a>&e;&pg;</a>"
        store = one(tmp_path, xml)
        assert store.text("d") == "ä\ufffd"
        assert store.entities("d") == {1: "pg"}

    def test_a_declaration_counts_for_its_document_only(self, tmp_path):
        first = "<!DOCTYPE a [<!ENTITY mdash '-'>]><a>&mdash;</a>"
        store = stored(tmp_path, {"1.xml": first, "2.xml": "<a>&mdash;</a>"})
        assert (store.text("1"), store.text("2")) == ("-", "—")

    def test_standing_alone_makes_no_difference(self, tmp_path):
        xml = "<?xml version='1.0' standalone='yes'?><a>&version;</a>"
        assert one(tmp_path, xml).entities("d") == {0: "version"}

    def test_places_in_later_documents(self, tmp_path):
        documents = {f"{n}.xml": f"<a>{'é' * n}&x{n};</a>" for n in range(5)}
        store = stored(tmp_path, documents)
        for n in range(5):
            assert store.entities(str(n)) == {n: f"x{n}"}


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [
        ("utf-8", "utf-8-sig"),
        ("UTF-8", "utf-8"),
        ("ISO-8859-1", "latin-1"),
        ("ISO-8859-15", "iso-8859-15"),
        ("windows-1252", "cp1252"),
        ("UTF-16", "utf-16"),
        ("UTF-16", "utf-16-le"),
        ("UTF-16", "utf-16-be"),
        ("Shift_JIS", "shift_jis"),
        ("KOI8-R", "koi8-r"),
        ("EUC-JP", "euc-jp"),
    ],
)
def test_encodings(tmp_path, declared, encoding):
    text = {"Shift_JIS": "漢字x", "EUC-JP": "漢字x", "KOI8-R": "Юx"}.get(declared, "éÄx")
    xml = f'<?xml version="1.0" encoding="{declared}"?>\n<a>{text}<b/></a>'.encode(encoding)
    store = one(tmp_path, xml)
    assert store.text("d") == text
    assert store.span("d", "/a[1]/b[1]") == (len(text), 0)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_needs_neither_declaration_nor_mark(tmp_path, encoding):
    store = one(tmp_path, "<a>éx<b/></a>".encode(encoding))
    assert store.text("d") == "éx"
    assert store.span("d", "/a[1]/b[1]") == (2, 0)


class TestPlainText:
    """A text is one element."""

    def test_everything_counts(self, tmp_path):
        text = "Not <b>markup</b> & &amp;\r\n\x0c\x01 é\n"
        store = stored(tmp_path, {"t.txt": text})
        assert store.text("t") == text
        assert spans_of(store, "t") == {"/document[1]": (0, len(text))}
        assert store.span("t", "/document[1]/text()[1].4") == (4, 0)

    def test_it_is_told_by_its_ending_or_for_want_of_a_tag(self, tmp_path):
        documents = {"1.txt": "<a>x</a>", "2": "plain", "3": " <a>x</a>", "4.other": "plain"}
        store = stored(tmp_path, documents)
        assert [store.length(name) for name in "1234"] == [8, 5, 1, 5]
