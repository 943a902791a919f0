"""Search for documents by id or title, and for regular expressions in a document.

An assessor can add documents to the pool that no system returned. Regular expressions run in a
separate process that is ended if one takes too long: the security policy of the page allows no
worker there, and an expression that never ends would block the page.
"""

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
"""Maximum number of documents that are shown."""
PATIENCE = 1.0
"""Time limit in seconds for reading titles, since a collection may be large."""
TITLES = frozenset({"title", "ti", "atl", "article-title", "name", "head", "headline", "h1"})
LONGEST = 200
"""Maximum number of characters of a title."""


def found(collection: Collection, sample: str, wanted: str) -> dict[str, Any]:
    """Return documents whose id or title contains the wanted letters.

    The answer also has the number of titles that were read and the number of documents. Ids have
    the form of the sample, which is an id of the pool.
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
    """Return the text of a document's first title element; empty if there is none."""
    tree = collection.tree(name)
    codes = {code for code, tag in enumerate(tree.tags) if tag.lower() in TITLES}
    row = next((row for row, tag in enumerate(tree.tag.tolist()) if tag in codes), None)
    if row is None:
        return ""
    start, length = int(tree.start[row]), int(tree.length[row])
    return " ".join(collection.text(name, start, min(length, LONGEST)).split())


def ids_like(collection: Collection, sample: str) -> Iterator[str]:
    """Yield all document ids of a collection in the form that the pool uses."""
    like = PurePosixPath(sample)
    for one in collection.documents():
        if one.stated:
            yield one.name
            continue
        name = PurePosixPath(one.name)
        name = name if len(like.parts) > 1 else PurePosixPath(name.name)
        yield str(name if like.suffix == name.suffix else name.with_suffix(""))


# Regular expressions ------------------------------------------------------------------------------

LONGEST_PATTERN = 500
"""Maximum number of characters of an expression."""
MOST = 5000
"""Maximum number of matches."""
SECONDS = 0.2
"""Limit of processor time for an expression, in seconds."""
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
    """Return the matches of an expression in the blocks of a document.

    The answer also states whether there are more matches than are returned.
    """
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
