"""64-bit keys of document names and element paths.

The key of a path is computed from the key of its parent and its last step. The keys of a million
elements are thus computed as columns, level by level, without writing out a path. Keys are compared
within one document only; two different paths of it have the same key with a probability of 2**-64.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spanwise.model.arrays import FingerprintArray

ROOT = 0x9E3779B97F4A7C15
"""Key of the empty path."""
_SPREAD = 0xD1342543DE82EF95
_PARENT = 0xBF58476D1CE4E5B9
_MIX = 0x94D049BB133111EB
_BITS = (1 << 64) - 1


def name_key(name: bytes) -> int:
    """Return the key of a name: of a document, or of an element's tag."""
    return int.from_bytes(blake2b(name, digest_size=8).digest(), "little")


def step_keys(parents: FingerprintArray, tags: FingerprintArray, index: object) -> FingerprintArray:
    """Return the keys of children from the keys of their parents and tags, and their indexes."""
    mixed = np.asarray(index).astype(np.uint64)
    mixed *= np.uint64(_SPREAD)
    mixed += tags
    mixed += parents * np.uint64(_PARENT)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(_MIX)
    mixed ^= mixed >> np.uint64(29)
    return mixed


def step_key(parent: int, tag: int, index: int) -> int:
    """Return the key of one child, as `step_keys` does for many."""
    mixed = (index * _SPREAD + tag + parent * _PARENT) & _BITS
    mixed ^= mixed >> 32
    mixed = mixed * _MIX & _BITS
    return mixed ^ (mixed >> 29)


class PathKeys:
    """A cache of the keys of written paths and their prefixes."""

    def __init__(self) -> None:
        self._paths: dict[bytes, int | None] = {b"": ROOT}
        self._tags: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._paths)

    def __getitem__(self, path: bytes) -> int | None:
        """Return the key of a path, or None if it is not of the form `/name[n]/name[n]...`."""
        try:
            return self._paths[path]
        except KeyError:
            pass
        missing = [path]
        while (parent := missing[-1].rpartition(b"/")[0]) not in self._paths:
            if not missing[-1]:
                break
            missing.append(parent)
        for each in reversed(missing):
            self._paths[each] = self._step(each)
        return self._paths[path]

    def _step(self, path: bytes) -> int | None:
        head, slash, step = path.rpartition(b"/")
        parent = self._paths.get(head)
        tag, bracket, number = step.partition(b"[")
        digits = number[:-1]
        if (
            parent is None
            or not (slash and tag and bracket and number.endswith(b"]"))
            or tag.endswith(b"()")
            or not digits.isdigit()
            or digits.startswith(b"0")
            or len(digits) > 10
        ):
            return None
        if tag not in self._tags:
            self._tags[tag] = name_key(tag)
        return step_key(parent, self._tags[tag], int(digits))
