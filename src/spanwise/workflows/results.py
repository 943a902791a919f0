"""Results as files: kept with what they were made of, and made again to see what changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spanwise.console import watched, write_atomically
from spanwise.errors import UsageError
from spanwise.evaluation.shards import Request
from spanwise.formats import expanded
from spanwise.formats.io.files import STDIN
from spanwise.formats.results import read_results, results_jsonl, results_parquet
from spanwise.model.scores import Provenance, Results, Source, run_names
from spanwise.version import __version__
from spanwise.workflows.eval import scored

if TYPE_CHECKING:
    from spanwise.model.scores import Scores

KINDS = {".jsonl": results_jsonl, ".parquet": results_parquet}
"""How a file of results is written, by the end of its name."""


def is_results_name(output: str | None) -> bool:
    """Whether a name asks for a file of results."""
    return output is not None and Path(output).suffix in KINDS


def keep(request: Request, results: Sequence[Scores], output: str) -> None:
    """Write scores with their provenance."""
    judgements, collection = hashed(request.judgements), None
    if request.collection is not None:
        collection = hashed(request.collection)
    options = {
        "profile": request.profile,
        "task": request.task,
        "policy": dict(request.policy or {}),
        "judgements_format": request.judgements_format,
        "run_format": request.run_format,
        "rel": request.rel,
    }
    made = [
        Provenance(judgements, hashed(file), collection, tuple(scores.values), options)
        for file, scores in zip(expanded(request.runs), results, strict=True)
    ]
    named = [replace(one, run=name) for one, name in zip(results, run_names(results), strict=True)]
    content = KINDS[Path(output).suffix](Results(output, tuple(named), tuple(made)))
    write_atomically(Path(output), content)


def hashed(name: str) -> Source:
    """A file, or a folder with everything in it, and its SHA-256."""
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


# Verifying ----------------------------------------------------------------------------------


def verified(file: str) -> tuple[list[str], bool]:
    """What is to be said after making the results again, and whether anything changed."""
    results = read_results(file)
    lines: list[str] = []
    changed = False
    told: set[str] = set()
    pairs = zip(results.scores, results.made, strict=True)
    for scores, made in watched(pairs, len(results.scores), "verifying"):
        if made is None:
            raise UsageError(
                f"{file}: run {scores.run!r} does not say what it was made of; expected a file"
                " made with: spanwise eval ... -o RESULTS.jsonl"
            )
        found = [*_sources(made, file), *_differences(scores, _again(made, file))]
        changed |= bool(found)
        lines += [f"{scores.run}: {line}" for line in found if line not in told]
        if made.spanwise != __version__ and made.spanwise not in told:
            told.add(made.spanwise)
            lines.append(f"made with spanwise {made.spanwise}; this is {__version__}")
    values = sum(len(s.topics) * len(s.values) for s in results.scores)
    runs = len(results.scores)
    counted = f"{runs} run{'s' if runs != 1 else ''}, {values} values by topic"
    lines.append(f"{counted}: {'something changed' if changed else 'nothing changed'}")
    return lines, changed


def _sources(made: Provenance, file: str) -> Iterator[str]:
    """Inputs that are no longer what they were."""
    for what in ("judgements", "run", "collection"):
        source: Source | None = getattr(made, what)
        if source is None or source.sha256 is None:
            continue
        now = hashed(str(_found(source, file)))
        if now.sha256 != source.sha256:
            yield f"the {what} {source.path} changed"


def _found(source: Source, file: str) -> Path:
    """Where an input is: as it was named, or beside the results."""
    for path in (Path(source.path), Path(file).parent / source.path):
        if path.exists():
            return path
    raise UsageError(
        f"{source.path}: not found, neither from here nor beside {file}; expected an input of the"
        " results"
    )


def _again(made: Provenance, file: str) -> Scores:
    if STDIN in (made.judgements.path, made.run.path):
        raise UsageError(f"{file}: made from standard input, so it cannot be made again")
    try:
        request = Request(
            judgements=str(_found(made.judgements, file)),
            runs=[str(_found(made.run, file))],
            measures=made.measures,
            collection=None if made.collection is None else str(_found(made.collection, file)),
            **made.options,
        )
        return scored(request)[0][0]
    except TypeError as error:  # a field that neither requests nor policies have
        raise UsageError(f"{file}: made with a choice that is unknown here ({error})") from error


def _differences(before: Scores, now: Scores) -> Iterator[str]:
    """Values that are not what they were, measure by measure."""
    if before.signature.rpartition("|")[0] != now.signature.rpartition("|")[0]:
        yield f"the choices were {before.signature} and are {now.signature}"
    gone = sorted(set(before.topics) ^ set(now.topics))
    if gone:
        yield f"topics came or went: {', '.join(gone[:3])}{', ...' if len(gone) > 3 else ''}"
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


def selected(results: Results, measures: Sequence[str]) -> list[Scores]:
    """The scores of a file in the measures asked for; all of them if none is."""
    if not measures:
        return list(results.scores)
    chosen = []
    for scores in results.scores:
        lacking = [name for name in measures if name not in scores.values]
        if lacking:
            raise UsageError(
                f"{results.file}: run {scores.run!r} has no {lacking[0]}; it has"
                f" {', '.join(scores.values)}"
            )
        chosen.append(
            replace(
                scores,
                values={name: scores.values[name] for name in measures},
                means={name: scores.means[name] for name in measures},
                counts={name: scores.counts[name] for name in measures},
            )
        )
    return chosen
