"""An extension of griffe: examples in docstrings are code, though no heading says so."""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:^(?!\s*$).*\n?)*)", re.MULTILINE)
"""A prompt, and all lines up to a blank one."""


def fenced(text: str) -> str:
    """Return a docstring with its examples in fences."""
    return EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text)


class FencedExamples(griffe.Extension):
    """Puts the examples of every docstring into fences, so that they are not taken for quotes."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of an object once it has been read."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
