"""A function that visits another process: it finds the files that it would find at home."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from spanwise.errors import ClusterError
from spanwise.version import __version__

_one_at_a_time = Lock()
"""The current folder and the warnings of a process belong to all of its threads."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A function with what it needs to work elsewhere as it does here."""

    function: Callable[[Any], Any]
    folder: str
    version: str

    @classmethod
    def here(cls, function: Callable[[Any], Any]) -> Visit:
        """A function that is about to leave."""
        return cls(function, str(Path.cwd()), __version__)

    def __call__(self, item: Any) -> Any:
        """The result for one item, in the folder from which it was sent if that is there too."""
        if self.version != __version__:
            raise ClusterError("a worker", f"it has spanwise {__version__}, not {self.version}")
        with _one_at_a_time:
            before = Path.cwd()
            with suppress(OSError):
                os.chdir(self.folder)
            try:
                return self.function(item)
            finally:
                os.chdir(before)
