"""What a gate says: Markdown for people, JUnit for the programs that build things."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from spanwise.model.notebook import number
from spanwise.report.comparison import probability
from spanwise.report.tables import Table, as_markdown

if TYPE_CHECKING:
    from spanwise.model.gate import Verdict


def as_md(verdicts: Sequence[Verdict]) -> str:
    """A table, and one line that says it all."""
    header = ("run", "measure", "before", "now", "drop", "interval", "p", "verdict")
    rows = []
    for one in verdicts:
        low, high, drop = (value + 0.0 for value in (one.low, one.high, one.drop))  # no -0
        bounds = f"[{low:+.4f}, {high:+.4f}]" if isfinite(low) else "-"
        words = (one.run, one.rule.measure)
        numbers = (number(one.before), number(one.value), f"{drop:+.4f}", bounds)
        said = "pass" if one.passed else f"FAIL: {'; '.join(one.reasons)}"
        rows.append((*words, *numbers, probability(one.p), said))
    failed = sum(not one.passed for one in verdicts)
    verdict = "Gate: passed" if not failed else f"Gate: failed ({failed} of {len(verdicts)})"
    return f"**{verdict}**\n\n" + as_markdown(Table(header, tuple(rows), words=(0, 1, 7)))


def as_junit(verdicts: Sequence[Verdict]) -> bytes:
    """One test case for each run and measure."""
    failed = sum(not one.passed for one in verdicts)
    suite = ElementTree.Element(
        "testsuite",
        name="spanwise gate",
        tests=str(len(verdicts)),
        failures=str(failed),
        errors="0",
        skipped="0",
    )
    for one in verdicts:
        case = ElementTree.SubElement(
            suite, "testcase", classname=_plain(one.run), name=_plain(one.rule.measure), time="0"
        )
        if not one.passed:
            message = _plain("; ".join(one.reasons))
            failure = ElementTree.SubElement(case, "failure", message=message, type="regression")
            failure.text = f"before {one.before!r}, now {one.value!r}, {one.topics} topics"
    root = ElementTree.Element("testsuites", tests=str(len(verdicts)), failures=str(failed))
    root.append(suite)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _plain(text: str) -> str:
    """Without the characters that XML forbids."""
    return "".join(c if c.isprintable() else "?" for c in text)
