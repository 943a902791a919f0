"""Damaged and malicious documents: refused with file and line, and nothing is ever fetched."""

import gc
import socket
import threading
import time
from contextlib import suppress
from xml.parsers import expat

import pytest

from collections_by_hand import one, stored
from spanwise.collection.parsing import DEEPEST, xml_body
from spanwise.errors import EmptyError, FormatError


def bomb(levels, copies=10):
    lines = ["<!ENTITY l0 'lol'>"]
    lines += [f"<!ENTITY l{n} '{f'&l{n - 1};' * copies}'>" for n in range(1, levels + 1)]
    return "<!DOCTYPE a [\n" + "\n".join(lines) + f"\n]>\n<a>&l{levels};</a>"


@pytest.mark.parametrize(
    ("xml", "line"),
    [
        ("<a>\n<b>\n</a>", 3),
        ("<a>\n<b></b>", 2),
        ("<a>\n", 2),
        ("<a>\n<b t=1/></a>", 2),
        ("<a>\n<b t='1' t='2'/></a>", 2),
        ("<a/>\n\n<b/>", 3),
        ("not XML at all\n", 1),
        ("<a>x &amp y</a>", 1),
        ("<a>\n\0</a>", 2),
        ("<a>\x01</a>", 1),
        ("<a>&#0;</a>", 1),
        (b"<a>\n\xff\xfe</a>", 2),
        (b"<a>\xed\xa0\x80</a>", 1),
        (b"<a>\xef\xbf\xbf</a>", 1),
        (b"<?xml version='1.0' encoding='no-such'?><a/>", 1),
        (b"<?xml version='1.0' encoding='hex'?><a/>", 1),
        (b"<?xml version='1.0' encoding='utf-16'?>\n<a>x</a>", 1),
        (b"<?xml version='1.0' encoding='shift_jis'?>\n<a>\x81</a>", 2),
        ("<!-- no element -->\n", 2),
        ("<!ENTITY a 'b'>", 1),
        ("\x1f\x00binary", 1),
    ],
)
def test_what_is_not_well_formed(tmp_path, xml, line):
    with pytest.raises(FormatError) as caught:
        one(tmp_path, xml)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{tmp_path}/source/d.xml:{line}: ")


def test_several_documents_in_one_file_are_told_to_be_split(tmp_path):
    with pytest.raises(FormatError, match=r"d\.xml:2: .*junk.*; a file holds one document"):
        one(tmp_path, '<?xml version="1.0"?><a/>\n<?xml version="1.0"?><a/>')


def test_a_declaration_in_single_bytes_of_an_encoding_that_has_none(tmp_path):
    with pytest.raises(FormatError, match=r"d\.xml:1: declared as utf-16, but it is not"):
        one(tmp_path, b"<?xml version='1.0' encoding='UTF-16'?>\n<a>x</a>")


def test_what_is_not_utf8_is_told_from_other_errors(tmp_path):
    with pytest.raises(FormatError, match=r"d\.xml:2: byte 8 is not UTF-8") as caught:
        one(tmp_path / "1", "<a>\ncaf\u00e9</a>".encode("latin-1"))
    assert caught.value.line == 2
    with pytest.raises(FormatError, match=r"d\.xml:1: not well-formed XML: not well-formed"):
        one(tmp_path / "2", "<a><</a>\ncaf\u00e9".encode("latin-1"))


@pytest.mark.parametrize("content", ["", " \n\t", "\ufeff"])
def test_empty(tmp_path, content):
    with pytest.raises(FormatError, match="the file is empty"):
        one(tmp_path, content)


def test_an_empty_text_and_one_with_a_nul(tmp_path):
    with pytest.raises(FormatError, match="the file is empty"):
        stored(tmp_path / "1", {"a.txt": ""})
    with pytest.raises(FormatError, match=r"a\.txt:2: a NUL character"):
        stored(tmp_path / "2", {"a.txt": "x\ny\0"})
    with pytest.raises(FormatError, match=r"a\.txt:2: byte 3 is not UTF-8"):
        stored(tmp_path / "3", {"a.txt": b"x\n\xff"})


@pytest.mark.parametrize("levels", [4, 9, 60, 500])
def test_an_entity_bomb_is_refused_at_once(tmp_path, levels):
    begin = time.process_time()
    with pytest.raises(FormatError, match="entity bomb") as caught:
        one(tmp_path, bomb(levels))
    assert caught.value.line == levels + 3
    assert time.process_time() - begin < 2


def test_an_entity_that_contains_itself(tmp_path):
    with pytest.raises(FormatError, match="entity bomb"):
        one(tmp_path, "<!DOCTYPE a [<!ENTITY x '&y;'><!ENTITY y '&x;'>]><a>&x;</a>")


def test_a_long_entity_many_times_over(tmp_path):
    declared = f"<!DOCTYPE a [<!ENTITY long '{'x' * 100_000}'>]>"
    with pytest.raises(FormatError, match="amplification"):
        one(tmp_path, f"{declared}<a>{'&long;' * 20_000}</a>")


def test_entities_in_terms_of_others_within_reason(tmp_path):
    xml = "<!DOCTYPE a [<!ENTITY x 'one'><!ENTITY y '&x; two'>]><a>&y;</a>"
    assert one(tmp_path, xml).entities("d") == {0: "y"}


def test_files_are_not_read(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("SECRET")
    xml = (
        f"<!DOCTYPE a SYSTEM '{secret}' [<!ENTITY e SYSTEM '{secret}'>"
        f"<!ENTITY % p SYSTEM 'file://{secret}'>%p;<!ENTITY f SYSTEM 'file://{secret}'>]>"
        "<a>&e;<b>&f;</b></a>"
    )
    store = one(tmp_path, xml)
    assert store.text("d") == "\ufffd\ufffd"
    assert store.entities("d") == {0: "e", 1: "f"}


def test_nothing_is_fetched(tmp_path):
    asked = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/x.dtd"
        server.settimeout(0.5)

        def listen():
            with suppress(TimeoutError):
                asked.append(server.accept())

        listener = threading.Thread(target=listen)
        listener.start()
        xml = (
            f"<!DOCTYPE a PUBLIC '-//x' '{address}' [<!ENTITY % p SYSTEM '{address}'>%p;"
            f"<!ENTITY e SYSTEM '{address}'>]><a xmlns:xi='http://www.w3.org/2001/XInclude'>"
            f"&e;<xi:include href='{address}'/></a>"
        )
        assert one(tmp_path, xml).length("d") == 1
        listener.join()
    assert asked == []


@pytest.mark.parametrize("depth", [DEEPEST + 1, 100_000])
def test_absurd_depth(tmp_path, depth):
    with pytest.raises(FormatError, match="nested more than 1000 deep") as caught:
        one(tmp_path, "<a>\n" * depth + "</a>" * depth)
    assert caught.value.line == DEEPEST + 1


def test_the_deepest_that_is_allowed(tmp_path):
    store = one(tmp_path, "<a>" * DEEPEST + "x" + "</a>" * DEEPEST)
    assert store.span("d", "/a[1]" * DEEPEST) == (0, 1)


def test_the_first_error_counts_even_if_another_kind_is_seen_earlier(tmp_path):
    deep = "<a>" * 2000 + "</a>" * 2000
    with pytest.raises(FormatError, match=r"1\.xml:1: elements nested"):
        stored(tmp_path, {"0.xml": "<a/>", "1.xml": deep, "2.xml": "<a>"})


def test_errors_of_an_empty_file_are_format_errors():
    assert issubclass(EmptyError, FormatError)


def test_no_parser_waits_for_the_garbage_collector():
    def parsers():
        return sum(isinstance(one, expat.XMLParserType) for one in gc.get_objects())

    gc.collect()
    gc.disable()
    before = parsers()
    try:
        with suppress(FormatError):
            xml_body(b"<a><b></a>", "broken")
        xml_body(b"<!DOCTYPE a [<!ENTITY e 'e'>]><a><!-- c -->&e;</a>", "whole")
        assert parsers() == before
    finally:
        gc.enable()
