"""Looking for a document that no system returned: by letters of its name, then of its title."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spanwise.model.documents import Collection

FOUND = 20
"""So many documents are shown."""
PATIENCE = 1.0
"""Seconds in which titles are read; a collection may be too large to read them all."""
TITLES = frozenset({"title", "ti", "atl", "article-title", "name", "head", "headline", "h1"})
LONGEST = 200
"""Characters of a title that are shown."""


def found(collection: Collection, sample: str, wanted: str) -> dict[str, Any]:
    """Id and title of some documents, how many titles were read, and how many documents there are.

    Ids are spelled as the sample is, which is one of the pool.
    """
    letters = wanted.casefold()
    names = list(ids_like(collection, sample))
    chosen = [name for name in names if letters in name.casefold()][:FOUND]
    some = [[name, title_of(collection, name)] for name in chosen]
    read, end = 0, time.monotonic() + PATIENCE
    for name in names:
        if len(some) >= FOUND or time.monotonic() > end:
            break
        read += 1
        title = title_of(collection, name)
        if letters in title.casefold() and letters not in name.casefold():
            some.append([name, title])
    return {"found": some, "read": read, "documents": len(names), "more": len(some) >= FOUND}


def title_of(collection: Collection, name: str) -> str:
    """The text of the first element of a document that is named as titles are; empty if none."""
    tree = collection.tree(name)
    codes = {code for code, tag in enumerate(tree.tags) if tag.lower() in TITLES}
    row = next((row for row, tag in enumerate(tree.tag.tolist()) if tag in codes), None)
    if row is None:
        return ""
    start, length = int(tree.start[row]), int(tree.length[row])
    return " ".join(collection.text(name, start, min(length, LONGEST)).split())


def ids_like(collection: Collection, sample: str) -> Iterator[str]:
    """All documents of a collection, named in the way in which a pool names its own."""
    like = PurePosixPath(sample)
    for one in collection.documents():
        if one.stated:
            yield one.name
            continue
        name = PurePosixPath(one.name)
        name = name if len(like.parts) > 1 else PurePosixPath(name.name)
        yield str(name if like.suffix == name.suffix else name.with_suffix(""))
