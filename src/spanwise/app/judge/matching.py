"""Regular expressions of a judge, in a process that is ended if one takes too long.

A page that trusts no address of a script has no worker that it could end, and an expression that
never ends would hold up the page: so the server asks a process of its own.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable
from typing import Any

from spanwise.errors import InputError

LONGEST = 500
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
    if not isinstance(pattern, str) or not 0 < len(pattern) <= LONGEST:
        raise InputError(f"expected an expression of at most {LONGEST} characters")
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
