"""Files of results: written with their provenance, and verified by computing them again.

The provenance of a run holds the hashes of its input files, its measures and its options. `verify`
scores the runs again from these, and reports inputs, choices and values that have changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spanwise.console import watched, write_atomically
from spanwise.errors import UsageError
from spanwise.evaluation.evaluate import PROCESSES, run
from spanwise.evaluation.prepare import names_of_run
from spanwise.evaluation.request import Request
from spanwise.formats import expanded
from spanwise.formats.io.files import STDIN
from spanwise.formats.results import read_results, results_jsonl, results_parquet
from spanwise.model.scores import Provenance, Results, Source
from spanwise.version import __version__

if TYPE_CHECKING:
    from spanwise.model.scores import Scores

KINDS = {".jsonl": results_jsonl, ".parquet": results_parquet}
"""Functions that write files of results, by extension of the file name."""


def is_results_name(output: str | None) -> bool:
    """Tell whether a file name has the extension of a file of results."""
    return output is not None and Path(output).suffix in KINDS


def keep(request: Request, results: Sequence[Scores], output: str) -> None:
    """Write scores with their provenance to a file."""
    judgements = hashed(request.judgements)
    collection, topics = (
        None if one is None else hashed(one) for one in (request.collection, request.topics)
    )
    options: dict[str, Any] = {
        "profile": request.profile,
        "task": request.task,
        "policy": dict(request.policy or {}),
        "judgements_format": request.judgements_format,
        "run_format": request.run_format,
        "assume": {"rel": request.assume["rel"]} if "rel" in request.assume else {},
    }
    if request.chunks:  # by file, because names of runs are not kept
        options["chunks"] = {
            Path(scores.source).name: file
            for scores in results
            for name, file in request.chunks.items()
            if name in names_of_run(scores.run, scores.source)
        }
    made = [
        Provenance(
            *(judgements, hashed(file), collection, tuple(scores.values), options), topics=topics
        )
        for file, scores in zip(expanded(request.runs), results, strict=True)
    ]
    content = KINDS[Path(output).suffix](Results(output, tuple(results), tuple(made)))
    write_atomically(Path(output), content)


def hashed(name: str) -> Source:
    """Return a file, or a folder with all its files, together with its SHA-256 hash."""
    from hashlib import file_digest, sha256

    path = Path(name)
    if name == STDIN or not path.exists():
        return Source(name)
    if path.is_file():
        with path.open("rb") as stream:
            return Source(name, file_digest(stream, "sha256").hexdigest())
    whole = sha256()
    for file in sorted(p for p in path.rglob("*") if p.is_file()):
        with file.open("rb") as stream:
            digest = file_digest(stream, "sha256").hexdigest()
        whole.update(f"{file.relative_to(path)}\0{digest}\0".encode("utf-8", "surrogateescape"))
    return Source(name, whole.hexdigest())


# Verifying --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome of verifying a file of results."""

    lines: tuple[str, ...]
    changed: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as `--format json` prints it."""
        return {"changed": self.changed, "messages": list(self.lines)}

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def __repr__(self) -> str:
        return f"<Verification: {self.lines[-1]}>"


def verify(results: str | PathLike[str]) -> Verification:
    """Recompute the results in a file and report what changed: inputs, choices or values."""
    lines, changed = verified(fspath(results))
    return Verification(tuple(lines), changed)


def verified(file: str) -> tuple[list[str], bool]:
    """Recompute the results in a file; return the lines to report, and whether they changed."""
    results = read_results(file)
    lines: list[str] = []
    changed = False
    versions: set[str] = set()
    again = [now for some in _requests(results, file) for now in _again(some, file)]
    for scores, made, now in zip(results.scores, results.made, again, strict=True):
        assert made is not None  # results without provenance were refused before
        found = [*_sources(made, file), *_differences(scores, now)]
        changed |= bool(found)
        lines += [f"{scores.run}: {line}" for line in found]
        if made.spanwise != __version__ and made.spanwise not in versions:
            versions.add(made.spanwise)
            lines.append(f"made with spanwise {made.spanwise}; this is {__version__}")
    values = sum(len(s.topics) * len(s.values) for s in results.scores)
    runs = len(results.scores)
    counted = f"{runs} run{'s' if runs != 1 else ''}, {values} values by topic"
    lines.append(f"{counted}: {'something changed' if changed else 'nothing changed'}")
    return lines, changed


def _requests(results: Results, file: str) -> list[list[Provenance]]:
    """Group runs that were scored together, so that the first again decides the defaults."""
    groups: list[list[Provenance]] = []
    for scores, made in zip(results.scores, results.made, strict=True):
        if made is None:
            raise UsageError(
                f"{file}: run {scores.run!r} states no provenance; expected a file made with:"
                " spanwise eval ... -o RESULTS.jsonl"
            )
        if groups and _common(groups[-1][0]) == _common(made):
            groups[-1].append(made)
        else:
            groups.append([made])
    return groups


def _common(made: Provenance) -> Provenance:
    return replace(made, run=made.judgements)


def _sources(made: Provenance, file: str) -> Iterator[str]:
    """Yield a line for each input whose content has changed."""
    for what in ("judgements", "run", "collection", "topics"):
        source: Source | None = getattr(made, what)
        if source is None or source.sha256 is None:
            continue
        now = hashed(str(_found(source, file)))
        if now.sha256 != source.sha256:
            yield f"the {what} {source.path} changed"


def _found(source: Source, file: str) -> Path:
    """Return the path of an input: as it was given, or next to the results."""
    for path in (Path(source.path), Path(file).parent / source.path):
        if path.exists():
            return path
    raise UsageError(
        f"{source.path}: not found in this folder or next to {file}; expected an input of the"
        " results"
    )


def _again(several: Sequence[Provenance], file: str) -> list[Scores]:
    made = several[0]
    if any(STDIN in (one.judgements.path, one.run.path) for one in several):
        raise UsageError(
            f"{file}: made from standard input, which cannot be read again; expected input files"
        )
    try:
        request = Request(
            judgements=str(_found(made.judgements, file)),
            runs=[str(_found(one.run, file)) for one in several],
            measures=made.measures,
            collection=None if made.collection is None else str(_found(made.collection, file)),
            topics=None if made.topics is None else str(_found(made.topics, file)),
            **made.options,
        )
        return run(request, PROCESSES, watched)
    except TypeError as error:  # for an unknown field of a request or policy
        raise UsageError(
            f"{file}: found an unknown option ({error}); use the version that made the file"
        ) from error


def _differences(before: Scores, now: Scores) -> Iterator[str]:
    """Yield a line for each measure whose values differ, and for choices and topics."""
    if before.signature.rpartition("|")[0] != now.signature.rpartition("|")[0]:
        yield f"the choices were {before.signature} and are {now.signature}"
    in_one = sorted(set(before.topics) ^ set(now.topics))
    if in_one:
        yield f"topics differ: {', '.join(in_one[:3])}{', ...' if len(in_one) > 3 else ''}"
        return
    for measure, values in before.values.items():
        order = [now.topics.index(topic) for topic in before.topics]
        others = now.values[measure][order]
        differ = np.flatnonzero(~((values == others) | (np.isnan(values) & np.isnan(others))))
        if len(differ):
            first = int(differ[0])
            yield (
                f"{measure} was {before.means[measure]:.6g} and is {now.means[measure]:.6g};"
                f" {len(differ)} of {len(values)} topics differ, first {before.topics[first]!r}:"
                f" {values[first]:.6g} and {others[first]:.6g}"
            )
        elif not np.isclose(before.means[measure], now.means[measure], equal_nan=True):
            yield f"the mean of {measure} was {before.means[measure]} and is {now.means[measure]}"
