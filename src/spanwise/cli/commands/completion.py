"""spanwise completion: complete commands, options and names in a shell."""

from __future__ import annotations

import click

from spanwise.cli.options import Command

SHELLS = ("bash", "zsh", "fish")


@click.command("completion", cls=Command)
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
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
