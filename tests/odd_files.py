"""Files of columns as people make them, and a reading of them that is slow and plain."""

import re
from dataclasses import dataclass

from hypothesis import strategies as st

PLAIN_NUMBERS = (b"1", b"0", b"-1", b"+3", b"2.5", b".5", b"1.", b"1e3", b"1E-3", b"-0", b"007")
EXTREME_NUMBERS = (
    *(b"1e400", b"-1e400", b"1e-400", b"5e-324", b"2.2250738585072011e-308"),
    *(b"1.7976931348623157e308", b"1.7976931348623159e308", b"9007199254740993"),
    *(b"0.1000000000000000055511151231257827021181583404541015625", b"1" * 400),
    *(b"inf", b"-INF", b"+Infinity", b"infinity"),
)
NO_NUMBERS = (
    *(b"nan", b"NaN", b"0x1", b"1_0", b"1,5", b"x", b".", b"-", b"e5", b"1e", b"1e+", b"--1"),
    *(b"1.2.3", b"infi", b"1f", b"1d3", b"\xd9\xa1", b"1\xc2\xa0", b"true", b"null", b"+", b"+.e1"),
)
NUMBER = re.compile(r"[+-]?((\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?|inf(inity)?)", re.IGNORECASE)

topics = st.sampled_from([b"1", b"2", b"2", b"01", b"\xc3\xa4"])
odd_topics = st.sampled_from(
    [b"1", b"\xe4", b"#2", b'"1', b"\xef\xbb\xbf1", b"1\x1f", b"'", b"1\0"]
)
words = st.sampled_from([b"d", b"e", b"d#1", b'"d"', b"#d", b"d,e", b"\xc3\xa9", b"\x7f", b"Q0"])
odd_words = st.sampled_from([b"\xff", b"\xef\xbb\xbf", b"d\xc2\xa0e", b"\x01", b"nan", b"", b"\\N"])
numbers = st.one_of(
    st.sampled_from(PLAIN_NUMBERS),
    st.floats(allow_nan=False).map(lambda value: repr(value).encode()),
    st.sampled_from(EXTREME_NUMBERS),
)
odd_numbers = st.sampled_from(NO_NUMBERS)
blanks = st.sampled_from([b" ", b"  ", b"\t", b" \t ", b"\x0b", b"\x0c", b"\r"])
line_ends = st.sampled_from([b"\n", b"\r\n", b" \n", b"\t\r\n"])
no_data = st.sampled_from(
    [b"\n", b" \t\n", b"# a b c d\n", b"#\r\n", b"  # a b c d e f\n", b"\r\n"]
)


@st.composite
def tidy_files(draw, width: int, numeric: tuple[int, ...]) -> list[bytes]:
    """Lines as programs write them: single blanks, the right columns, nothing else."""
    columns = [topics] + [numbers if n in numeric else words for n in range(1, width)]
    rows = draw(st.lists(st.tuples(*columns), min_size=1, max_size=12))
    return [b" ".join(row) + b"\n" for row in rows]


@st.composite
def untidy_files(draw, width: int, numeric: tuple[int, ...]) -> list[bytes]:
    """Tidy lines, some of them spoiled or merely unusual."""
    lines = draw(tidy_files(width, numeric))
    for place in draw(st.lists(st.integers(0, len(lines) - 1), max_size=4)):
        lines[place] = draw(_spoiled(lines[place], numeric))
    for place in draw(st.lists(st.integers(0, len(lines)), max_size=2)):
        lines.insert(place, draw(no_data))
    return lines


@st.composite
def _spoiled(draw, line: bytes, numeric: tuple[int, ...]) -> bytes:
    fields = line.split()
    if not fields:
        return line
    how = draw(st.sampled_from(["blanks", "id", "number", "short", "long", "lead"]))
    if how == "id":
        place = draw(st.integers(0, len(fields) - 1))
        fields[place] = draw(odd_words if place else odd_topics)
    elif how == "number" and len(fields) > numeric[-1]:
        fields[numeric[-1]] = draw(odd_numbers)
    elif how == "short":
        del fields[draw(st.integers(0, len(fields) - 1))]
    elif how == "long":
        fields.append(draw(words))
    if how == "blanks":
        return draw(blanks).join(fields) + draw(line_ends)
    return (draw(blanks) if how == "lead" else b"") + b" ".join(fields) + b"\n"


def files(width: int, numeric: tuple[int, ...]):
    """Files of any kind, as lists of lines."""
    return st.one_of(tidy_files(width, numeric), untidy_files(width, numeric))


@dataclass
class Reading:
    """What a plain reading of a file finds: rows in file order, and the lines that are wrong."""

    rows: list[tuple[int, list[bytes]]]
    wrong: list[int]

    def by_topic(self) -> list[tuple[int, list[bytes]]]:
        """Topics in order of appearance, file order within each."""
        order = list(dict.fromkeys(fields[0] for _, fields in self.rows))
        return sorted(self.rows, key=lambda row: order.index(row[1][0]))


def plainly(data: bytes, layout) -> Reading:
    """Line by line, as the description of the format says it."""
    reading = Reading([], [])
    for number, line in enumerate(data.split(b"\n"), start=1):
        fields = re.split(rb"[ \t\r\v\f]+", line.strip(b" \t\r\v\f"))
        before_mark = line.strip(b" \t\r\v\f") if layout.indented_comments else line
        if fields == [b""] or (layout.comments and before_mark[:1] == b"#"):
            continue
        fits = len(fields) == layout.width or (layout.more_allowed and len(fields) > layout.width)
        if b"\0" in line or not fits or not all(_is_number(fields[n]) for n in layout.numbers):
            reading.wrong.append(number)
        else:
            reading.rows.append((number, fields))
    return reading


def _is_number(field: bytes) -> bool:
    return NUMBER.fullmatch(field.decode("ascii", "replace")) is not None
