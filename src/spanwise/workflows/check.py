"""Checks of files: problems, remarks, and runs repaired to keep the rules of a task."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sized
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import numpy as np

from spanwise.collection import opened
from spanwise.console import write_atomically
from spanwise.errors import (
    EmptyError,
    FormatError,
    InputError,
    QueryError,
    SpanwiseError,
    SpanwiseWarning,
    UsageError,
)
from spanwise.evaluation.prepare import texts_along
from spanwise.formats import FORMATS, Reading, expanded, read
from spanwise.formats.builders import places
from spanwise.formats.io.files import STDIN, Dataset, dataset_at, lasts, paths_in
from spanwise.formats.registry import Holds, find_format, format_and_pieces
from spanwise.formats.topics.nexi import parse as parse_nexi
from spanwise.matching.documents import by_score, repeated_rows
from spanwise.matching.placing import placed_judgements, placed_run
from spanwise.matching.tasks import (
    find_task,
    past_the_end,
    repaired,
    stated_lengths,
    unchecked,
    unknown_results,
    violations,
)
from spanwise.matching.texts import copies_of_items, quoted_run
from spanwise.matching.topics import with_judged_topics
from spanwise.matching.trees import assessment_notes, contradictions, over_full
from spanwise.model.columns import PlainIds, text
from spanwise.model.judgements import Judgements, Preferences, by_assessor
from spanwise.model.notes import in_lines
from spanwise.model.policy import Policy
from spanwise.model.pools import Pool
from spanwise.model.run import Run
from spanwise.model.scores import html_table
from spanwise.model.spans import LABELS, PARTIAL, counted, label_counts_in_words
from spanwise.model.topics import Topics
from spanwise.workflows.convert import losses, plainest

if TYPE_CHECKING:
    from spanwise.matching.tasks import Rules, Violation
    from spanwise.model.arrays import FloatArray
    from spanwise.model.documents import Collection

KINDS: tuple[Holds, ...] = ("judgements", "preferences", "run", "topics", "pool")
CONTENTS = (Run, Judgements, Preferences, Topics, Pool)


Checkable = Run | Judgements | Preferences | Topics | Pool | str | os.PathLike[str]
"""Input of a check: a path, or an object that was read before."""


# The result of a check. --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of one file."""

    file: str
    line: int | None
    """The line that has the problem. None if the problem has no line."""
    message: str
    topic: str | None = None
    """The topic whose results break a rule of the task."""
    rank: int | None = None
    """The rank of the result that breaks a rule of the task."""
    rule: str | None = None
    """The rule of the task that is broken. None if the file itself is wrong."""

    def to_dict(self) -> dict[str, Any]:
        """Return the problem as `--format json` prints it."""
        said: dict[str, Any] = {"line": self.line, "message": self.message}
        if self.rule is not None:
            said |= {"topic": self.topic, "rank": self.rank, "rule": self.rule}
        return said

    def __str__(self) -> str:
        return f"{self.file}{'' if self.line is None else f':{self.line}'}: {self.message}"


@dataclass(frozen=True, slots=True, eq=False)
class CheckedFile:
    """The result of a check of one file."""

    file: str
    format: str
    """The format of the file. Empty for an object, and for a file whose format is unknown."""
    content: Run | Judgements | Preferences | Topics | Pool | None
    """What was read. None if nothing could be read."""
    problems: tuple[Problem, ...]
    """All problems in the order of their lines."""
    remarks: tuple[str, ...]
    """Remarks on what is unusual but harmless."""
    placements: Mapping[str, int] | None = None
    """Number of texts placed in their documents, by method. None without documents."""
    pieces: Mapping[str, float] | None = None
    """Number of texts that are placed in pieces, and the share of their text that is placed."""
    copies: Mapping[str, int] | None = None
    """Number of pieces of evidence, and of those that stand in several places."""

    @property
    def ok(self) -> bool:
        """Whether the file has no problems."""
        return not self.problems

    @property
    def verdict(self) -> str:
        """The result in one line: how many problems there are, or what the file holds."""
        if self.problems:
            return f"{len(self.problems)} problem{'s' if len(self.problems) != 1 else ''}"
        parts = [self.format, _held(self.content, self.format)]
        return f"fine ({': '.join(filter(None, parts))})"

    def to_dict(self) -> dict[str, Any]:
        """Return the result as `--format json` prints it."""
        return {
            "file": self.file,
            "format": self.format,
            **{
                name: dict(counts)
                for name, counts in (
                    ("placements", self.placements),
                    ("in_pieces", self.pieces),
                    ("evidence", self.copies),
                )
                if counts is not None
            },
            "problems": [problem.to_dict() for problem in self.problems],
            "remarks": list(self.remarks),
        }

    def __repr__(self) -> str:
        return f"<CheckedFile {self.file}: {self.verdict}>"


@dataclass(frozen=True, slots=True, eq=False)
class Repaired:
    """A run that was changed to keep the rules of its task."""

    run: Run
    changes: Mapping[str, int]
    """Number of changes by rule."""
    results: int
    """Number of results before the repair."""
    checked: CheckedFile
    """The run as it was."""

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the run in the format of the file that was checked; "-" is standard output."""
        entry = FORMATS[self.checked.format or plainest(self.run)]
        if entry.write is None:
            name = self.checked.file
            raise UsageError(f"{name}: format {entry.name!r} is only read, not written")
        losses(self.run, entry, self.checked.file)
        write_atomically(Path(path), entry.write(self.run))

    def __repr__(self) -> str:
        kept, count = len(self.run.rows), sum(self.changes.values())
        return f"<Repaired {self.run.name!r}: {kept} of {self.results} results, changes: {count}>"


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """The result of a check of several files."""

    files: tuple[CheckedFile, ...]
    _rules: Rules | None = None
    _collection: Collection | None = None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems, file by file."""
        return tuple(problem for file in self.files for problem in file.problems)

    @property
    def ok(self) -> bool:
        """Whether no file has a problem."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """Return the result as `--format json` prints it."""
        return {"files": [file.to_dict() for file in self.files]}

    def to_text(self, most: int = 100) -> str:
        """Return a line for each problem, at most `most` of each file, and a line for each file."""
        lines: list[str] = []
        for file in self.files:
            lines += map(str, file.problems[:most])
            if len(file.problems) > most:
                lines.append(f"{file.file}: and {len(file.problems) - most} more problems")
            lines += [f"{file.file}: remark: {remark}" for remark in file.remarks[:most]]
            if len(file.remarks) > most:
                lines.append(f"{file.file}: and {len(file.remarks) - most} more remarks")
            lines.append(f"{file.file}: {file.verdict}")
        return "\n".join(lines) + "\n"

    def repaired(self) -> Repaired:
        """Return the run that was checked, changed to keep the rules of its task.

        This needs a check with a task, of one run that could be read in full.
        """
        if self._rules is None:
            raise UsageError("a repair follows the rules of a task; check with task=...")
        runs = [file for file in self.files if isinstance(file.content, Run)]
        if len(runs) != 1:
            raise UsageError(f"--fix writes one run, but {len(runs)} were read; give one at a time")
        (file,) = runs
        if any(problem.rule is None for problem in file.problems):
            raise InputError(
                f"{file.file}: not repaired, because it could not be read in full;"
                " fix the problems without a rule first"
            )
        assert isinstance(file.content, Run)
        looked_for = _looked_for(file.content, self._collection)
        run, changes = repaired(looked_for, self._rules, self._collection)
        return Repaired(run, changes, len(file.content.rows), file)

    def __repr__(self) -> str:
        files = "1 file" if len(self.files) == 1 else f"{len(self.files)} files"
        count = len(self.problems)
        found = "fine" if not count else "1 problem" if count == 1 else f"{count} problems"
        return f"<Checked {files}: {found}>"

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        rows = [[one.file, one.format, one.verdict, "; ".join(one.remarks)] for one in self.files]
        problems = list(map(str, self.problems[:SHOWN]))
        if len(self.problems) > SHOWN:
            problems.append(f"and {len(self.problems) - SHOWN} more problems")
        return html_table(["file", "format", "result", "remarks"], rows, problems)


SHOWN = 20
"""Number of problems that a notebook shows."""


def _held(content: object, form: str) -> str:
    """Return a count of the contents of a file, in words."""
    if isinstance(content, Topics):
        return f"{len(content)} topics"
    if isinstance(content, Pool):
        return f"{len(content)} documents, {len(content.topics)} topics"
    if not isinstance(content, Run | Judgements | Preferences):
        return "0 lines of data, 0 topics"
    rows: Sized = content.rows
    what = "lines of data" if form else "rows"
    if form.startswith(("inex_assessments", "inex_submission", "inex_efficiency")):
        what = "results" if isinstance(content, Run) else "judged documents"
    evidence = content.evidence if isinstance(content, Judgements) else None
    if evidence is not None and len(evidence):
        rows, what = evidence, "passages"
    return f"{len(rows)} {what}, {len(content.rows.topics)} topics"


def check(
    files: Checkable | Iterable[Checkable],
    *,
    task: str | None = None,
    limit: int | None = None,
    collection: Collection | Mapping[Any, str] | str | os.PathLike[str] | None = None,
    source_format: str | None = None,
) -> Checked:
    """Find every problem in runs, judgements, preferences, topics and pools.

    `files` are paths, of files or folders, or objects that were read before: one or several. Runs
    and judgements that are checked together are also compared with each other. `task` applies the
    rules of a task, such as "focused" or "ric", to the runs; `limit` replaces its limit of results
    for each topic. `collection` is a store, a folder of documents or an open collection, in which
    documents, elements and texts are looked up. `source_format` overrules the recognition of
    formats.

    >>> from spanwise.formats import read_judgements, read_run
    >>> found = check([read_judgements({"q1": {"d1": 1}}), read_run({"q2": {"d1": 1.0}})])
    >>> found
    <Checked 2 files: 1 problem>
    >>> found.problems[0].message
    'no topic in common with the judgements'
    """
    if task is None and limit is not None:
        raise UsageError("--limit needs --task: it replaces the limit of the task")
    rules = None if task is None else find_task(task, limit)
    documents = opened(collection)
    reports = inspected(_listed(files), source_format, rules, documents)
    return Checked(tuple(report.finished() for report in reports), rules, documents)


def _listed(files: Checkable | Iterable[Checkable]) -> list[Any]:
    """List files and objects; replace a folder by its files."""
    several: Iterable[Any] = (files,)
    if isinstance(files, Iterable) and not isinstance(files, (str, Mapping, *CONTENTS)):
        several = files
    listed: list[Any] = []
    for one in several:
        if isinstance(one, (str, os.PathLike)):
            listed += expanded([os.fspath(one)])
        elif isinstance(one, CONTENTS):
            listed.append(one)
        else:
            raise UsageError(
                f"{type(one).__name__} cannot be checked; expected a path or an object that was"
                " read, such as by read_run"
            )
    return listed


# Checks of a single file. -------------------------------------------------------------------------


@dataclass(slots=True)
class Report:
    """The findings about one file so far."""

    file: str
    format: str = ""
    content: Run | Judgements | Preferences | Topics | Pool | None = None
    problems: list[tuple[int | None, str]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)  # of the rules of a task
    placements: dict[str, int] | None = None  # how texts were placed in their documents
    pieces: Mapping[str, float] | None = None  # number of texts in pieces, and their placed share
    copies: Mapping[str, int] | None = None  # pieces of evidence, and those in several places
    given: bool = False  # whether it is an object instead of a file

    def finished(self) -> CheckedFile:
        """Return the result, with problems and violations in the order of their lines."""
        found = [Problem(self.file, line, message) for line, message in self.problems]
        if isinstance(self.content, Run):
            found += [_as_problem(one, self.file, self.content) for one in self.violations]
        found.sort(key=lambda problem: problem.line or 0)
        return CheckedFile(
            self.file,
            self.format,
            self.content,
            tuple(found),
            tuple(self.remarks),
            self.placements,
            self.pieces,
            self.copies,
        )


def _as_problem(violation: Violation, file: str, run: Run) -> Problem:
    topic = text(violation.topic)
    return Problem(
        file,
        run.rows.line(violation.row),
        f"topic {topic!r}, rank {violation.rank}: {violation.message}",
        topic,
        violation.rank,
        violation.rule,
    )


def checked(source: Any, format_name: str | None, *, ruled: bool = False) -> Report:
    """Read a file to its end, or take an object, and report every problem of it.

    Repeated results of a run are not reported if it is `ruled`: the rules of its task cover them.
    """
    if isinstance(source, CONTENTS):
        return _checked_object(source, ruled)
    file: str = source
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


def _checked_object(content: Run | Judgements | Preferences | Topics | Pool, ruled: bool) -> Report:
    named = content.source if isinstance(content, Topics | Pool) else content.rows.source
    report = Report(named, content=content, given=True)
    _inspect(report, ruled)
    report.problems.sort(key=lambda problem: problem[0] or 0)
    return report


def _read(report: Report, format_name: str | None, how: Reading) -> None:
    """Read the format and the content of a file into the report; the format first.

    The format is known even if the content is wrong. The file is opened once, so it may be a pipe.
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
    """Return the problems of a dataset, each with its part and row."""
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
            report.remarks += in_lines(assessment_notes(content)[:1])
            report.remarks += _over_full(content)


def _over_full(judgements: Judgements) -> list[str]:
    """Return a remark for every element with more highlighted characters than its size."""
    remarks = []
    for row, path, highlighted, size in over_full(judgements):
        (name,) = judgements.documents.take(np.array([row]))
        line = judgements.rows.line(row)
        place = "" if line is None else f" (line {line})"
        remarks.append(
            f"document {text(name)!r}{place}: {text(path)} has {highlighted} highlighted"
            f" characters and size {size}; {size} is used"
        )
    return remarks


def _note_queries(report: Report, topics: Topics) -> None:
    """Report queries on structure that do not parse, also in the notation of 2003 and 2004."""
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
        problem = f"document {name!r} appears twice for its topic{_first(content, first)}"
        report.problems.append((content.rows.line(again), problem))


def _first(content: Run | Judgements, row: int) -> str:
    """Return the line of the first occurrence of a repeated item, in words."""
    line = content.rows.line(row)
    return "" if line is None else f", first on line {line}"


def _note_repeated_parts(report: Report, run: Run) -> None:
    """Report results that repeat a part of a document.

    Two paths with the same span are different parts, and so are two unplaced results, whose
    contents are unknown.
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
        problem = f"result {part!r} appears twice for its topic{_first(run, first)}"
        report.problems.append((run.rows.line(again), problem))


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
    contradictions = _contradicting_ranks(report, run)
    if contradictions:
        report.remarks.append(
            f"ranks that contradict the scores: {contradictions} (ranks are ignored)"
        )


def place_texts(reports: list[Report], collection: Collection | None) -> None:
    """Report how the texts of runs and judgements are placed, if their documents are available."""
    along = [found for one in reports if (found := _texts_along(one.content)) is not None]
    for report in reports:
        documents = collection or _texts_along(report.content) or (along[0] if along else None)
        if documents is None:
            continue
        labels = None
        if isinstance(report.content, Run) and report.content.chunks is not None:
            run = placed_run(report.content, documents)
            labels = run.labels
            if run.parts is not None:
                part, whole = run.parts.placed
                count = int(np.count_nonzero(labels == PARTIAL))
                report.pieces = {"texts": count, "share": part / whole}
        elif isinstance(report.content, Judgements):
            placed = placed_judgements(report.content, documents)
            evidence = placed.evidence
            labels = None if evidence is None else evidence.labels
            _remark_on_copies(report, placed, documents)
        if labels is not None and (labels >= 0).any():
            report.placements = {n: counted(labels)[n] for n in LABELS if n != LABELS[PARTIAL]}
            if not any(remark.endswith(label_counts_in_words(labels)) for remark in report.remarks):
                report.remarks.append(
                    f"texts placed in their documents: {label_counts_in_words(labels)}"
                )


def _remark_on_copies(report: Report, judgements: Judgements, documents: Collection) -> None:
    """Report how many pieces of evidence stand in several places of their document."""
    if judgements.evidence is None:
        return
    pieces = int(np.count_nonzero(judgements.evidence.relevant))
    copied = len(copies_of_items(judgements, documents))
    report.copies = {"pieces": pieces, "in_several_places": copied}
    if copied:
        report.remarks.append(
            f"pieces of evidence that stand in several places: {copied} of {pieces}"
            " (--copies any counts every place)"
        )


def _texts_along(content: Any) -> Collection | None:
    return texts_along(content) if isinstance(content, Judgements) else None


def _contradicting_ranks(report: Report, run: Run) -> int:
    """Count the ranks that contradict the scores; 0 if there are no numeric ranks to compare."""
    ranks = run.ranks if report.given else _ranks_in(report.file)
    if ranks is None:
        return 0
    wrong = 0
    for first, last in zip(run.rows.starts[:-1], run.rows.starts[1:], strict=True):
        order = np.argsort(ranks[first:last], kind="stable")
        wrong += int(np.count_nonzero(np.diff(run.scores[first:last][order]) > 0))
    return wrong


def _ranks_in(file: str) -> FloatArray | None:
    """Return the stated ranks of a run, or None if they are not numbers or cannot be read again."""
    if not lasts(file):
        return None
    try:
        run: Run = read(file, ("run",), "trec_run", Reading(ranks=True))
    except SpanwiseError:
        return None
    return run.ranks


def cross_checked(reports: list[Report]) -> None:
    """Report topics that runs and judgements checked together do not share."""
    judged = [
        (report.file, report.content)
        for report in reports
        if isinstance(report.content, Judgements | Preferences)
    ]
    if len(judged) != 1:
        return
    source, judgements = judged[0]
    known = set(judgements.rows.topics)
    for report in reports:
        if isinstance(report.content, Run):
            try:
                answered = _answered(report.content, judgements)
            except InputError as error:
                report.problems.append((None, str(error)))
                continue
            if not known & answered:
                report.problems.append((None, f"no topic in common with {source}"))
            elif known - answered:
                report.remarks.append(
                    f"judged topics missing from the run: {len(known - answered)}"
                )
            if known & answered and answered - known:
                report.remarks.append(f"unjudged topics: {len(answered - known)}")


def _answered(run: Run, judgements: Judgements | Preferences) -> set[bytes]:
    """Return the topics of a run, those without ids matched by their questions."""
    with catch_warnings():
        simplefilter("ignore", SpanwiseWarning)  # unmatched topics become remarks
        matched = with_judged_topics(run, judgements, "id", half=True)
    return {*matched.rows.topics, *matched.questions}


# Checks of several files, with a collection and the rules of a task. ------------------------------


def inspected(
    files: Iterable[Any],
    format_name: str | None,
    rules: Rules | None,
    collection: Collection | None,
) -> list[Report]:
    """Check files one by one, against each other, in a collection, and by the rules of a task."""
    files = list(files)
    if [one for one in files if isinstance(one, str)].count(STDIN) > 1:
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
    """Report what the collection does not hold; in ruled runs the rules of the task report it."""
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
    """Report results past the ends of documents, by the lengths stated in the judgements."""
    judged = [one.content for one in reports if isinstance(one.content, Judgements)]
    for report in reports if len(judged) == 1 else ():
        if isinstance(report.content, Run):
            stated = stated_lengths(report.content, judged[0])
            report.remarks += past_the_end(report.content, stated)


def apply_rules(reports: list[Report], rules: Rules, collection: Collection | None = None) -> None:
    """Report every violation of the rules in the runs among the files."""
    if not any(isinstance(report.content, Run) for report in reports):
        if any(report.problems for report in reports):
            return  # what could not be read may have been a run
        raise UsageError("--task: none of the files is a run; the rules of a task are for runs")
    for report in reports:
        if isinstance(report.content, Run):
            run = _looked_for(report.content, collection)
            report.violations += violations(run, rules, collection)
            report.remarks += unchecked(run, rules, collection)


def _looked_for(run: Run, collection: Collection | None) -> Run:
    """Return the run with its texts placed in the documents, if there is a collection."""
    return run if collection is None else quoted_run(run, collection)
