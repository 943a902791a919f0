"""The main program of inex_eval: from options and files to the printed lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import isinf, isnan, nan
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from spanwise.console import emit_bytes, say
from spanwise.dropins.inex_eval.files import (
    CheckedRun,
    Judged,
    Rejected,
    Task,
    read_judged,
    read_run,
    shown_name,
)
from spanwise.errors import UsageError
from spanwise.formats.io.columns import prepare
from spanwise.formats.io.files import STDIN
from spanwise.matching.text import readings
from spanwise.measures import context, highlight
from spanwise.model.columns import text
from spanwise.model.policy import Policy

if TYPE_CHECKING:
    from spanwise.measures.highlight import Repeats
    from spanwise.model.arrays import FloatArray, IntArray
    from spanwise.model.readings import Readings
    from spanwise.model.run import Run

# Options ------------------------------------------------------------------------------------------


USAGE = "inex_eval (-t|-f|-r|-b|-i) [-irr N] [-n N] [-beta B] [-c] [-q] QRELS RUN..."
LARGEST = 2**31 - 1
"""Largest integer of the original, which counts with 32 bits."""
HELP = f"""\
spanwise {USAGE}

Scores runs of passages against highlighted text, as inex_eval 3.1 did for INEX 2008-2010.

  -t        thorough: results may overlap, text shown before does not count again
  -f        focused: results do not overlap
  -r        relevant in context: the passages of a document together, scored by F
  -i        the same, scored by what a reader reads who tolerates some irrelevant text
  -b        best in context: one entry point for each document
  -irr N    with -i, how many irrelevant characters a reader tolerates (300)
  -n N      with -b, how far from the best entry point a result may begin (500)
  -beta B   with -r, the weight of recall (0.25)
  -c        average over all judged topics; those missing from the run count 0
  -q        also print every topic

QRELS has lines `topic Q0 document relevant length [entry offset:length ...]`, RUN has lines
`topic Q0 document rank score run-id offset length`; the order of the lines is the ranking.

Examples:
  spanwise inex_eval -f inex2009.qrels run.txt
  spanwise inex_eval -r -beta 1 -c -q inex2007.qrels run1.txt run2.txt
  spanwise inex_eval -i -irr 500 inex2010.qrels run.txt
"""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command line."""

    task: Task | None = None
    tolerance: int = 300
    distance: int = 500
    beta: float = 0.25
    complete: bool = False
    per_topic: bool = False
    files: tuple[str, ...] = ()

    @property
    def in_context(self) -> bool:
        """Whether the task ranks documents instead of passages."""
        return self.task in ("r", "i", "b")


def parsed(words: list[str]) -> Options:
    """Parse the words of the command line."""
    options, rest = Options(), list(words)
    while rest:
        word = rest.pop(0)
        if word in ("-t", "-f", "-r", "-b", "-i"):
            if options.task is not None:
                raise UsageError(f"-{options.task} and {word}: only one task at a time")
            options = replace(options, task=cast("Task", word[1:]))
        elif word in ("-irr", "-n", "-beta"):
            if not rest:
                raise UsageError(f"{word} needs a value; expected {USAGE}")
            options = _with_value(options, word, rest.pop(0))
        elif word == "-c":
            options = replace(options, complete=True)
        elif word == "-q":
            options = replace(options, per_topic=True)
        elif word.startswith("-") and word != "-":
            raise UsageError(f"unknown option {word!r}; expected {USAGE}")
        else:
            options = replace(options, files=(*options.files, word))
    if options.task is None:
        raise UsageError(f"no task; expected {USAGE}")
    if len(options.files) < 2:
        raise UsageError(f"{len(options.files)} files; expected {USAGE}")
    return options


def _with_value(options: Options, word: str, value: str) -> Options:
    try:
        number = float(value) if word == "-beta" else int(value)
    except ValueError:
        raise UsageError(f"{word} is {value!r}; expected a number") from None
    least = 1 if word == "-n" else 0
    if not least <= number <= LARGEST:
        raise UsageError(f"{word} is {value}; it must be between {least} and {LARGEST}")
    if word == "-beta":
        return replace(options, beta=number)
    if word == "-irr":
        return replace(options, tolerance=int(number))
    return replace(options, distance=int(number))


# Numbers in Java notation -------------------------------------------------------------------------


def java_int(value: int) -> str:
    """Format an integer as Java does after an overflow of 32 bits.

    >>> [java_int(x) for x in (2**31 - 1, 2**31, 4_000_000_000)]
    ['2147483647', '-2147483648', '-294967296']
    """
    return str((value + 2**31) % 2**32 - 2**31)


def java_double(value: float) -> str:
    """Format a number with the shortest digits in Java's notation.

    >>> [java_double(x) for x in (1.0, 0.1, 0.0003, 12345678.0, 0.001, 5e-324)]
    ['1.0', '0.1', '3.0E-4', '1.2345678E7', '0.001', '4.9E-324']
    """
    if isnan(value):
        return "NaN"
    if isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    if abs(value) == 5e-324:  # Java prints the nearest two digits
        return f"{'-' if value < 0 else ''}4.9E-324"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, *more = map(str, digits)
    power = len(digits) - 1 + int(exponent)
    return f"{'-' if sign else ''}{first}.{''.join(more) or '0'}E{power}"


# Main program -------------------------------------------------------------------------------------

POLICY = Policy(ties="file", average_over="both", empty="as-is", follow="inex_eval 3.1")
CUTOFFS = (1, 2, 3, 5, 10, 25, 50)
LEVELS = (0, 1, 5, 10)
COUNTS = ("num_ret", "num_rel", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size")


def main(words: list[str]) -> int:
    """Run inex_eval and return its exit status."""
    if words and words[0] in ("-h", "-help", "--help"):
        emit_bytes(HELP.encode())
        return 0
    options = parsed(words)
    judgements, *runs = options.files
    prepare(runs)
    judged = read_judged(judgements)
    for message in _oddities(judged, judgements):
        say("warning", message)
    for file in runs:
        try:
            returned = read_run(file, options.task or "f", judged.characters)
        except Rejected as rejection:
            emit_bytes(f"{rejection}\n".encode("utf-8", "surrogateescape"))
            say("warning", f"{file}: rejected; the exit status is that of the original, 0")
            continue
        emit_bytes(b"".join(_lines(returned, file, judged, options)))
    return 0


def _oddities(judged: Judged, file: str) -> Iterator[str]:
    if judged.repeated:
        yield f"{file}: lines about a document judged before: {judged.repeated}; they count again"
    empty = [topic for topic, count in judged.documents.items() if not count]
    if empty:
        some = ", ".join(map(text, empty[:3])) + (", ..." if len(empty) > 3 else "")
        yield f"{file}: topics judged, but nothing is relevant: {some}; where they count is NaN"


# Values -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The values of each line for all evaluated topics."""

    counts: dict[str, IntArray]
    values: dict[str, FloatArray]
    curve: FloatArray  # one row per topic
    impossible: list[tuple[bytes, int, int]]  # topic, rank from 0, recall point past 100


def _columns(
    returned: CheckedRun, judged: Judged, topics: Sequence[bytes], options: Options
) -> Columns:
    measured = _in_context if options.in_context else _focused
    found = [
        (_counts(block, options), *measured(block, options), _impossible(block, options))
        for block in _blocks(returned, judged, topics or judged.topics[:1], options)
    ]
    counts, values, curves, impossible = zip(*found, strict=True)
    kept = len(topics)  # 0 if no topic is both judged and in the run
    return Columns(
        _joined(counts, kept),
        _joined(values, kept),
        np.concatenate(curves)[:kept],
        [point for points in impossible for point in points],
    )


def _joined(parts: Sequence[dict[str, Any]], kept: int) -> dict[str, Any]:
    return {name: np.concatenate([part[name] for part in parts])[:kept] for name in parts[0]}


def _blocks(
    returned: CheckedRun, judged: Judged, topics: Sequence[bytes], options: Options
) -> Iterator[Readings]:
    recounted = None if options.in_context else returned.counted
    relevant = judged.relevant() if recounted else set()
    for block in readings(returned.run, judged.judgements, topics, POLICY):
        totals = replace(
            block,
            highlighted=np.array([judged.characters[topic] for topic in block.topics]),
            relevant_documents=np.array([judged.documents[topic] for topic in block.topics]),
        )
        yield _recounted(totals, recounted, relevant) if recounted else totals


def _recounted(
    r: Readings, counted: dict[bytes, list[bytes]], relevant: set[tuple[bytes, bytes]]
) -> Readings:
    """Replace the document counts by those of the original, with its repetitions and gaps."""
    rows = [[(topic, name) in relevant for name in counted.get(topic, ())] for topic in r.topics]
    known = np.zeros((len(r), max(map(len, rows))), np.int64)
    for row, flags in zip(known, rows, strict=True):
        row[: len(flags)] = flags
    return replace(r, documents=np.array([len(flags) for flags in rows]), known=known)


def _counts(r: Readings, options: Options) -> dict[str, IntArray]:
    skip = options.task == "t"
    nothing = np.zeros(len(r), np.int64)
    shown = nothing if options.task == "b" else r.last(r.read(skip))
    found = nothing if options.task == "b" else r.last(r.gathered(skip))
    relevant = np.count_nonzero(r.relevant_place, axis=-1)
    columns = (r.documents, r.relevant_documents, relevant, shown, r.highlighted, found)
    return dict(zip(COUNTS, columns, strict=True))


def _focused(r: Readings, options: Options) -> tuple[dict[str, FloatArray], FloatArray]:
    repeats: Repeats = "skip" if options.task == "t" else "charge"
    curve = highlight.interpolated(r, repeats, highlight.LEVELS)
    values = {
        "art_prec": highlight.document_precision(r),
        "art_rec": highlight.document_recall(r),
        "art_f1": highlight.document_f1(r),
        "char_prec": highlight.character_precision(r, repeats=repeats),
        "char_rec": highlight.character_recall(r, repeats=repeats),
        "char_f1": highlight.character_f1(r, repeats=repeats),
        **{f"iP[{level / 100:.2f}]": curve[:, level] for level in LEVELS},
        "MAiP": highlight.average_interpolated_precision(r, repeats=repeats),
    }
    return values, curve


def _impossible(r: Readings, options: Options) -> list[tuple[bytes, int, int]]:
    """Return topic, rank and recall point where more is found than exists."""
    if options.in_context:
        return []
    gathered = r.gathered(options.task == "t")
    if (r.last(gathered) <= r.highlighted).all():
        return []
    recall = r.ratio(gathered, r.highlighted[:, None], undefined=0)
    points = np.floor(recall * 100)
    real = np.arange(points.shape[-1]) < r.retrieved[:, None]
    topics, ranks = np.nonzero(real & (points > 100))
    places = zip(topics.tolist(), ranks.tolist(), strict=True)
    return [(r.topics[topic], rank, int(points[topic, rank])) for topic, rank in places]


def _in_context(r: Readings, options: Options) -> tuple[dict[str, FloatArray], FloatArray]:
    scores: dict[str, context.Score] = {"r": "f", "b": "bep", "i": "t2i"}
    documents = context.Documents(
        r,
        score=scores[options.task or "r"],
        beta=options.beta,
        n=options.distance,
        tolerance=options.tolerance,
        past="last",
    )
    values = {"MAgP": context.average_generalised_precision(documents)}
    for cutoff in CUTOFFS:
        values[f"gP[{cutoff}]"] = context.generalised_precision(documents, cutoff=cutoff)
        recall = context.generalised_recall(documents, cutoff=cutoff)
        values[f"gR[{cutoff}]"] = np.where(r.documents > 0, recall, 0)
    return values, context.curve(documents)


# Lines --------------------------------------------------------------------------------------------


def _lines(returned: CheckedRun, file: str, judged: Judged, options: Options) -> Iterator[bytes]:
    run = returned.run
    answered = set(run.rows.topics)
    topics = [topic for topic in judged.topics if options.complete or topic in answered]
    columns = _columns(returned, judged, topics, options)
    totals = _totals(columns, judged, options)
    for message in _remarks(returned, columns, max(totals.values()), options):
        say("warning", f"{file}: {message}")
    yield from _impossible_points(run, columns)
    name = run.name.encode("utf-8", "surrogateescape")
    place = "stdin" if file == STDIN else shown_name(file)
    yield b'<eval run-id="%s" file="%s">\n' % (name, place.encode("utf-8", "surrogateescape"))
    if options.per_topic:
        for row, topic in enumerate(topics):
            yield from _of_topic(topic, row, columns)
    yield from _of_all(len(topics), totals, columns)
    yield b"</eval>\n"


def _remarks(
    returned: CheckedRun, columns: Columns, largest: int, options: Options
) -> Iterator[str]:
    """Yield warnings about unusual output."""
    if returned.counted is not None:
        what = "mixes up such topics, these numbers do not" if options.in_context else "forgets it"
        yield f"a topic comes again after another one; the original {what}"
    if largest > LARGEST:
        yield (
            f"a total of over {LARGEST} characters is printed as what 32 bits hold of it, as the"
            " original does; measures are computed of what it is"
        )
    beyond = len({topic for topic, _, _ in columns.impossible})
    if beyond:
        yield f"topics in which more is found than there is: {beyond}; that is left out of iP"


def _impossible_points(run: Run, columns: Columns) -> Iterator[bytes]:
    """Yield the lines that the original prints while it reads."""
    codes = {topic: code for code, topic in enumerate(run.rows.topics)}
    starts = run.rows.starts
    points = [
        (run.rows.line(int(starts[codes[topic]]) + rank) or 0, point)
        for topic, rank, point in columns.impossible
    ]
    for _, point in sorted(points):
        yield b"Impossible recall point: %d\n" % point


def _of_topic(topic: bytes, row: int, columns: Columns) -> Iterator[bytes]:
    for name, counts in columns.counts.items():
        yield _line(name, topic, java_int(int(counts[row])))
    average = "MAiP" if "MAiP" in columns.values else "MAgP"
    for name in [*(name for name in columns.values if name != average), average]:
        shown = name.removeprefix("M") if name == average else name
        yield _line(shown, topic, java_double(float(columns.values[name][row])))


def _totals(columns: Columns, judged: Judged, options: Options) -> dict[str, int]:
    totals = {name: int(counts.sum()) for name, counts in columns.counts.items()}
    if options.in_context:  # these two are over all judged topics
        totals["num_rel"] = sum(judged.documents.values())
        totals["rel_size"] = sum(judged.characters.values())
    return totals


def _of_all(topics: int, totals: dict[str, int], columns: Columns) -> Iterator[bytes]:
    yield _line("num_q", b"all", str(topics))
    for name, total in totals.items():
        yield _line(name, b"all", java_int(total))
    for name, mean in zip(
        columns.values, _means(np.stack([*columns.values.values()])), strict=True
    ):
        yield _line(name, b"all", java_double(mean))
    means = _means(columns.curve.T)
    for level, mean in enumerate(means):
        yield _line(f"ircl_prn.{level / (len(means) - 1):.2f}", b"all", java_double(mean))


def _means(lines: FloatArray) -> list[float]:
    """Return the mean of each line over topics, added one by one."""
    topics = lines.shape[-1]
    sums = np.cumsum(lines, axis=-1)[:, -1] if topics else np.full(len(lines), nan)
    return (sums / max(topics, 1)).tolist()


def _line(name: str, topic: bytes, value: str) -> bytes:
    tabs = b"\t" if len(name) >= 8 else b"\t\t"
    return name.encode() + tabs + topic + b"\t" + value.encode() + b"\n"
