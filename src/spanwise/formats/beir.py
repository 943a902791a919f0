"""BEIR folders: which of their files has the judgements."""

from __future__ import annotations

from pathlib import Path
from warnings import warn

from spanwise.errors import FormatError, SpanwiseWarning

SPLITS = ("test", "dev", "train")


def beir_qrels(folder: Path) -> list[str] | None:
    """The judgements of a BEIR folder; None if it is none."""
    if not (folder / "corpus.jsonl").is_file() or not (folder / "qrels").is_dir():
        return None
    found = [folder / "qrels" / f"{split}.tsv" for split in SPLITS]
    there = [file for file in found if file.is_file()]
    if not there:
        raise FormatError(str(folder), None, "no qrels/test.tsv in it", "a BEIR folder")
    if len(there) > 1:
        warn(f"{folder}: the judgements of {there[0].name} are used", SpanwiseWarning, stacklevel=2)
    return [str(there[0])]
