"""Categories of Reuters-21578 as judgements: a category is a topic, its stories are relevant.

The five sets of categories are `topics`, `places`, `people`, `orgs` and `exchanges`. The usual
splits are those of Lewis, of Apté and of Hayes, each with a training and a test part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from spanwise.formats.registry import Reading, reader
from spanwise.formats.smart_judged import Pair, collected

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements

SETS = ("topics", "places", "people", "orgs", "exchanges")
STORY = re.compile(rb"<REUTERS\b([^>]*)>(.*?)</REUTERS>", re.DOTALL)
ATTRIBUTE = re.compile(rb'([A-Z]+)="([^"]*)"')
CATEGORY = re.compile(rb"<D>(.*?)</D>", re.DOTALL)


class Story(NamedTuple):
    """What is said of a story beside its text."""

    line: int
    attributes: Mapping[bytes, bytes]
    content: bytes

    def categories(self, name: str) -> list[bytes]:
        """Its categories of one set."""
        tag = name.upper().encode()
        inside = re.search(rb"<%b>(.*?)</%b>" % (tag, tag), self.content, re.DOTALL)
        return CATEGORY.findall(inside[1]) if inside else []


def _says(story: Story, **wanted: str) -> bool:
    return all(
        story.attributes.get(name.upper().encode()) == value.encode()
        for name, value in wanted.items()
    )


SPLITS: dict[str, Callable[[Story], bool]] = {
    "modlewis_train": lambda s: _says(s, lewissplit="TRAIN") and not _says(s, topics="BYPASS"),
    "modlewis_test": lambda s: _says(s, lewissplit="TEST") and not _says(s, topics="BYPASS"),
    "modapte_train": lambda s: _says(s, lewissplit="TRAIN", topics="YES"),
    "modapte_test": lambda s: _says(s, lewissplit="TEST", topics="YES"),
    "modhayes_train": lambda s: _says(s, cgisplit="TRAINING-SET"),
    "modhayes_test": lambda s: _says(s, cgisplit="PUBLISHED-TESTSET"),
}
"""Which stories are in the parts of the usual splits."""


def stories(data: bytes) -> Iterator[Story]:
    """The stories of a file."""
    line, seen = 1, 0
    for found in STORY.finditer(data):
        line, seen = line + data.count(b"\n", seen, found.start()), found.start()
        yield Story(line, dict(ATTRIBUTE.findall(found[1])), found[2])


def looks_like_reuters(head: bytes) -> bool:
    """Stories, after a line that names the grammar."""
    return re.match(rb"\s*(?:<!DOCTYPE lewis[^>]*>\s*)?<REUTERS\s", head) is not None


def _enter(name: str, categories: str, chosen: Callable[[Story], bool], about: str) -> None:
    """A format of one set of categories, of all stories or of a part of them."""

    def parse(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
        pairs = (
            Pair(story.line, category, story.attributes.get(b"NEWID", b""), 1.0)
            for story in stories(b"".join(pieces))
            if chosen(story)
            for category in story.categories(categories)
        )
        return collected(pairs, file, how, maybe_none=True)  # parts of a split lie in some files

    parse.__doc__ = about
    known = looks_like_reuters if name == "reuters_topics" else lambda _: False
    reader(name, holds="judgements", recognise=known)(parse)


for _set in SETS:
    _enter(
        f"reuters_{_set}",
        _set,
        lambda _: True,
        f"Categories of Reuters-21578, the set `{_set.upper()}`: each one is a topic.\n\n"
        "The stories that have it are relevant; they are known by their `NEWID`.",
    )
for _part in SPLITS:
    _split, _, _half = _part.partition("_")
    _enter(
        f"reuters_{_part}",
        "topics",
        SPLITS[_part],
        f"As `reuters_topics`, of the {'training' if _half == 'train' else 'test'} stories of the"
        f" split {_split} alone.",
    )
