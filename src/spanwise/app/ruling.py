"""What `spanwise check --task` adds: the rules of a task, and a run repaired to keep them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from spanwise.app.output import say, write_atomically
from spanwise.errors import InputError, UsageError
from spanwise.formats import FORMATS
from spanwise.ground.repair import CHANGES, repaired
from spanwise.ground.rules import unchecked, violations
from spanwise.model.holdings import said
from spanwise.model.run import Run

if TYPE_CHECKING:
    from spanwise.app.checking import Report
    from spanwise.ground.tasks import Rules


def apply_rules(reports: list[Report], rules: Rules) -> None:
    """Note every violation in the runs among the files."""
    if not any(isinstance(report.content, Run) for report in reports):
        if any(report.problems for report in reports):
            return  # what could not be read may have been a run
        raise UsageError("--task: none of the files is a run; only runs have rules to keep")
    for report in reports:
        if isinstance(report.content, Run):
            report.violations += violations(report.content, rules)
            report.remarks += unchecked(report.content, rules)


def write_repaired(reports: list[Report], rules: Rules, output: str) -> None:
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
    run, changes = repaired(report.content, rules)
    lost = [said(kind, count) for kind, count in entry.loses(run).items()]
    if lost:
        say("warning", f"{report.file}: format {entry.name!r} cannot hold {', '.join(lost)}")
    write_atomically(Path(output), entry.write(run))
    before, after = len(report.content.rows), len(run.rows)
    for rule, count in changes.items():
        say("repaired", f"{CHANGES[rule]}: {count} ({rule})")
    say("repaired", f"{output}: {after} of {before} results" + ("" if changes else ", unchanged"))
