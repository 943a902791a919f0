"""Text of the measurements: a section for each case, the bars, the comparison of results."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version

from cases import (
    Bar,
    Case,
    Entry,
    Figures,
    Results,
)

PACKAGES = ("spanwise", "pytrec_eval-terrier", "ir_measures", "ranx", "lxml", "numpy")
MAP_TOLERANCE = 0.00006  # programs that print 4 decimals are off by up to 0.00005
WIDTH = 81


def environment() -> dict[str, str]:
    """Return the versions and the machine that the numbers depend on."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": str(os.cpu_count()),
        **{package: _version(package) for package in PACKAGES},
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def mean_map_of(output: str) -> float | None:
    """Return the mean over the runs of the MAP that a program printed, under any of its names.

    A line may hold one run, as trec_eval prints it, or all of them side by side.
    """
    values: list[float] = []
    for line in output.splitlines():
        name, *rest = line.split() or [""]
        if name in {"map", "AP"}:
            values += [float(word) for word in rest if _is_number(word)]
    return sum(values) / len(values) if values else None


def told(output: str, name: str) -> float | None:
    """Return the last number that a program printed under a name."""
    found = [line.split()[1] for line in output.splitlines() if line.startswith(f"{name} ")]
    return float(found[-1]) if found else None


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def section(case: Case, repeats: int, results: Results, failures: dict[str, str]) -> str:
    """Return the table of one case."""
    lines = [
        "",
        f"{case.name}: {case.title} (best of {repeats})",
        "=" * WIDTH,
        f"{'contender':<28}{'seconds':>10}{'CPU seconds':>14}{'peak MB':>10}{case.ratio_title:>19}",
        "-" * WIDTH,
    ]
    base = results.get(case.base)
    for entry in case.entries:
        figures = results.get(entry.label)
        if figures is None:
            lines.append(f"{entry.label:<28}{failures.get(entry.label, 'not measured')}")
        else:
            lines.append(_row(entry.label, figures, _last(case, entry, figures, base)))
    lines.append("-" * WIDTH)
    return "\n".join(lines)


def _last(case: Case, entry: Entry, figures: Figures, base: Figures | None) -> str:
    """Return the last column: lines per second, or the ratio of wall time (above 1: slower)."""
    if case.lines is not None:
        return f"{case.lines(entry) / min(figures.work):,.0f}"
    return f"{figures.seconds / base.seconds:.2f}" if base else "-"


def _row(label: str, figures: Figures, last: str) -> str:
    """Return the table row of one contender."""
    return (
        f"{label:<28}{figures.seconds:>10.3f}{figures.cpu_seconds:>14.3f}"
        f"{figures.peak_mb:>10.0f}{last:>19}"
    )


def judge(bar: Bar, results: Results) -> tuple[str, bool | None]:
    """Tell whether a bar is met; None if one of its contenders has no figure."""
    try:
        figure = bar.figure(results)
    except KeyError:
        return f"bar: {bar.text}: not measured", None
    met = bar.holds(figure)
    return f"bar: {bar.text}: {figure:.2f}, {'met' if met else 'MISSED'}", met


def cross_check(results: Results) -> tuple[str, bool | None]:
    """Tell whether all contenders computed the same MAP, since speed without it is worthless."""
    maps = {label: figures.mean_map for label, figures in results.items()}
    known = {label: value for label, value in maps.items() if value is not None}
    silent = sorted(set(maps) - set(known))
    if len(known) < 2:
        return "MAP: fewer than two contenders printed it", None
    agree = max(known.values()) - min(known.values()) <= MAP_TOLERANCE
    text = f"MAP: {len(known)} contenders agree on {next(iter(known.values())):.4f}"
    if not agree:
        text = "MAP: DISAGREE: " + ", ".join(f"{k} {v:.5f}" for k, v in known.items())
    if silent:
        text += f"; none found in the output of {', '.join(silent)}"
    return text, agree
