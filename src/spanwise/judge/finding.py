"""Looking for a document that no system returned: by letters of its name, then of its title."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from spanwise.errors import InputError

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


# Regular expressions of a judge, in a process that is ended if one takes too long. ----------------
#
# A page that trusts no address of a script has no worker that it could end, and an expression that
# never ends would hold up the page: so the server asks a process of its own.

LONGEST_PATTERN = 500
"""Characters of an expression."""
MOST = 5000
"""So many places are shown."""
SECONDS = 0.2
"""What an expression may cost, in time of the processor."""
_PATIENCE = 20.0
_CHILD = """
import json, re, signal, sys
pattern, blocks, most, seconds = json.load(sys.stdin.buffer)
signal.setitimer(signal.ITIMER_PROF, seconds)
found = []
try:
    wanted = re.compile(pattern, re.IGNORECASE)
except (re.error, OverflowError, RecursionError) as error:
    json.dump({"error": str(error)}, sys.stdout)
    sys.exit()
for start, text in blocks:
    for one in wanted.finditer(text):
        if one.end() > one.start() and len(found) <= most:
            found.append([start + one.start(), start + one.end()])
json.dump({"spans": found[:most], "more": len(found) > most}, sys.stdout)
"""
_one_at_a_time = threading.Lock()


def matches(pattern: object, blocks: Iterable[tuple[int, int, str]]) -> dict[str, Any]:
    """Where an expression occurs in the blocks of a document, and whether there is more."""
    if not isinstance(pattern, str) or not 0 < len(pattern) <= LONGEST_PATTERN:
        raise InputError(f"expected an expression of at most {LONGEST_PATTERN} characters")
    asked = [pattern, [(start, text) for _, start, text in blocks], MOST, SECONDS]
    with _one_at_a_time:
        child = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _CHILD],
            input=json.dumps(asked).encode(),
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    if child.returncode == -signal.SIGPROF:
        raise InputError(f"takes longer than {SECONDS * 1000:.0f} ms; make it simpler")
    answer: dict[str, Any] = json.loads(child.stdout) if child.returncode == 0 else {}
    if "spans" not in answer:
        raise InputError(f"no regular expression: {answer.get('error', 'it cannot be read')}")
    return answer
