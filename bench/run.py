"""Speed and memory of spanwise and comparable programs, each measured in a fresh process.

python bench/run.py [--quick] [--repeats 3] [--only CASE] [--json FILE]
"""

import argparse
import compileall
import json
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

from cases import (
    HERE,
    Case,
    Dataset,
    Entry,
    Figures,
    all_cases,
)
from collection_case import collection_case
from measure_process import CommandFailedError, Taken, measure
from memory_cases import memory_cases
from report import (
    cross_check,
    environment,
    judge,
    mean_map_of,
    section,
    told,
)


@dataclass
class Outcome:
    """The measurements and failures of the entries of a case."""

    repeats: int
    taken: dict[str, list[Taken]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def results(self, case: Case) -> dict[str, Figures]:
        """Return the figures of the entries that did not fail."""
        return {
            entry.label: _figures(case, entry, self.taken[entry.label])
            for entry in case.entries
            if self.taken.get(entry.label) and entry.label not in self.failures
        }


def _figures(case: Case, entry: Entry, repeats: list[Taken]) -> Figures:
    """Return the least time and the largest memory of all repeats.

    Other work on the machine can only add to the time; the largest memory has to be available.
    """
    return Figures(
        seconds=min(taken.seconds for taken in repeats),
        cpu_seconds=min(taken.cpu_seconds for taken in repeats),
        peak_mb=max(taken.peak_mb for taken in repeats),
        mean_map=mean_map_of(repeats[-1].output) if entry.has_map else None,
        lines=case.lines(entry) if case.lines else 0,
        start=min(told(taken.output, "start") or 0.0 for taken in repeats),
        work=tuple(told(taken.output, "work") or 0.0 for taken in repeats),
    )


def say(text: str) -> None:
    """Print progress to standard error, so that the table can be redirected."""
    print(text, file=sys.stderr, flush=True)


def ensure_byte_code() -> None:
    """Compile spanwise to byte code, as pip does with packages that are not installed in place.

    The warm-up would suffice, except where Python is set to write no byte code.
    """
    compileall.compile_dir(HERE.parent / "src", quiet=1)


def ensure_data(data: Dataset) -> None:
    """Write the files of a dataset, in another process to keep this one small."""
    if data.folder.exists():
        return
    say(f"making {data.folder.name}")
    shape = [data.kind, str(data.topics), str(data.runs), str(data.depth)]
    subprocess.run([sys.executable, str(HERE / "make_data.py"), *shape], check=True)


def attempt(entry: Entry, data: Dataset, limit: float, outcome: Outcome) -> Taken | None:
    """Measure an entry once; record a failure, which excludes the entry from further repeats."""
    try:
        return measure(entry.command(data), data.folder, limit)
    except CommandFailedError as error:
        outcome.failures[entry.label] = str(error)
        say(f"  {entry.label}: {error}")
        return None


def measure_case(case: Case, repeats: int) -> Outcome:
    """Measure all entries in turns, so that other load on the machine affects all alike."""
    outcome = Outcome(repeats)
    for entry in case.entries:
        ensure_data(entry.data)
        ensure_data(entry.warm_up)
        attempt(entry, entry.warm_up, entry.limit, outcome)
    for number in range(repeats):
        for entry in case.entries:
            if entry.label in outcome.failures:
                continue
            taken = attempt(entry, entry.data, entry.limit, outcome)
            if taken is not None:
                say(f"  {case.name} {number + 1}: {entry.label}: {taken.seconds:.3f} s")
                outcome.taken.setdefault(entry.label, []).append(taken)
    return outcome


def show(case: Case, outcome: Outcome, quick: bool) -> tuple[dict[str, object], bool]:
    """Print the section of a case; return its numbers, and whether all bars are met.

    The bars apply to the full size: a quick run shows them, but missing one is no failure.
    """
    results = outcome.results(case)
    print(section(case, outcome.repeats, results, outcome.failures))
    verdicts = [judge(bar, results) for bar in case.bars]
    well = all(holds is not None if quick else holds for _, holds in verdicts)
    if case.compares_results:
        verdicts.append(cross_check(results))
        well = well and bool(verdicts[-1][1])
    for text, _ in verdicts:
        print(text, flush=True)
    for text in case.remarks(results) if case.remarks else ():
        print(text, flush=True)
    numbers: dict[str, object] = {
        "title": case.title,
        "contenders": {label: asdict(figures) for label, figures in results.items()},
        "seconds_of_each_repeat": {
            label: [taken.seconds for taken in repeats] for label, repeats in outcome.taken.items()
        },
        "failures": outcome.failures,
        "verdicts": [{"text": text, "holds": holds} for text, holds in verdicts],
    }
    return numbers, well


def every_case(quick: bool, huge: bool = True) -> list[Case]:
    """Return the cases of all modules."""
    scale = 10 if quick else 1
    return [*all_cases(quick), collection_case(scale), *(memory_cases(scale) if huge else ())]


def parse_arguments(names: list[str]) -> argparse.Namespace:
    """Parse the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="a tenth of the size, one repeat")
    parser.add_argument("--huge", action="store_true", help="also 100 million lines (4 GB of data)")
    parser.add_argument("--repeats", type=int, default=3, help="measured runs per contender")
    parser.add_argument("--only", choices=names, help="one case instead of all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers as well")
    return parser.parse_args()


def main() -> int:
    """Measure and print all cases; return 0 if all bars are met and the results agree."""
    arguments = parse_arguments([case.name for case in every_case(quick=False)])
    ensure_byte_code()
    about = environment()
    print(", ".join(f"{name} {value}" for name, value in about.items()))
    print("Least seconds and CPU seconds of the repeats, largest memory; ratio of the seconds.")
    numbers: dict[str, object] = {}
    well = True
    for case in every_case(arguments.quick, arguments.huge or arguments.only == "memory"):
        if arguments.only in {None, case.name}:
            repeats = 1 if arguments.quick else arguments.repeats * case.repeat_factor
            outcome = measure_case(case, repeats)
            numbers[case.name], case_well = show(case, outcome, arguments.quick)
            well &= case_well
    if arguments.json:
        document = {"environment": about, "quick": arguments.quick, "cases": numbers}
        arguments.json.write_text(json.dumps(document, indent=2) + "\n")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
