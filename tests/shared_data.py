"""Data of other programs, kept beside the repository and not always there."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


def shared(*parts: str) -> Path:
    """A file of the shared data; the test that asks for it is skipped where it is absent."""
    root = Path(os.environ.get("SPANWISE_SHARED") or REPOSITORY.parent / "shared")
    path = root.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"no shared data: {path} is absent")
    return path
