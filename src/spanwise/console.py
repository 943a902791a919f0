"""Writing: to standard output as bytes, or to a file that is either complete or absent."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from errno import EISDIR
from pathlib import Path
from typing import Any, TypeVar

from click.exceptions import Exit

from spanwise.errors import UsageError


def emit(text: str, file: str | None = None) -> None:
    """Print, or write to a file in one step."""
    data = text.encode("utf-8", "surrogateescape")
    if file is None:
        emit_bytes(data)
    else:
        write_atomically(Path(file), data)


def emit_bytes(data: bytes) -> None:
    """Write to standard output, whatever its encoding."""
    if sys.stdout is None:
        raise UsageError("standard output cannot be written (it is closed)")
    sys.stdout.flush()
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        sys.stdout.write(data.decode("utf-8", "replace"))
        return
    try:
        stream.write(data)
        stream.flush()
    except BrokenPipeError:
        abandon_output()
        raise Exit(0) from None  # whoever reads has enough
    except OSError as error:
        abandon_output()
        raise UsageError(f"standard output cannot be written ({error.strerror})") from error


def tell(sentence: str, output: str) -> None:
    """Say what was written; to standard error where what was written went to standard output."""
    if output != "-":
        emit(sentence)
    elif sys.stderr is not None:
        sys.stderr.write(sentence)


def coloured() -> bool:
    """Whether standard output may have colours: it is a terminal, and nobody objects."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def abandon_output() -> None:
    """Point standard output to nowhere, so that the interpreter can flush it when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def write_atomically(path: Path, data: bytes | Iterable[bytes]) -> None:
    """The whole file or none: written beside its place, then moved there.

    A link is followed; a device or a pipe cannot be moved, so it is written to. A file called `-`
    is standard output.
    """
    if path == Path("-"):
        for piece in [data] if isinstance(data, bytes) else data:
            emit_bytes(piece)
        return
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_bytes(data if isinstance(data, bytes) else b"".join(data))
        else:
            _write_and_move(path.resolve(), data)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror})") from error


def _write_and_move(path: Path, data: bytes | Iterable[bytes]) -> None:
    import tempfile

    if path.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".spanwise.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.writelines([data] if isinstance(data, bytes) else data)
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_folder_atomically(path: Path, files: Iterable[tuple[str, Iterable[bytes]]]) -> None:
    """A new folder with all its files, or none."""
    import shutil
    import tempfile

    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(f"{path}: is there already; expected a new or an empty folder")
    try:
        temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror})") from error
    try:
        for name, data in files:
            (temporary / name).parent.mkdir(parents=True, exist_ok=True)
            with (temporary / name).open("xb") as stream:
                stream.writelines(data)
        temporary.chmod(0o777 & ~_umask())
        temporary.replace(path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def say(kind: str, message: str) -> None:
    """One line to standard error; control characters are escaped."""
    if sys.stderr is None:
        return
    line = "".join(c if c.isprintable() else repr(c)[1:-1] for c in message)
    data = f"spanwise: {kind}: {line}\n".encode("utf-8", "backslashreplace")
    sys.stderr.flush()
    stream = getattr(sys.stderr, "buffer", None)
    if stream is None:
        sys.stderr.write(data.decode())
    else:
        stream.write(data)
        stream.flush()


# What a terminal is told and nothing else is: width, bold type, how far a long task has come. -----

T = TypeVar("T")
PATIENCE = 2.0
"""Seconds after which a task shows how far it is."""


def on_terminal(output: str | None = None) -> bool:
    """Whether what is printed is seen at once."""
    return output is None and sys.stdout is not None and sys.stdout.isatty()


def page_width(output: str | None = None) -> int | None:
    """The columns of the terminal; None: there is none, and lines may be of any length."""
    return shutil.get_terminal_size().columns if on_terminal(output) else None


def styled(output: str | None = None) -> bool:
    """Whether bold type and colour may be used: on a terminal, unless NO_COLOR says otherwise."""
    return output is None and coloured() and os.name != "nt"


def watched(things: Iterable[T], count: int, label: str) -> Iterator[T]:
    """The things one by one; on a terminal a bar with the time left appears after two seconds.

    It appears then even while the first thing is still in the making.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield from things
        return
    from threading import Timer

    bar = _Bar(count, label)
    timer = Timer(PATIENCE, bar.appear)
    timer.daemon = True
    timer.start()
    try:
        for thing in things:
            yield thing
            bar.advance()
    finally:
        timer.cancel()
        bar.vanish()


class _Bar:
    """How far a task has come, once somebody wants to see it."""

    def __init__(self, count: int, label: str) -> None:
        from threading import Lock

        self._count, self._label = count, label
        self._done, self._over, self._lock = 0, False, Lock()
        self._shown: Any = None

    def appear(self) -> None:
        """Draw it; it redraws itself from then on."""
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
        )
        from rich.progress import TimeElapsedColumn as Elapsed
        from rich.progress import TimeRemainingColumn as TimeLeft

        words, spent = TextColumn("{task.description}"), Elapsed()
        left = TimeLeft(), TextColumn("left")
        with self._lock:
            if self._over:
                return
            columns = (words, BarColumn(), MofNCompleteColumn(), spent, *left)
            self._shown = Progress(*columns, console=Console(stderr=True), transient=True)
            self._shown.add_task(self._label, total=self._count, completed=self._done)
            self._shown.start()

    def advance(self) -> None:
        """One more is done."""
        with self._lock:
            self._done += 1
            if self._shown is not None:
                self._shown.update(self._shown.task_ids[0], completed=self._done)

    def vanish(self) -> None:
        """Leave the terminal as it was."""
        with self._lock:
            self._over = True
            if self._shown is not None:
                self._shown.stop()
