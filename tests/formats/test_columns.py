"""Four readers of columns, held together: whichever reads, the same rows or the same complaint."""

import sys
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odd_files import files, plainly, tidy_files
from spanwise.errors import EmptyError, FormatError
from spanwise.formats.io.columns import (
    Layout,
    by_fields,
    by_line,
    by_polars,
    by_tokens,
    line_count,
    read,
    regular_width,
    shown,
    single_blanks,
)
from spanwise.formats.trec.columns import (
    ASSESSED,
    QRELS,
    RUN,
    SUBGROUPED,
)
from spanwise.model.columns import PackedIds, PlainIds, PolarsIds

QUICK = pytest.mark.parametrize("quick", [by_fields, by_tokens, by_polars])
RANKED_RUN = replace(RUN, numbers=(3, 4))
LAYOUTS = {
    "run": RUN,
    "run with ranks": RANKED_RUN,
    "run without comments": replace(RUN, comments=False),
    "qrels": QRELS,
    "qrels without comments": replace(QRELS, comments=False),
    "assessors": ASSESSED,
    "preferences": SUBGROUPED,
}
EVERY_LAYOUT = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
plain_numbers = st.from_regex(rb"-?([0-9]{1,8}(\.[0-9]{0,7})?|\.[0-9]{1,7})", fullmatch=True)
TIDY = b"1 Q0 b 1 3 me\n1 Q0 a 2 2.5 me\n2 Q0 b 1 1e1 me\n"


@contextmanager
def without_polars():
    """As in a short command, which has not imported the table library."""
    hidden = sys.modules.pop("polars")
    try:
        yield
    finally:
        sys.modules["polars"] = hidden


def cut(lines: list[bytes], places: list[int]) -> list[bytes]:
    """The file in pieces of whole lines."""
    bounds = sorted({0, len(lines), *(place % len(lines) for place in places)})
    return [b"".join(lines[a:b]) for a, b in pairwise(bounds)]


def regular(piece: bytes) -> tuple[bytes, int] | None:
    """The piece as quick readers are shown it, if it is regular."""
    for tried in (piece, single_blanks(piece)):
        width = regular_width(tried) if tried is not None else None
        if tried is not None and width is not None:
            return tried, width
    return None


def content(table) -> tuple:
    """Everything a table says, for comparison."""
    every = np.arange(len(table))
    lines = np.arange(1, len(table) + 1) if table.lines is None else table.lines
    return (
        list(zip(table.topics, table.lengths, strict=True)),
        {column: ids.take(every) for column, ids in table.texts.items()},
        {column: values.tolist() for column, values in table.numbers.items()},
        lines.tolist(),
    )


def rows_of(rows, texts, numbers) -> list[tuple]:
    """Line, topic, texts and numbers of every row."""
    counts = np.diff(rows.starts).tolist()
    topics = [t for t, n in zip(rows.topics, counts, strict=True) for _ in range(n)]
    lines = [rows.line(row) for row in range(len(rows))]
    ids = [ids.take(np.arange(len(rows))) for ids in texts.values()]
    return list(
        zip(lines, topics, *ids, *(column.tolist() for column in numbers.values()), strict=True)
    )


def expected_rows(reading, layout: Layout) -> list[tuple]:
    return [
        (line, f[0], *(f[n] for n in layout.texts), *(float(f[n]) for n in layout.numbers))
        for line, f in reading.by_topic()
    ]


# The quick readers and the law --------------------------------------------------------------


@QUICK
@EVERY_LAYOUT
@given(data=st.data())
def test_a_quick_reader_gives_up_or_says_what_the_law_says(quick, layout, data):
    piece = b"".join(data.draw(files(layout.width, layout.numbers)))
    shown_to_it = regular(piece)
    if shown_to_it is None:
        return
    tidied, width = shown_to_it
    if width < layout.width or (width > layout.width and not layout.more_allowed):
        return
    wrong: list[FormatError] = []
    law = by_line(piece, "f", 0, layout, wrong.append)
    table = quick(tidied, width, layout)
    if table is not None:
        assert not wrong
        assert content(table) == content(law)


@QUICK
@EVERY_LAYOUT
@given(data=st.data())
def test_a_quick_reader_takes_what_programs_write(quick, layout, data):
    lines = data.draw(tidy_files(layout.width, ()))  # numbers come below: not every one is plain
    fields = [line.split() for line in lines]
    for line, row in enumerate(fields):
        for column in layout.numbers:
            row[column] = b"%d.5" % line
    piece = b"".join(b" ".join(row) + b"\n" for row in fields)
    assert quick(piece, layout.width, layout) is not None


@EVERY_LAYOUT
@given(data=st.data())
def test_the_law_reads_as_the_description_says(layout, data):
    piece = b"".join(data.draw(files(layout.width, layout.numbers)))
    wrong: list[FormatError] = []
    table = by_line(piece, "f", 0, layout, wrong.append)
    plain = plainly(piece, layout)
    assert [error.line for error in wrong] == plain.wrong
    assert content(table)[3] == [line for line, _ in plain.rows]
    assert sum(table.lengths) == len(plain.rows)


@QUICK
@pytest.mark.parametrize("score", ["1e400", ".5", "+3", "1.", "-0", "9007199254740993", "5e-324"])
def test_an_odd_number_is_the_same_number_to_every_reader(quick, score):
    piece = f"1 Q0 a 1 {score} me\n".encode()
    table = quick(piece, 6, RUN)
    assert table is None or table.numbers[4].tolist() == [float(score)]


@QUICK
@pytest.mark.parametrize("score", ["nan", "0x1", "1_0", "1,5", "high", "1e", "."])
def test_what_is_no_number_is_left_to_the_law(quick, score):
    assert quick(f"1 Q0 a 1 {score} me\n".encode(), 6, RUN) is None


# Whole files ---------------------------------------------------------------------------------


@EVERY_LAYOUT
@given(data=st.data(), small=st.booleans())
def test_rows_do_not_depend_on_the_reader_or_on_the_pieces(layout, data, small):
    lines = data.draw(files(layout.width, layout.numbers))
    plain = plainly(b"".join(lines), layout)
    pieces = cut(lines, data.draw(st.lists(st.integers(0, 30), max_size=3)))
    if plain.wrong:
        with pytest.raises(FormatError) as caught:
            read_with(small, pieces, layout)
        assert caught.value.line == plain.wrong[0]
    elif not plain.rows:
        with pytest.raises(EmptyError):
            read_with(small, pieces, layout)
    else:
        assert rows_of(*read_with(small, pieces, layout)) == expected_rows(plain, layout)


def read_with(small: bool, pieces: list[bytes], layout: Layout, report=None):
    if not small:
        return read(iter(pieces), "f", layout, report)
    with without_polars():
        return read(iter(pieces), "f", layout, report)


@given(data=st.data(), small=st.booleans())
def test_a_report_hears_of_every_wrong_line_and_the_rest_is_read(data, small):
    lines = data.draw(files(6, (4,)))
    plain = plainly(b"".join(lines), RUN)
    pieces = cut(lines, data.draw(st.lists(st.integers(0, 30), max_size=3)))
    wrong: list[FormatError] = []
    if not plain.rows:
        with pytest.raises(EmptyError):
            read_with(small, pieces, RUN, wrong.append)
    else:
        assert rows_of(*read_with(small, pieces, RUN, wrong.append)) == expected_rows(plain, RUN)
    assert sorted(error.line for error in wrong) == plain.wrong  # pieces are read side by side


def test_one_piece_is_read_without_the_table_library_and_several_with_it():
    with without_polars():
        _, texts, _ = read(iter([TIDY]), "f", RUN)
        assert isinstance(texts[2], PlainIds)
        assert "polars" not in sys.modules
        _, texts, _ = read(iter([TIDY, TIDY]), "f", RUN)
        assert isinstance(texts[2], PolarsIds)


def test_plain_numbers_and_short_ids_need_no_table_library():
    plain = TIDY.replace(b"1e1", b"-10.25")
    with without_polars():
        for pieces in ([plain], [plain, plain]):
            _, texts, numbers = read(iter(pieces), "f", RUN)
            assert isinstance(texts[2], PackedIds)
            assert set(numbers[4].tolist()) == {3, 2.5, -10.25}
        assert "polars" not in sys.modules


@given(numbers=st.lists(plain_numbers, min_size=1, max_size=8))
def test_digits_are_added_up_to_what_python_reads(numbers):
    piece = b"".join(b"1 Q0 d%d 1 %s me\n" % (n, text) for n, text in enumerate(numbers))
    table = by_fields(piece, 6, RUN)
    assert table is not None
    expected = [float(text) for text in numbers]
    assert table.numbers[4].tolist() == expected
    assert np.signbit(table.numbers[4]).tolist() == [text.startswith(b"-") for text in numbers]


@pytest.mark.parametrize(
    "odd", ["+1", "1e2", "inf", ".", "-", "-.", "1.2.3", "1-2", "--1", "1,5", "123456789", "0x1"]
)
def test_anything_but_a_short_plain_number_is_doubted(odd):
    for beside in ("1", "1.5", "1.25"):
        piece = f"1 Q0 a 1 {beside} me\n1 Q0 b 2 {odd} me\n"
        assert by_fields(piece.encode(), 6, RUN) is None
        assert by_fields(b"".join(piece.encode().splitlines(True)[::-1]), 6, RUN) is None


def test_of_wrong_lines_in_several_pieces_the_first_is_named():
    pieces = [TIDY, b"1 Q0 x 1 high me\n" + TIDY * 200, b"1 Q0 y\n", b"1\n"]
    for _ in range(5):
        with pytest.raises(FormatError) as caught:
            read(iter(pieces), "f", RUN)
        assert caught.value.line == 4


def test_a_topic_that_comes_again_is_gathered_and_keeps_its_lines():
    pieces = [b"2 Q0 a 1 9 me\n1 Q0 a 1 8 me\n", b"# pause\n2 Q0 b 2 7 me\n"]
    rows, texts, numbers = read(iter(pieces), "f", RUN)
    assert rows.topics == (b"2", b"1")
    assert rows_of(rows, texts, numbers) == [
        (1, b"2", b"a", 9.0),
        (4, b"2", b"b", 7.0),
        (2, b"1", b"a", 8.0),
    ]


def test_rows_in_file_order_need_no_line_numbers():
    rows, _, _ = read(iter([TIDY]), "f", RUN)
    assert rows.lines is None
    assert [rows.line(row) for row in range(3)] == [1, 2, 3]


def test_ids_that_are_not_text_survive_unchanged():
    _, texts, _ = read(iter([b"1 Q0 \xff\xfe 1 1 me\n", TIDY]), "f", RUN)
    assert texts[2].take(np.array([0, 1])) == [b"\xff\xfe", b"b"]


def test_a_byte_order_mark_later_in_the_file_belongs_to_the_id():
    for small in (True, False):
        rows, _, _ = read_with(small, [b"\xef\xbb\xbf1 Q0 a 1 1 me\n"], RUN)
        assert rows.topics == (b"\xef\xbb\xbf1",)


# What is regular -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("piece", "width"),
    [
        (b"a b\nc d\n", 2),
        (b"a b\nc\n", None),  # 3 columns on 2 lines
        (b" a b\n", None),
        (b"a  b\n", None),
        (b"a\tb\n", None),
        (b"a b \n", None),
        (b"a b\n\nc d\n", None),
        (b"a b c\nd\n", 2),  # a total, not a proof
    ],
)
def test_regular_is_single_blanks_and_a_whole_number_of_columns(piece, width):
    assert regular_width(piece) == width


@QUICK
def test_a_long_line_does_not_make_up_for_a_short_one(quick):
    piece = b"1 Q0 a 1 1 me too\n1 Q0 b 2 .5\n1 Q0 c 3 .2 me\n"
    assert regular_width(piece) == 6
    assert quick(piece, 6, RUN) is None


def test_polars_doubts_a_line_that_is_short():
    assert by_polars(b"1 Q0 a 1 1 me\n1 Q0 b 2 .5\n", 6, RUN) is None


@pytest.mark.parametrize(
    ("piece", "tidied"),
    [
        (b"a\t b\r\n", b"a b\n"),
        (b"  a b\x0b\x0cc \n", b"a b c\n"),
        (b"a b\n \nc d\n", None),  # a blank line: line numbers would shift
        (b"\na b\n", None),
        (b"a\0b c\n", None),
        (b"a\x1fb c\n", None),  # not a blank, so part of an id
    ],
)
def test_blanks_are_made_single_where_nothing_is_lost(piece, tidied):
    assert single_blanks(piece) == tidied


def test_lines_are_counted():
    assert line_count(b"a\n\nb\n") == 3


# What is said -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"1 Q0 a", "3 columns: '1 Q0 a'; expected 6 columns: topic Q0 document rank score tag"),
        (b"1", "1 column: '1'; expected 6 columns: topic Q0 document rank score tag"),
        (b"1 Q0 a 1 x me", "the score is 'x'; expected a number"),
        (b"1 Q0 a 1 2,5 me", "the score is '2,5'; expected a number; use a point, not a comma"),
    ],
)
def test_an_error_says_where_what_and_what_was_due(line, said):
    with pytest.raises(FormatError) as caught:
        read(iter([TIDY + line + b"\n"]), "mine.txt", RUN)
    assert str(caught.value) == f"mine.txt:4: {said}"


@pytest.mark.parametrize(
    ("layout", "line", "advice"),
    [
        (RUN, b"1 0 a 1", "this looks like judgements; are run and judgements swapped?"),
        (RUN, b"1 Q0 a 1 2.5", "add the missing column, probably the run tag at the end"),
        (QRELS, b"1 Q0 a 1 2.5 me", "this looks like a run; are run and judgements swapped?"),
        (RUN, b"1 Q0 a\0 1 2.5 me", "the file may be UTF-16 or not text at all"),
    ],
)
def test_an_error_guesses_the_reason(layout, line, advice):
    with pytest.raises(FormatError) as caught:
        read(iter([line + b"\n"]), "f", layout)
    assert caught.value.advice == advice


def test_what_stood_there_is_quoted_escaped_and_cut():
    assert shown(b"a\x1b[1m\xff") == r"'a\x1b[1m\\xff'"
    assert shown(b"x" * 81) == repr("x" * 80) + "..."


def test_a_file_of_comments_is_empty():
    with pytest.raises(EmptyError) as caught:
        read(iter([b"# nothing\n\n"]), "f", QRELS)
    assert str(caught.value) == (
        "f: no data, only blank or comment lines;"
        " expected 4 columns: topic iteration document grade"
    )


def test_polars_is_what_hides_in_these_tests():
    assert sys.modules["polars"] is pl
