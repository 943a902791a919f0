"""Output to the terminal and to files: bytes, messages, progress; files are written atomically."""

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
    """Print a text, or write it to a file atomically."""
    data = text.encode("utf-8", "surrogateescape")
    if file is None:
        emit_bytes(data)
    else:
        write_atomically(Path(file), data)


def emit_bytes(data: bytes) -> None:
    """Write bytes to standard output, whatever its encoding."""
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
        raise Exit(0) from None  # the reader of the pipe has closed it
    except OSError as error:
        abandon_output()
        raise UsageError(f"standard output cannot be written ({error.strerror})") from error


def tell(sentence: str, output: str) -> None:
    """Report what was written: on standard error if the data went to standard output."""
    if output != "-":
        emit(sentence)
    elif sys.stderr is not None:
        sys.stderr.write(sentence)


def coloured() -> bool:
    """Return whether standard output may be coloured: a terminal, and NO_COLOR is not set."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def abandon_output() -> None:
    """Redirect standard output to the null device, so that the interpreter can flush it at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def write_atomically(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a file completely or not at all, by writing beside it and renaming.

    A symbolic link is followed. A device or a pipe cannot be renamed, so it is written directly.
    The file name `-` means standard output.
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
    """Write a new folder with all its files, or nothing."""
    import shutil
    import tempfile

    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(f"{path}: already exists; expected a new or an empty folder")
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
    """Print one line to standard error, with control characters escaped."""
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


# Terminal: width, styles and progress ------------------------------------------------------------

T = TypeVar("T")
PROGRESS_DELAY = 2.0
"""Seconds before a progress bar appears."""


def on_terminal(output: str | None = None) -> bool:
    """Return whether the output goes to a terminal."""
    return output is None and sys.stdout is not None and sys.stdout.isatty()


def page_width(output: str | None = None) -> int | None:
    """Return the width of the terminal in columns, or None if the output is not a terminal."""
    return shutil.get_terminal_size().columns if on_terminal(output) else None


def styled(output: str | None = None) -> bool:
    """Return whether bold type and colour may be used."""
    return output is None and coloured() and os.name != "nt"


def watched(things: Iterable[T], count: int, label: str) -> Iterator[T]:
    """Yield the items; on a terminal, show a progress bar after two seconds.

    The bar also appears while the first item is still being computed.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield from things
        return
    from threading import Timer

    bar = _Bar(count, label)
    timer = Timer(PROGRESS_DELAY, bar.appear)
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
    """A progress bar that can be shown from another thread."""

    def __init__(self, count: int, label: str) -> None:
        from threading import Lock

        self._count, self._label = count, label
        self._done, self._over, self._lock = 0, False, Lock()
        self._shown: Any = None

    def appear(self) -> None:
        """Show the bar, which redraws itself from then on."""
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
        """Count one more finished item."""
        with self._lock:
            self._done += 1
            if self._shown is not None:
                self._shown.update(self._shown.task_ids[0], completed=self._done)

    def vanish(self) -> None:
        """Remove the bar from the terminal."""
        with self._lock:
            self._over = True
            if self._shown is not None:
                self._shown.stop()
