"""spanwise demo: the main job on data inside the package."""

from __future__ import annotations

import click


@click.command("demo")
def command() -> None:
    """Score three small runs that come with the package.

    \b
    Example:
      spanwise demo
    """
    from pathlib import Path

    import spanwise
    from spanwise.app.evaluation import Request, report
    from spanwise.app.output import emit

    folder = Path(spanwise.__file__).parent / "data" / "demo"
    runs = [str(folder / f"{name}.run") for name in ("keyword", "dense", "hybrid")]
    emit("Three made-up systems, twelve topics, graded judgements.\n\n")
    emit("$ spanwise eval qrels.txt keyword.run dense.run hybrid.run\n\n")
    report(Request(str(folder / "qrels.txt"), runs), "table", per_topic=False, output=None)
    emit(f"\nThe files are in {folder}\nNext: spanwise eval --help\n")
