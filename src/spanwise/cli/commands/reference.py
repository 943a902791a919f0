"""spanwise measures, formats, engines, profiles, nexi, completion: commands that look things up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanwise.cli.options import (
    Command,
    NamesArgument,
    format_names,
    measure_names,
    option,
    printed_as,
    profile_names,
)

if TYPE_CHECKING:
    from spanwise.model.measure import Measure
    from spanwise.model.topics import Query


@click.command("measures", cls=Command)
@click.argument("name", required=False, cls=NamesArgument, names=measure_names)
@option("--properties", is_flag=True, help="Show what the measures do for element retrieval.")
@printed_as("text", "json", output=False)
def measures(name: str | None, properties: bool, layout: str) -> None:
    """List all measures, or define one of them.

    With --properties the output is a table: whether a measure depends on recall and precision,
    credits near misses, treats results inside other results in a special way, has ideal elements
    and grades of them, has an explicit user model, and which tasks it is for.

    \b
    Examples:
      spanwise measures
      spanwise measures nDCG
      spanwise measures ndcg_cut_10
      spanwise measures --properties
    """
    from spanwise.console import emit
    from spanwise.measures import MEASURES
    from spanwise.report.catalogue import (
        defined,
        listed,
        measures_as_json,
        properties_table,
    )

    chosen = [_found(name)] if name else list(MEASURES.values())
    if layout == "json":
        emit(measures_as_json(chosen, properties=properties))
    elif properties:
        emit(properties_table(chosen))
    elif name is None:
        emit(listed(chosen, _width()))
    else:
        emit(defined(chosen[0]))


def _found(name: str) -> Measure:
    """Return the measure that a name means, with or without its parameters."""
    from spanwise.errors import UsageError
    from spanwise.measures.names import by_stem, parse, plain_names

    if name in plain_names():
        return plain_names()[name]
    try:
        return parse(name).measure
    except UsageError:
        return by_stem(name)[0]


def _width() -> int:
    import shutil

    return max(shutil.get_terminal_size((100, 24)).columns, 60)


@click.command("formats", cls=Command)
@click.argument("name", required=False, cls=NamesArgument, names=format_names())
@printed_as("text", "json", output=False)
def formats(name: str | None, layout: str) -> None:
    """List all file formats, or describe one of them.

    All formats are read plain or compressed with gzip, xz or zstd, whatever the file is called.

    \b
    Examples:
      spanwise formats
      spanwise formats qrels
    """
    from spanwise.console import emit
    from spanwise.errors import UnknownName
    from spanwise.formats import FORMATS
    from spanwise.report.catalogue import format_described, formats_as_json, formats_listed

    if name is not None and name not in FORMATS:
        raise UnknownName("format", name, sorted(FORMATS))
    chosen = list(FORMATS.values()) if name is None else [FORMATS[name]]
    if layout == "json":
        emit(formats_as_json(chosen))
    elif name is None:
        emit(formats_listed(chosen))
    else:
        emit(format_described(chosen[0]))


@click.command("engines", cls=Command)
@click.argument("name", required=False)
@printed_as("text", "json", output=False)
def engines(name: str | None, layout: str) -> None:
    """List all search engines and models, or describe one of them.

    The names are values of `spanwise search --engine`. The parameters, shown with their defaults,
    are set with `spanwise search --set NAME=VALUE`.

    \b
    Examples:
      spanwise engines
      spanwise engines fts5
    """
    from spanwise.console import emit
    from spanwise.errors import UnknownName
    from spanwise.report.catalogue import engine_described, engines_as_json, listed_engines
    from spanwise.retrieve.engines import load
    from spanwise.retrieve.registry import ENGINES

    load()
    if name is not None and name not in ENGINES:
        raise UnknownName("engine", name, list(ENGINES))
    chosen = list(ENGINES.values()) if name is None else [ENGINES[name]]
    if layout == "json":
        emit(engines_as_json(chosen))
    elif name is None:
        emit(listed_engines(chosen))
    else:
        emit(engine_described(chosen[0]))


@click.command("profiles", cls=Command)
@click.argument("name", required=False, cls=NamesArgument, names=profile_names)
@printed_as("text", "json", output=False)
def profiles(name: str | None, layout: str) -> None:
    """List all profiles and tasks, or describe one of them.

    A profile is a named set of measures and choices (--profile); a task is what runs were made for
    (--task). Both can be combined. Options on the command line override them.

    \b
    Examples:
      spanwise profiles
      spanwise profiles inex2009
    """
    from spanwise.console import emit
    from spanwise.errors import UnknownName
    from spanwise.evaluation.profiles import PROFILES, TASKS
    from spanwise.report.catalogue import (
        Preset,
        preset_described,
        presets_as_json,
        presets_listed,
    )

    every = [
        Preset(one, kind, found.policy, found.measures, found.defaults, tuple(found.tasks))
        for kind, some in (("profile", PROFILES), ("task", TASKS))
        for one, found in some.items()
    ]
    chosen = [one for one in every if name in (None, one.name)]
    if not chosen:
        raise UnknownName("profile", str(name), sorted({one.name for one in every}))
    if layout == "json":
        emit(presets_as_json(chosen))
    elif name is None:
        emit(presets_listed(chosen))
    else:
        emit("\n".join(map(preset_described, chosen)))


@click.command("nexi", cls=Command)
@click.argument("query")
@option("--legacy", is_flag=True, help="Allow the syntax of titles of 2003.")
@printed_as("tree", "canonical", "json", output=False)
def nexi(query: str, legacy: bool, layout: str) -> None:
    """Show the tree of a NEXI query, the language of castitles.

    A query that begins with // asks for elements; any other query is a list of terms. Write --
    before a query that begins with a minus sign. The layout `canonical` is the query in its
    simplest spelling.

    \b
    Examples:
      spanwise nexi '//article[about(., solar panels)]//sec[about(.//p, "building code")]'
      spanwise nexi --format canonical '//(sec|p)[about(.,wind)AND .//yr>=1999]'
      spanwise nexi --legacy "//article[./fm//yr = '1999']//sec[about(., 'tidal power')]"
    """
    from spanwise.console import emit
    from spanwise.report.outlines import as_json, outlined

    tree = _parsed(query, legacy)
    if layout == "canonical":
        emit(f"{tree}\n")
    else:
        emit(as_json(tree) if layout == "json" else outlined(tree))


def _parsed(query: str, legacy: bool) -> Query:
    """Return the tree; if only the older syntax fits, the error names --legacy."""
    from spanwise.errors import QueryError, UsageError
    from spanwise.formats.topics.nexi import parse

    try:
        return parse(query, legacy=legacy)
    except QueryError as error:
        if legacy:
            raise
        try:
            parse(query, legacy=True)
        except QueryError:
            raise error from None
        raise UsageError(f"{error}; to read it as a title of 2003, add --legacy") from None


SHELLS = ("bash", "zsh", "fish")


@click.command("completion", cls=Command)
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print a script that completes commands in a shell.

    Load the script when a shell starts: for bash in ~/.bashrc, for zsh in ~/.zshrc, for fish in
    ~/.config/fish/completions/spanwise.fish.

    \b
    Examples:
      eval "$(spanwise completion bash)"
      spanwise completion fish > ~/.config/fish/completions/spanwise.fish
    """
    from click.shell_completion import get_completion_class

    from spanwise.console import emit

    program = click.get_current_context().find_root()
    chosen = get_completion_class(shell)
    assert chosen is not None  # click completes all SHELLS
    script = chosen(program.command, {}, "spanwise", "_SPANWISE_COMPLETE")
    emit(script.source_template % script.source_vars())
