"""Opening files: packed or not, whole or broken, from disk or from standard input."""

import gzip
import io
import lzma
import os
import sys
import threading
import time

import pytest

from spanwise.errors import FormatError, SpanwiseWarning
from spanwise.formats.io import files
from spanwise.formats.io.files import chunks

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LINES = b"1 0 a 1\n1 0 b 0\n"
MANY = b"".join(b"%d 0 doc%d 1\n" % (n % 7, n * 7919 % 10007) for n in range(5000))
PACKERS = {"gzip": gzip.compress, "xz": lzma.compress, "zstd": zstd.compress}
PACKED = pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)


@pytest.fixture
def put(tmp_path):
    """Write bytes to a file and say what it is called."""

    def put(data: bytes, name: str = "file.txt") -> str:
        (tmp_path / name).write_bytes(data)
        return str(tmp_path / name)

    return put


def refusal(file: str) -> str:
    """What is said about a file, without its name."""
    with pytest.raises(FormatError) as caught:
        list(chunks(file))
    assert str(caught.value).startswith(f"{file}: ")
    return caught.value.reason


@pytest.fixture
def feed(monkeypatch):
    """Give standard input these bytes, through a real pipe, in these portions."""
    threads = []

    def feed(*portions: bytes) -> None:
        reading, writing = os.pipe()

        def write() -> None:
            with os.fdopen(writing, "wb", buffering=0) as pipe:
                for portion in portions:
                    pipe.write(portion)
                    time.sleep(0.02)  # so that the reader sees each on its own

        threads.append(threading.Thread(target=write))
        threads[-1].start()
        stdin = io.TextIOWrapper(os.fdopen(reading, "rb"))
        monkeypatch.setattr(sys, "stdin", stdin)

    yield feed
    for thread in threads:
        thread.join()
    if threads:
        sys.stdin.close()


# Whole files ---------------------------------------------------------------------------------


def test_a_plain_file_comes_as_it_is(put):
    assert list(chunks(put(LINES))) == [LINES]


def test_a_missing_last_newline_is_supplied(put):
    assert list(chunks(put(b"1 0 a 1\n1 0 b 0"))) == [LINES]


@PACKED
@pytest.mark.parametrize("name", ["file.txt", "file.gz", "file"])
def test_a_packed_file_is_known_by_its_content(put, pack, name):
    assert b"".join(chunks(put(pack(MANY), name))) == MANY


@PACKED
def test_streams_packed_one_after_the_other_are_one_file(put, pack):
    assert b"".join(chunks(put(pack(LINES) + pack(LINES)))) == LINES + LINES


@pytest.mark.parametrize("size", [1, 7, 8, 9, 1000, 1 << 20])
def test_pieces_are_whole_lines_whatever_their_size(put, monkeypatch, size):
    monkeypatch.setattr(files, "CHUNK", size)
    pieces = list(chunks(put(MANY)))
    assert b"".join(pieces) == MANY
    assert all(piece.endswith(b"\n") for piece in pieces)
    assert len(pieces) == 1 if size > len(MANY) else len(pieces) > 1


def test_a_file_read_half_is_closed(put):
    file = put(gzip.compress(LINES))
    pieces = chunks(file)
    next(pieces)
    pieces.close()  # an open file would be a warning, and warnings are errors here


# Broken files --------------------------------------------------------------------------------


@PACKED
def test_a_packed_file_that_breaks_off_is_refused(put, pack):
    packed = pack(MANY)
    assert "expected a complete file" in refusal(put(packed[: len(packed) // 2]))


@PACKED
def test_a_packed_file_with_wrong_bytes_is_refused(put, pack):
    packed = bytearray(pack(MANY))
    middle = len(packed) // 2
    packed[middle : middle + 40] = bytes(byte ^ 0x5A for byte in packed[middle : middle + 40])
    assert "expected a complete file" in refusal(put(bytes(packed)))


@PACKED
def test_a_bare_beginning_of_a_packed_file_is_refused(put, pack):
    assert "expected a complete file" in refusal(put(pack(MANY)[:6]))


@pytest.mark.parametrize("data", [b"", gzip.compress(b"", mtime=0), lzma.compress(b"")])
def test_an_empty_file_is_refused(put, data):
    assert refusal(put(data)) == "the file is empty; check how it was made"


def test_a_folder_is_refused(tmp_path):
    assert refusal(str(tmp_path)) == "this is a folder; expected a file"


def test_an_absent_file_is_refused(tmp_path):
    file = str(tmp_path / "absent")
    assert refusal(file) == "cannot be opened (No such file or directory)"


def test_a_name_that_no_file_can_have_is_refused():
    assert "cannot be opened" in refusal("a\0b")


def test_a_line_without_end_is_refused(put, monkeypatch):
    monkeypatch.setattr(files, "CHUNK", 4)
    monkeypatch.setattr(files, "LONGEST_LINE", 10)
    assert refusal(put(b"x" * 15)) == "a line longer than 256 MB; expected lines of text"
    assert list(chunks(put(b"x" * 9 + b"\n"))) == [b"x" * 9 + b"\n"]


# Marks at the beginning ----------------------------------------------------------------------


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_byte_order_mark_is_dropped_and_said(put, pack):
    file = put(pack(b"\xef\xbb\xbf" + LINES))
    with pytest.warns(SpanwiseWarning) as warned:
        assert list(chunks(file)) == [LINES]
    (warning,) = warned
    assert str(warning.message) == f"{file}: a byte order mark at the start was dropped"


def test_only_the_first_mark_of_a_file_is_dropped(put, monkeypatch):
    monkeypatch.setattr(files, "CHUNK", 1)
    with pytest.warns(SpanwiseWarning):
        pieces = list(chunks(put(b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n")))
    assert pieces == [b"a\n", b"\xef\xbb\xbfb\n"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_refused_with_advice(put, encoding):
    said = refusal(put(("\ufeff" + LINES.decode()).encode(encoding)))
    assert said == "the text is UTF-16; expected UTF-8; convert it: iconv -f UTF-16 -t UTF-8"


# Standard input ------------------------------------------------------------------------------


def test_a_dash_is_standard_input(feed):
    feed(LINES)
    assert b"".join(chunks("-")) == LINES


@PACKED
def test_standard_input_may_be_packed(feed, pack):
    feed(pack(MANY))
    assert b"".join(chunks("-")) == MANY


@pytest.mark.parametrize("pack", [bytes, *PACKERS.values()], ids=["plain", *PACKERS])
def test_a_pipe_may_be_slow_to_begin(feed, pack):
    packed = pack(LINES)
    feed(packed[:1], packed[1:2], packed[2:])
    assert b"".join(chunks("-")) == LINES


def test_empty_standard_input_is_refused(feed):
    feed()
    assert refusal("-") == "the file is empty; check how it was made"


def test_standard_input_stays_open(feed):
    feed(LINES)
    list(chunks("-"))
    assert not sys.stdin.buffer.closed


def test_closed_standard_input_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert "cannot be opened" in refusal("-")


def test_a_named_pipe_is_a_file(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(MANY),))
    writer.start()
    assert b"".join(chunks(str(pipe))) == MANY
    writer.join()
