"""What `spanwise check` finds out about files: every problem, and what is odd."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sized
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import numpy as np

from spanwise.console import say, write_atomically
from spanwise.errors import (
    EmptyError,
    FormatError,
    InputError,
    QueryError,
    SpanwiseError,
    UsageError,
)
from spanwise.evaluation.pipeline import texts_along
from spanwise.formats import FORMATS, Reading, read
from spanwise.formats.builders import places
from spanwise.formats.io.dataset import Dataset, dataset_at, paths_in
from spanwise.formats.io.files import STDIN, lasts
from spanwise.formats.registry import Holds, find_format, format_and_pieces
from spanwise.formats.topics.nexi import parse as parse_nexi
from spanwise.matching.documents import repeated_rows
from spanwise.matching.order import by_score
from spanwise.matching.placing import placed_judgements, placed_run
from spanwise.matching.tasks import (
    CHANGES,
    past_the_end,
    repaired,
    stated_lengths,
    unchecked,
    unknown_results,
    violations,
)
from spanwise.matching.texts import quoted_run
from spanwise.matching.trees import contradictions
from spanwise.model.columns import PlainIds, text
from spanwise.model.contents import loss_in_words
from spanwise.model.judgements import Judgements, Preferences, by_assessor
from spanwise.model.policy import Policy
from spanwise.model.pools import Pool
from spanwise.model.run import Run
from spanwise.model.spans import counted, label_counts_in_words
from spanwise.model.topics import Topics

if TYPE_CHECKING:
    from spanwise.matching.tasks import Rules, Violation
    from spanwise.model.documents import Collection

KINDS: tuple[Holds, ...] = ("judgements", "preferences", "run", "topics", "pool")


@dataclass(slots=True)
class Report:
    """What was found out about one file."""

    file: str
    format: str = ""
    content: Run | Judgements | Preferences | Topics | Pool | None = None
    problems: list[tuple[int | None, str]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)  # of the rules of a task
    placements: dict[str, int] | None = None  # how texts were placed in their documents

    def listed(self) -> list[dict[str, Any]]:
        """Problems and violations in the order of their lines."""
        listed: list[dict[str, Any]] = [
            {"line": line, "message": message} for line, message in self.problems
        ]
        if isinstance(self.content, Run):
            listed += [_as_problem(one, self.content) for one in self.violations]
        return sorted(listed, key=lambda problem: problem["line"] or 0)


def _as_problem(violation: Violation, run: Run) -> dict[str, Any]:
    topic = text(violation.topic)
    return {
        "line": run.rows.line(violation.row),
        "message": f"topic {topic!r}, rank {violation.rank}: {violation.message}",
        "topic": topic,
        "rank": violation.rank,
        "rule": violation.rule,
    }


def checked(file: str, format_name: str | None, *, ruled: bool = False) -> Report:
    """Read a file to its end and note everything that is wrong with it.

    Whether results of a run are there twice is left to the rules of its task if it is `ruled`.
    """
    report = Report(file)
    seen: set[tuple[int | None, str]] = set()

    def note(error: FormatError) -> None:
        if (error.line, error.reason) not in seen:
            seen.add((error.line, error.reason))
            report.problems.append((error.line, error.reason))

    with catch_warnings(record=True) as warned:
        simplefilter("always")
        try:
            _read(report, format_name, Reading(report=note))
            _inspect(report, ruled)
        except FormatError as error:
            if not (isinstance(error, EmptyError) and report.problems):
                note(error)
    said = [str(warning.message).removeprefix(f"{file}: ") for warning in warned]
    report.remarks += dict.fromkeys(said)  # once, however often the file was opened
    report.problems.sort(key=lambda problem: problem[0] or 0)
    dataset = dataset_at(file)
    if dataset is not None:
        report.problems = _in_parts(file, dataset, ruled)
    return report


def _read(report: Report, format_name: str | None, how: Reading) -> None:
    """What is in the file, and its format, which is known even where the content is wrong.

    The file is opened once, so it may be a pipe.
    """
    dataset = dataset_at(report.file)
    if dataset is not None:
        report.format = find_format(format_name or dataset.file_format, KINDS).name
        report.content = read(report.file, KINDS, report.format, how)
        return
    entry, pieces = format_and_pieces(report.file, KINDS, format_name)
    report.format = entry.name
    report.content = entry.parse(pieces, report.file, how)


def _in_parts(place: str, dataset: Dataset, ruled: bool) -> list[tuple[int | None, str]]:
    """The problems of a dataset: each with the part and the row that has it."""
    problems: list[tuple[int | None, str]] = []
    for path in paths_in(place, dataset).values():
        part = checked(path, dataset.file_format, ruled=ruled)
        for line, message in part.problems:
            row = "" if line is None else f":{line}"
            problems.append((None, f"{path.rpartition('/')[2]}{row}: {message}"))
    return problems


def _inspect(report: Report, ruled: bool) -> None:
    content = report.content
    if isinstance(content, Topics):
        _note_queries(report, content)
    elif isinstance(content, Run) and (content.paths is not None or content.spans is not None):
        if not ruled:
            _note_repeated_parts(report, content)
            _remark_on_length(report, content, 1500)
    elif isinstance(content, Run):
        if not ruled:
            _note_repeated(report, content)
        _remark_on_run(report, content)
    elif isinstance(content, Judgements):
        for part in by_assessor(content):
            _note_repeated(report, part)
        relevant = np.add.reduceat(content.grades >= 1, content.rows.starts[:-1])
        empty = int(np.count_nonzero(relevant == 0))
        if empty:
            report.remarks.append(f"topics with nothing relevant: {empty}")
        fractions = int(np.count_nonzero(content.grades != np.trunc(content.grades)))
        if fractions:
            report.remarks.append(f"grades that are fractions: {fractions} (refused by trec_eval)")
        if content.elements is not None:
            odd = contradictions(content.elements.elements)
            report.remarks += [f"{what}: {count}" for what, count in odd.items()]


def _note_queries(report: Report, topics: Topics) -> None:
    """Queries on structure must parse; titles of 2003 and 2004 may be in the older notation."""
    for topic in topics:
        name = topic.structured
        if name is None:
            continue
        try:
            parse_nexi(getattr(topic, name), legacy=name == "title")
        except QueryError as error:
            problem = f"{name} of topic {topic.id!r}, {error}"
            report.problems.append((topic.line(name, error.character - 1), problem))


def _note_repeated(report: Report, content: Run | Judgements) -> None:
    prints = content.documents.fingerprints()
    for first, again in repeated_rows(content.rows, content.documents, prints):
        name = text(content.documents.take(np.array([again]))[0])
        before = content.rows.line(first)
        problem = f"document {name!r} is there twice for its topic, first on line {before}"
        report.problems.append((content.rows.line(again), problem))


def _note_repeated_parts(report: Report, run: Run) -> None:
    """The same part of a document twice; two paths with one span are not the same.

    Nor are two results without a place, of which nobody knows what they were.
    """
    every = np.arange(len(run.rows))
    texts = [b""] * len(every) if run.chunks is None else run.chunks.texts.take(every)
    lost = places(run)["lost"].tolist()
    columns = [run.documents.take(every)]
    columns += [ids.take(every) for ids in (run.paths, run.ends) if ids is not None]
    if run.spans is not None:
        numbers = zip(run.spans.starts.tolist(), run.spans.lengths.tolist(), strict=True)
        named = zip(numbers, texts, strict=True)
        columns.append([words if span[0] < 0 else b"%d:%d" % span for span, words in named])
        columns.append([b"%d" % row if lost[row] and not texts[row] else b"" for row in every])
    parts = PlainIds([b" ".join(part) for part in zip(*columns, strict=True)])
    for first, again in repeated_rows(run.rows, parts, parts.fingerprints()):
        part = text(parts.take(np.array([again]))[0].rstrip())
        problem = f"result {part!r} is there twice for its topic, first on line"
        report.problems.append((run.rows.line(again), f"{problem} {run.rows.line(first)}"))


def _remark_on_length(report: Report, run: Run, most: int) -> None:
    longest = int(np.diff(run.rows.starts).max())
    if longest > most:
        report.remarks.append(f"more than {most} results for a topic: up to {longest}")


def _remark_on_run(report: Report, run: Run) -> None:
    ordered = by_score(run, Policy())
    if len(ordered.tied):
        topics = np.unique(np.searchsorted(run.rows.starts, ordered.tied, side="right"))
        report.remarks.append(f"topics with equal scores: {len(topics)}")
    if ordered.rows is not None:
        report.remarks.append("lines are not in the order of their scores (they need not be)")
    _remark_on_length(report, run, 1000)
    contradictions = _contradicting_ranks(report.file, run)
    if contradictions:
        report.remarks.append(
            f"ranks that contradict the scores: {contradictions} (ranks are ignored)"
        )


def place_texts(reports: list[Report], collection: Collection | None) -> None:
    """Say how the texts of runs and judgements are placed, where there are documents to look in."""
    along = [found for one in reports if (found := _texts_along(one.content)) is not None]
    for report in reports:
        documents = collection or _texts_along(report.content) or (along[0] if along else None)
        if documents is None:
            continue
        labels = None
        if isinstance(report.content, Run) and report.content.chunks is not None:
            labels = placed_run(report.content, documents).labels
        elif isinstance(report.content, Judgements):
            evidence = placed_judgements(report.content, documents).evidence
            labels = None if evidence is None else evidence.labels
        if labels is not None and (labels >= 0).any():
            report.placements = counted(labels)
            if not any(remark.endswith(label_counts_in_words(labels)) for remark in report.remarks):
                report.remarks.append(
                    f"texts placed in their documents: {label_counts_in_words(labels)}"
                )


def _texts_along(content: Any) -> Collection | None:
    return texts_along(content) if isinstance(content, Judgements) else None


def _contradicting_ranks(file: str, run: Run) -> int:
    """How often a better rank has a lower score; 0 where ranks are not numbers or gone by."""
    if not lasts(file):
        return 0
    try:
        ranks = read(file, ("run",), "trec_run", Reading(ranks=True)).ranks
    except SpanwiseError:
        return 0
    wrong = 0
    for first, last in zip(run.rows.starts[:-1], run.rows.starts[1:], strict=True):
        order = np.argsort(ranks[first:last], kind="stable")
        wrong += int(np.count_nonzero(np.diff(run.scores[first:last][order]) > 0))
    return wrong


def cross_checked(reports: list[Report]) -> None:
    """What runs and judgements that were checked together say about each other."""
    judged = [
        (report.file, report.content.rows.topics)
        for report in reports
        if isinstance(report.content, Judgements | Preferences)
    ]
    if len(judged) != 1:
        return
    source, known = judged[0][0], set(judged[0][1])
    for report in reports:
        if isinstance(report.content, Run):
            answered = set(report.content.rows.topics)
            if not known & answered:
                report.problems.append((None, f"no topic in common with {source}"))
            elif known - answered:
                report.remarks.append(f"judged topics missing from it: {len(known - answered)}")
            if known & answered and answered - known:
                report.remarks.append(f"topics that nobody judged: {len(answered - known)}")


def shown_as_text(reports: list[Report], most: int) -> str:
    """One line per problem, in the form of an error message, and a line per file."""
    lines = []
    for report in reports:
        problems = report.listed()
        for problem in problems[:most]:
            place = "" if problem["line"] is None else f":{problem['line']}"
            lines.append(f"{report.file}{place}: {problem['message']}")
        if len(problems) > most:
            lines.append(f"{report.file}: and {len(problems) - most} more problems")
        lines += [f"{report.file}: remark: {remark}" for remark in report.remarks]
        lines.append(f"{report.file}: {_verdict(report)}")
    return "\n".join(lines) + "\n"


def _verdict(report: Report) -> str:
    count = len(report.problems) + len(report.violations)
    if count:
        return f"{count} problem{'s' if count != 1 else ''}"
    if isinstance(report.content, Topics):
        return f"fine ({report.format}: {len(report.content)} topics)"
    if isinstance(report.content, Pool):
        count = len(report.content.topics)
        return f"fine ({report.format}: {len(report.content)} documents, {count} topics)"
    rows: Sized = report.content.rows if report.content else ()
    topics = len(report.content.rows.topics) if report.content else 0
    what = "lines of data"
    if report.format.startswith(("inex_assessments", "inex_submission", "inex_efficiency")):
        what = "results" if isinstance(report.content, Run) else "judged documents"
    evidence = report.content.evidence if isinstance(report.content, Judgements) else None
    if evidence is not None and len(evidence):
        rows, what = evidence, "passages"
    return f"fine ({report.format}: {len(rows)} {what}, {topics} topics)"


def shown_as_json(reports: list[Report]) -> str:
    """The same for programs."""
    files: list[dict[str, Any]] = [
        {
            "file": report.file,
            "format": report.format,
            **({} if report.placements is None else {"placements": report.placements}),
            "problems": report.listed(),
            "remarks": report.remarks,
        }
        for report in reports
    ]
    return json.dumps({"files": files}, indent=2) + "\n"


# What `spanwise check` does with files: read, look up, apply the rules of a task, repair. ---------


def inspected(
    files: Iterable[str],
    format_name: str | None,
    rules: Rules | None,
    collection: Collection | None,
) -> list[Report]:
    """Everything that there is to say about files: alone, beside each other, in a collection."""
    files = list(files)
    if files.count(STDIN) > 1:
        raise UsageError("standard input (-) can be read only once")
    reports = [checked(file, format_name, ruled=rules is not None) for file in files]
    cross_checked(reports)
    if collection is not None:
        look_up(reports, collection, ruled=rules is not None)
    else:
        _compare_lengths(reports)
    place_texts(reports, collection)
    if rules is not None:
        apply_rules(reports, rules, collection)
    return reports


def look_up(reports: list[Report], collection: Collection, *, ruled: bool) -> None:
    """Note what the collection does not have; of ruled runs the rules tell that."""
    for report in reports:
        content = report.content
        if isinstance(content, Run):
            placed = quoted_run(content, collection)
            report.violations += [] if ruled else unknown_results(placed, collection)
            every = placed.documents.take(np.arange(len(placed.rows)))
            report.remarks += past_the_end(placed, collection.lengths(every))
        elif isinstance(content, Judgements):
            with catch_warnings(record=True) as warned:
                simplefilter("always")
                placed_judgements(content, collection, report.remarks)
            report.remarks += [str(one.message).removeprefix(f"{report.file}: ") for one in warned]


def _compare_lengths(reports: list[Report]) -> None:
    """Where nobody has the documents, judgements may say how long they are."""
    judged = [one.content for one in reports if isinstance(one.content, Judgements)]
    for report in reports if len(judged) == 1 else ():
        if isinstance(report.content, Run):
            stated = stated_lengths(report.content, judged[0])
            report.remarks += past_the_end(report.content, stated)


def apply_rules(reports: list[Report], rules: Rules, collection: Collection | None = None) -> None:
    """Note every violation in the runs among the files."""
    if not any(isinstance(report.content, Run) for report in reports):
        if any(report.problems for report in reports):
            return  # what could not be read may have been a run
        raise UsageError("--task: none of the files is a run; only runs have rules to keep")
    for report in reports:
        if isinstance(report.content, Run):
            run = _looked_for(report.content, collection)
            report.violations += violations(run, rules, collection)
            report.remarks += unchecked(run, rules, collection)


def _looked_for(run: Run, collection: Collection | None) -> Run:
    """The run with the texts in it placed, where there are documents to look in."""
    return run if collection is None else quoted_run(run, collection)


def write_repaired(
    reports: list[Report], rules: Rules, output: str, collection: Collection | None = None
) -> None:
    """Write the run that was checked as its task wants it, and say what was changed."""
    runs = [report for report in reports if isinstance(report.content, Run)]
    if len(runs) != 1:
        raise UsageError(f"--fix writes one run, but {len(runs)} were read; give one at a time")
    report = runs[0]
    if report.problems:
        raise InputError(
            f"{report.file}: not repaired, because it could not be read in full;"
            " mend the problems that have no rule first"
        )
    entry = FORMATS[report.format]
    if entry.write is None:
        raise UsageError(f"{report.file}: format {entry.name!r} is only read, not written")
    assert isinstance(report.content, Run)
    run, changes = repaired(_looked_for(report.content, collection), rules, collection)
    lost = [loss_in_words(kind, count) for kind, count in entry.loses(run).items()]
    if lost:
        say("warning", f"{report.file}: format {entry.name!r} cannot hold {', '.join(lost)}")
    write_atomically(Path(output), entry.write(run))
    before, after = len(report.content.rows), len(run.rows)
    for rule, count in changes.items():
        say("repaired", f"{CHANGES[rule]}: {count} ({rule})")
    place = "standard output" if output == STDIN else output
    say("repaired", f"{place}: {after} of {before} results" + ("" if changes else ", unchanged"))
