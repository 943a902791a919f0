"""The main program of EvalJ: parse options, read a configuration, score runs, report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from spanwise.collection import opened
from spanwise.console import emit, page_width, say, write_atomically
from spanwise.dropins.evalj import configuration as xml
from spanwise.dropins.evalj.configuration import (
    RESULTS,
    Metric,
    Properties,
    planned,
    read_properties,
)
from spanwise.dropins.evalj.graphs import file_names, graphs, write_gnuplot, write_picture
from spanwise.errors import UsageError
from spanwise.evaluation.evaluate import score_run as score
from spanwise.formats import FORMATS, expanded, read_judgements, read_run
from spanwise.formats.inex.assessments import FULL_RECALL_BASE
from spanwise.formats.io.files import chunks
from spanwise.matching.placing import placed_judgements
from spanwise.measures.names import parse
from spanwise.model.contents import (
    COLLECTIONS,
    FLAGS,
    POOLED,
    POOLS,
    STATEMENTS,
    VERSIONS,
    loss_in_words,
)
from spanwise.model.judgements import Judgements, Preferences, combined
from spanwise.model.policy import Policy
from spanwise.model.scores import run_names
from spanwise.report.scores import rendered

if TYPE_CHECKING:
    from spanwise.model.documents import Collection
    from spanwise.model.run import Run
    from spanwise.model.scores import Scores

# Command line -------------------------------------------------------------------------------------

Graphs = Literal["gnu", "jfree"]
USAGE = "evalj -config FILE [-q] [-e] [-gnu|-jfree] [-collection PATH] [ASSESSMENTS RUN...]"
NAMED = ("-config", "-results", "-collection", "-examples")
"""Options that are followed by a value."""
HELP = f"""\
spanwise {USAGE}

Scores runs as XCGEval and EvalJ did for INEX 2005 and 2006.

  -config FILE      XCGEval's properties (KEY: value), or EvalJ's metrics (XML)
  -q                also print every topic
  -e                topics without results count 0; else only topics in the run are averaged
  -gnu              write data and scripts for gnuplot
  -jfree            write graphs as PNG
  -examples DIR     write the official configurations of 2006 into a folder, and nothing else
  -results DIR      where results are written, whatever RESULTS_DIR says (./results)
  -collection PATH  the documents, a store or a folder, whatever INEXDOCCOLL_DIR says

Properties name their files themselves: ASSESSMENTS_DIR or EXPANDED_FULLRB, SUBMISSIONRUNS_DIR,
INEXDOCCOLL_DIR, RESULTS_DIR; and what to do: TASK, METRICS, OVERLAP, ALPHA, DCV, QUANT_FUNCTIONS.
With metrics, assessments and runs are given on the command line.

Examples:
  spanwise evalj -e -config focused.prop
  spanwise evalj -e -config best-in-context.xml -collection wikipedia assessments/ runs/*.xml
"""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command line."""

    config: str = ""
    per_topic: bool = False
    every_topic: bool = False
    graphs: Graphs | None = None
    results: str | None = None
    collection: str | None = None
    examples: str = ""
    files: tuple[str, ...] = ()


def parsed(words: list[str]) -> Options:
    """Parse the words of the command line."""
    options, rest = Options(), list(words)
    while rest:
        word = rest.pop(0)
        word = word[1:] if word[1:] in NAMED else word  # two dashes, as in messages
        if word in NAMED:
            if not rest:
                raise UsageError(f"evalj: {word} needs a name after it")
            options = replace(options, **{word[1:]: rest.pop(0)})  # type: ignore[arg-type]
        elif word == "-q":
            options = replace(options, per_topic=True)
        elif word == "-e":
            options = replace(options, every_topic=True)
        elif word in ("-gnu", "-jfree"):
            kind: Graphs = "gnu" if word == "-gnu" else "jfree"
            if options.graphs not in (None, kind):
                raise UsageError("evalj: -gnu and -jfree exclude each other")
            options = replace(options, graphs=kind)
        elif word.startswith("-") and word != "-":
            raise UsageError(f"evalj: unknown option {word!r}; usage: {USAGE}")
        else:
            options = replace(options, files=(*options.files, word))
    if not options.config and not options.examples:
        raise UsageError(f"evalj: no configuration; usage: {USAGE}")
    return options


# Main program -------------------------------------------------------------------------------------

REMARKS = {COLLECTIONS, FLAGS, POOLED, POOLS, STATEMENTS, VERSIONS}
"""Losses of assessments that do not affect scores."""


@dataclass(frozen=True, slots=True)
class Job:
    """The runs to score, with metrics and judgements of either kind of configuration."""

    metrics: Sequence[Metric]
    judgements: Judgements
    runs: Sequence[str]
    results: Path
    collection: Collection | None
    task: str | None = None  # task that runs should state


def main(words: list[str]) -> int:
    """Run the program and return its exit status."""
    if not words or words[0] in ("-h", "-help", "--help"):
        emit(HELP)
        return 0
    options = parsed(words)
    if options.examples:
        _write_examples(Path(options.examples))
        return 0
    config = b"".join(chunks(options.config))
    job = (_with_metrics if xml.is_metrics(config) else _with_properties)(options, config)
    _make_folder(job.results)
    results = [_scored(job, options, file) for file in expanded(job.runs)]
    shown = [scores for scores in results if scores.means]
    for scores, name in zip(shown, file_names([one.source for one in shown]), strict=True):
        _write(job, options, scores, job.results / f"{name}.txt")
    if shown:
        printed = [_printed(job, one) for one in shown]
        width = page_width()
        emit(rendered(printed, "table", per_topic=options.per_topic, width=width))
    _draw(job, options, shown)
    return 0


def _write_examples(folder: Path) -> None:
    _make_folder(folder)
    for file in sorted(files("spanwise").joinpath("data/evalj").iterdir(), key=lambda f: f.name):
        if (folder / file.name).exists():
            raise UsageError(f"{folder / file.name}: already exists; expected another folder")
        write_atomically(folder / file.name, file.read_bytes())
        emit(f"{folder / file.name}\n")


# Jobs ---------------------------------------------------------------------------------------------


def _with_properties(options: Options, config: bytes) -> Job:
    if options.files:
        raise UsageError(
            f"evalj: {options.files[0]!r}: properties name their files themselves,"
            " in ASSESSMENTS_DIR and SUBMISSIONRUNS_DIR"
        )
    properties = read_properties(options.config, config)
    collection = opened(options.collection or properties.collection)
    judgements = _judged(properties, collection)
    metrics = planned(properties, judgements)
    folder = Path(options.results or properties.results)
    return Job(metrics, judgements, properties.runs, folder, collection, properties.task)


def _with_metrics(options: Options, config: bytes) -> Job:
    wanted = xml.read_metrics(options.config, config)
    if len(options.files) < 2:
        raise UsageError("evalj: metrics need ASSESSMENTS and RUN... after them")
    collection = opened(options.collection)
    judgements = _elements(read_judgements(options.files[0]), options.files[0], collection)
    metrics = xml.planned_metrics(wanted, judgements)
    folder = Path(options.results or RESULTS)
    return Job(metrics, judgements, options.files[1:], folder, collection)


def _judged(properties: Properties, collection: Collection | None) -> Judgements:
    """Read the assessments.

    They are also written to one file if that is named and does not exist.
    """
    if not properties.assessments:
        assert properties.everything is not None
        file = properties.everything
        return _elements(read_judgements(file), file, collection)
    names = ", ".join(properties.assessments)
    assessed = combined([read_judgements(name) for name in properties.assessments], names)
    judgements = _elements(assessed, names, collection)
    if properties.everything is not None:
        _combine(assessed, properties.everything)
    return judgements


def _combine(assessed: Judgements | Preferences, file: str) -> None:
    """Write all assessments to one file, if its format can hold them."""
    entry = FORMATS[FULL_RECALL_BASE]
    assert entry.write is not None
    lost = {kind: count for kind, count in entry.loses(assessed).items() if kind not in REMARKS}
    if lost:
        what = ", ".join(starmap(loss_in_words, lost.items()))
        raise UsageError(
            f"EXPANDED_FULLRB {file!r} cannot hold {what}; leave it out, or make it:"
            f" spanwise convert IN {file} --to {FULL_RECALL_BASE} --collection PATH"
        )
    write_atomically(Path(file), entry.write(assessed))


def _elements(judgements: object, source: str, collection: Collection | None) -> Judgements:
    if isinstance(judgements, Judgements):
        return placed_judgements(judgements, collection)
    raise UsageError(f"{source}: preferences; evalj needs assessments of elements or text")


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{path}: cannot be made ({error.strerror})") from error


# Scores -------------------------------------------------------------------------------------------


def _scored(job: Job, options: Options, file: str) -> Scores:
    """Score a run with the metrics for its task."""
    run = read_run(file)
    task = (run.header or {}).get("task")
    _warn_of_task(job, run, task)
    names = {k: v for one in job.metrics if one.fits(task) for k, v in one.measures().items()}
    asked = [replace(parse(name), label=label) for label, name in names.items()]
    policy = Policy(ties="file", average_over="judged" if options.every_topic else "run")
    return score(job.judgements, run, asked, policy, job.collection)


def _warn_of_task(job: Job, run: Run, task: str | None) -> None:
    if not any(one.fits(task) for one in job.metrics):
        say("warning", f"{run.rows.source}: a run for {task}, for which no metric is meant")
    elif job.task and task and job.task.lower() not in task.lower():
        say("warning", f"{run.rows.source}: a run for {task}, scored as one for {job.task}")


def _printed(job: Job, scores: Scores) -> Scores:
    """Return the scores without the points of curves."""
    labels = [label for one in job.metrics for label, _ in one.numbers if label in scores.means]
    return replace(
        scores,
        values={label: scores.values[label] for label in labels},
        means={label: scores.means[label] for label in labels},
        counts={label: scores.counts[label] for label in labels},
    )


def _write(job: Job, options: Options, scores: Scores, file: Path) -> None:
    """Write the scores of a run as lines of measure, topic and value."""
    lines = [f"# {scores.run}: {scores.source}", f"# {scores.signature}"]
    lines += [f"# {note}" for note in scores.notes]
    for label in _printed(job, scores).means if options.per_topic else ():
        values = zip(scores.topics, scores.values[label].tolist(), strict=True)
        lines += [f"{label}\t{topic}\t{value!r}" for topic, value in values]
    lines += [f"{label}\tall\t{value!r}" for label, value in scores.means.items()]
    text = "\n".join(lines) + "\n"
    write_atomically(file, text.encode("utf-8", "surrogateescape"))


def _draw(job: Job, options: Options, results: Sequence[Scores]) -> None:
    if options.graphs is None:
        return
    means = [(name, scores.means) for name, scores in zip(run_names(results), results, strict=True)]
    for one in graphs(job.metrics, means):
        if options.graphs == "gnu":
            write_gnuplot(one, job.results)
        else:
            write_picture(one, job.results)
