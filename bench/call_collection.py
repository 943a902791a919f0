"""One thing done with a folder of XML, in a process of its own: `call_collection.py WHAT FOLDER`.

`lxml` parses every file and nothing else. `ask` draws elements of a store at random; `look-up`
draws the same and looks them up, so that the difference is what looking up takes.
"""

import random
import sys
from pathlib import Path

ASKED = 100_000


def parse_with_lxml(folder: str) -> None:
    """What building is compared with."""
    from lxml import etree

    for file in sorted(Path(folder).rglob("*.xml")):
        etree.parse(file)


def drawn(store):
    """Documents at random, and an element of each at random."""
    rng = random.Random(4)
    names = [document.name for document in store.documents()]
    paths = {name: store.tree(name).paths() for name in rng.sample(names, min(500, len(names)))}
    many = [path for some in paths.values() for path in some]
    documents = [rng.choice(names).encode() for _ in range(ASKED)]
    return documents, [rng.choice(many).encode() for _ in range(ASKED)]


def ask(folder: str) -> None:
    """Open and draw."""
    from spanwise.collection import open_collection

    drawn(open_collection(folder))


def look_up(folder: str) -> None:
    """Open, draw and look up."""
    from spanwise.collection import open_collection

    store = open_collection(folder)
    spans = store.spans(*drawn(store))
    print(f"{(spans.starts >= 0).sum()} of {len(spans)} found")


if __name__ == "__main__":
    what, place = sys.argv[1:]
    {"lxml": parse_with_lxml, "ask": ask, "look-up": look_up}[what](place)
