"""Compare chunkers at equal reading, on the data of Chroma's chunking evaluation.

    python examples/chunking-study/study.py DATA OUT [--page]

DATA is the folder with `questions_df.csv` and the five documents; an empty string stands for
`$CHUNKING_DATA`. README.md tells how to get them. The documents are cut in 40 ways, the chunks are
searched by two retrievers, and the 80 runs are scored. OUT receives the values by topic, the
pictures, and the folder `results` with the tables that the text of the study is checked with.
Values that are in OUT already are not computed again. `--page` writes a report of four runs too.
"""

import argparse
import hashlib
import json
import logging
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
import polars as pl
from analysis import BUDGETS, LIBRARIES, SIZES, K, analysed, tables, write

import spanwise
from pictures import draw

PACKAGES = (
    *("langchain-text-splitters", "llama-index-core", "chonkie", "model2vec", "wordllama"),
    *("bm25s", "numpy"),
)
"""The packages whose versions are stated with the results."""
RETRIEVERS = {"bm25": "bm25", "wordllama": "dense:wordllama"}
TOKENS = (50, 100, 200, 400)
"""Largest sizes of Chonkie's semantic chunks, in tokens of about four characters."""
PERCENTILES = (60, 80, 90, 95)
"""Breakpoints of LlamaIndex's semantic splitter; 95 is its default."""
MEASURES = [
    *(
        f"{name}budget={budget})"
        for name in (
            *("SpanR(", "SpanP(", "FullEvidence(", "Reach("),
            *("Ceiling(of=chunks,", "Ceiling(of=returned,"),
        )
        for budget in BUDGETS
    ),
    *(f"{name}@{K}" for name in ("ChunkHit", "ChunkNDCG", "SpanR", "SpanP", "SpanIoU", "Read")),
    f"Waste(budget={BUDGETS[-1]})",
    f"FirstEvidence(budget={BUDGETS[-1]})",
]


# Data ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Data:
    """The questions with their evidence, and the documents."""

    questions: Path
    files: list[Path]

    @property
    def documents(self):
        """The texts by name; line ends stay as they are, because evidence has positions."""
        return {file.stem: file.read_bytes().decode() for file in self.files}

    @property
    def digests(self):
        """A fingerprint of each file."""
        files = [self.questions, *self.files]
        return {one.name: hashlib.sha256(one.read_bytes()).hexdigest()[:16] for one in files}


def data_in(folder):
    """Find the questions and the documents in a folder, wherever they lie below it."""
    folder = Path(folder or os.environ.get("CHUNKING_DATA", ""))
    questions = sorted(folder.rglob("questions_df.csv"))
    if len(questions) != 1:
        sys.exit(
            f"{folder}: found {len(questions)} files called questions_df.csv; expected one; see"
            " README.md for how to get the data"
        )
    names = sorted(set(pl.read_csv(questions[0])["corpus_id"]))
    files = [next(questions[0].parent.rglob(f"{name}.md"), None) for name in names]
    if None in files:
        sys.exit(f"{questions[0].parent}: found no file {names[files.index(None)]}.md; expected it")
    return Data(questions[0], files)


# Chunkers -----------------------------------------------------------------------------------------


def static_model(folder):
    """Write the vectors that the package WordLlama contains as a model of model2vec."""
    import wordllama
    from model2vec import StaticModel
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    if not (folder / "model.safetensors").exists():
        home = Path(wordllama.__file__).parent
        (vectors,) = load_file(home / "weights" / "l2_supercat_256.safetensors").values()
        words = Tokenizer.from_file(str(home / "tokenizers" / "l2_supercat_tokenizer_config.json"))
        StaticModel(vectors.astype(np.float32), words, normalize=True).save_pretrained(str(folder))
    return StaticModel.from_pretrained(str(folder))


def semantic_splitter(model, percentile):
    """Return LlamaIndex's semantic splitter with static vectors."""
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.node_parser import SemanticSplitterNodeParser

    class Static(BaseEmbedding):
        def _get_text_embeddings(self, texts):
            return model.encode(list(texts)).tolist()

        def _get_text_embedding(self, text):
            return self._get_text_embeddings([text])[0]

        def _get_query_embedding(self, query):
            return self._get_text_embedding(query)

        async def _aget_query_embedding(self, query):
            return self._get_text_embedding(query)

    return SemanticSplitterNodeParser.from_defaults(
        embed_model=Static(), breakpoint_percentile_threshold=percentile
    )


def chonkie_recursive(size):
    """Return Chonkie's recursive chunker."""
    from chonkie import RecursiveChunker

    return RecursiveChunker(tokenizer="character", chunk_size=size)


def llamaindex_sentence(size):
    """Return LlamaIndex's sentence splitter without overlap, counting characters."""
    from llama_index.core.node_parser import SentenceSplitter

    return SentenceSplitter(chunk_size=size, chunk_overlap=0, tokenizer=list)


def lengths_by(chunker, texts):
    """Return the length of each chunk of the texts."""
    if hasattr(chunker, "get_nodes_from_documents"):
        from llama_index.core import Document

        nodes = chunker.get_nodes_from_documents([Document(text=text) for text in texts])
        return [len(node.text) for node in nodes]
    return [len(chunk.text) for text in texts for chunk in chunker.chunk(text)]


def of_mean(wanted, make, texts):
    """Return the size with which a chunker makes chunks of about a mean length."""

    @cache
    def mean(size):
        return float(np.mean(lengths_by(make(size), texts)))

    low, high = int(wanted), int(4 * wanted)
    while high - low > max(1, low // 100):
        middle = (low + high) // 2
        low, high = (middle, high) if mean(middle) < wanted else (low, middle)
    return min((low, high), key=lambda size: abs(mean(size) - wanted))


# Runs ---------------------------------------------------------------------------------------------


def sweeps(data, folder):
    """Yield the chunkers, sizes and overlaps of each sweep."""
    for size in SIZES:
        yield {"chunkers": LIBRARIES, "sizes": (size,), "overlaps": (0, size // 4)}
    model = static_model(folder / "model")
    texts = list(data.documents.values())
    from chonkie import SemanticChunker
    from chonkie.embeddings import Model2VecEmbeddings

    pairs = [
        *(
            (
                f"chonkie-semantic-{tokens}",
                SemanticChunker(Model2VecEmbeddings(model), chunk_size=tokens),
                ("chonkie-recursive", chonkie_recursive),
            )
            for tokens in TOKENS
        ),
        *(
            (
                f"llamaindex-semantic-{percentile}",
                semantic_splitter(model, percentile),
                ("llamaindex-sentence", llamaindex_sentence),
            )
            for percentile in PERCENTILES
        ),
    ]
    for name, semantic, (kind, make) in pairs:
        size = of_mean(np.mean(lengths_by(semantic, texts)), make, texts)
        yield {"chunkers": {name: semantic, f"{kind}-like-{name}": make(size)}}


def scored(data, folder):
    """Cut, search and score in all ways; return the values by topic, and facts on the chunks."""
    frames, facts = [], {}
    for number, wanted in enumerate(sweeps(data, folder), start=1):
        file = folder / "values" / f"{number:02}.parquet"
        if file.exists():
            frames.append(pl.read_parquet(file))
            facts |= json.loads(file.with_suffix(".json").read_text())
            continue
        found = spanwise.sweep(
            str(data.questions),
            data.documents,
            **wanted,
            retrievers=RETRIEVERS,
            budgets=BUDGETS,
            measures=MEASURES,
            on="processes:2",
        )
        file.parent.mkdir(parents=True, exist_ok=True)
        frames.append(found.to_polars())
        sizes = {
            one.run: {
                "chunks": one.facts["chunks"],
                "mean_length": one.facts["characters in chunks"] / one.facts["chunks"],
            }
            for one in found.scores
        }
        facts |= sizes
        file.with_suffix(".json").write_text(json.dumps(sizes), encoding="utf-8")
        frames[-1].write_parquet(file)
        said = [w for w in found.warnings if w.startswith(("settings", "identical", "chunks"))]
        print(f"sweep {number}: {len(sizes)} runs", *said, sep="\n  ", file=sys.stderr, flush=True)
    return pl.concat(frames), facts


def page(data, folder):
    """Write the report page of four sizes of one chunker."""
    found = spanwise.sweep(
        str(data.questions),
        data.documents,
        chunkers="langchain-recursive",
        sizes=SIZES,
        budgets=BUDGETS,
        keep=str(folder / "runs"),
    )
    (folder / "verdict.txt").write_text(str(found), encoding="utf-8")
    texts = folder / "documents"
    texts.mkdir(exist_ok=True)
    for name, text in data.documents.items():
        (texts / f"{name.partition('.')[0]}.md").write_text(text, encoding="utf-8", newline="")
    runs = sorted(map(str, (folder / "runs").glob("*.jsonl")))
    words = ["--collection", str(texts), "--budget", ",".join(map(str, BUDGETS))]
    output = ["-o", str(folder / "report.html")]
    command = [sys.executable, "-m", "spanwise", "compare", str(data.questions)]
    subprocess.run([*command, *runs, *words, *output], check=True)


def main(words=None):
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="folder with questions_df.csv and the documents")
    parser.add_argument("out", type=Path, help="folder for the results")
    parser.add_argument("--page", action="store_true", help="write report.html as well")
    asked = parser.parse_args(words)
    logging.disable(logging.WARNING)  # of the libraries
    data, folder = data_in(asked.data), asked.out
    values, facts = scored(data, folder)
    corpora = pl.read_csv(data.questions)["corpus_id"].to_list()
    versions = {name: version(name) for name in PACKAGES}
    results = {
        "data": data.digests,
        "versions": versions,
        **analysed(values, facts, corpora),
    }
    write(results, folder / "results")
    print(tables(results))
    draw(results, folder)
    if asked.page:
        page(data, folder)


if __name__ == "__main__":
    main()
