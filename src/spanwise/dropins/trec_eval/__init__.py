"""The drop-in for NIST's trec_eval: same options, same bytes, same exit status.

`--compat II|8|9|10` chooses the version (10 by default). The wording of messages on standard
error is ours. Where the original crashes, hangs or reads memory it never set, the drop-in does
the sane thing or says what is wrong; the documentation lists these cases.
"""

from __future__ import annotations

from importlib import import_module

from spanwise.console import say

PROGRAMS = {
    "10": "spanwise.dropins.trec_eval.program",
    "9": "spanwise.dropins.trec_eval.program",
    "8": "spanwise.dropins.trec_eval.version8",
    "II": "spanwise.dropins.trec_eval.version_two",
}


def main(words: list[str]) -> int:
    """Run the version asked for; the rest of the words is its own."""
    version, rest = _version(words)
    if version not in PROGRAMS:
        say("error", f"--compat {version}: expected one of {', '.join(PROGRAMS)}")
        return 1
    program = import_module(PROGRAMS[version])
    status: int = program.run(rest, int(version)) if version in ("9", "10") else program.run(rest)
    return status


def _version(words: list[str]) -> tuple[str, list[str]]:
    for place, word in enumerate(words):
        if word == "--":
            break
        if word == "--compat" and place + 1 < len(words):
            return words[place + 1], words[:place] + words[place + 2 :]
        if word.startswith("--compat="):
            return word.partition("=")[2], words[:place] + words[place + 1 :]
    return "10", words
