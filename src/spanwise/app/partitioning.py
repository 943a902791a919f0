"""What `spanwise convert --partition` does: a run or judgements as a folder of files by topic."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from spanwise.app.converting import KINDS, PARQUET, prepared
from spanwise.app.output import say, write_folder_atomically
from spanwise.app.terminal import watched
from spanwise.errors import FormatError, UsageError
from spanwise.formats import FORMATS, Format, Reading
from spanwise.formats.allowance import fits
from spanwise.formats.dataset import MARK, Dataset
from spanwise.formats.opening import is_remote
from spanwise.formats.partition import part_of, partitioned, read_part
from spanwise.formats.pieces import format_of
from spanwise.model.judgements import Judgements, of_topics
from spanwise.model.run import Run
from spanwise.model.run import of_topics as run_of_topics
from spanwise.shards import Workshop

Parts = Iterator[tuple[int, Run | Judgements]]


def dataset_made(
    source: str,
    target: str,
    to: str | None,
    source_format: str | None,
    collection: str | None,
    parts: int,
) -> None:
    """Write a dataset, the whole of it or nothing."""
    if is_remote(target):
        raise UsageError(f"{target}: a dataset is written to a folder here; copy it there")
    if to is not None and to not in PARQUET.values():
        raise UsageError(f"--partition writes {' or '.join(PARQUET.values())}, not {to}")
    with Workshop(lambda some, count: watched(some, count, "sorting")) as shop:
        if collection is None and _too_large(source, source_format):
            name, entry, contents = _in_parts(source, source_format, parts, shop)
        else:
            content, entry = prepared(source, "x.parquet", to, source_format, collection)
            name, contents = getattr(content, "name", ""), _by_topic(content, parts)
        write_folder_atomically(Path(target), _files(contents, entry, name, parts))


def _files(contents: Parts, entry: Format, name: str, parts: int) -> Iterator[tuple[str, Any]]:
    """Names and bytes, and last what says what they are."""
    assert entry.write is not None
    files: dict[str, str] = {}
    for number, content in contents:
        files[str(number)] = f"part-{number:05}.parquet"
        yield files[str(number)], entry.write(content)
    dataset = Dataset(entry.holds, entry.name, name, parts, files)
    yield MARK, [dataset.mark()]


def _by_topic(content: Run | Judgements, parts: int) -> Parts:
    """Content that memory holds."""
    owned: dict[int, list[bytes]] = {}
    for topic in content.rows.topics:
        owned.setdefault(part_of(topic, parts), []).append(topic)
    for number in sorted(owned):
        if isinstance(content, Run):
            yield number, run_of_topics(content, owned[number])
        else:
            yield number, of_topics(content, owned[number])


def _too_large(source: str, name: str | None) -> bool:
    path = Path(source)
    return path.is_file() and not fits(source) and format_of(source, name, KINDS).lines is not None


def _in_parts(
    source: str, name: str | None, parts: int, shop: Workshop
) -> tuple[str, Format, Parts]:
    """A file that memory does not hold: the name of the run, the format to write, the parts."""
    entry = format_of(source, name, KINDS)
    common, there, last = partitioned(source, entry, parts, shop.folder() / "parts", shop.watch)
    if entry.holds not in PARQUET:
        raise UsageError(f"{source} holds {entry.holds}; --partition is for runs and judgements")
    how = Reading(ranks=True)

    def read(number: int) -> Run | Judgements:
        content: Run | Judgements = read_part(source, replace(common, paths=(there[number],)), how)
        return content

    try:
        latest = read(last)
    except FormatError as error:
        how = Reading()  # the same error, unless ranks were to blame
        latest = read(last)
        say("warning", f"{error}; ranks are not kept")
    called = latest.name if isinstance(latest, Run) else ""
    return called, FORMATS[PARQUET[entry.holds]], _one_by_one(read, sorted(there), called)


def _one_by_one(read: Callable[[int], Run | Judgements], numbers: list[int], name: str) -> Parts:
    for number in numbers:
        content = read(number)
        yield number, replace(content, name=name) if isinstance(content, Run) else content
