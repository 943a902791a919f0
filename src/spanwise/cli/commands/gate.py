"""spanwise gate: fail a build when retrieval got worse."""

from __future__ import annotations

import click


@click.command("gate")
@click.argument("results")
@click.option("--baseline", required=True, help="Results of before, to compare with.")
@click.option(
    "-m", "--measure", "measures", multiple=True, required=True, help="What must not get worse."
)
@click.option("--min", "floor", type=float, help="The least mean that is good enough.")
@click.option("--max-drop", type=float, default=0.0, help="How much worse is allowed; 0.")
@click.option("--alpha", type=float, default=0.05, help="A drop counts if p is below; 0.05.")
@click.option("--test", default="randomisation", help="As for compare; randomisation.")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Where chance starts; 0.")
@click.option("--junit", metavar="FILE", help="Where to write JUnit XML; beside RESULTS.")
def command(
    results: str,
    baseline: str,
    measures: tuple[str, ...],
    floor: float | None,
    max_drop: float,
    alpha: float,
    test: str,
    seed: int,
    junit: str | None,
) -> int:
    """Hold results to a baseline: status 1 if they got worse.

    A run fails if its mean fell by more than --max-drop and the fall is credible, that is if the
    test over topics gives p below --alpha; or if its mean is below --min. RESULTS and the baseline
    are files made with `spanwise eval -o RESULTS.jsonl`. Markdown is printed, and JUnit XML is
    written to RESULTS with `.junit.xml` in place of its ending, or to --junit.

    \b
    Examples:
      spanwise gate new.jsonl --baseline main.jsonl -m 'SpanR(budget=2000)' --max-drop 0.02
      spanwise gate new.jsonl --baseline main.jsonl -m nDCG@10 --min 0.4 --junit gate.xml
    """
    from pathlib import Path

    from spanwise.console import emit, write_atomically
    from spanwise.evaluation.gather import less_is_better
    from spanwise.model.comparison import Rule
    from spanwise.report.comparison import as_junit, as_md
    from spanwise.stats.resampling import Draws
    from spanwise.stats.statements import Question
    from spanwise.workflows.gate import verdicts

    rules = [Rule(measure, floor, max_drop, alpha, less_is_better(measure)) for measure in measures]
    found = verdicts(results, baseline, rules, Question((test,), draws=Draws(seed)))
    file = Path(junit) if junit is not None else Path(results).with_suffix(".junit.xml")
    write_atomically(file, as_junit(found))
    emit(as_md(found))
    return 0 if all(one.passed for one in found) else 1
