"""A group that is also a command: `spanwise pool RUN...` beside `spanwise pool check`."""

from __future__ import annotations

from typing import Any

import click


class DefaultGroup(click.Group):
    """Words that begin with no subcommand belong to the default one."""

    def __init__(self, *args: Any, default: str, **more: Any) -> None:
        super().__init__(*args, **more)
        self.default = default

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the name of the default command before words that are not for another."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """In the order in which they are needed."""
        return list(self.commands)
