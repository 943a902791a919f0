"""Questions with spans of text, and runs of chunks with and without offsets, as JSON lines."""

import json
from pathlib import Path

import numpy as np

from cases import Dataset

SEED = 20262
DOCUMENTS, LENGTH = 2000, 20_000
SIZES = (200, 400, 800)
TEXTS, WORDS, VOCABULARY, CHUNK = 10, 20_000, 5000, 70


def write_chunks(data: Dataset, folder: Path) -> None:
    """Write questions with evidence in one document each, and runs with 30 % of chunks from it."""
    rng = np.random.default_rng(SEED)
    home = rng.integers(0, DOCUMENTS, data.topics)
    with (folder / data.qrels.name).open("w") as gold:
        gold.write(json.dumps({"format": "span-qrels/1", "unit": "char"}) + "\n")
        for topic, document in enumerate(home.tolist()):
            start, size = int(rng.integers(0, LENGTH - 300)), int(rng.integers(50, 300))
            span = {"s": start, "e": start + size}
            said = {"qid": f"q{topic}", "doc": f"d{document}", "doc_len": LENGTH, "spans": [span]}
            gold.write(json.dumps(said) + "\n")
    for number, path in enumerate(data.run_paths):
        _write_run(folder / path.name, number, home, data.depth)


def _write_run(path: Path, number: int, home: np.ndarray, depth: int) -> None:
    rng = np.random.default_rng([SEED, number])
    size = SIZES[number % len(SIZES)]
    shape = (len(home), depth)
    away = rng.integers(0, DOCUMENTS, shape)
    document = np.where(rng.random(shape) < 0.3, home[:, None], away).tolist()
    start = (rng.integers(0, LENGTH // size, shape) * size).tolist()
    with path.open("w") as run:
        run.write(json.dumps({"format": "span-run/1", "run": f"run{number}"}) + "\n")
        for topic in range(len(home)):
            rows = zip(document[topic], start[topic], strict=True)
            run.writelines(
                f'{{"qid": "q{topic}", "rank": {rank}, "doc": "d{d}", "s": {s}, "e": {s + size}}}\n'
                for rank, (d, s) in enumerate(rows, start=1)
            )


def write_verbatim(data: Dataset, folder: Path) -> None:
    """Write a run of chunks without offsets that are copied from their documents."""
    _write_texts(data, folder, verbatim=True)


def write_hopeless(data: Dataset, folder: Path) -> None:
    """Write a run of chunks of the same words that are in no document."""
    _write_texts(data, folder, verbatim=False)


def _write_texts(data: Dataset, folder: Path, *, verbatim: bool) -> None:
    """Write documents of words that are as frequent as in a language, judgements and a run."""
    rng = np.random.default_rng([SEED, 100])
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    sizes = rng.integers(2, 10, VOCABULARY).tolist()
    words = np.array(["".join(rng.choice(letters, size)) for size in sizes])
    share = 1 / np.arange(1, VOCABULARY + 1) ** 0.9
    share /= share.sum()
    documents = [rng.choice(words, WORDS, p=share) for _ in range(TEXTS)]
    (folder / "documents").mkdir()
    for number, document in enumerate(documents):
        (folder / "documents" / f"d{number}.txt").write_text(" ".join(document))
    with (
        (folder / data.qrels.name).open("w") as gold,
        (folder / data.run_paths[0].name).open("w") as run,
    ):
        for topic in range(data.topics):
            span = {"s": 1000, "e": 1200}
            gold.write(
                json.dumps({"qid": f"q{topic}", "doc": f"d{topic % TEXTS}", "spans": [span]})
            )
            gold.write("\n")
            for rank in range(1, data.depth + 1):
                number = int(rng.integers(TEXTS))
                first = int(rng.integers(WORDS - CHUNK))
                some = documents[number][first : first + CHUNK]
                if not verbatim:
                    some = rng.choice(words, CHUNK, p=share)
                line = {"qid": f"q{topic}", "rank": rank, "doc": f"d{number}"}
                run.write(json.dumps(line | {"text": " ".join(some)}) + "\n")
