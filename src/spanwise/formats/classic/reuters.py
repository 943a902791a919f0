"""Categories of Reuters-21578 as judgements: a category is a topic, and its stories are relevant.

The five sets of categories are `topics`, `places`, `people`, `orgs` and `exchanges`. The usual
splits are those of Lewis, of Apté and of Hayes, each with a training and a test part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from spanwise.formats.classic.judgements import Pair, judgements_of_pairs
from spanwise.formats.registry import Reading, reader

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements

SETS = ("topics", "places", "people", "orgs", "exchanges")
STORY = re.compile(rb"<REUTERS\b([^>]*)>(.*?)</REUTERS>", re.DOTALL)
ATTRIBUTE = re.compile(rb'([A-Z]+)="([^"]*)"')
CATEGORY = re.compile(rb"<D>(.*?)</D>", re.DOTALL)


class Story(NamedTuple):
    """A story with its attributes and its content."""

    line: int
    attributes: Mapping[bytes, bytes]
    content: bytes

    def categories(self, name: str) -> list[bytes]:
        """Return the categories of the story in one set."""
        tag = name.upper().encode()
        inside = re.search(rb"<%b>(.*?)</%b>" % (tag, tag), self.content, re.DOTALL)
        return CATEGORY.findall(inside[1]) if inside else []


def _has(story: Story, **wanted: str) -> bool:
    return all(
        story.attributes.get(name.upper().encode()) == value.encode()
        for name, value in wanted.items()
    )


SPLITS: dict[str, Callable[[Story], bool]] = {
    "modlewis_train": lambda s: _has(s, lewissplit="TRAIN") and not _has(s, topics="BYPASS"),
    "modlewis_test": lambda s: _has(s, lewissplit="TEST") and not _has(s, topics="BYPASS"),
    "modapte_train": lambda s: _has(s, lewissplit="TRAIN", topics="YES"),
    "modapte_test": lambda s: _has(s, lewissplit="TEST", topics="YES"),
    "modhayes_train": lambda s: _has(s, cgisplit="TRAINING-SET"),
    "modhayes_test": lambda s: _has(s, cgisplit="PUBLISHED-TESTSET"),
}
"""Conditions on stories for the parts of the usual splits."""


def stories(data: bytes) -> Iterator[Story]:
    """Yield the stories in a file."""
    line, seen = 1, 0
    for found in STORY.finditer(data):
        line, seen = line + data.count(b"\n", seen, found.start()), found.start()
        yield Story(line, dict(ATTRIBUTE.findall(found[1])), found[2])


def looks_like_reuters(head: bytes) -> bool:
    """Return whether there are stories, possibly after a document type declaration."""
    return re.match(rb"\s*(?:<!DOCTYPE lewis[^>]*>\s*)?<REUTERS\s", head) is not None


def _enter(name: str, categories: str, chosen: Callable[[Story], bool], about: str) -> None:
    """Register a format for one set of categories, of all stories or of some of them."""

    def parse(pieces: Iterator[bytes], file: str, options: Reading) -> Judgements:
        pairs = (
            Pair(story.line, category, story.attributes.get(b"NEWID", b""), 1.0)
            for story in stories(b"".join(pieces))
            if chosen(story)
            for category in story.categories(categories)
        )
        # A file may have no story of a split.
        return judgements_of_pairs(pairs, file, options, maybe_none=True)

    parse.__doc__ = about
    known = looks_like_reuters if name == "reuters_topics" else lambda _: False
    reader(name, holds="judgements", recognise=known)(parse)


for _set in SETS:
    _enter(
        f"reuters_{_set}",
        _set,
        lambda _: True,
        f"Reuters-21578 categories of the set `{_set.upper()}`: each category is a topic.\n\n"
        "The stories in a category are relevant; the id of a story is its `NEWID`.",
    )
for _part in SPLITS:
    _split, _, _half = _part.partition("_")
    _enter(
        f"reuters_{_part}",
        "topics",
        SPLITS[_part],
        f"Reuters-21578 as `reuters_topics`, for the {'training' if _half == 'train' else 'test'}"
        f" stories of the split {_split} only.",
    )
