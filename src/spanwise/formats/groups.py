"""Groups of topics: a topic and its group on a line, or a table with a column for each grouping."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import PurePath

from spanwise.errors import EmptyError, FormatError
from spanwise.formats.io.files import chunks

PLAIN = "group"
"""Name of the grouping of a file without a header."""
TOPIC = {
    "topic",
    "topic_id",
    "topicid",
    "query",
    "query_id",
    "qid",
    "question",
    "question_id",
    "id",
}
"""How the first column of a table is usually called."""
LINES = "`topic group` on each line, or a table with a header"


def read_groups(file: str) -> dict[str, dict[str, str]]:
    """Read groups of topics: the group of each topic, for each grouping.

    A file that ends in .csv, or whose first line has a comma, is a table with a header. So is one
    with tabs, if its first line has more than two columns or is called as a topic column usually
    is. Every column but the first is a grouping. Other files have a topic and its group on each
    line. An empty cell is no group.
    """
    text = b"".join(chunks(file)).decode("utf-8", "surrogateescape")
    lines = [(n, line) for n, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if not lines:
        raise EmptyError(file, None, "found nothing", LINES)
    if lines[0][1].lstrip().startswith(("{", "[", "<")):
        found = f"found {lines[0][1].strip()[:30]!r}"
        advice = "for a field of topics, name the field, and the file with --topics"
        raise FormatError(file, lines[0][0], found, LINES, advice)
    mark = _separator(file, lines[0][1])
    if mark is None:
        return {PLAIN: dict(_plain(file, lines))}
    header, *rows = [(n, next(csv.reader([line], delimiter=mark))) for n, line in lines]
    names = [name.strip() for name in header[1][1:]]
    if not names or not all(names) or len(set(names)) < len(names):
        raise FormatError(
            file, header[0], f"found the columns {header[1]}", "a topic column and named groupings"
        )
    groups: dict[str, dict[str, str]] = {name: {} for name in names}
    seen: dict[str, int] = {}
    for number, cells in rows:
        if len(cells) != len(names) + 1:
            expected = f"{len(names) + 1}, as in the header"
            raise FormatError(file, number, f"found {len(cells)} columns", expected)
        topic = _once(file, number, cells[0].strip(), seen)
        for name, cell in zip(names, cells[1:], strict=True):
            if cell.strip():
                groups[name][topic] = cell.strip()
    return groups


def _separator(file: str, first: str) -> str | None:
    """Return what separates the columns of a table; None if the file is none."""
    ending = PurePath(file.removesuffix(".gz")).suffix.lower()
    if "\t" in first:
        cells = first.split("\t")
        return "\t" if len(cells) > 2 or cells[0].strip().lower() in TOPIC else None
    return "," if ending == ".csv" or ("," in first and " " not in first.strip()) else None


def _plain(file: str, lines: list[tuple[int, str]]) -> Iterator[tuple[str, str]]:
    seen: dict[str, int] = {}
    for number, line in lines:
        parts = line.split(maxsplit=1)
        if len(parts) != 2:
            raise FormatError(file, number, f"found {line.strip()!r}", LINES)
        yield _once(file, number, parts[0], seen), parts[1].strip()


def _once(file: str, number: int, topic: str, seen: dict[str, int]) -> str:
    if topic in seen:
        found = f"topic {topic!r} a second time, first on line {seen[topic]}"
        raise FormatError(file, number, found, "one line for each topic")
    seen[topic] = number
    return topic
