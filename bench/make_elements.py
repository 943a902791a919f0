"""Articles, assessments of their elements and runs, of the size of INEX 2006."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from cases import Dataset

SEED = 20064
ARTICLES = 4000
RELEVANT = 60
RESULTS_OF_ARTICLE = 12
"""Average number of results of a run from each of its articles."""


@dataclass(frozen=True)
class Part:
    """An element of an article."""

    path: str
    start: int
    end: int


@cache
def parts(article: int) -> tuple[Part, ...]:
    """Return the elements of an article, outermost first: sections of paragraphs with links."""
    rng = np.random.default_rng([SEED, 1, article])
    found: list[Part] = []
    place = 0
    sections = []
    for section in range(1, 5 + int(rng.integers(0, 6))):
        begin, inner = place, []
        for paragraph in range(1, 3 + int(rng.integers(0, 6))):
            size = 80 + int(rng.integers(0, 400))
            path = f"/article[1]/body[1]/section[{section}]/p[{paragraph}]"
            inner.append(Part(path, place, place + size))
            inner += [
                Part(f"{path}/link[{link}]", place + 20 * link, place + 20 * link + 12)
                for link in (1, 2)
            ]
            place += size
        sections += [Part(f"/article[1]/body[1]/section[{section}]", begin, place), *inner]
    found += [Part("/article[1]", 0, place), Part("/article[1]/body[1]", 0, place), *sections]
    return tuple(found)


def xml(article: int) -> str:
    """Return the XML of an article, whose every character is a letter x."""
    pieces, place, opened = [], 0, []
    for part in parts(article):
        while opened and part.start >= opened[-1].end and not _holds(opened[-1], part):
            place = _close(pieces, opened, place)
        pieces.append("x" * (part.start - place))
        place = part.start
        pieces.append(f"<{_tag(part)}>")
        opened.append(part)
    while opened:
        place = _close(pieces, opened, place)
    return "".join(pieces)


def _holds(outer: Part, inner: Part) -> bool:
    return inner.path.startswith(outer.path + "/")


def _close(pieces: list[str], opened: list[Part], place: int) -> int:
    last = opened.pop()
    pieces.append("x" * (last.end - place) + f"</{_tag(last)}>")
    return last.end


def _tag(part: Part) -> str:
    return part.path.rpartition("/")[2].partition("[")[0]


def relevant(topic: int) -> list[int]:
    """Return the articles with highlighted text for a topic."""
    return np.random.default_rng([SEED, 2, topic]).choice(ARTICLES, RELEVANT, False).tolist()


def _assessed(topic: int, article: int) -> str:
    """Return the assessment of an article, with some whole paragraphs highlighted."""
    rng = np.random.default_rng([SEED, 3, topic, article])
    every = parts(article)
    paragraphs = [part for part in every if _tag(part) == "p"]
    first = int(rng.integers(0, len(paragraphs)))
    lit = paragraphs[first : first + 1 + int(rng.integers(0, 24))]
    begin, end = lit[0].start, lit[-1].end
    lines = [f'<file collection="wikipedia" name="{article}">']
    lines.append(f'<best-entry-point path="{lit[0].path}"/>')
    lines.append(f'<passage start="{lit[0].path}" end="{lit[-1].path}" size="{end - begin}"/>')
    for part in every:
        shared = min(part.end, end) - max(part.start, begin)
        if shared > 0:
            size = f'size="{part.end - part.start}" rsize="{shared}"'
            lines.append(f'<element path="{part.path}" exhaustivity="2" {size}/>')
    return "\n".join([*lines, "</file>\n"])


def _results(topic: int, number: int, depth: int) -> Iterator[tuple[int, str]]:
    """Yield results of which about 70 % lie in another one."""
    rng = np.random.default_rng([SEED, 4, topic, number])
    known = rng.permutation(relevant(topic))[: int(rng.integers(20, 50))].tolist()
    found = max(depth // RESULTS_OF_ARTICLE, len(known))
    others = rng.choice(ARTICLES, found - len(known), False).tolist()
    chosen = []
    for article in dict.fromkeys([*known, *others]):
        every = parts(article)
        picked = rng.random(len(every)) < 0.35
        chosen += [(article, part.path) for part, take in zip(every, picked, strict=True) if take]
    order = rng.permutation(len(chosen))[:depth].tolist()
    return (chosen[place] for place in order)


def write_elements(data: Dataset, folder: Path) -> None:
    """Write a folder of articles, a folder of assessments by topic, and runs."""
    articles, assessments = folder / "articles", folder / "assessments"
    articles.mkdir()
    assessments.mkdir()
    for article in range(ARTICLES):
        (articles / f"{article}.xml").write_text(xml(article))
    build = [sys.executable, "-m", "spanwise", "collection", "build", str(articles)]
    subprocess.run([*build, "-o", str(folder / "store")], check=True, capture_output=True)
    for topic in range(data.topics):
        files = "".join(_assessed(topic, article) for article in relevant(topic))
        head = f'<assessments pool="{topic}" topic="{289 + topic}" version="2">'
        (assessments / f"pool-{topic}.xml").write_text(f"{head}\n{files}</assessments>\n")
    for number, path in enumerate(data.run_paths):
        with (folder / path.name).open("w") as run:
            for topic in range(data.topics):
                results = _results(topic, number, data.depth)
                run.writelines(
                    f"{289 + topic} Q0 {article} {rank} {2000 - rank} run{number:03} {place}\n"
                    for rank, (article, place) in enumerate(results, start=1)
                )
