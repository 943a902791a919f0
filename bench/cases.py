"""The benchmark cases: the data of each, the contenders, and the bars to meet.

Only the standard library is imported here. The measuring process has to stay small, because the
system counts the memory of a process before `exec` as memory of the contender.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
PROGRAM = "spanwise, command line"
PYTREC = "pytrec_eval-terrier"
IR_MEASURES = "ir_measures"
IR_COMMAND = "ir_measures, command line"
RANX = "ranx"
TIME_LIMIT = 1800.0
RANX_LIMIT_ON_MANY = 60.0

# The official trec_eval measures of ir_measures. It has no gm_map; the counts are left out because
# they would take further passes over the run.
IR_OFFICIAL = (
    "AP Rprec Bpref RR "
    "IPrec@0.0 IPrec@0.1 IPrec@0.2 IPrec@0.3 IPrec@0.4 IPrec@0.5 "
    "IPrec@0.6 IPrec@0.7 IPrec@0.8 IPrec@0.9 IPrec@1.0 "
    "P@5 P@10 P@15 P@20 P@30 P@100 P@200 P@500 P@1000"
)


@dataclass(frozen=True)
class Dataset:
    """Qrels and runs on disk, in a folder named after their shape so that cases can share it."""

    kind: str
    topics: int
    runs: int = 1
    depth: int = 1000

    @property
    def folder(self) -> Path:
        """The folder of the files, which make_data.py writes."""
        return DATA / f"{self.kind}-{self.topics}x{self.depth}x{self.runs}"

    @property
    def qrels(self) -> Path:
        """The file of judgements."""
        return self.folder / "qrels.txt"

    @property
    def run_paths(self) -> list[Path]:
        """The files of runs, all over the same topics."""
        return [self.folder / f"run{number:03}.txt" for number in range(self.runs)]

    @property
    def arguments(self) -> list[str]:
        """Qrels and runs in the order in which every program takes them."""
        return [str(self.qrels), *map(str, self.run_paths)]


MakeCommand = Callable[[Dataset], list[str]]


@dataclass(frozen=True)
class Entry:
    """One line of a table: a program on a dataset.

    The warm-up runs on a few topics of the same kind: enough to byte-compile, and to fill the
    compiler caches of numba, which depend on the width of the document ids.
    """

    label: str
    command: MakeCommand
    data: Dataset
    limit: float = TIME_LIMIT
    has_map: bool = True

    @property
    def warm_up(self) -> Dataset:
        """A small dataset of the same kind."""
        return Dataset(self.data.kind, 20)


@dataclass(frozen=True)
class Figures:
    """The reported figures of an entry: the least time of all repeats, the largest memory."""

    seconds: float
    cpu_seconds: float
    peak_mb: float
    mean_map: float | None = None
    lines: int = 0  # this and the following are reported by programs that time themselves
    start: float = 0.0
    work: tuple[float, ...] = ()  # of all repeats


Results = Mapping[str, Figures]


@dataclass(frozen=True)
class Bar:
    """A requirement of a case: a figure and the condition that it has to meet."""

    text: str
    figure: Callable[[Results], float]
    holds: Callable[[float], bool]


@dataclass(frozen=True)
class Case:
    """One section of the table."""

    name: str
    title: str
    entries: tuple[Entry, ...]
    bars: tuple[Bar, ...]
    repeat_factor: int = 1
    base: str = PROGRAM
    ratio_title: str = "ratio to spanwise"
    lines: Callable[[Entry], int] | None = None  # lines per second are shown instead of ratios
    remarks: Callable[[Results], list[str]] | None = None  # lines below the table

    @property
    def compares_results(self) -> bool:
        """Whether the entries answer the same question, so that their MAP has to agree."""
        return all(entry.has_map for entry in self.entries) and (
            len({entry.data for entry in self.entries}) == 1
        )


def spanwise_command(data: Dataset) -> list[str]:
    """Return the command line as a user would type it."""
    words = ["eval", *data.arguments, "-m", "official", "--format", "trec"]
    return [sys.executable, "-m", "spanwise", *words]


def ir_measures_command(data: Dataset) -> list[str]:
    """Return the command line of ir_measures, which takes one run."""
    return [sys.executable, "-m", "ir_measures", *data.arguments, IR_OFFICIAL]


def library(name: str) -> MakeCommand:
    """Return a command that calls a library in a fresh interpreter; see call_library.py."""
    return lambda data: [sys.executable, str(HERE / "call_library.py"), name, *data.arguments]


def faster_than(peer: str, times: float) -> Bar:
    """Return the bar that the command line takes at most 1/times of the wall time of a peer."""
    return Bar(
        f"at least {times:g} times as fast as {peer}",
        lambda results: results[peer].seconds / results[PROGRAM].seconds,
        lambda figure: figure >= times,
    )


def _competition(data: Dataset, ir: Entry, ranx_limit: float = TIME_LIMIT) -> tuple[Entry, ...]:
    """Return the entries of all programs on one dataset."""
    return (
        Entry(PROGRAM, spanwise_command, data),
        Entry("spanwise, Python", library("spanwise"), data),
        Entry(PYTREC, library("pytrec_eval"), data),
        ir,
        Entry(RANX, library("ranx"), data, limit=ranx_limit),
    )


def _large(scale: int) -> Case:
    """Return the case of a large run, whose evaluation takes noticeable time."""
    data = Dataset("passages", 6980 // scale)
    return Case(
        "large",
        f"one run of {data.topics:,} topics x 1,000 documents, about 1.1 judged per topic",
        _competition(data, Entry(IR_MEASURES, library("ir_measures"), data)),
        (
            faster_than(PYTREC, 5),
            faster_than(IR_MEASURES, 8),
            Bar(
                "peak memory at most 1024 MB",
                lambda results: results[PROGRAM].peak_mb,
                lambda figure: figure <= 1024,
            ),
        ),
    )


def _many(scale: int) -> Case:
    """Return the case of all runs submitted to a track."""
    data = Dataset("newswire", 50, runs=100 // scale)
    return Case(
        "many",
        f"{data.runs} runs of 50 topics x 1,000 documents, about 1,500 judged per topic",
        _competition(
            data, Entry(IR_MEASURES, library("ir_measures"), data), ranx_limit=RANX_LIMIT_ON_MANY
        ),
        (faster_than(PYTREC, 4),),
    )


def _small(scale: int) -> Case:
    """Return the case of an everyday run, dominated by the start of the program."""
    data = Dataset("newswire", 50 // scale)
    return Case(
        "small",
        f"one run of {data.topics} topics x 1,000 documents",
        _competition(data, Entry(IR_COMMAND, ir_measures_command, data)),
        (
            Bar(
                "not slower than the command line of ir_measures",
                lambda results: results[IR_COMMAND].seconds / results[PROGRAM].seconds,
                lambda figure: figure >= 1,
            ),
        ),
        repeat_factor=3,
    )


def _start(_scale: int) -> Case:
    """Return the case of the start-up time, which every call includes."""
    data = Dataset("newswire", 5)
    numpy_label = "import numpy"
    help_label = "spanwise --help"
    return Case(
        "start",
        "start of the program",
        (
            Entry(
                help_label,
                lambda _: [sys.executable, "-m", "spanwise", "--help"],
                data,
                has_map=False,
            ),
            Entry(
                numpy_label,
                lambda _: [sys.executable, "-c", "import numpy"],
                data,
                has_map=False,
            ),
        ),
        (
            Bar(
                "under 2 times the import of numpy",
                lambda results: results[help_label].seconds / results[numpy_label].seconds,
                lambda figure: figure < 2,
            ),
        ),
        repeat_factor=5,
        base=help_label,
    )


def _linear(scale: int) -> Case:
    """Return the case that checks that time grows linearly with the lines."""
    sizes = [6980 // scale // part for part in (8, 4, 2, 1)]
    labels = [
        f"{times}x: {topics:,} topics" for times, topics in zip((1, 2, 4, 8), sizes, strict=True)
    ]
    return Case(
        "linear",
        "spanwise alone on 1, 2, 4 and 8 times the lines",
        tuple(
            Entry(label, spanwise_command, Dataset("passages", topics))
            for label, topics in zip(labels, sizes, strict=True)
        ),
        (
            Bar(
                "8 times the lines take at most 9 times the seconds",
                lambda results: results[labels[-1]].seconds / results[labels[0]].seconds,
                lambda figure: figure <= 9,
            ),
        ),
        base=labels[0],
        ratio_title="ratio to 1x",
    )


def all_cases(quick: bool) -> list[Case]:
    """Return all cases; `quick` reduces them to a tenth of their size."""
    from chunk_cases import chunk_cases
    from cluster_cases import cluster_cases
    from element_cases import element_cases
    from text_cases import text_cases

    scale = 10 if quick else 1
    plain = (make(scale) for make in (_large, _many, _small, _start, _linear))
    return [
        *plain,
        *text_cases(scale),
        *element_cases(scale),
        *chunk_cases(scale),
        *cluster_cases(scale),
    ]
