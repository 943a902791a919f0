"""The handbook that comes with the package, ready to be judged."""

from __future__ import annotations

from pathlib import Path

import spanwise

BUDGET = 6


def demo_files(store: str | None) -> tuple[str, str, str, str]:
    """Pool, collection, topics and store; the pool is made of the handbook's runs."""
    from spanwise.app.output import write_atomically
    from spanwise.app.pooling import Plan, contributions, pooled
    from spanwise.formats.pools import write_pool

    folder = Path(spanwise.__file__).parent / "data" / "handbook"
    runs = [str(folder / f"{name}.run") for name in ("articles", "elements", "passages")]
    place = Path(store) if store else Path("handbook.judged")
    pool = place.with_suffix(".pool.jsonl")
    if not pool.exists():
        write_atomically(pool, write_pool(pooled(contributions(runs), Plan(budget=BUDGET))))
    return str(pool), str(folder / "articles"), str(folder / "topics.xml"), str(place)
