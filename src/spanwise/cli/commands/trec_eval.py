"""spanwise trec_eval: the drop-in."""

from __future__ import annotations

import click


class Untouched(click.Command):
    """Hands over all its words as they are: `--` too is for the drop-in to read."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Every word, unread."""
        ctx.params["words"] = tuple(args)
        return []


@click.command("trec_eval", cls=Untouched, add_help_option=False)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[OPTIONS] QRELS RUN")
def command(words: tuple[str, ...]) -> int:
    """Do what trec_eval does: same options, output and exit status.

    \b
    Examples:
      spanwise trec_eval qrels.txt run.txt
      spanwise trec_eval -q -c -m map -m P.5,10 qrels.txt run.txt
      spanwise trec_eval --compat 9 -m all_trec qrels.txt run.txt
      spanwise trec_eval -h -m ndcg
    """
    from spanwise.dropins.trec_eval import main

    return main(list(words))
