"""XML as a stream: what comes out, what is refused and where."""

# ruff: noqa: E501 (tables of mistakes read best with one a line)

import pytest

from spanwise.errors import FormatError, InputError
from spanwise.formats.io.xml import DEEPEST, as_xml, escaped, events, first_element, tag


def taken(*pieces: bytes):
    return list(events(pieces, "made.xml", "a shelf of books"))


def refusal(*pieces: bytes) -> str:
    with pytest.raises(FormatError) as caught:
        taken(*pieces)
    return str(caught.value)


def test_starts_texts_and_ends_come_with_line_and_depth():
    found = taken(b'<shelf>\n<book n="1">\nA &lt; B\n</book></shelf>\n')
    assert [(e.kind, e.name, e.line, e.depth) for e in found if e.text.strip() or not e.text] == [
        ("start", "shelf", 1, 1),
        ("start", "book", 2, 2),
        ("text", "book", 4, 2),  # where it ends
        ("end", "book", 4, 2),
        ("end", "shelf", 4, 1),
    ]
    assert found[2].attributes == {"n": "1"}
    assert "".join(e.text for e in found).split() == ["A", "<", "B"]


def test_pieces_are_read_as_they_come():
    assert [e.name for e in taken(b"<a>\n<b/>\n", b"<c/>\n</a>\n") if e.kind == "start"] == [*"abc"]


def test_events_before_a_mistake_are_given_out_first():
    found = events([b"<a>\n<b/>\n</c>\n"], "made.xml", "")
    assert [next(found).name for _ in range(3)] == ["a", "a", "b"]
    with pytest.raises(FormatError):
        list(found)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<a>\n</b>\n", "2: not well-formed XML at character 3 (mismatched tag); expected a shelf of books"),
        (b"<a/>\n<b/>\n", "2: not well-formed XML at character 1 (junk after document element); expected a shelf of books"),
        (b"<a>\n\n<b>\n", "4: the XML breaks off; expected a complete file"),
        (b"<a>\n<b", "2: the XML breaks off; expected a complete file"),
        (b"<a>\0</a>", "1: not well-formed XML at character 4 (invalid token); expected a shelf of books"),
        (b"<a>&eacute;</a>", "1: not well-formed XML at character 4 (undefined entity); expected a shelf of books"),
        (
            b'<?xml version="1.0" encoding="klingon"?>\n<a/>\n',
            "1: an encoding that cannot be read (unknown encoding: klingon); expected UTF-8",
        ),
    ],
)  # fmt: skip
def test_what_is_not_xml_is_refused_with_its_line(data, message):
    assert refusal(data) == f"made.xml:{message}"


BOMB = (
    b'<!DOCTYPE a [\n<!ENTITY one "ha">\n'
    + b"".join(b'<!ENTITY x%d "%b">\n' % (n, b"&one;" * 99) for n in range(9))
    + b"]>\n<a>&x8;</a>\n"
)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (BOMB, "2: a declaration of the entity 'one'"),
        (b'<!DOCTYPE a [<!ENTITY x SYSTEM "/etc/hostname">]><a>&x;</a>', "1: a declaration"),
        (b'<!DOCTYPE a [<!ENTITY % x SYSTEM "http://a/">%x;]><a/>', "1: a declaration"),
        (b"<a>" * (DEEPEST + 1), f"1: more than {DEEPEST} elements within each other"),
        (b'<!DOCTYPE a SYSTEM "a.dtd">\n<a>&eacute;</a>', "2: the entity &eacute; is not known"),
        (
            b'<!DOCTYPE a SYSTEM "a.dtd">\n<a>\n<b c="1 &amp; &e;"/></a>',
            "3: the entity &e; is not known",
        ),
    ],
)
def test_hostile_xml_is_refused(data, found):
    assert refusal(data).startswith(f"made.xml:{found}")


def test_a_dtd_elsewhere_is_never_loaded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.dtd").write_text('<!ENTITY lt "gotcha"><!ATTLIST a b CDATA "gotcha">')
    (start, *_) = taken(b'<!DOCTYPE a SYSTEM "a.dtd">\n<a/>\n')
    assert start.attributes == {}


def test_predefined_entities_may_be_declared_again():
    data = b'<!DOCTYPE a [<!ENTITY lt "&#38;#60;"><!ENTITY amp "&#38;#38;">]><a>&lt;&amp;</a>'
    assert "".join(e.text for e in taken(data)) == "<&"


def test_defaults_of_an_internal_dtd_count():
    (start, _) = taken(b'<!DOCTYPE a [<!ATTLIST a grade CDATA "U">]><a/>')
    assert start.attributes == {"grade": "U"}


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "koi8-r"])
def test_encodings_are_understood(encoding):
    letter = "é" if encoding != "koi8-r" else "я"
    data = f'<?xml version="1.0" encoding="{encoding}"?><a>{letter}</a>'.encode(encoding)
    assert taken(data)[1].text == letter


@pytest.mark.parametrize(
    ("head", "root"),
    [
        (b"<a>", ("a", {})),
        (b'\n <!-- <x> --><!DOCTYPE a SYSTEM "b"><a b="c"/>', ("a", {"b": "c"})),
        (b'<!DOCTYPE a [<!ELEMENT a ANY>\n<!ATTLIST a b CDATA "]">]><a c=\'d\'>', ("a", {"c": "d", "b": "]"})),
        (b"1 Q0 a 1 1 t", ("", {})),
        (b"<!-- no element", ("", {})),
        (b"<1>", ("", {})),
    ],
)  # fmt: skip
def test_the_first_element_is_found(head, root):
    assert first_element(head) == root


def test_what_is_written_is_read_again():
    text = "a<b>&\"'\r\n\t é"
    data = f"{tag('x', {'v': text})}{escaped(text)}</x>".encode()
    start, *middle, _ = taken(data)
    assert start.attributes["v"] == text
    assert "".join(event.text for event in middle) == text
    assert "".join(map(as_xml, taken(data))).encode() == data


@pytest.mark.parametrize("character", ["\0", "\x1b", "\ud800", "\uffff"])
def test_what_xml_cannot_hold_is_not_written(character):
    with pytest.raises(InputError):
        escaped(character)
    with pytest.raises(InputError):
        tag("x", {"v": character})
