"""One operation on a folder of XML, in its own process: `call_collection.py WHAT FOLDER`.

`lxml` only parses every file. `ask` draws random elements of a store; `look-up` draws the same
elements and looks them up, so that the difference is the time of the look-ups.
"""

import random
import sys
from pathlib import Path

ASKED = 100_000


def parse_with_lxml(folder: str) -> None:
    """Parse every file, as the baseline of building a store."""
    from lxml import etree

    for file in sorted(Path(folder).rglob("*.xml")):
        etree.parse(file)


def drawn(store):
    """Draw random documents and random element paths of a store."""
    rng = random.Random(4)
    names = [document.name for document in store.documents()]
    paths = {name: store.tree(name).paths() for name in rng.sample(names, min(500, len(names)))}
    many = [path for some in paths.values() for path in some]
    documents = [rng.choice(names).encode() for _ in range(ASKED)]
    return documents, [rng.choice(many).encode() for _ in range(ASKED)]


def ask(folder: str) -> None:
    """Open a store and draw elements."""
    from spanwise.collection import open_collection

    drawn(open_collection(folder))


def look_up(folder: str) -> None:
    """Open a store, draw elements and look them up."""
    from spanwise.collection import open_collection

    store = open_collection(folder)
    spans = store.spans(*drawn(store))
    print(f"{(spans.starts >= 0).sum()} of {len(spans)} found")


if __name__ == "__main__":
    what, place = sys.argv[1:]
    {"lxml": parse_with_lxml, "ask": ask, "look-up": look_up}[what](place)
