"""What `spanwise check` does with files: read, look up, apply the rules of a task, repair."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from warnings import catch_warnings, simplefilter

import numpy as np

from spanwise.app.checking import checked, cross_checked, place_texts
from spanwise.app.output import say, write_atomically
from spanwise.errors import InputError, UsageError
from spanwise.formats import FORMATS
from spanwise.formats.opening import STDIN
from spanwise.ground.placing import placed_judgements
from spanwise.ground.quoted import quoted_run
from spanwise.ground.repair import CHANGES, repaired
from spanwise.ground.rules import (
    past_the_end,
    stated_lengths,
    unchecked,
    unknown_results,
    violations,
)
from spanwise.model.holdings import said
from spanwise.model.judgements import Judgements
from spanwise.model.run import Run

if TYPE_CHECKING:
    from spanwise.app.checking import Report
    from spanwise.ground.tasks import Rules
    from spanwise.model.documents import Collection


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
    lost = [said(kind, count) for kind, count in entry.loses(run).items()]
    if lost:
        say("warning", f"{report.file}: format {entry.name!r} cannot hold {', '.join(lost)}")
    write_atomically(Path(output), entry.write(run))
    before, after = len(report.content.rows), len(run.rows)
    for rule, count in changes.items():
        say("repaired", f"{CHANGES[rule]}: {count} ({rule})")
    place = "standard output" if output == STDIN else output
    say("repaired", f"{place}: {after} of {before} results" + ("" if changes else ", unchanged"))
