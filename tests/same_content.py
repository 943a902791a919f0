"""Runs and judgements as plain Python values, so that two of them can be compared."""

import numpy as np

from spanwise.formats import FORMATS, Reading
from spanwise.model.judgements import Judgements
from spanwise.model.run import Run


def written(content, name: str) -> bytes:
    return b"".join(FORMATS[name].write(content))


def parsed(data: bytes | str, name: str, how: Reading | None = None, file: str = "made.xml"):
    data = data.encode() if isinstance(data, str) else data
    return FORMATS[name].parse(iter([data]), file, how or Reading(ranks=True))


def problems(data: bytes | str, name: str) -> list[tuple[int | None, str]]:
    """Everything that a reader says is wrong, with its line."""
    found = []
    parsed(data, name, Reading(report=lambda e: found.append((e.line, e.reason))))
    return found


def listed(ids) -> list[bytes]:
    return ids.take(np.arange(len(ids)))


def plain(content: Run | Judgements) -> dict:
    """Everything but the name of the file and the lines."""
    topics = {"topics": content.rows.topics, "starts": content.rows.starts.tolist()}
    topics["documents"] = listed(content.documents)
    return topics | (_run(content) if isinstance(content, Run) else _judgements(content))


def _run(run: Run) -> dict:
    spans = run.spans
    return {
        "name": run.name,
        "scores": run.scores.tolist(),
        "stated": None
        if run.stated_scores is None
        else [str(score + 0.0) for score in run.stated_scores],
        "ranks": None if run.ranks is None else [str(rank) for rank in run.ranks.tolist()],
        "spans": None if spans is None else (spans.starts.tolist(), spans.lengths.tolist()),
        "paths": None if run.paths is None else listed(run.paths),
        "ends": None if run.ends is None else listed(run.ends),
        "header": None if run.header is None else dict(run.header),
        "unit": run.unit,
    }


def _judgements(judgements: Judgements) -> dict:
    people, marked, said = judgements.assessors, judgements.highlights, judgements.elements
    return {
        "grades": judgements.grades.tolist(),
        "assessors": None if people is None else listed(people),
        "highlights": None if marked is None else _highlights(marked),
        "elements": None if said is None else _assessments(said),
    }


def _highlights(marked) -> dict:
    columns = (marked.relevant, marked.lengths, marked.entries, marked.first)
    spans = (marked.passages.starts, marked.passages.lengths)
    return {"unit": marked.unit, "columns": [c.tolist() for c in (*columns, *spans)]}


def _assessments(said) -> dict:
    elements, passages = said.elements, said.passages
    columns = ("first", "exhaustivity", "specificity", "coverage", "sizes", "highlighted", "flags")
    return {
        "elements": {name: getattr(elements, name).tolist() for name in columns},
        "paths": listed(elements.paths),
        "passages": [passages.first.tolist(), listed(passages.starts), listed(passages.ends)],
        "sizes": passages.sizes.tolist(),
        "entries": listed(said.entries),
        "collections": listed(said.collections),
        "pools": said.pools,
    }
