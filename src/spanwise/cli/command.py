"""Options, commands and groups: what the command line is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


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
    from spanwise.retrieve.registry import ENGINES

    return list(ENGINES)


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
FILES = {"FILE", "FOLDER", "PATH", "RUN", "POOL", "STORE"}
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
                one.metavar in FILES if isinstance(one, click.Option) else one.name not in NO_FILES
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
