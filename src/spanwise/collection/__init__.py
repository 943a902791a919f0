"""Collections of documents and their elements: building, storing, finding spans."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spanwise.collection.store import Store
    from spanwise.model.documents import CharacterPolicy, Collection

__all__ = ["open_collection", "opened"]


def opened(
    collection: Collection | Mapping[Any, str] | str | os.PathLike[str] | None,
    judgements: object = None,
) -> Collection | None:
    """Open a collection from a path to a store, folder or JSON lines, or from texts by id.

    An open collection is returned as is. Blank text nodes of a folder are counted if the
    assessments state that they were counted.
    """
    if isinstance(collection, Mapping):
        from spanwise.collection.in_memory import TextCollection

        return TextCollection(collection)
    if not isinstance(collection, (str, os.PathLike)):
        return collection
    from pathlib import Path

    from spanwise.collection.building import is_store
    from spanwise.collection.in_memory import corpus_file, read_corpus
    from spanwise.model.documents import CharacterPolicy
    from spanwise.model.judgements import Judgements

    file = corpus_file(Path(collection))
    if file is not None:
        return read_corpus(file)
    assessed = judgements.elements if isinstance(judgements, Judgements) else None
    stated = {pool.whitespace for pool in assessed.pools} if assessed is not None else set()
    if stated == {"strip"} and not is_store(Path(collection)):
        return open_collection(collection, CharacterPolicy(blank_nodes="strip"))
    return open_collection(collection)


def open_collection(path: str | os.PathLike[str], policy: CharacterPolicy | None = None) -> Store:
    """Open a store, or a folder or archive of documents, which is read at once.

    What was read from a folder is kept on disk until the collection is no longer in use, so that it
    may be larger than memory; to open documents more than once, build a store first. `policy` says
    what counts as a character of a folder's documents; a store has a policy of its own.

    >>> from importlib.resources import files
    >>> handbook = open_collection(files("spanwise") / "data" / "handbook" / "articles")
    >>> handbook.length("ties")
    1797
    """
    import shutil
    import tempfile
    import weakref
    from pathlib import Path

    from spanwise.collection.building import Plan, build, is_store
    from spanwise.collection.store import Store
    from spanwise.errors import UsageError
    from spanwise.model.documents import CharacterPolicy

    if is_store(Path(path)):
        store = Store(os.fspath(path))
        if policy is not None and store.policy != policy:
            raise UsageError(
                f"{path}: built with another policy: {store.policy}; expected {policy}"
            )
        return store
    folder = tempfile.mkdtemp(prefix="spanwise-")
    try:
        place = str(Path(folder) / "store")  # whatever the path is, also `.`
        build([os.fspath(path)], place, Plan(policy or CharacterPolicy()))
        store = Store(place, called=os.fspath(path))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(store, shutil.rmtree, folder, ignore_errors=True)
    return store
