"""Parts shared by the drop-ins for trec_eval 8.1 and TrecEval II.

They read files alike, report errors with the same exit statuses, and print from the same table of
lines: name, measure, parameters, aggregate. In the long report the values are in rows below
headings and begin in one column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import exp, log
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from spanwise import formats
from spanwise.console import emit_bytes, say
from spanwise.errors import DuplicateError, EmptyError, NoTopicsError, SpanwiseError, UsageError
from spanwise.matching.documents import Aligned, align, refuse_duplicate_judgements
from spanwise.measures import MEASURES

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray
    from spanwise.model.judgements import Judgements
    from spanwise.model.policy import Policy
    from spanwise.model.rankings import Rankings
    from spanwise.model.run import Run

# Files and errors ---------------------------------------------------------------------------------


Columns = list[list["FloatArray"]]
USAGE, BAD_INPUT, DUPLICATE, NO_TOPIC = 1, 2, 3, 255
"""Exit statuses of the older programs."""


def report_error(error: SpanwiseError) -> int:
    """Report an error in one line and return its exit status."""
    say("error", str(error))
    if isinstance(error, UsageError):
        return USAGE
    if isinstance(error, DuplicateError):
        return DUPLICATE
    return NO_TOPIC if isinstance(error, NoTopicsError | EmptyError) else BAD_INPUT


def with_exit_status(program: Callable[[list[str]], int], words: list[str]) -> int:
    """Run a program, reporting an error as a line and an exit status."""
    try:
        return program(words)
    except SpanwiseError as error:
        return report_error(error)


def read_both(judged: str, returned: str) -> tuple[Judgements, Run]:
    """Read judgements and run in the formats of the older programs."""
    how = formats.Reading(comments=False, whole_grades=True)
    for file in (judged, returned):
        if Path(file).is_file() and not Path(file).stat().st_size:
            raise NoTopicsError(f"{file}: the file is empty; check how it was made")
    judgements: Judgements = formats.read(judged, ("judgements",), "qrels", how)
    run: Run = formats.read(returned, ("run",), "trec_run", how)
    return judgements, run


def aligned(judgements: Judgements, run: Run, policy: Policy) -> Aligned:
    """Align the topics that are judged and in the run, in the order of the run."""
    judged = set(judgements.rows.topics)
    topics = [topic for topic in run.rows.topics if topic in judged]
    if not topics:
        raise NoTopicsError(
            f"{run.rows.source}: no topic of it is judged in {judgements.rows.source};"
            " expected at least one in common"
        )
    refuse_duplicate_judgements(judgements, topics)
    return align(run, judgements, topics, policy)


def measured(found: Aligned, lines: Sequence[Line], level: int, *, times: bool) -> Columns:
    """Compute the columns of each line, with one value per topic."""
    blocks = [
        [line.columns(block, level) for line in lines] for block in found.blocks(with_scores=times)
    ]
    return [
        [np.concatenate(pieces) for pieces in zip(*(block[n] for block in blocks), strict=True)]
        for n in range(len(lines))
    ]


def print_lines(lines: Sequence[bytes]) -> None:
    """Write lines to standard output unchanged; names of topics can be any bytes."""
    emit_bytes(b"".join(line + b"\n" for line in lines))


# Lines of trec_eval 8.1 ---------------------------------------------------------------------------

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
RECALLS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
FALLOUTS = (0, 14, 28, 42, 56, 71, 85, 99, 113, 127, 142)
SECONDS = range(0, 300, 5)


@dataclass(frozen=True, slots=True)
class Utility:
    """The weights of right and wrong decisions in utility."""

    weights: tuple[float, float, float, float] = (1.0, -1.0, 0.0, 0.0)
    documents: int = 0

    @property
    def name(self) -> str:
        """The weights as they appear in the name of a line."""
        return "_".join(f"{weight:.1f}" for weight in self.weights)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the utility measures."""
        return {"weights": self.weights, "documents": self.documents}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the output with its measure and aggregate."""

    name: str
    measure: str
    parameters: dict[str, Any] = field(default_factory=dict)
    overall: Overall = "mean"
    short: bool = False  # printed without -a
    per_topic: bool = True
    summary: bool = True
    whole: bool = False  # printed without decimals

    def columns(self, block: Rankings, level: int) -> list[FloatArray]:
        """Return the values of topics, followed by dividends and divisors if these are summed."""
        entry = MEASURES[self.measure]
        given = dict(self.parameters)
        if entry.parameters.get("rel") is not None:
            given["rel"] = level
        return [function(block, **given) for function in (entry.function, *(entry.parts or ()))]


def _count(name: str, measure: str, *, short: bool = False) -> Line:
    return Line(name, measure, overall="sum", short=short, whole=True)


def _head() -> Iterator[Line]:
    yield Line("num_q", "NumQ", overall="topics", short=True, per_topic=False, whole=True)
    yield _count("num_ret", "NumRet", short=True)
    yield _count("num_rel", "NumRel", short=True)
    yield _count("num_rel_ret", "NumRelRet", short=True)
    yield Line("map", "AP", short=True)
    yield Line("gm_ap", "GMAP", overall="geometric", short=True, per_topic=False)
    yield Line("R-prec", "Rprec", short=True)
    yield Line("bpref", "Bpref", short=True)
    yield Line("recip_rank", "RR", short=True)


def _whole_list(timed: bool) -> Iterator[Line]:
    yield _count("num_nonrel_judged_ret", "NumNonrelJudgedRet")
    yield Line("exact_prec", "SetP")
    yield Line("exact_recall", "SetR")
    yield Line("11-pt_avg", "IPrecAvg")
    yield Line("3-pt_avg", "IPrecAvg3")
    yield Line("avg_doc_prec", "AvgDocP", overall="pooled")
    yield Line("exact_relative_prec", "SetRelativeP")
    yield Line("avg_relative_prec", "AvgRelativeP")
    yield Line("exact_unranked_avg_prec", "SetAP")
    yield Line("exact_relative_unranked_avg_prec", "SetRelativeUAP")
    yield Line("map_at_R", "AvgPFirstR")
    yield Line("int_map", "IntAP")
    yield Line("exact_int_R_rcl_prec", "IntRprec")
    yield Line("int_map_at_R", "IntAvgPFirstR")
    if timed:
        yield Line("time_integral_prec", "TimeIntegralP")
        yield Line("time_integral_relative_prec", "TimeIntegralRelativeP")
        yield Line("time_integral_uap", "TimeIntegralUAP")
        yield Line("time_integral_relative_uap", "TimeIntegralRelativeUAP")
        yield Line("time_integral_cum_rel", "TimeIntegralCumRel")


def _incomplete() -> Iterator[Line]:
    tops = ("", "5R", "10R", "10pR", "25pR", "50pR", "25p2R")
    for variant in ("allnonrel", "retnonrel", *(f"top{top}nonrel" for top in tops), "retall"):
        yield Line(f"bpref_{variant}", "BprefVariant", {"variant": variant})
    for first in (5, 10):
        yield Line(f"bpref_{first}", "BprefFirst", {"first": first})
    yield Line("bpref_num_all", "BprefNumAll")
    yield Line("bpref_num_ret", "BprefNumRet")
    yield _count("bpref_num_correct", "BprefNumCorrect")
    yield _count("bpref_num_possible", "BprefNumPossible")
    yield Line("old_bpref", "OldBpref")
    yield Line("old_bpref_top10pRnonrel", "OldBpref", {"margin": 10})
    yield Line("infAP", "infAP")
    yield Line("gm_bpref", "GMBpref", overall="geometric", per_topic=False)
    yield Line("rank_first_rel", "RankFirstRel", summary=False, whole=True)


def _at_points(utility: Utility) -> Iterator[Line]:
    for recall in RECALLS:
        yield Line(f"ircl_prn.{recall:.2f}", "IPrec", {"recall": recall}, short=True)
    for cutoff in CUTOFFS:
        yield Line(f"P{cutoff}", "P", {"cutoff": cutoff}, short=True)
    for cutoff in CUTOFFS:
        yield Line(f"recall{cutoff}", "R", {"cutoff": cutoff})
    for multiple in MULTIPLES:
        yield Line(f"{multiple:.2f}R-prec", "RprecMult", {"multiple": multiple})
    for name, measure in (
        ("relative_prec", "RelativeP"),
        ("unranked_avg_prec", "UAP"),
        ("relative_unranked_avg_prec", "RelativeUAP"),
    ):
        for cutoff in CUTOFFS:
            yield Line(f"{name}{cutoff}", measure, {"cutoff": cutoff})
    yield Line(f"utility_{utility.name}", "Utility", utility.parameters)
    yield Line("rcl_at_142_nonrel", "AvgFalloutRecall", {"variant": "tool"})
    for label in FALLOUTS:
        point = {"label": label, "variant": "tool"}
        yield Line(f"fallout_recall_{label}", "FalloutRecall", point)
    for multiple in MULTIPLES:
        yield Line(f"int_{multiple:.2f}R-prec", "IntRprecMult", {"multiple": multiple})


def _over_time(utility: Utility) -> Iterator[Line]:
    """Yield the lines of measures over time.

    Precision is listed twice and therefore added twice in the sum over topics.
    """
    yield Line(f"time_integral_utility_{utility.name}", "TimeIntegralUtility", utility.parameters)
    overall: Overall
    for name, measure, overall in (
        ("num_rel", "TimeNumRel", "mean"),
        ("num_nonrel", "TimeNumNonrel", "mean"),
        ("cum_rel", "TimeCumRel", "mean"),
        ("precis", "TimeP", "twice"),
        ("precis", "TimeP", "twice"),
        ("relative_precis", "TimeRelativeP", "mean"),
        ("uap", "TimeUAP", "mean"),
        ("relative_uap", "TimeRelativeUAP", "mean"),
    ):
        for second in SECONDS:
            yield Line(f"time_{name}_{second}", measure, {"second": second}, overall)
    for second in SECONDS:
        given = {"second": second, **utility.parameters}
        yield Line(f"time_utility_{utility.name}-{second}", "TimeUtility", given)


def _micro() -> Iterator[Line]:
    yield Line("micro_prec", "MicroP", overall="pooled", per_topic=False)
    yield Line("micro_recall", "MicroR", overall="pooled", per_topic=False)
    yield Line("micro_bpref", "MicroBpref", overall="pooled", per_topic=False)


def short_lines() -> list[Line]:
    """Return the lines that are printed without -a."""
    return [line for line in (*_head(), *_at_points(Utility())) if line.short]


def long_lines(utility: Utility, *, timed: bool) -> list[Line]:
    """Return the lines that are printed with -a."""
    times = _over_time(utility) if timed else ()
    return [
        *_head(),
        *_whole_list(timed),
        *_incomplete(),
        *_at_points(utility),
        *times,
        *_micro(),
    ]


# Aggregates with 32 bits --------------------------------------------------------------------------
#
# Sums run in the order of topics. They are rounded to 32 bits after every addition, and so are
# quotients. `stats.aggregation` has the functions for all other output.

Overall = Literal["mean", "sum", "geometric", "pooled", "topics", "twice"]
"""Kinds of aggregates over topics.

`topics` is the number of topics. `twice` reproduces a mistake of the original, which adds each
value two times.
"""
FLOOR = 0.00001
"""Smallest value that enters a geometric mean; smaller values are replaced by it."""


def total_in_32_bits(values: FloatArray) -> float:
    """Return the sum, added one by one and rounded after every addition.

    >>> total_in_32_bits(np.array([16777216.0, 1.0, 1.0]))
    16777216.0
    """
    sums = np.cumsum(np.asarray(values, np.float32), dtype=np.float32)
    return float(sums[-1]) if len(sums) else 0.0


def mean_in_32_bits(values: FloatArray, topics: int) -> float:
    """Divide the sum by the number of topics, which can exceed the number of values."""
    return quotient_in_32_bits(total_in_32_bits(values), topics)


def quotient_in_32_bits(part: float, whole: float) -> float:
    """Return a quotient rounded to 32 bits; 0 if the divisor is 0."""
    return float(np.float32(part) / np.float32(whole)) if whole else 0.0


def geometric_in_32_bits(values: FloatArray, topics: int) -> float:
    """Return the geometric mean; a topic without a value counts with the floor."""
    logs = np.array([log(max(float(value), FLOOR)) for value in values], np.float32)
    sums = np.float32(total_in_32_bits(logs) + (topics - len(logs)) * log(FLOOR))
    return float(np.float32(exp(quotient_in_32_bits(float(sums), topics))))


def overall_in_32_bits(columns: Sequence[FloatArray], how: Overall, topics: int) -> float:
    """Aggregate the values of all topics.

    The first column has the values; two further ones have dividends and divisors.
    """
    values, *parts = columns
    match how:
        case "sum":
            return float(np.sum(values))
        case "geometric":
            return geometric_in_32_bits(values, topics)
        case "pooled":
            return quotient_in_32_bits(total_in_32_bits(parts[0]), float(np.sum(parts[1])))
        case "topics":
            return float(topics)
        case "twice":
            return mean_in_32_bits(np.repeat(values, 2), topics)
        case _:
            return mean_in_32_bits(values, topics)


# Long reports -------------------------------------------------------------------------------------


VALUES_BEGIN = 18


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a report; a row without a line is a heading."""

    label: str
    line: Line | None = None
    tail: str = ""  # text after the value


def report_lines(rows: Sequence[Row]) -> list[Line]:
    """Return the lines that are measured for a report."""
    return [row.line for row in rows if row.line is not None]


def formatted_report(opening: bytes, rows: Sequence[Row], values: Iterable[float]) -> list[bytes]:
    """Return the report of one topic or of all; `values` are those of the measured rows."""
    numbers = iter(values)
    lines = [b"", opening]
    for row in rows:
        text = row.label
        if row.line is not None:
            value = next(numbers)
            number = f"{int(value):5d}" if row.line.whole else f"{value:.4f}"
            text = f"{row.label:<{VALUES_BEGIN}}{number}{row.tail}"
        lines.append(text.encode())
    return lines


def _count_row(label: str, measure: str) -> Row:
    return Row(label, Line(label, measure, overall="sum", whole=True))


def _row(label: str, measure: str, /, *, tail: str = "", **parameters: object) -> Row:
    return Row(label, Line(label, measure, dict(parameters)), tail)


def short_rows(average: str) -> Iterator[Row]:
    """Yield the rows that both programs always print, with the given heading of averages."""
    yield Row("Total number of documents over all queries")
    yield _count_row("    Retrieved:", "NumRet")
    yield _count_row("    Relevant: ", "NumRel")
    yield _count_row("    Rel_ret:  ", "NumRelRet")
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
