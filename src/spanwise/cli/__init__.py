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

COMMANDS = (
    *("eval", "compare", "sweep", "gate", "plot", "verify"),
    *("trec_eval", "inex_eval", "evalj"),
    *("measures", "formats", "check", "explain", "convert"),
    *("simulate", "reliability", "recallbase", "pool", "judge", "agree"),
    *("collection", "search", "fuse", "cluster", "experiment", "nexi", "demo"),
)


class LazyGroup(click.Group):
    """Commands live in modules of their names, imported when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The commands, in the order in which a newcomer needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name."""
        if name not in COMMANDS:
            from spanwise.errors import UnknownName

            raise UnknownName("command", name, list(COMMANDS), "see: spanwise --help")
        module = import_module(f"spanwise.cli.commands.{name}")
        command: click.Command = module.command
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="spanwise %(version)s")
def cli() -> None:
    """Evaluate retrieval at any grain.

    \b
    Examples:
      spanwise demo
      spanwise eval qrels.txt run1.txt run2.txt -m nDCG@10 -m AP
      spanwise trec_eval -m map qrels.txt run.txt
      spanwise inex_eval -f inex.qrels passages.run
      spanwise convert submission.xml run.jsonl --to span_run
    """


def main(words: list[str] | None = None) -> int:
    """Run a command; every mistake of a user is one line on standard error."""
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
            return 2
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
    """The entry point of the installed command: even a defect of ours is one line.

    What a command makes lives to its end, so looking for garbage among it often is time lost.
    """
    gc.set_threshold(1_000_000, 20, 20)
    _leave_when_asked_to_end()
    try:
        status = main()
    except Exception as error:
        if os.environ.get("SPANWISE_TRACEBACK"):
            raise
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        say("error", f"a defect of spanwise, {what}; SPANWISE_TRACEBACK=1 shows where")
        status = 3
    sys.exit(status)


def _leave_when_asked_to_end() -> None:
    """Whoever ends a command finds nothing of it afterwards: no server, no temporary folder."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _leave)


def _leave(number: int, _: FrameType | None) -> None:
    sys.exit(128 + number)
