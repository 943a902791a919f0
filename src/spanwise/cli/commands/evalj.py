"""spanwise evalj: the drop-in."""

from __future__ import annotations

import click


@click.command(
    "evalj",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    add_help_option=False,
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="-config FILE [OPTIONS]")
def command(words: tuple[str, ...]) -> int:
    """Run as XCGEval and EvalJ did, with their configurations.

    These were the official programs of INEX 2005 and 2006.

    \b
    Examples:
      spanwise evalj -e -config focused.prop
      spanwise evalj -e -gnu -config best-in-context.xml assessments/ run.xml -collection docs/
    """
    from spanwise.dropins.evalj.program import main

    return main(list(words))
