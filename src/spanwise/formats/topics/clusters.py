"""Clusters of topics: a file of lines `topic cluster`."""

from __future__ import annotations

from os import PathLike, fspath

from spanwise.errors import FormatError
from spanwise.formats.io.files import chunks
from spanwise.model.columns import text


def read_clusters(file: str | PathLike[str]) -> dict[str, str]:
    """Return the cluster of each topic of a file.

    A line has a topic and its cluster, separated by a tab or by blanks. Empty lines and lines that
    begin with # are skipped.
    """
    file = fspath(file)
    found: dict[str, str] = {}
    lines = (line for piece in chunks(file) for line in piece.splitlines())
    for number, raw in enumerate(lines, 1):
        line = text(raw).strip()
        if not line or line.startswith("#"):
            continue
        fields = [one.strip() for one in line.split("\t")] if "\t" in line else line.split()
        if len(fields) != 2 or not all(fields):
            raise FormatError(
                file, number, f"found {line[:60]!r}", "a topic and its cluster", "write: q1 c1"
            )
        topic, cluster = fields
        if found.setdefault(topic, cluster) != cluster:
            raise FormatError(
                file,
                number,
                f"found topic {topic!r} in the clusters {found[topic]!r} and {cluster!r}",
                "one cluster for each topic",
                "remove a line",
            )
    if not found:
        raise FormatError(file, None, "found no line", "lines of a topic and its cluster")
    return found
