"""Running an experiment: stores, runs, results and one page, each made once.

    FOLDER/stores/COLLECTION    documents
    FOLDER/runs/COLLECTION/     a run for each engine, grain and setting, with a note of its making
    FOLDER/results/             scores by topic, a file for each collection
    FOLDER/report.html          everything on one page

What is there already and was made from the same things is not made again, so that an experiment
that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanwise.app.comparing import comparison
from spanwise.app.experiment_file import run_name
from spanwise.app.keeping import keep
from spanwise.app.output import say, write_atomically
from spanwise.app.searching import check_request, searched
from spanwise.app.writing import plainest
from spanwise.collection.building import Plan, build, is_store
from spanwise.compare.resampling import Draws
from spanwise.compare.statements import Question
from spanwise.errors import FormatError, InputError, SpanwiseError
from spanwise.formats import FORMATS, expanded, read_judgements, read_topics
from spanwise.measure.names import parse
from spanwise.profiles import find_profile, measure_names
from spanwise.retrieve.registry import MissingEngine
from spanwise.shards import Request

if TYPE_CHECKING:
    from spanwise.app.experiment_file import Cell, Data, Experiment
    from spanwise.app.searching import Search
    from spanwise.model.comparison import Comparison
    from spanwise.model.run import Run


def conducted(experiment: Experiment, folder: Path) -> list[tuple[Data, Comparison]]:
    """Make what is missing, and compare the runs of every collection."""
    question = _foreseen(experiment)
    found = []
    for data in experiment.collections:
        store = _stored(data, folder / "stores")
        runs = [run for run in _runs(experiment, data, store, folder) if run is not None]
        if not runs:
            raise InputError(f"{experiment.source}: none of its engines is installed")
        request = Request(
            data.judgements,
            [str(run) for run in runs],
            experiment.measures,
            experiment.profile,
            judgements_format=data.judgements_format,
            collection=str(store),
        )
        statement = comparison(request, _baseline(experiment, runs), question)
        _keep(request, statement, folder / "results", data.name)
        found.append((data, statement))
        _page(request, statement, folder / "pages" / f"{data.name}.html")
    return found


def _foreseen(experiment: Experiment) -> Question:
    """What is to be asked of runs; all mistakes are found before hours of searching, not after."""
    try:
        find_profile(experiment.profile)
        for name in measure_names(list(experiment.measures)):
            parse(name)
        for search in (cell.search for cell in experiment.cells):
            check_request(search)
        question = Question(experiment.tests, draws=Draws(experiment.seed))
    except SpanwiseError as error:
        raise FormatError(experiment.source, None, str(error), "") from error
    for data in experiment.collections:
        read_topics(data.topics, data.topics_format)
        read_judgements(data.judgements, data.judgements_format)
    return question


def _baseline(experiment: Experiment, runs: list[Path]) -> str | None:
    if experiment.baseline is None:
        return None
    wanted = f"{run_name(experiment.baseline)}.run"
    return next((str(run) for run in runs if run.name == wanted), None)


def _stored(data: Data, folder: Path) -> Path:
    """The documents as a store, built if it is not there or was made of other documents."""
    if is_store(Path(data.documents)):
        return Path(data.documents)
    folder.mkdir(parents=True, exist_ok=True)
    place, note = folder / data.name, folder / f"{data.name}.json"
    about = {"documents": _listed(Path(data.documents))}
    if not is_store(place) or _read(note) != about:
        build([data.documents], str(place), Plan(fresh=place.exists()))
        write_atomically(note, json.dumps(about).encode() + b"\n")
    return place


def _listed(documents: Path) -> str:
    """A digest of the names, sizes and dates of files."""
    digest = blake2b(digest_size=16)
    for file in sorted(documents.rglob("*")) if documents.is_dir() else [documents]:
        if file.is_file():
            about = file.stat()
            digest.update(
                f"{file}\0{about.st_size}\0{about.st_mtime_ns}\0".encode(errors="replace")
            )
    return digest.hexdigest()


def _runs(experiment: Experiment, data: Data, store: Path, folder: Path) -> Iterator[Path | None]:
    place = folder / "runs" / data.name
    place.mkdir(parents=True, exist_ok=True)
    documents = _digest(sorted(store.glob("*.json")))
    topics = _digest([Path(file) for file in expanded([data.topics])])
    for cell in experiment.cells:
        search = replace(
            cell.search,
            collection=str(store),
            topics=data.topics,
            topics_format=data.topics_format,
        )
        about = asdict(search) | {
            "collection": documents,
            "topics": topics,
            "settings": dict(search.settings),
        }
        name = run_name(cell.label)
        target, note = place / f"{name}.run", place / f"{name}.json"
        if target.is_file() and _read(note) == json.loads(json.dumps(about)):
            yield target
            continue
        run = _made(experiment, cell, search)
        if run is not None:
            write = FORMATS[plainest(run)].write
            assert write is not None
            write_atomically(target, b"".join(write(run)))
            write_atomically(note, json.dumps(about, indent=1).encode() + b"\n")
            say("done", f"{data.name}: {cell.label}")
        yield target if run is not None else None


def _made(experiment: Experiment, cell: Cell, search: Search) -> Run | None:
    try:
        return searched(search)
    except MissingEngine as error:
        if not experiment.skip_missing:
            raise
        say("warning", f"{cell.label} is left out: {error}")
        return None


def _read(note: Path) -> Any:
    try:
        return json.loads(note.read_bytes())
    except (OSError, ValueError):
        return None


def _digest(files: list[Path]) -> str:
    digest = blake2b(digest_size=16)
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _keep(request: Request, statement: Comparison, folder: Path, name: str) -> None:
    """Scores by topic with their provenance, and what the comparison says."""
    folder.mkdir(parents=True, exist_ok=True)
    keep(request, statement.scores, str(folder / f"{name}.jsonl"))
    said = json.dumps(statement.to_dict(), indent=1)
    write_atomically(folder / f"{name}.comparison.json", said.encode() + b"\n")


def _page(request: Request, statement: Comparison, file: Path) -> None:
    from spanwise.app.showing import write_page

    file.parent.mkdir(parents=True, exist_ok=True)
    write_page(request, statement, str(file))
