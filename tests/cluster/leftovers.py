"""The processes of a session that somebody started, as the system lists them."""

import time
from pathlib import Path

PATIENCE = 20.0
"""Seconds that the last processes may take to end."""


def of_session(leader: int) -> dict[int, str]:
    """Number and command of every process of a session but its leader; zombies have ended."""
    found = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, session, *_ = place.read_text().rpartition(")")[2].split()
            words = place.with_name("cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        number = int(place.parent.name)
        if int(session) == leader and number != leader and state != "Z":
            found[number] = words
    return found


def nothing_left(leader: int) -> None:
    """All processes of a session end, soon after its leader."""
    until = time.monotonic() + PATIENCE
    while left := of_session(leader):
        assert time.monotonic() < until, left
        time.sleep(0.1)
