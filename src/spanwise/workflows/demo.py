"""The demonstration: small collections of the package, and commands to try on them."""

from __future__ import annotations

from pathlib import Path

from spanwise.console import write_atomically
from spanwise.errors import UsageError
from spanwise.model.scores import Findings

DATA = Path(__file__).parents[1] / "data"
PLACES = {"demo": "", "handbook": "handbook"}
"""Folders of the package, and where their files go."""
COMMANDS = (
    "spanwise eval qrels.txt keyword.run dense.run hybrid.run",
    "spanwise compare qrels.txt keyword.run dense.run hybrid.run -m nDCG@10",
    "spanwise explain qrels.txt dense.run --topic q01 -m AP",
    "spanwise eval handbook/qrels.txt handbook/elements.run handbook/passages.run"
    " --collection handbook/articles -m 'MAiP,iP[0.01]'",
    "spanwise search handbook/articles handbook/topics.xml -o found.run",
    "spanwise eval handbook/qrels.txt found.run --collection handbook/articles",
)
"""Commands to be typed in the folder, in this order."""


def write_demo(folder: str) -> Findings:
    """Write the files of the demonstration into a folder, and return commands to try there.

    The folder is made if it does not exist. A file that already exists is an error, and then
    nothing is written.
    """
    files = {
        Path(folder, place, file.relative_to(DATA / name)): file
        for name, place in PLACES.items()
        for file in sorted((DATA / name).rglob("*"))
        if file.is_file()
    }
    for target in files:
        if target.exists():
            raise UsageError(
                f"{target}: already exists; expected a folder without the files of the"
                " demonstration; choose another folder"
            )
    for target, file in files.items():
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{target.parent}: cannot be written ({error.strerror})") from error
        write_atomically(target, file.read_bytes())
    about = {"path": folder, "files": [str(file) for file in files], "commands": list(COMMANDS)}
    return Findings("demo", about, lambda: _in_words(folder, len(files)))


def _in_words(folder: str, count: int) -> str:
    from shlex import quote

    lines = [
        f"{folder}: {count} files",
        "",
        "qrels.txt and *.run: graded judgements of twelve topics, and runs of three systems.",
        "handbook/: articles in XML, topics, highlighted text, and three runs.",
        "",
        "Try:",
        f"  cd {quote(folder)}",
        *(f"  {command}" for command in COMMANDS),
    ]
    return "\n".join(lines) + "\n"
