"""Reading XML: what visitors are told, and what is refused."""

import pytest

from spanwise.errors import FormatError
from spanwise.formats.io.xml import DEEPEST, root_of, walk

BOMB = b"""<?xml version="1.0"?>
<!DOCTYPE a [
<!ENTITY ha "ha">
<!ENTITY hahaha "&ha;&ha;&ha;">
]>
<a>&hahaha;</a>
"""


class Notes:
    def __init__(self):
        self.told = []

    def start(self, name, attributes, line):
        self.told.append((line, "start", name, attributes))

    def text(self, text, line):
        self.told.append((line, "text", text))

    def end(self, name, line):
        self.told.append((line, "end", name))


def told(*pieces):
    notes = Notes()
    walk(iter(pieces), "f.xml", notes)
    return notes.told


def test_events():
    assert told(b'<a x="1">\n<b', b"/>\n&lt;<![CDATA[<]]></a>\n") == [
        (1, "start", "a", {"x": "1"}),
        (1, "text", "\n"),
        (2, "start", "b", {}),
        (2, "end", "b"),
        (2, "text", "\n"),
        (3, "text", "<"),
        (3, "text", "<"),
        (3, "end", "a"),
    ]


def test_documents_one_after_the_other():
    one = b'<?xml version="1.0"?>\n<!DOCTYPE a SYSTEM "a.dtd">\n<a>x</a>\n'
    starts = [event for event in told(one, one, b"<a/> <b/>") if event[1] == "start"]
    assert [(line, name) for line, _, name, _ in starts] == [(3, "a"), (6, "a"), (7, "a"), (7, "b")]


def test_entities_that_are_declared_again_keep_their_meaning():
    head = b'<!DOCTYPE a [<!ENTITY lt "less"><!ENTITY amp "and"><!ENTITY gt "more">]>'
    texts = [event[2] for event in told(head + b"<a>&lt;&amp;&gt;</a>") if event[1] == "text"]
    assert texts == ["<", "&", ">"]


def test_encodings():
    head = b'<?xml version="1.0" encoding="%s"?><a>\xe9</a>'
    assert told(head % b"ISO-8859-1")[1] == (1, "text", "é")
    assert told(head % b"windows-1252")[1] == (1, "text", "é")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (BOMB, "f.xml:3: a declaration of the entity 'ha'; expected no entity declarations"),
        (b'<!DOCTYPE a [\n<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', "f.xml:2: a decl"),
        (b'<!DOCTYPE a [\n<!ENTITY % x SYSTEM "http://a/b"> %x;]><a/>', "f.xml:2: a declaration"),
        (b'<!DOCTYPE a SYSTEM "a.dtd">\n<a>&eacute;</a>', "f.xml:2: the entity &eacute; is not"),
        (b"<a>\n&eacute;</a>", "f.xml:2: not well-formed XML at character 1 (undefined entity)"),
        (b"<a>" * (DEEPEST + 1), f"f.xml:1: more than {DEEPEST} elements within each other"),
        (b"<a>\n<b></a>", "f.xml:2: not well-formed XML at character 6 (mismatched tag)"),
        (b"<a>\n", "f.xml:2: not well-formed XML at character 1 (no element found)"),
        (b"<a/>\nx", "f.xml:2: not well-formed XML at character 1 (junk after document element)"),
        (b"<a/>\n</a>", "f.xml:2: not well-formed XML at character 2 (invalid token)"),
        (b"<a>\xff</a>", "f.xml:1: not well-formed XML at character 4 (invalid token)"),
        (b"<a><?xml version='1.0'?></a>", "f.xml:1: not well-formed XML at character 4"),
        (b"<a/>\n<b/>\n<c>\n</b>", "f.xml:4: not well-formed XML at character 3 (mismatched tag)"),
        (b"plain", "f.xml:1: not well-formed XML at character 1 (syntax error)"),
        (b"", "f.xml:1: not well-formed XML at character 1 (no element found)"),
        (b'<?xml version="1.0" encoding="none"?><a/>', "f.xml:1: an encoding that cannot be read"),
        (b'<?xml version="1.0" encoding="big5"?><a/>', "f.xml:1: an encoding that cannot be read"),
    ],
)
def test_refused(data, message):
    with pytest.raises(FormatError) as caught:
        told(data)
    assert str(caught.value).startswith(message)


def test_errors_of_visitors_are_their_own():
    class Broken(Notes):
        def text(self, text, line):
            raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        walk(iter([b"<a>x</a>"]), "f.xml", Broken())


@pytest.mark.parametrize(
    ("head", "root"),
    [
        (b'<?xml version="1.0"?>\n<!-- <x> -->\n<!DOCTYPE b [<!ELEMENT b ANY>]>\n<b c="', ""),
        (b'<?xml version="1.0"?>\n<!-- <x> -->\n<!DOCTYPE b [<!ELEMENT b ANY>]>\n<b c="1">', "b"),
        (b"\n <a>", "a"),
        (BOMB, "a"),
        (b"1 0 d 1\n", ""),
        (b"<<", ""),
        (b'<?xml version="1.0" encoding="none"?><a/>', ""),
        (b"", ""),
    ],
)
def test_roots(head, root):
    assert root_of(head) == root
