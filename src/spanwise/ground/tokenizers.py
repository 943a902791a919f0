"""Tokenizers by name: where the tokens of a text begin and end, in code points.

`whitespace` and `words` are built in. `o200k_base` and the like, also written `tiktoken:NAME`, are
tiktoken's; `hf:NAME` is a file `tokenizer.json`, or a model whose tokenizer is on this machine.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.errors import MissingExtra, UnknownName, UsageError

if TYPE_CHECKING:
    from spanwise.model.arrays import IntArray

TOKEN = "token:"
PATTERNS = {"whitespace": r"\S+", "words": r"\w+|[^\w\s]"}
"""What a token is for the built-in ones: no blanks; words and single marks."""
TIKTOKEN = ("o200k_base", "o200k_harmony", "cl100k_base", "p50k_base", "p50k_edit", "r50k_base")

Bounds = tuple["IntArray", "IntArray"]


def tokens_of(text: str, unit: str) -> Bounds:
    """Where the tokens begin and where they end, rising; `unit` is `token:NAME`."""
    return find_tokenizer(unit.removeprefix(TOKEN))(text)


@cache
def find_tokenizer(name: str) -> Callable[[str], Bounds]:
    """The tokenizer of that name."""
    if name in PATTERNS:
        return _by_pattern(re.compile(PATTERNS[name]))
    family, colon, rest = name.partition(":")
    if family == "tiktoken" and colon:
        return _tiktoken(rest)
    if name in TIKTOKEN:
        return _tiktoken(name)
    if family == "hf" and colon:
        return _hugging_face(rest)
    known = [*PATTERNS, *TIKTOKEN, "tiktoken:NAME", "hf:NAME"]
    raise UnknownName("tokenizer", name, known)


def _by_pattern(pattern: re.Pattern[str]) -> Callable[[str], Bounds]:
    def bounds(text: str) -> Bounds:
        places = [match.span() for match in pattern.finditer(text)]
        begins, ends = np.array(places, np.int64).reshape(-1, 2).T
        return begins, ends

    return bounds


def _tiktoken(name: str) -> Callable[[str], Bounds]:
    try:
        import tiktoken
    except ImportError:
        raise MissingExtra("tiktoken", "tokens", f"tokenizer {name!r}") from None
    try:
        encoding = tiktoken.get_encoding(name)
    except Exception as error:  # unknown, or its table is not on this machine
        raise UsageError(f"tokenizer {name!r} cannot be loaded ({error})") from error

    def bounds(text: str) -> Bounds:
        tokens = encoding.encode_ordinary(text)
        _, offsets = encoding.decode_with_offsets(tokens)
        begins = np.array(offsets, np.int64)
        return begins, np.append(begins[1:], len(text))[: len(begins)]

    return bounds


def _hugging_face(name: str) -> Callable[[str], Bounds]:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtra("tokenizers", "tokens", f"tokenizer 'hf:{name}'") from None
    try:
        made: Any = (
            Tokenizer.from_file(name) if Path(name).is_file() else _from_hub(Tokenizer, name)
        )
    except Exception as error:
        raise UsageError(f"tokenizer 'hf:{name}' cannot be loaded ({error})") from error

    def bounds(text: str) -> Bounds:
        offsets = made.encode(text, add_special_tokens=False).offsets
        begins, ends = np.array(offsets, np.int64).reshape(-1, 2).T
        return begins, ends

    return bounds


def _from_hub(kind: Any, name: str) -> Any:
    return kind.from_pretrained(name)
