"""Run the examples of one page, in its order, in the current folder: python run_page.py PAGE.

Every difference is printed with its line; the status is 1 if there was one. `spanwise` must be on
the path.
"""

import doctest
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs.fences import (
    Block,
    Step,
    blocks,
    steps,
)

NOT_RUN = ("make", "pip", "git")
"""Commands that change the machine; what `make demo` prints is still checked."""
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def differences(page: Path) -> Iterator[str]:
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.language == "python":
            yield from _run_python(block, page, names)
        elif block.language == "console":
            yield from _run_console(block)


def _run_python(block: Block, page: Path, names: dict[str, Any]) -> Iterator[str]:
    if ">>>" not in block.text:
        source = "\n" * (block.line - 1) + block.text  # tracebacks show the page's own lines
        exec(compile(source, str(page), "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(block.text, names, page.name, str(page), block.line)
    runner = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False)
    report: list[str] = []
    runner.run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    yield from report


def _run_console(block: Block) -> Iterator[str]:
    status = 0
    for step in steps(block):
        program = step.command.split()[0]
        if step.command == "make demo" and step.output:
            status, output = _run("spanwise demo", status)
        elif program in NOT_RUN:
            continue
        else:
            status, output = _run(step.command, status)
        if step.output:
            yield from _compared(step, output)
        elif status:
            yield f"line {step.line}: $ {step.command}\nends with status {status}:\n{output}"


def _run(command: str, last_status: int) -> tuple[int, str]:
    """Both streams as one; `$?` is the status of the command before."""
    done = subprocess.run(
        ["sh", "-c", f"(exit {last_status})\n{command}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.returncode, done.stdout.decode()


def _compared(step: Step, output: str) -> Iterator[str]:
    got = "\n".join(line.rstrip() for line in output.splitlines()).strip("\n")
    if not doctest.OutputChecker().check_output(step.output, got, doctest.ELLIPSIS):
        yield f"line {step.line}: $ {step.command}\nexpected:\n{step.output}\n\ngot:\n{got}\n"


def main() -> int:
    found = list(differences(Path(sys.argv[1])))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
