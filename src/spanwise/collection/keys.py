"""Short numbers for long names: 64-bit keys of documents and of element paths.

The key of a path is made step by step from the key of its parent, so that the keys of a million
elements are computed as columns, level by level, without a single path being spelt out. Keys are
compared within one document only; the odds that two of its paths share one are those of two equal
random 64-bit numbers.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spanwise.model.arrays import FingerprintArray

ROOT = 0x9E3779B97F4A7C15
"""The key of the empty path."""
_SPREAD = 0xD1342543DE82EF95
_PARENT = 0xBF58476D1CE4E5B9
_MIX = 0x94D049BB133111EB
_BITS = (1 << 64) - 1


def name_key(name: bytes) -> int:
    """The key of a name: of a document, or of an element's tag."""
    return int.from_bytes(blake2b(name, digest_size=8).digest(), "little")


def step_keys(parents: FingerprintArray, tags: FingerprintArray, index: object) -> FingerprintArray:
    """The keys of children from those of their parents and tags, and their numbers."""
    mixed = np.asarray(index).astype(np.uint64)
    mixed *= np.uint64(_SPREAD)
    mixed += tags
    mixed += parents * np.uint64(_PARENT)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(_MIX)
    mixed ^= mixed >> np.uint64(29)
    return mixed


def step_key(parent: int, tag: int, index: int) -> int:
    """The same for one child."""
    mixed = (index * _SPREAD + tag + parent * _PARENT) & _BITS
    mixed ^= mixed >> 32
    mixed = mixed * _MIX & _BITS
    return mixed ^ (mixed >> 29)


class PathKeys:
    """Keys of written paths; what was once seen of a path is not computed again."""

    def __init__(self) -> None:
        self._paths: dict[bytes, int | None] = {b"": ROOT}
        self._tags: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._paths)

    def __getitem__(self, path: bytes) -> int | None:
        """The key of a path, None if it is not of the form `/name[n]/name[n]...`."""
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
