"""Random documents: our columns against a plain walk over ElementTree's tree."""

from xml.sax.saxutils import escape

from hypothesis import given, settings
from hypothesis import strategies as st

from collections_by_hand import Account
from spanwise.collection.parsing import xml_body
from spanwise.collection.positions import TagTable, columns_of
from spanwise.collection.store import TextNodes
from spanwise.model.documents import CharacterPolicy, Tree

PREFIXES = {"urn:x": "x"}
NAMES = ("a", "b", "sec", "x:item", "eightchr", "a-name-of-17-long", "x:" + "l" * 40, "ü")
TEXT = st.text(st.sampled_from("ab<>&'\"]- \n\téß漢😀"), max_size=12)
POLICIES = st.builds(
    CharacterPolicy,
    st.sampled_from(["codepoints", "bytes"]),
    st.sampled_from(["keep", "collapse"]),
    st.sampled_from(["keep", "strip"]),
)


@st.composite
def pieces(draw):
    """Text, in one of the ways in which it can be written, or something that does not count."""
    text = draw(TEXT)
    match draw(
        st.sampled_from(["plain", "plain", "references", "cdata", "comment", "instruction"])
    ):
        case "plain":
            # "]]>" must not stand in text, not even where two pieces meet
            closes = "]]>" in text or text.lstrip("]").startswith(">")
            if closes or draw(st.booleans()):
                return escape(text)
            return text.replace("&", "&amp;").replace("<", "&lt;")
        case "references":
            return "".join(f"&#{ord(c)};" if c != "a" else "&#x61;" for c in text)
        case "cdata":
            return f"<![CDATA[{text.replace(']]>', '')}]]>"
        case "comment":
            return f"<!--{text.replace('--', '').rstrip('-')}-->"
        case _:
            return f"<?go {text.replace('?>', '')}?>"


def written(children):
    """An element with the given content."""
    attribute = st.sampled_from(["", " t='>'", ' t="/"', " t='&lt;\">\"'", "\n", ' t="it\'s" '])

    def tag(parts):
        name, attributes, content = parts
        if not content:
            return f"<{name}{attributes}/>"
        return f"<{name}{attributes}>{''.join(content)}</{name}>"

    content = st.lists(st.one_of(pieces(), children), max_size=5)
    return st.tuples(st.sampled_from(NAMES), attribute, content).map(tag)


ELEMENTS = st.recursive(written(st.nothing()), written, max_leaves=20)
DOCUMENTS = st.builds(
    lambda before, inside, after: f'{before}<r xmlns:x="urn:x">{inside}</r>{after}',
    st.sampled_from(["", "<!-- <a> -->\n", "<?xml version='1.0'?>\n<!DOCTYPE r [<!-- ']>' -->]>"]),
    st.lists(st.one_of(pieces(), ELEMENTS), max_size=6).map("".join),
    st.sampled_from(["", "\n", "\n<!-- > --> <?x >?>"]),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(DOCUMENTS, min_size=1, max_size=4), POLICIES)
def test_every_element_and_text_node(documents, policy):
    sources = [document.encode() for document in documents]
    table = TagTable()
    columns = columns_of([xml_body(source, "d") for source in sources], policy, table)
    tags = [name.decode() for name in table.names]
    first = 0
    for number, source in enumerate(sources):
        account = Account(source, policy, PREFIXES)
        rows = slice(first, first := first + int(columns.counts[number]))
        names = ("tag", "index", "parent", "depth", "start", "length")
        tree = Tree(tags, *(getattr(columns, name)[rows] for name in names))
        assert {e.path: (e.start, e.length) for e in tree.elements()} == account.spans
        begin, end = columns.texts.bounds[number : number + 2]
        assert columns.texts.data[begin:end].decode() == account.text
        nodes = TextNodes(tree.parent, tree.start, tree.length, columns.flags[rows])
        for row, path in enumerate(tree.paths()):
            expected = [span for name, span in account.nodes.items() if _parent(name) == path]
            assert nodes.of(row) == expected


def _parent(node):
    return node.rpartition("/")[0]
