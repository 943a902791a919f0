"""The drop-in for TrecEval II: one long report with headings, by query and for all.

The report for all queries is always printed, those of the queries with -q, and all measures with
-a. A grade of 1 or more is relevant, as in trec_eval. Queries count if they are both judged and in
the run. Numbers have 64 bits.
"""

from __future__ import annotations

from spanwise.dropins.trec_eval.older import (
    aligned,
    formatted_report,
    long_rows,
    measured,
    print_lines,
    read_both,
    report_lines,
    short_rows,
    with_exit_status,
)
from spanwise.errors import UsageError
from spanwise.model.policy import Policy
from spanwise.stats import overall

USAGE = "treceval [-q] [-a] REFERENTIAL SYSTEM"
POLICY = Policy(average_over="both", empty="as-is", follow="TrecEval II")


def run(words: list[str]) -> int:
    """Run TrecEval II and return its exit status."""
    return with_exit_status(_run, words)


def _run(words: list[str]) -> int:
    flags = {word for word in words if word.startswith("-")}
    files = [word for word in words if word not in flags]
    unknown = flags - {"-q", "-a"}
    if unknown:
        raise UsageError(f"unknown option {min(unknown)!r}; expected {USAGE}")
    if len(files) != 2:
        raise UsageError(f"{len(files)} files; expected 2: {USAGE}")
    _report(*files, queries="-q" in flags, every_measure="-a" in flags)
    return 0


def _report(judged: str, returned: str, *, queries: bool, every_measure: bool) -> None:
    rows = list(short_rows("Average precision (non-interpolated) over all rel docs"))
    if every_measure:
        rows += long_rows()
    found = aligned(*read_both(judged, returned), POLICY)
    lines = report_lines(rows)
    columns = [values for values, *_ in measured(found, lines, 1, times=False)]
    texts: list[bytes] = []
    if queries:
        for topic, values in zip(found.topics, zip(*columns, strict=True), strict=True):
            texts += formatted_report(_opening(topic), rows, map(float, values))
    means = [
        overall(values, "sum" if line.whole else "mean")
        for line, values in zip(lines, columns, strict=True)
    ]
    print_lines(texts + formatted_report(_opening(b"%d" % len(found.topics)), rows, means))


def _opening(name: bytes) -> bytes:
    """Return the opening line with the query, or with the number of queries."""
    return b"Queryid (Num):".ljust(18) + name.rjust(5)
