"""The drop-in for NIST's trec_eval: same options, same bytes, same exit status.

`--compat II|8|9|10` chooses the version; the default is 10. Messages on standard error have
spanwise's own wording. Where the original crashes, hangs or reads uninitialised memory, the drop-in
computes the defined result or reports an error; the documentation lists these cases.
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
    """Run the chosen version with the remaining words, and return its exit status."""
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
