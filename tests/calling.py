"""Calling a drop-in program as if from the command line."""

import io
from contextlib import redirect_stderr, redirect_stdout


def called(program, *words):
    """Standard output as bytes, standard error as text, exit status."""
    out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = program([str(word) for word in words])
    return out.buffer.getvalue(), err.getvalue(), status
