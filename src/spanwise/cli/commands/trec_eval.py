"""spanwise trec_eval: the drop-in."""

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
def command(words: tuple[str, ...]) -> int:
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
