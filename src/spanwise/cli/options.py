"""What the command line is made of: commands, shared options, and the request that they make.

Options that several commands have are defined once, here. An option keeps the name that it has on
the command line; the second name in a definition is the keyword that the package uses for it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from functools import wraps
from inspect import cleandoc
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import click

from spanwise.errors import UsageError
from spanwise.model.policy import CHOICES

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from spanwise.evaluation.request import Request

# Names of registries ------------------------------------------------------------------------------

Names = Callable[[], Iterable[str]]
"""Returns the names of a registry."""


class NamesArgument(click.Argument):
    """An argument that is a name of a registry."""

    def __init__(self, *args: Any, names: Names, **more: Any) -> None:
        super().__init__(*args, **more)
        self.names = names

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """Return the names that begin with what was typed."""
        return completions(self.names, incomplete)


def completions(names: Names, incomplete: str) -> list[CompletionItem]:
    """Return the names that complete what follows the last comma."""
    from click.shell_completion import CompletionItem

    before, comma, last = incomplete.rpartition(",")
    known = (name for name in names() if name.startswith(last))
    return [CompletionItem(before + comma + name) for name in known]


def measure_names() -> list[str]:
    """Return the names of all measures, and their aliases without parameters."""
    from spanwise.measures import MEASURES
    from spanwise.measures.names import plain_names

    return [*dict.fromkeys([*MEASURES, *plain_names()])]


def format_names(*holds: str) -> Callable[[], list[str]]:
    """Return a function that lists the formats of files that hold one of these, or all formats."""

    def names() -> list[str]:
        from spanwise.formats import FORMATS

        return [entry.name for entry in FORMATS.values() if not holds or entry.holds in holds]

    return names


def profile_names() -> list[str]:
    """Return the names of all profiles."""
    from spanwise.evaluation.profiles import PROFILES

    return list(PROFILES)


def task_names() -> list[str]:
    """Return the names of all tasks."""
    from spanwise.evaluation.profiles import TASKS

    return list(TASKS)


def engine_names() -> list[str]:
    """Return the names of all engines and models."""
    from spanwise.retrieve import registry

    return registry.engine_names()


def chunker_names() -> list[str]:
    """Return the names of all chunkers."""
    from spanwise.retrieve.chunkers import CHUNKERS

    return list(CHUNKERS)


def retriever_names() -> list[str]:
    """Return the names of all retrievers of a sweep."""
    from spanwise.retrieve.asking import KNOWN

    return list(KNOWN)


# Options and commands -----------------------------------------------------------------------------

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
COMMON = "Common options"
"""The heading of options that state none."""


NO_FILES = {"kind", "name", "query", "document", "path", "judge"}
"""Arguments that are no files."""
FILE_METAVARS = {"FILE", "FOLDER", "PATH", "RUN", "POOL", "STORE"}
"""What help calls the values of options that are files."""


class FileName(click.types.StringParamType):
    """A text that a shell completes to the name of a file or folder."""

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """Leave it to the shell."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


class Option(click.Option):
    """An option that stands under a heading of the help, and may take names of a registry.

    The registry is imported only for a completion, and for the help if its names are `listed`.
    """

    def __init__(
        self,
        *args: Any,
        section: str = COMMON,
        names: Names | None = None,
        listed: bool = False,
        **more: Any,
    ) -> None:
        super().__init__(*args, **more)
        self.section, self.names, self.listed = section, names, listed

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option and its help, with the names if they are listed."""
        record = super().get_help_record(ctx)
        if record is None or not self.listed or self.names is None:
            return record
        return record[0], f"{record[1]} Known: {', '.join(self.names())}."

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin with what was typed."""
        if self.names is None:
            return super().shell_complete(ctx, incomplete)
        return completions(self.names, incomplete)

    def get_help_extra(self, ctx: click.Context) -> Any:  # noqa: ARG002
        """Return what the help text of an option does not contain: that it is required."""
        return {"required": "required"} if self.required else {}


def option(*names: str, section: str = COMMON, **more: Any) -> Decorator:
    """Return a decorator that adds an option to a command, under a heading of its help."""
    return click.option(*names, cls=Option, section=section, **more)


class Command(click.Command):
    """A command that refuses repeated options and groups its options by headings.

    An option may be repeated only if it takes several values. A shell completes file names.
    """

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        for one in self.params:
            file = (
                one.metavar in FILE_METAVARS
                if isinstance(one, click.Option)
                else one.name not in NO_FILES
            )
            if file and type(one.type) is click.types.StringParamType:
                one.type = FileName()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words of the command line, of which each may stand only as often as it says."""
        if not ctx.resilient_parsing:
            _refuse_repeated(self, ctx, args)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write usage, summary and first example, the options, then details and all examples."""
        summary, examples, details = paragraphs(self.help or "")
        self.format_usage(ctx, formatter)
        _write(formatter, [summary])
        _write_examples(formatter, examples[:1])
        self.format_options(ctx, formatter)
        if details:
            with formatter.section("Details"):
                for number, paragraph in enumerate(details):
                    if number:
                        formatter.write_paragraph()
                    formatter.write_text(paragraph)
        if len(examples) > 1:
            _write_examples(formatter, examples[1:], "More examples")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options below their headings, the common ones first."""
        sections: dict[str, list[tuple[str, str]]] = {COMMON: []}
        for one in self.get_params(ctx):
            record = one.get_help_record(ctx) if isinstance(one, click.Option) else None
            if record is not None:
                sections.setdefault(getattr(one, "section", COMMON), []).append(record)
        only = len([records for records in sections.values() if records]) == 1
        for heading, records in sections.items():
            if records:
                with formatter.section("Options" if only else heading):
                    formatter.write_dl(records)


def paragraphs(text: str) -> tuple[str, list[str], list[str]]:
    r"""Return the summary, the examples and the other paragraphs of a help text.

    >>> paragraphs("Sum up.\n\nSlowly.\n\n\b\nExamples:\n  add 1 2\n  add 1 \\\n      2")
    ('Sum up.', ['add 1 2', 'add 1 \\\n    2'], ['Slowly.'])
    """
    summary, *others = cleandoc(text).split("\n\n")
    examples: list[str] = []
    details = []
    for one in others:
        if not one.startswith("\b\nExample"):
            details.append(one)
            continue
        for line in one.splitlines()[2:]:
            more = examples and examples[-1].endswith("\\")
            if more:
                examples[-1] += "\n" + line[2:]
            else:
                examples.append(line[2:])
    return summary, examples, details


def _write(formatter: click.HelpFormatter, some: list[str]) -> None:
    for paragraph in some:
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(paragraph)


def _write_examples(
    formatter: click.HelpFormatter, examples: list[str], heading: str = "Example"
) -> None:
    if not examples:
        return
    formatter.write_paragraph()
    formatter.write(f"{heading}:\n")
    for example in examples:
        formatter.write(_indented(example))


def _indented(example: str) -> str:
    return "".join(f"    {line}\n" for line in example.splitlines())


def _refuse_repeated(command: click.Command, ctx: click.Context, args: list[str]) -> None:
    """Refuse an option that stands more than once although it takes one value."""
    _, _, order = command.make_parser(ctx).parse_args(args=list(args))
    seen = set()
    for one in order:
        if not isinstance(one, click.Option) or one.multiple or one.count or one.is_eager:
            continue
        if one in seen:
            raise click.UsageError(f"{one.opts[-1]} stands twice; expected it once", ctx)
        seen.add(one)


class Group(click.Group):
    """A group of commands of this kind, listed in the order in which they were added."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands."""
        return list(self.commands)


class DefaultGroup(Group):
    """A group that is also a command: `spanwise pool RUN...` beside `spanwise pool check`."""

    def __init__(self, *args: Any, default: str, **more: Any) -> None:
        super().__init__(*args, **more)
        self.default = default

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the name of the default command before words that name no other."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = [self.default, *args]
        return super().parse_args(ctx, args)


# Headings of the help ---------------------------------------------------------------------------

XML = "XML and passages"
CHUNKS = "Chunks"
FILES = "Files"
RUNNING = "Running"

# What is measured ---------------------------------------------------------------------------


def _listed(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of measures, of which a value may hold several with commas between them."""
    if not values:
        return ()
    from spanwise.measures.names import listed

    return tuple(name for value in values for name in listed(value))


measures_option = option(
    *("-m", "--measure", "measures"),
    multiple=True,
    metavar="NAME",
    callback=_listed,
    names=measure_names,
    help="Measures, with commas or repeated: AP,nDCG@10.",
)
measure_option = option(
    *("-m", "--measure"),
    required=True,
    metavar="NAME",
    names=measure_names,
    help="Measure, such as nDCG@10.",
)
rel_option = option(
    *("-l", "--rel"),
    type=float,
    callback=lambda _, __, value: int(value) if value is not None and value % 1 == 0 else value,
    metavar="N",
    help="Grade from which a result is relevant. [default: 1]",
)
average_over_option = option(
    *("--average-over", "average_over"),
    type=click.Choice(CHOICES["average_over"]),
    metavar="TOPICS",
    help="Topics averaged: judged, both, run. [default: judged]",
)
ties_option = option(
    "--ties",
    type=click.Choice(CHOICES["ties"]),
    metavar="ORDER",
    help="Ties: docno, file, rank, expected. [default: docno]",
)
depth_option = option(
    "--depth", type=int, metavar="N", help="Results considered per topic. [default: all]"
)
judged_only_option = option(
    "--judged-only", is_flag=True, help="Remove unjudged results from the rankings."
)
profile_option = option(
    "--profile",
    metavar="NAME",
    names=profile_names,
    help="Named measures and choices; see: spanwise profiles.",
)
task_option = option(
    "--task",
    metavar="NAME",
    names=task_names,
    help="Task of the runs; see: spanwise profiles.",
)
per_topic_option = option("-q", "--per-topic", is_flag=True, help="Print each topic too.")
collection_option = option(
    "--collection",
    metavar="PATH",
    section=XML,
    help="Store or folder of the documents, to place elements and texts.",
)
topics_option = option(
    "--topics",
    metavar="FILE",
    section=XML,
    help="Topics with the structure that they ask for.",
)
structure_option = option(
    "--structure",
    type=click.Choice([one for one in CHOICES["structure"] if one != "ignore"]),
    section=XML,
    help="Count only the elements that a topic asks for. [default: count all]",
)
copies_option = option(
    "--copies",
    type=click.Choice([choice for choice in CHOICES["copies"] if choice != "default"]),
    metavar="WHICH",
    section=CHUNKS,
    help="Places in which evidence may be read: any, stated. [default: any for evidence without a"
    " position, else stated]",
)
annotators_option = option(
    "--annotators",
    type=click.Choice(CHOICES["annotators"]),
    metavar="HOW",
    section=XML,
    help="Relevant text of several assessors: union, intersection, mean. [default: union]",
)
unit_option = option(
    "--unit",
    metavar="UNIT",
    section=CHUNKS,
    help="Unit of budgets: chars, bytes, utf16, tokens:NAME, cost. [default: chars]",
)


def _by_name(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """Return files by name, of which each value has one as NAME=FILE."""
    found: dict[str, str] = {}
    for value in values:
        name, equals, file = value.partition("=")
        if not (name and equals and file):
            raise UsageError(f"--chunks {value}: found no name; expected NAME=FILE")
        if name in found:
            raise UsageError(f"--chunks {name} is given twice; expected it once")
        found[name] = file
    return found


chunks_option = option(
    "--chunks",
    multiple=True,
    metavar="NAME=FILE",
    callback=_by_name,
    section=CHUNKS,
    help="All chunks of a run, also those it did not return; repeatable.",
)
quant_option = option(
    "--quant",
    metavar="NAME",
    section=XML,
    help="Quantisation: name or file. [default: spec or gen]",
)


def _paths(default: str | None) -> Decorator:
    return option(
        "--paths",
        type=click.Choice(["valued", "assessed"]),
        default=default,
        section=XML,
        help="Relevant paths end at elements with a value, or at all that assessors found"
        " relevant. [default: valued]",
    )


def _ideal(default: str | None) -> Decorator:
    return option(
        "--ideal",
        type=click.Choice(["higher", "deeper"]),
        default=default,
        section=XML,
        help="Ideal one of equally good elements on a path. [default: higher]",
    )


paths_option, ideal_option = _paths("valued"), _ideal("higher")
paths_if_any_option, ideal_if_any_option = _paths(None), _ideal(None)
"""The same for a command that refuses them where there are no relevant paths or ideal elements."""
judgements_format_option = option(
    "--judgements-format",
    metavar="FORMAT",
    section=FILES,
    names=format_names("judgements", "preferences"),
    help="Format of the judgements; see: spanwise formats. [default: recognised]",
)
run_format_option = option(
    "--run-format",
    metavar="FORMAT",
    section=FILES,
    names=format_names("run"),
    help="Format of the runs; see: spanwise formats. [default: recognised]",
)
topics_format_option = option(
    "--topics-format",
    metavar="FORMAT",
    section=FILES,
    names=format_names("topics"),
    help="Format of the topics; see: spanwise formats. [default: recognised]",
)
source_format_option = option(
    *("--from", "source_format"),
    metavar="FORMAT",
    section=FILES,
    names=format_names(),
    help="Format of the input; see: spanwise formats. [default: recognised]",
)
run_output_option = option(
    *("-o", "--output"),
    default="-",
    metavar="RUN",
    help="File of the run that is written. [default: -]",
)
written_format_option = option(
    "--to",
    metavar="FORMAT",
    section=FILES,
    names=format_names("run"),
    help="Format of the run that is written. [default: by the ending, or the plainest]",
)
seed_option = option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    section=RUNNING,
    help="Seed of the random generator. [default: 0]",
)
top_option = option(
    "--top",
    type=click.IntRange(1),
    default=1000,
    metavar="N",
    help="Number of results returned per topic. [default: 1000]",
)
on_option = option(
    "--on",
    metavar="ENGINE[:ADDRESS]",
    section=RUNNING,
    help="Cluster engine: dask, spark or ray, at an address or with two local workers.",
)
workers_option = option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    section=RUNNING,
    help="Number of worker processes. [default: chosen by input size]",
)


match_option = option(
    "--match",
    type=click.Choice([one for one in CHOICES["match"] if one != "id"]),
    metavar="HOW",
    section=CHUNKS,
    help="Match entries without ids by their order: order. [default: by id or question]",
)


def all_of(*options: Decorator) -> Decorator:
    """Return one decorator that adds several options, listed in this order."""

    def added(command: Callable[..., Any]) -> Callable[..., Any]:
        for one in reversed(options):
            command = one(command)
        return command

    return added


choice_options = all_of(
    rel_option,
    average_over_option,
    ties_option,
    depth_option,
    judged_only_option,
    profile_option,
    task_option,
    collection_option,
    topics_option,
    structure_option,
    annotators_option,
    copies_option,
    unit_option,
    judgements_format_option,
)
"""What decides how runs are scored, besides measures."""
evaluation_options = all_of(choice_options, match_option, chunks_option, run_format_option)
"""What `eval`, `compare`, `plot` and the like let a user choose, besides measures."""

# Where the result goes, and its layout ------------------------------------------------------

html_option = option(
    "--html", metavar="FILE", help="Page with tables, pictures and rankings to write too."
)


groups_option = option(
    "--groups",
    metavar="FILE",
    help="Groups of topics: lines `topic group`, a table, or a column of --topics.",
)
margin_option = option(
    "--margin",
    metavar="VALUE",
    help="Difference that does not matter: 0.01, or 1% of the baseline's mean.",
)


all_option = option(
    "--all",
    "everything",
    is_flag=True,
    section=CHUNKS,
    help="Show all measures and differences, not only what to look at first.",
)
clusters_option = option(
    "--clusters",
    metavar="FILE",
    section="Tests",
    help="Topics that belong together, as lines of topic and cluster; intervals and tests respect"
    " them.",
)
repeats_option = option(
    "--repeats",
    type=click.Choice(["these", "more"]),
    default="these",
    section="Tests",
    help="Repeats that intervals are for, of systems with several runs. [default: these]",
)
warnings_option = option(
    "--warnings",
    type=click.Choice(["grouped", "all"]),
    default="grouped",
    metavar="HOW",
    help="Warnings: a line for each kind, or all. [default: grouped]",
)


def page_and_output(
    layout: str, html: str | None, output: str | None
) -> tuple[str | None, str | None]:
    """Return the file of the page, and that of the other output; `-o page.html` is a page."""
    if layout == "html":
        if html is not None:
            raise UsageError(f"two pages are asked for; expected --html {html} or -o alone")
        html, output = output or "-", None
    if html == "-":
        raise UsageError("a page needs a file; expected a name such as -o report.html")
    return html, output


ENDINGS = {
    "table": ".txt",
    "md": ".md",
    "latex": ".tex",
    "csv": ".csv",
    "json": ".json",
    "jsonl": ".jsonl",
    "parquet": ".parquet",
    "html": ".html",
    "junit": ".xml",
}
"""The ending of a file of each layout."""


def printed_as(*layouts: str, output: bool = True, kept: Sequence[str] = ()) -> Decorator:
    """Add `--format`, `--json` and `-o` to a command, which gets `layout` and `output`.

    The first layout is the default. The ending of the output file chooses another one. The layout
    is None if that is one of `kept`: the command then writes a file of its own kind.
    """
    options = [
        option(
            *("--format", "layout"),
            type=click.Choice(layouts),
            metavar="LAYOUT",
            help=f"Layout: {', '.join(layouts)}. [default: {layouts[0]}]",
        )
    ]
    if "json" in layouts:
        options.append(option("--json", "as_json", is_flag=True, help="Same as --format json."))
    if output:
        endings = {ENDINGS.get(one, ".txt"): one for one in reversed(layouts)}
        text = "File; its ending chooses the layout. [default: -]"
        options.append(option("-o", "--output", metavar="FILE", help=text))

    def resolved(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def called(**words: Any) -> Any:
            layout = words["layout"]
            if words.pop("as_json", False):
                if layout not in (None, "json"):
                    raise UsageError(f"--json and --format {layout}; expected one of them")
                layout = "json"
            if layout is None and output:
                chosen = of_ending(words["output"], endings) or layouts[0]
                words["layout"] = None if chosen in kept else chosen
            else:
                words["layout"] = layout or layouts[0]
            return command(**words)

        return all_of(*options)(called)

    return resolved


def reported(command: Callable[..., tuple[Mapping[str, Any], str]]) -> Callable[..., None]:
    """Add `--format` and `--json` to a command that writes a file and returns a report of it.

    The report is data and the same as text. As JSON it goes to standard output and holds the
    warnings too, which are printed as always.
    """

    @wraps(command)
    def called(**words: Any) -> None:
        layout = words.pop("layout")
        output = words.get("output", words.get("target"))
        if layout == "json" and output == "-":
            raise UsageError(
                "--json has no effect where standard output is for the result itself; write the"
                " result to a file"
            )
        with _collected_warnings() as messages:
            data, text = command(**words)
        _print_report({**data, "warnings": messages} if layout == "json" else text, output)

    return printed_as("text", "json", output=False)(called)


def _print_report(report: Mapping[str, Any] | str, output: str | None) -> None:
    import json

    from spanwise.console import emit, tell

    if not isinstance(report, str):
        emit(json.dumps(report, indent=1) + "\n")
    elif output == "-":
        tell(report, output)
    else:
        emit(report)


@contextmanager
def _collected_warnings() -> Iterator[list[str]]:
    """Give a list to which every warning is added; it is shown as before."""
    messages: list[str] = []
    shown = warnings.showwarning

    def noted(message: Warning | str, *more: Any) -> None:
        messages.append(str(message))
        shown(message, *more)

    warnings.showwarning = noted  # type: ignore[assignment]
    try:
        yield messages
    finally:
        warnings.showwarning = shown


def of_ending(output: str | None, endings: dict[str, str]) -> str | None:
    """Return the layout that the ending of a file name chooses; None if it has no ending."""
    ending = PurePath(output).suffix.lower() if output is not None else ""
    if not ending or str(output).startswith("/dev/"):
        return None
    if ending not in endings:
        known = ", ".join(one for one in ENDINGS.values() if one in endings)
        raise UsageError(
            f"{output}: unknown ending {ending!r}; expected one of {known}, or choose a layout"
            " with --format"
        )
    return endings[ending]


# The request --------------------------------------------------------------------------------

POLICY = ("average_over", "ties", "depth", "structure", "annotators", "copies", "unit", "match")
"""Options that are fields of a policy under the same keyword."""


def with_request(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command its options as one request."""

    @wraps(command)
    def called(**words: Any) -> Any:
        workers = words.pop("workers", None)
        if workers is not None:
            words["on"] = _processes(words.get("on"), workers)
        request = _request(words)
        refuse_idle(request, words.get("groups"))
        return command(request, **words)

    return called


def _processes(engine: str | None, count: int) -> str:
    if engine is not None:
        raise UsageError(f"--workers has no effect with --on {engine}, which has its own workers")
    return f"processes:{count}"


def _request(words: dict[str, Any]) -> Request:
    """Take the words of a request out of the words; choices that were not made are left to it."""
    from spanwise.evaluation.request import Request

    made = {name: words.pop(name) for name in POLICY if name in words}
    if words.pop("judged_only", False):
        made["unjudged"] = "drop"
    if made.get("unit") in ("char", "chars"):
        made["unit"] = "characters"
    for single, several in (("run", "runs"), ("measure", "measures")):
        if single in words:
            words[several] = (words.pop(single),)
    rel = words.pop("rel", None)
    words["names"], words["runs"] = named_runs(words.pop("runs", ()))
    given = {field.name: words.pop(field.name) for field in fields(Request) if field.name in words}
    policy = {name: value for name, value in made.items() if value is not None}
    return Request(**given, policy=policy, assume={} if rel is None else {"rel": rel})


def named_runs(runs: Sequence[str]) -> tuple[tuple[str | None, ...], tuple[str, ...]]:
    """Return the names of runs and their files; `bm25=runs/a.txt` gives a run a name.

    A file whose own name contains an equals sign is a file.

    >>> named_runs(["bm25=runs/a.txt", "runs/b.txt"])
    (('bm25', None), ('runs/a.txt', 'runs/b.txt'))
    """
    names: list[str | None] = []
    files = []
    for run in runs:
        name, equals, file = run.partition("=")
        named = bool(equals and name and file) and "/" not in name and not Path(run).exists()
        names.append(name if named else None)
        files.append(file if named else run)
    return tuple(names), tuple(files)


def refuse_idle(request: Request, groups: str | None = None) -> None:
    """Refuse choices that have no effect, as far as the words alone show it.

    Topics may state the groups too.
    """
    structured = "structure" in (request.policy or {})
    if structured and request.topics is None:
        raise UsageError("--structure has no effect without --topics, which state the structure")
    if request.topics is not None and not structured and groups is None:
        raise UsageError("--topics has no effect without --structure strict or vague")
