"""Building a store with a progress bar."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanwise.collection.building import Plan, Summary


def built(paths: Sequence[str], output: str, plan: Plan) -> Summary:
    """Build; while that takes, show on a terminal how far it is."""
    from spanwise.collection.building import build

    if not sys.stderr.isatty():
        return build(paths, output, plan)
    import click

    from spanwise.collection.sources import total_size

    documents = 0
    with click.progressbar(
        length=total_size(paths), label="building", file=sys.stderr, show_pos=False
    ) as bar:

        def advance(weight: int, read: int) -> None:
            nonlocal documents
            documents += read
            bar.label = f"{documents:,} documents"
            bar.update(weight)

        return build(paths, output, plan, advance)
