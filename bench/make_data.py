"""Qrels and runs of the benchmark, with the same bytes at every call.

run.py calls this as a program, so that its memory does not count for the measuring process.

Every topic draws from its own random stream; a smaller dataset is therefore a prefix of a larger
one. Two rules make the results comparable. Scores are equal or differ by at least 0.000004, so
that they tie in 32 bits exactly where they tie in 64. And no relevant document is in a tie, because
the contenders break ties differently.
"""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cases import Dataset
from make_articles import write_articles
from make_chunks import write_chunks, write_hopeless, write_verbatim
from make_elements import write_elements
from make_text import write_one_document, write_text

SEED = 20040
PASSAGES = 8_841_823
PASSAGE_QUERIES = 1_102_400
MOST_PASSAGE_TOPICS = 6980
SHARE_FOUND = 0.86
ARTICLES = 528_155
SHARE_TIED = 0.03
LEAST_STEP = 4  # millionths: twice the spacing of 32-bit numbers below 32
MEAN_STEP = 12_000
LOWEST_SCORE = 5_000_000

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Pool:
    """The documents of a newswire topic: relevant first, then judged, then unjudged."""

    documents: Ints
    relevant: int
    judged: int
    grades: Ints


def scores_for(rng: np.random.Generator, relevant: Flags) -> list[str]:
    """Return decreasing scores for a ranking, with ties among documents that are not relevant."""
    depth = len(relevant)
    steps = LEAST_STEP + rng.exponential(MEAN_STEP, depth).astype(np.int64)
    tied = rng.random(depth) < SHARE_TIED
    tied &= ~relevant
    tied[:-1] &= ~relevant[1:]
    steps[tied] = 0
    millionths = LOWEST_SCORE + np.cumsum(steps[::-1])[::-1]
    return [f"{value / 1_000_000:.6f}" for value in millionths.tolist()]


def run_lines(topic: str, documents: list[str], scores: list[str], tag: str) -> str:
    """Return one topic of a run in TREC format, separated by single blanks."""
    return "".join(
        f"{topic} Q0 {document} {rank} {score} {tag}\n"
        for rank, (document, score) in enumerate(zip(documents, scores, strict=True), start=1)
    )


def passage_topic(number: int, topic: str, depth: int) -> tuple[str, str]:
    """Return qrels and run of a topic with one to three relevant passages at high ranks."""
    rng = np.random.default_rng([SEED, 1, number])
    documents = rng.choice(PASSAGES, depth + 3, replace=False)
    places: set[int] = set()
    for spare in range(int(rng.choice([1, 2, 3], p=[0.92, 0.06, 0.02]))):
        found = rng.random() < SHARE_FOUND
        places.add(int(depth ** rng.random()) - 1 if found else depth + spare)
    relevant = np.zeros(depth, dtype=np.bool_)
    relevant[[place for place in places if place < depth]] = True
    names = [str(document) for document in documents.tolist()]
    qrels = "".join(f"{topic} 0 {names[place]} 1\n" for place in sorted(places))
    return qrels, run_lines(topic, names[:depth], scores_for(rng, relevant), "bm25")


def write_passages(data: Dataset, folder: Path) -> None:
    """Write one run over many topics with sparse judgements."""
    numbers = np.random.default_rng([SEED, 0]).choice(
        PASSAGE_QUERIES, MOST_PASSAGE_TOPICS, replace=False
    )
    with (
        (folder / data.qrels.name).open("w") as qrels,
        (folder / data.run_paths[0].name).open("w") as run,
    ):
        for number, topic in enumerate(numbers[: data.topics].tolist()):
            judged, retrieved = passage_topic(number, str(topic), data.depth)
            qrels.write(judged)
            run.write(retrieved)


def write_log(data: Dataset, folder: Path) -> None:
    """Write the topics of the passage run repeatedly, each time with new ids."""
    once = Dataset("passages", min(data.topics, MOST_PASSAGE_TOPICS), depth=data.depth)
    make(once)
    judged, retrieved = once.qrels.read_text(), once.run_paths[0].read_text()
    left, turn = data.topics, 0
    with (
        (folder / data.qrels.name).open("w") as qrels,
        (folder / data.run_paths[0].name).open("w") as run,
    ):
        while left > 0:
            some = "".join(retrieved.splitlines(keepends=True)[: left * data.depth])
            topics = {line.partition(" ")[0] for line in some.splitlines()}
            for lines, out in ((judged, qrels), (some, run)):
                for line in lines.splitlines(keepends=True):
                    if line.partition(" ")[0] in topics:
                        out.write(f"{turn}-{line}")
            left, turn = left - once.topics, turn + 1


def article_name(number: int) -> str:
    """Return a document id in the pattern of one of the four newswire sources."""
    if number < 130_471:
        return f"FBIS{3 + number % 2}-{number // 2 + 1}"
    number -= 130_471
    if number < 210_158:
        return f"FT{911 + number % 34}-{number // 34 + 1}"
    number -= 210_158
    day, month = number % 28 + 1, number // 28 % 12 + 1
    number //= 336
    if number < 166:
        return f"FR94{month:02}{day:02}-0-{number:05}"
    number -= 166
    return f"LA{month:02}{day:02}{89 + number % 2}-{number // 2 + 1:04}"


def newswire_pool(number: int) -> Pool:
    """Return a pool of about 1,500 judged documents, and unjudged ones that a run may return."""
    rng = np.random.default_rng([SEED, 2, number])
    judged = int(rng.integers(1200, 1801))
    relevant = int(np.clip(rng.lognormal(4.0, 0.7), 8, 400))
    grades = np.zeros(judged, dtype=np.int64)
    grades[:relevant] = rng.choice([1, 2], relevant, p=[0.85, 0.15])
    return Pool(rng.choice(ARTICLES, 6000, replace=False), relevant, judged, grades)


def newswire_qrels(topic: str, pool: Pool) -> str:
    """Return the judgements of a topic sorted by id, as in real qrels."""
    names = [article_name(document) for document in pool.documents[: pool.judged].tolist()]
    return "".join(
        f"{topic} 0 {name} {grade}\n"
        for name, grade in sorted(zip(names, pool.grades.tolist(), strict=True))
    )


def newswire_topic(rng: np.random.Generator, topic: str, pool: Pool, depth: int, tag: str) -> str:
    """Return one topic of a run: most relevant documents, other judged ones, then unjudged."""
    quality = rng.uniform(0.4, 0.9)
    found = np.flatnonzero(rng.random(pool.relevant) < quality)
    others = rng.permutation(np.arange(pool.relevant, pool.judged))[: int(rng.integers(150, 450))]
    missing = depth - len(found) - len(others)
    rest = rng.permutation(np.arange(pool.judged, len(pool.documents)))[:missing]
    chosen = np.concatenate([found, others, rest])
    worth = rng.normal(size=depth)
    worth[: len(found)] += 2 * quality
    worth[len(found) : len(found) + len(others)] += 0.6
    chosen = chosen[np.argsort(-worth)]
    names = [article_name(document) for document in pool.documents[chosen].tolist()]
    return run_lines(topic, names, scores_for(rng, chosen < pool.relevant), tag)


def write_newswire(data: Dataset, folder: Path) -> None:
    """Write runs over few topics with deep judgements."""
    pools = {str(301 + number): newswire_pool(number) for number in range(data.topics)}
    with (folder / data.qrels.name).open("w") as qrels:
        qrels.writelines(newswire_qrels(topic, pool) for topic, pool in pools.items())
    for number, path in enumerate(data.run_paths):
        with (folder / path.name).open("w") as run:
            run.writelines(_newswire_run(number, pools, data.depth))


def _newswire_run(number: int, pools: dict[str, Pool], depth: int) -> Iterator[str]:
    """Yield the topics of one run, each from its own random stream."""
    for topic, pool in pools.items():
        rng = np.random.default_rng([SEED, 3, number, int(topic)])
        yield newswire_topic(rng, topic, pool, depth, f"run{number:03}")


WRITERS = {
    "passages": write_passages,
    "log": write_log,
    "newswire": write_newswire,
    "text": write_text,
    "chunks": write_chunks,
    "verbatim": write_verbatim,
    "hopeless": write_hopeless,
    "one-document": write_one_document,
    "elements": write_elements,
}


def make(data: Dataset) -> None:
    """Write a dataset unless it exists; an incomplete one never gets its final name."""
    if data.folder.exists():
        return
    unfinished = data.folder.with_name(data.folder.name + ".part")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    if data.kind == "articles":
        write_articles(data.topics, unfinished / data.kind)
    else:
        WRITERS[data.kind](data, unfinished)
    unfinished.rename(data.folder)


if __name__ == "__main__":
    kind, *shape = sys.argv[1:]
    make(Dataset(kind, *map(int, shape)))
