"""spanwise trec_eval, inex_eval, evalj: programs that behave as the originals."""

from __future__ import annotations

import click


class Untouched(click.Command):
    """A command that gives its words to the drop-in unread, even `--`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take every word as it is."""
        ctx.params["words"] = tuple(args)
        return []


@click.command("trec_eval", cls=Untouched, add_help_option=False)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[OPTIONS] QRELS RUN")
def trec_eval(words: tuple[str, ...]) -> int:
    """Run as trec_eval, with its options, output and exit status.

    \b
    Examples:
      spanwise trec_eval qrels.txt run.txt
      spanwise trec_eval -q -c -m map -m P.5,10 qrels.txt run.txt
      spanwise trec_eval --compat 9 -m all_trec qrels.txt run.txt
      spanwise trec_eval -h -m ndcg
    """
    from spanwise.dropins.trec_eval import main

    return main(list(words))


@click.command(
    "inex_eval",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    add_help_option=False,
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="TASK [OPTIONS] QRELS RUN...")
def inex_eval(words: tuple[str, ...]) -> int:
    """Run as inex_eval 3.1, with its options and output.

    This was the official program of INEX 2008 to 2010.

    \b
    Examples:
      spanwise inex_eval -f inex2009.qrels run.txt
      spanwise inex_eval -r -beta 1 -c -q inex2007.qrels run1.txt run2.txt
      spanwise inex_eval -i -irr 500 inex2010.qrels run.txt
    """
    import os

    # NumPy would start threads for linear algebra, which this program does not use.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from spanwise.dropins.inex_eval.program import main

    return main(list(words))


@click.command(
    "evalj",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    add_help_option=False,
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="-config FILE [OPTIONS]")
def evalj(words: tuple[str, ...]) -> int:
    """Run as XCGEval and EvalJ did, with their configurations.

    These were the official programs of INEX 2005 and 2006.

    \b
    Examples:
      spanwise evalj -e -config focused.prop
      spanwise evalj -e -gnu -config best-in-context.xml assessments/ run.xml -collection docs/
    """
    from spanwise.dropins.evalj.program import main

    return main(list(words))
