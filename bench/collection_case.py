"""The collection case: time and memory of building a store, and the time of look-ups."""

import sys

from cases import (
    HERE,
    Bar,
    Case,
    Dataset,
    Entry,
    MakeCommand,
)

KIND = "articles"
STORE = "store"
ARTICLES = 40_000
LXML = "lxml, parsing alone"
BUILD = "spanwise collection build"
ONE_WORKER = "the same, one worker"
QUARTER = "one worker, a quarter of it"
ASK = "open, draw 100,000"
LOOK_UP = "open, draw and look up"


def build_command(*options: str) -> MakeCommand:
    """Return the command line that builds a store, replacing an earlier one."""
    words = [sys.executable, "-m", "spanwise", "collection", "build", "--fresh", *options]
    return lambda data: [*words, str(data.folder / KIND), "-o", str(data.folder / STORE)]


def calling(what: str, place: str) -> MakeCommand:
    """Return a command that runs an operation of call_collection.py."""
    script = str(HERE / "call_collection.py")
    return lambda data: [sys.executable, script, what, str(data.folder / place)]


def collection_case(scale: int) -> Case:
    """Return the case of articles of about 8 kB and 60 elements, one per file."""
    data = Dataset(KIND, ARTICLES // scale)
    quarter = Dataset(KIND, ARTICLES // scale // 4)
    alone = build_command("--workers", "1")
    entries = (
        (LXML, calling("lxml", KIND), data),
        (BUILD, build_command(), data),
        (ONE_WORKER, alone, data),
        (QUARTER, alone, quarter),
        (ASK, calling("ask", STORE), data),
        (LOOK_UP, calling("look-up", STORE), data),
    )
    return Case(
        "collection",
        f"a store of {data.topics:,} XML files",
        tuple(Entry(*entry, has_map=False) for entry in entries),
        (
            Bar(
                "building takes at most 3 times as long as parsing with lxml",
                lambda results: results[BUILD].seconds / results[LXML].seconds,
                lambda figure: figure <= 3,
            ),
            Bar(
                "with one worker as well",
                lambda results: results[ONE_WORKER].seconds / results[LXML].seconds,
                lambda figure: figure <= 3,
            ),
            Bar(
                "4 times the files take at most 1.2 times the memory",
                lambda results: results[ONE_WORKER].peak_mb / results[QUARTER].peak_mb,
                lambda figure: figure <= 1.2,
            ),
            Bar(
                "100,000 random look-ups take under a second",
                lambda results: results[LOOK_UP].seconds - results[ASK].seconds,
                lambda figure: figure < 1,
            ),
        ),
        base=LXML,
        ratio_title="ratio to lxml",
    )
