"""Highlighted text and runs of passages for the benchmark, of the size of INEX 2009 and 2010."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from cases import Dataset

SEED = 20101
JUDGED_TOPICS = 120
ARTICLES = 2_666_190
RELEVANT = 86
RETURNED = 100
PASSAGE = 1900
LENGTH = 20_000


def _length(article: int) -> int:
    """Return the fixed length of a document."""
    return PASSAGE + article * 7919 % LENGTH


def _relevant(topic: int) -> list[int]:
    """Return the documents with highlighted text for a topic."""
    rng = np.random.default_rng([SEED, 1, topic])
    return rng.choice(ARTICLES, RELEVANT, replace=False).tolist()


def _judged_line(topic: int, article: int) -> str:
    """Return a line of judgements with a few highlighted passages in rising order."""
    rng = np.random.default_rng([SEED, 2, topic, article])
    count = int(rng.choice([1, 2, 3, 5], p=[0.65, 0.2, 0.1, 0.05]))
    cuts = np.sort(rng.choice(_length(article), 2 * count, replace=False)).reshape(-1, 2)
    passages = [(begin, end - begin) for begin, end in cuts.tolist()]
    total = sum(size for _, size in passages)
    places = " ".join(f"{begin}:{size}" for begin, size in passages)
    head = f"{2009001 + topic} Q0 {article} {total} {_length(article)}"
    return f"{head} {passages[0][0]} {places}\n"


def _run_lines(topic: int, number: int, depth: int) -> Iterator[str]:
    """Yield disjoint passages of some documents, interleaved, best first."""
    rng = np.random.default_rng([SEED, 3, topic, number])
    found = rng.permutation(_relevant(topic))[: int(rng.integers(20, 60))].tolist()
    others = rng.choice(ARTICLES, RETURNED - len(found), replace=False).tolist()
    passages = [
        (article, begin, min(PASSAGE, _length(article) - begin))
        for article in {*found, *others}
        for begin in range(0, _length(article), PASSAGE)
    ]
    chosen = rng.permutation(len(passages))[:depth].tolist()
    for rank, place in enumerate(chosen, start=1):
        article, begin, size = passages[place]
        score = f"{1 / rank:.6f}"
        yield f"{2009001 + topic} Q0 {article} {rank} {score} text{number:03} {begin} {size}\n"


def write_text(data: Dataset, folder: Path) -> None:
    """Write judgements of all topics, and runs over some of them."""
    with (folder / data.qrels.name).open("w") as qrels:
        for topic in range(JUDGED_TOPICS):
            qrels.writelines(_judged_line(topic, article) for article in _relevant(topic))
    for number, path in enumerate(data.run_paths):
        with (folder / path.name).open("w") as run:
            for topic in range(data.topics):
                run.writelines(_run_lines(topic, number, data.depth))


def write_one_document(data: Dataset, folder: Path) -> None:
    """Write a run of overlapping passages of one document, and its regular highlights."""
    rng = np.random.default_rng([SEED, 4])
    length = 100 * data.depth
    begins = np.arange(0, length, 1000)
    sizes = rng.integers(1, 900, len(begins))
    places = " ".join(f"{b}:{s}" for b, s in zip(begins.tolist(), sizes.tolist(), strict=True))
    (folder / data.qrels.name).write_text(f"1 Q0 doc {sizes.sum()} {length} 0 {places}\n")
    starts = rng.integers(0, length - 5000, data.depth).tolist()
    spans = rng.integers(1, 5000, data.depth).tolist()
    with (folder / data.run_paths[0].name).open("w") as run:
        for rank, (start, size) in enumerate(zip(starts, spans, strict=True), start=1):
            run.write(f"1 Q0 doc {rank} {-rank} long {start} {size}\n")
