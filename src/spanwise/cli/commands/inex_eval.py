"""spanwise inex_eval: the drop-in."""

from __future__ import annotations

import click


@click.command(
    "inex_eval",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    add_help_option=False,
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="TASK [OPTIONS] QRELS RUN...")
def command(words: tuple[str, ...]) -> int:
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
