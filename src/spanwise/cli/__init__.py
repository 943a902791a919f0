"""The command line: the group of commands, and errors on one line."""

from __future__ import annotations

import gc
import os
import signal
import sys
import warnings
from importlib import import_module
from types import FrameType

import click

from spanwise.console import abandon_output, say
from spanwise.errors import SpanwiseError, SpanwiseWarning
from spanwise.version import __version__

LOOKED_UP = ("measures", "formats", "engines", "profiles", "nexi", "completion")
DROP_INS = ("trec_eval", "inex_eval", "evalj")
SECTIONS = {
    "Score": ("eval", "compare", "explain", "plot", "sweep", "gate", "verify"),
    "Data": ("check", "convert", "collection", "search", "fuse", "cluster"),
    "Judging": ("pool", "judge", "agree"),
    "Studies": ("experiment", "simulate", "reliability", "recallbase"),
    "Reference": (
        *LOOKED_UP,
        "demo",
    ),
    "Drop-ins": DROP_INS,
}
"""The commands below the headings of the help."""
DEFECT = 70
"""Exit status of a defect of spanwise; EX_SOFTWARE in sysexits.h."""
COMMANDS = tuple(name for names in SECTIONS.values() for name in names)
MODULES = {**dict.fromkeys(LOOKED_UP, "reference"), **dict.fromkeys(DROP_INS, "dropins")}
"""The modules of commands that share one; each other command has a module of its name."""


class LazyGroup(click.Group):
    """A group whose commands live in modules that are imported when needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return the command of that name."""
        if name not in COMMANDS:
            if ctx.resilient_parsing:  # a word that is being completed
                return None
            from spanwise.errors import UnknownName

            raise UnknownName("command", name, list(COMMANDS), "see: spanwise --help")
        module = import_module(f"spanwise.cli.commands.{MODULES.get(name, name)}")
        command: click.Command = getattr(module, name if name in MODULES else "command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each command with its summary, below its heading."""
        width = formatter.width - 6 - max(map(len, COMMANDS))
        for heading, names in SECTIONS.items():
            with formatter.section(heading):
                commands = [(name, self.get_command(ctx, name)) for name in names]
                rows = [(name, one.get_short_help_str(width)) for name, one in commands if one]
                formatter.write_dl(
                    [(f"{name:<{max(map(len, COMMANDS))}}", text) for name, text in rows]
                )


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="spanwise %(version)s")
def cli() -> None:
    """Evaluate retrieval at any grain: documents, XML elements, passages, chunks.

    \b
    Examples:
      spanwise demo
      spanwise eval qrels.txt run1.txt run2.txt -m AP,nDCG@10
      spanwise trec_eval -m map qrels.txt run.txt
      spanwise inex_eval -f inex.qrels passages.run
      spanwise convert submission.xml run.jsonl --to span_run
    """


def main(words: list[str] | None = None) -> int:
    """Run a command and return its exit status; an error is one line on standard error."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", SpanwiseWarning)
        warnings.showwarning = _say_warning  # type: ignore[assignment]
        try:
            if words is None:
                words = sys.argv[1:]
            status = cli.main(args=words, prog_name="spanwise", standalone_mode=False)
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message())
            return 2
        except click.ClickException as error:
            say("error", error.format_message())
            return 2
        except SpanwiseError as error:
            say("error", str(error))
            return error.exit_status
        except click.Abort:
            say("error", "interrupted")
            return 130
        except OSError as error:
            abandon_output()
            say("error", f"standard output cannot be written ({error.strerror})")
            return 2
    return status if isinstance(status, int) else 0


def _say_warning(message: Warning | str, category: type[Warning], *_: object) -> None:
    say("warning", str(message) if issubclass(category, SpanwiseWarning) else repr(message))


def run() -> None:
    """Run the installed command; even a defect of spanwise is one line on standard error.

    Objects live until a command ends, so frequent garbage collection would only cost time.
    """
    gc.set_threshold(1_000_000, 20, 20)
    _leave_when_asked_to_end()
    try:
        status = main()
    except Exception as error:
        if os.environ.get("SPANWISE_TRACEBACK"):
            raise
        from spanwise.plugin_loading import culprit

        what = f"{type(error).__name__}: {error}".splitlines()[0]
        say("error", f"a defect of {culprit(error)}, {what}; SPANWISE_TRACEBACK=1 shows where")
        status = DEFECT
    sys.exit(status)


def _leave_when_asked_to_end() -> None:
    """Exit on signals as Python does otherwise, so that servers and temporary folders go too."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _leave)


def _leave(number: int, _: FrameType | None) -> None:
    sys.exit(128 + number)
