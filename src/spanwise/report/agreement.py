"""Agreement of judges as tables. What is shown is what `--format json` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spanwise.report.tables import Table, as_text

Answer = Mapping[str, Any]


def as_tables(answer: Answer, width: int | None = None) -> str:
    """Pairs, all judges, entry points, and what becomes of the ranking."""
    return "\n".join(as_text(table, width) for table in _tables(answer))


def _tables(answer: Answer) -> Iterator[Table]:
    yield _pairs(answer)
    yield _all(answer)
    if any(pair["documents"] for pair in answer["bep"]):
        yield _entries(answer["bep"])
    if answer.get("per_topic"):
        yield _topics(answer["per_topic"])
    for effect in answer.get("ranking", ()):
        yield _means(effect)
        yield _rankings(effect)


def _pairs(answer: Answer) -> Table:
    names = ("overlap", "f1", "kappa", *answer["details"][0]["values"])
    rows = []
    for pair, more in zip(answer["pairs"], answer["details"], strict=True):
        values = {**pair, **more["values"]}
        cells = [_number(values[name]) for name in names]
        rows.append((f"{pair['a']} - {pair['b']}", *cells))
    below = (f"mean over topics: {answer['topics']}, unit: {answer['unit']}",)
    return Table(("judges", *names), tuple(rows), below)


def _all(answer: Answer) -> Table:
    rows = []
    for name, value in answer["all"].items():
        low, high = answer["intervals"]["all"].get(name) or (None, None)
        rows.append((name, _number(value), _number(low), _number(high)))
    for size, value in answer["overlap_of"].items():
        rows.append((f"overlap of {size} judges", _number(value), "-", "-"))
    below = ("95 % intervals: topics drawn with replacement; none below 5 topics",)
    return Table(("all judges", "value", "low", "high"), tuple(rows), below)


def _entries(pairs: Sequence[Answer]) -> Table:
    rows = [
        (
            f"{pair['a']} - {pair['b']}",
            str(pair["documents"]),
            _number(pair["median"], 1),
            *(_number(share) for share in pair["within"].values()),
            _number(pair["chance"], 1),
        )
        for pair in pairs
    ]
    within = tuple(f"within {most}" for most in pairs[0]["within"])
    header = ("best entry points", "documents", "median distance", *within, "by chance")
    return Table(header, tuple(rows), ())


def _topics(lines: Sequence[Answer]) -> Table:
    names = [name for name in lines[0] if name != "topic"]
    rows = tuple((line["topic"], *(_number(line[name]) for name in names)) for line in lines)
    return Table(("topic", *names), rows)


def _means(effect: Answer) -> Table:
    header = (effect["measure"], *effect["judges"])
    rows = tuple(
        (run, *(_number(mean) for mean in means)) for run, means in effect["means"].items()
    )
    return Table(header, rows, (f"topics judged by all: {effect['topics']}",))


def _rankings(effect: Answer) -> Table:
    rows = [
        (
            f"{pair['a']} - {pair['b']}",
            *(_number(pair[name]) for name in ("tau", "tau_ap", "spearman")),
            str(len(pair["swaps"])),
        )
        for pair in effect["pairs"]
    ]
    return Table(
        ("rankings", "tau", "tau_ap", "Spearman", "swaps"), tuple(rows), tuple(_verdict(effect))
    )


def _verdict(effect: Answer) -> Iterator[str]:
    """The answer in words."""
    swaps = [(pair, swap) for pair in effect["pairs"] for swap in pair["swaps"]]
    for pair, swap in swaps:
        yield (
            f"{swap['better_for_a']} is better for {pair['a']}"
            f" (by {_number(swap['difference_a'])}, p {_number(swap['p_a'], 3)}),"
            f" {swap['better_for_b']} for {pair['b']}"
            f" (by {_number(swap['difference_b'])}, p {_number(swap['p_b'], 3)})"
        )
    mixed = effect["mixtures"]
    yield (
        f"{mixed['count']} mixtures of judges: mean tau {_number(mixed['tau_mean'])},"
        f" 95 % above {_number(mixed['tau_low'])}, the best run stays the best in"
        f" {100 * mixed['same_best']:.1f} %"
    )
    sure = [swap for _, swap in swaps if min(swap["p_a"], swap["p_b"]) < 0.05]
    if not swaps:
        yield "The disagreement does not change the ranking."
    elif not sure:
        yield "The disagreement swaps runs, but only such as no judge tells apart (p >= 0.05)."
    else:
        yield f"The disagreement changes the ranking: {len(sure)} swaps of p < 0.05."


def _number(value: float | None, digits: int = 4) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
