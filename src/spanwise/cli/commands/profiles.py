"""spanwise profiles: list or describe profiles and tasks."""

from __future__ import annotations

import click

from spanwise.cli.options import Command, NamesArgument, printed_as, profile_names


@click.command("profiles", cls=Command)
@click.argument("name", required=False, cls=NamesArgument, names=profile_names)
@printed_as("text", "json", output=False)
def command(name: str | None, layout: str) -> None:
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
