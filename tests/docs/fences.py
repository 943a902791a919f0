"""The fenced blocks of a page, and what its console blocks say should happen."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    language: str
    text: str
    line: int  # of its first line of text


@dataclass
class Step:
    """One command of a console block, with the output that the page shows; none shown: any."""

    command: str
    line: int
    output: str = ""


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        indent, language, body = match.groups()
        lines = [line.removeprefix(indent) for line in body.splitlines(keepends=True)]
        found.append(Block(language, "".join(lines), text.count("\n", 0, match.start(3)) + 1))
    return found


def steps(block: Block) -> list[Step]:
    """The commands of a console block; a backslash at the end of a line goes on in the next."""
    found: list[Step] = []
    for number, line in enumerate(block.text.splitlines(), block.line):
        if line.startswith("$ "):
            found.append(Step(line[2:], number))
        elif found and not found[-1].output and found[-1].command.endswith("\\"):
            found[-1].command = found[-1].command[:-1] + line.strip()
        elif found:
            found[-1].output += line.rstrip() + "\n"
        else:
            raise ValueError(f"line {number}: output before the first command: {line!r}")
    for step in found:
        step.output = step.output.strip("\n")
    return found
