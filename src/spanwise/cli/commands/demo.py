"""spanwise demo: the main jobs on data inside the package."""

from __future__ import annotations

import click

from spanwise.cli.options import Command, printed_as

DOCUMENTS = ("keyword", "dense", "hybrid")
GRAINS = ("articles", "elements", "passages")
IN_TEXT = ("iP[0.01]", "MAiP", "char_prec", "char_rec", "MAgP", "MAgP(score=bep)")


@click.command("demo", cls=Command)
@click.argument("folder", required=False)
@printed_as("text", "json", output=False)
def command(folder: str | None, layout: str) -> None:
    """Score small runs that come with the package.

    With FOLDER, the files are written there instead, and commands to try are printed. No file is
    overwritten.

    \b
    Examples:
      spanwise demo
      spanwise demo trial/
    """
    from spanwise.console import emit
    from spanwise.errors import UsageError

    if folder is not None:
        import json

        from spanwise.workflows.demo import write_demo

        found = write_demo(folder)
        emit(json.dumps(found.to_dict(), indent=1) + "\n" if layout == "json" else str(found))
        return
    if layout == "json":
        raise UsageError("--json has no effect without FOLDER; see: spanwise eval --json")
    _scored()


def _scored() -> None:
    """Print the scores of all runs, with the commands that give them."""
    from spanwise.console import emit
    from spanwise.workflows.demo import DATA

    emit("Three made-up systems, twelve topics, graded judgements.\n")
    _shown(str(DATA / "demo"), DOCUMENTS)
    emit(
        "\nTwenty-five articles of a handbook in XML, twelve topics, highlighted text. One run\n"
        "returns whole articles, one elements by their paths, one passages by their offsets.\n"
    )
    _shown(str(DATA / "handbook"), GRAINS, IN_TEXT, "articles")
    emit("\nTo get the files: spanwise demo FOLDER. Next: spanwise eval --help\n")


def _shown(
    folder: str, names: tuple[str, ...], measures: tuple[str, ...] = (), collection: str = ""
) -> None:
    """Print a command to be typed in the folder, and its output."""
    from spanwise.cli.printing import report
    from spanwise.console import emit
    from spanwise.evaluation.request import Request

    words = ["qrels.txt", *(f"{name}.run" for name in names)]
    words += [
        word for one in measures for word in ("-m", f"'{one}'" if "[" in one or "(" in one else one)
    ]
    words += ["--collection", collection] if collection else []
    emit(f"\n$ spanwise eval {' '.join(words)}\n\n")
    request = Request(
        f"{folder}/qrels.txt",
        [f"{folder}/{name}.run" for name in names],
        measures,
        collection=f"{folder}/{collection}" if collection else None,
    )
    report(request, "table", per_topic=False, output=None)
    emit(f"\nThe files are in {folder}\n")
