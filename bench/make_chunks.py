"""Questions with spans of text, and runs of chunks of different size, as JSON lines."""

import json
from pathlib import Path

import numpy as np

from cases import Dataset

SEED = 20262
DOCUMENTS, LENGTH = 2000, 20_000
SIZES = (200, 400, 800)


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
