"""TEMPORARY module docstring to replace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from spanwise.dropins.trec_eval.older_files import CUTOFFS, FALLOUTS, MULTIPLES, RECALLS, Line

VALUES_BEGIN = 18


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a report; a row without a line is a heading."""

    label: str
    line: Line | None = None
    tail: str = ""  # what stands after the value


def measured(rows: Sequence[Row]) -> list[Line]:
    """Return the lines that are measured for a report."""
    return [row.line for row in rows if row.line is not None]


def rendered(opening: bytes, rows: Sequence[Row], values: Iterable[float]) -> list[bytes]:
    """Return the report of one topic or of all; `values` are those of the measured rows."""
    numbers = iter(values)
    report = [b"", opening]
    for row in rows:
        text = row.label
        if row.line is not None:
            value = next(numbers)
            number = f"{int(value):5d}" if row.line.whole else f"{value:.4f}"
            text = f"{row.label:<{VALUES_BEGIN}}{number}{row.tail}"
        report.append(text.encode())
    return report


def _count(label: str, measure: str) -> Row:
    return Row(label, Line(label, measure, overall="sum", whole=True))


def _row(label: str, measure: str, /, *, tail: str = "", **parameters: object) -> Row:
    return Row(label, Line(label, measure, dict(parameters)), tail)


def short_rows(average: str) -> Iterator[Row]:
    """Yield the rows that both programs always print, with the given heading of averages."""
    yield Row("Total number of documents over all queries")
    yield _count("    Retrieved:", "NumRet")
    yield _count("    Relevant: ", "NumRel")
    yield _count("    Rel_ret:  ", "NumRelRet")
    yield Row("Interpolated Recall - Precision Averages:")
    for recall in RECALLS:
        yield _row(f"    at {recall:.2f}", "IPrec", recall=recall, tail=" ")
    yield Row(average)
    yield _row("", "AP", tail=" ")
    yield Row("Precision:")
    for cutoff in CUTOFFS:
        yield _row(f"  At {cutoff:4d} docs:", "P", cutoff=cutoff)
    yield Row("R-Precision (precision after R (= num_rel for a query) docs retrieved):")
    yield _row("    Exact:", "Rprec")


def long_rows() -> Iterator[Row]:
    """Yield the rows that -a adds in TrecEval II."""
    yield from _first_trec()
    yield from _future_trecs()
    yield from _interpolated()


def _first_trec() -> Iterator[Row]:
    yield Row("The following measures included for TREC 1 compatability")
    yield Row("Precision:")
    yield _row("   Exact:", "SetP")
    yield Row("Recall:")
    yield _row("   Exact:", "SetR")
    for cutoff in CUTOFFS:
        yield _row(f"   at {cutoff:4d} docs:", "R", cutoff=cutoff)
    yield Row("Average interpolated precision for all 11 recall points")
    yield _row("   11-pt Avg:", "IPrecAvg")
    yield Row("Average interpolated precision for 3 intermediate points (0.20, 0.50, 0.80)")
    yield _row("    3-pt Avg:", "IPrecAvg3")


def _future_trecs() -> Iterator[Row]:
    yield Row("The following measures are possible for future TRECs")
    yield Row("R-based-Precision (precision after given multiple of R docs retrieved):")
    yield _row("    Exact:", "Rprec")
    for multiple in MULTIPLES:
        yield _row(f"    At {multiple:.2f} R:", "RprecMult", multiple=multiple)
    yield Row("Relative Precision:")
    yield _row("   Exact:", "SetRelativeP")
    for cutoff in CUTOFFS:
        yield _row(f"   At {cutoff:4d} docs:", "RelativeP", cutoff=cutoff)
    yield Row("Average precision for first R docs retrieved:")
    yield _row("", "AvgPFirstR")
    yield Row("Fallout - Recall Averages (recall after X nonrel docs retrieved):")
    for label in FALLOUTS:
        yield _row(f"    At {label:3d} docs:", "FalloutRecall", label=label)
    yield Row("Average recall for first 142 nonrel docs retrieved:")
    yield _row("", "AvgFalloutRecall")


def _interpolated() -> Iterator[Row]:
    yield Row("The following measures are interpolated versions of measures above.")
    yield Row("For the following, interpolated_prec(X) == MAX (prec(Y)) for all Y >= X")
    yield Row("All these measures are experimental")
    yield Row("Average interpolated precision over all rel docs")
    yield _row("", "IntAP")
    yield Row("R-based-interpolated-Precision:")
    yield _row("    Exact:", "IntRprec")
    for multiple in MULTIPLES:
        yield _row(f"    At {multiple:.2f} R:", "IntRprecMult", multiple=multiple)
    yield Row("Average interpolated precision for first R docs retrieved:")
    yield _row("", "IntAvgPFirstR")
