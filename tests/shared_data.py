"""Real data that is not part of the project; tests that need it are skipped where it is absent."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def shared(*parts: str) -> Path:
    """A file or folder of the shared data; skips the test if it is not there."""
    folder = Path(os.environ.get("SPANWISE_SHARED", ROOT.parent / "shared"))
    path = folder.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs {'/'.join(parts)} of the shared data; set SPANWISE_SHARED")
    return path
