"""Chunkers and retrievers of real libraries in a sweep."""

import re

import numpy as np
import pytest

import spanwise
from spanwise.errors import UsageError
from spanwise.retrieve.chunkers import CHUNKERS
from spanwise.workflows.sweep import Way, cut_up

REASON = "not installed; run: make test-adapters"
SENTENCES = [
    f"Clause {n} says that party {n} owes party {n + 1} the sum of {n} euros." for n in range(60)
]
TEXT = "\n\n".join(" ".join(SENTENCES[n : n + 6]) for n in range(0, 60, 6))
LIBRARIES = {
    "langchain": "langchain_text_splitters",
    "llamaindex": "llama_index.core",
    "chonkie": "chonkie",
}
OF_LIBRARIES = sorted(name for name in CHUNKERS.registered if name.partition("-")[0] in LIBRARIES)
NEEDS_DATA = {"langchain-token", "chonkie-semantic"}


def cut(name, size=200, overlap=0, text=TEXT):
    return cut_up(name, {"a.md": text}, Way(name, name, size, overlap).cutter())


def test_the_libraries_have_the_chunkers_that_are_promised():
    kinds = {
        "langchain": ("recursive", "character", "markdown", "token"),
        "llamaindex": ("sentence", "token", "sentence-window"),
        "chonkie": ("token", "sentence", "recursive", "semantic"),
    }
    promised = {f"{library}-{kind}" for library, some in kinds.items() for kind in some}
    assert promised == set(OF_LIBRARIES)


@pytest.mark.parametrize("name", [name for name in OF_LIBRARIES if name not in NEEDS_DATA])
def test_chunks_of_a_library_hold_the_whole_text(name):
    pytest.importorskip(LIBRARIES[name.partition("-")[0]], reason=REASON)
    found = cut(name)
    assert found.unplaced == 0
    covered = np.zeros(len(TEXT), bool)
    for start, end in zip(found.spans.starts, found.spans.ends, strict=True):
        covered[start:end] = True
    left = "".join(c for c, seen in zip(TEXT, covered, strict=True) if not seen)
    assert not left.strip()
    if name not in ("langchain-character", "llamaindex-sentence-window"):
        assert max(found.spans.lengths) <= 200
    if name != "langchain-character":  # it cuts only between paragraphs
        assert len(found.texts) > 15


def test_a_sentence_is_searched_and_read_with_its_window():
    pytest.importorskip("llama_index.core", reason=REASON)
    parsers = pytest.importorskip("llama_index.core.node_parser", reason=REASON)
    text = " ".join(SENTENCES[:10])
    found = cut("llamaindex-sentence-window", text=text)
    assert [words.strip() for words in found.texts] == SENTENCES[:10]
    read = [text[s:e].strip() for s, e in zip(found.spans.starts, found.spans.ends, strict=True)]
    assert read[0] == " ".join(SENTENCES[:4])
    assert read[5] == " ".join(SENTENCES[2:9])
    assert read[9] == " ".join(SENTENCES[6:10])
    narrow = parsers.SentenceWindowNodeParser.from_defaults(window_size=1)
    own = cut_up("own", {"a.md": text}, Way("own", narrow).cutter())
    start, end = own.spans.starts[5], own.spans.ends[5]
    assert text[start:end].strip() == " ".join(SENTENCES[4:7])


def test_missing_data_of_a_library_is_named(monkeypatch):
    library = pytest.importorskip("langchain_text_splitters", reason=REASON)

    def fails(**more):
        raise ConnectionError("no network")

    monkeypatch.setattr(library, "TokenTextSplitter", fails)
    with pytest.raises(UsageError, match="'langchain-token' needs data that is not on this machi"):
        cut("langchain-token", 137)


@pytest.fixture
def model(tmp_path):
    """A folder with a model of model2vec: a vector for each of a few words."""
    model2vec = pytest.importorskip("model2vec", reason=REASON)
    tokenizers = pytest.importorskip("tokenizers", reason=REASON)
    words = ["[UNK]", "rain", "wind", "tax", "rent"]
    made = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({w: n for n, w in enumerate(words)}, unk_token="[UNK]")
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.normalizer = tokenizers.normalizers.Lowercase()
    vectors = np.array([[0, 0, 1], [1, 0, 0], [0.9, 0.1, 0], [0, 1, 0], [0.1, 0.9, 0]], np.float32)
    model2vec.StaticModel(vectors, made).save_pretrained(str(tmp_path / "model"))
    return str(tmp_path / "model")


def test_the_semantic_chunker_takes_a_folder(model):
    pytest.importorskip("chonkie", reason=REASON)
    text = "Rain wind. The rain and the wind! " * 12 + "Tax rent tax rent tax rent tax. " * 12
    found = cut(f"chonkie-semantic:{model}", text=text)
    bounds = found.spans.starts.tolist()
    assert found.unplaced == 0
    assert "".join(found.texts) == text
    assert any(abs(start - text.index("Tax")) < 100 for start in bounds[1:])
    with pytest.raises(UsageError, match="found no model of model2vec"):
        cut("chonkie-semantic:" + model + "-not")


def test_a_folder_of_model2vec_is_a_retriever(model):
    from spanwise.retrieve.retrievers import Depth, Indexes

    texts = ["Tax rent tax.", "Rain rain.", "Wind."]
    (ranking,) = Indexes(texts).of(f"dense:{model}").rank(["rain"], Depth(np.ones(3), 9, 3))
    assert ranking[0].tolist() == [1, 2, 0]


DOCUMENTS = {"a": TEXT, "b": "The dog sleeps in the garden. " * 30 + "Cats chase mice at night."}
GOLD = [
    {"id": "q1", "question": "Which animals hunt rodents?", "quotes": ["Cats chase mice at night."]}
]


def test_wordllama_needs_no_connection(monkeypatch):
    pytest.importorskip("wordllama", reason=REASON)
    import socket

    def fails(*_):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", fails)
    found = spanwise.sweep(GOLD, DOCUMENTS, sizes=(30,), budgets=90, retrievers="dense")
    assert found.diff("q1")["fixed-30/0 dense"]["SpanR(budget=90)"] == 1


def test_objects_of_libraries_cut():
    splitters = pytest.importorskip("langchain_text_splitters", reason=REASON)
    parsers = pytest.importorskip("llama_index.core.node_parser", reason=REASON)
    chonkie = pytest.importorskip("chonkie", reason=REASON)
    pytest.importorskip("bm25s", reason=REASON)
    chunkers = {
        "langchain": splitters.RecursiveCharacterTextSplitter(chunk_size=150, chunk_overlap=0),
        "llamaindex": parsers.SentenceSplitter(chunk_size=150, chunk_overlap=0, tokenizer=list),
        "chonkie": chonkie.SentenceChunker(chunk_size=150),
        "windows": parsers.SentenceWindowNodeParser.from_defaults(window_size=1),
    }
    gold = [{"id": "q1", "question": "party 17 owes party 18", "quotes": [SENTENCES[17]]}]
    found = spanwise.sweep(gold, {"a": TEXT}, chunkers=chunkers, budgets=[800])
    assert set(found.runs) == {f"{name} bm25" for name in chunkers}
    assert all(run["SpanR(budget=800)"] > 0.95 for run in found.diff("q1").values())
    unnamed = spanwise.sweep(gold, {"a": TEXT}, chunkers=chunkers["langchain"], budgets=[800])
    assert list(unnamed.runs) == ["RecursiveCharacterTextSplitter bm25"]


def test_a_retriever_of_langchain_searches_the_chunks():
    retrievers = pytest.importorskip("langchain_core.retrievers", reason=REASON)
    documents = pytest.importorskip("langchain_core.documents", reason=REASON)
    vectors = pytest.importorskip("langchain_core.vectorstores", reason=REASON)
    embeddings = pytest.importorskip("langchain_core.embeddings", reason=REASON)
    assert retrievers
    assert documents

    class Words(embeddings.Embeddings):
        def embed_documents(self, texts):
            every = ["cats", "mice", "dog", "garden", "euros"]
            found = [re.findall(r"\w+", text.lower()) for text in texts]
            return [[some.count(word) + 0.01 for word in every] for some in found]

        def embed_query(self, text):
            return self.embed_documents([text])[0]

    def made(texts):
        return vectors.InMemoryVectorStore.from_texts(texts, Words()).as_retriever()

    gold = [{"id": "q1", "question": "cats and mice", "quotes": ["Cats chase mice at night."]}]
    found = spanwise.sweep(
        gold, DOCUMENTS, sizes=(50,), budgets=1000, retrievers={"own": made, "vectors": Words()}
    )
    for run in ("fixed-50/0 own", "fixed-50/0 vectors"):
        assert found.diff("q1")[run]["SpanR(budget=1000)"] == 1
    # The retriever returns 4 results unless it is asked for more; 20 of 50 characters are needed.
    read = {run.run: run.facts["results"] for run in found.scores}
    assert min(read.values()) >= 20


def test_a_retriever_of_langchain_is_a_run():
    """It returns 4 documents unless it is asked for more; 20 of 50 characters make 1,000."""
    documents = pytest.importorskip("langchain_core.documents", reason=REASON)
    vectors = pytest.importorskip("langchain_core.vectorstores", reason=REASON)
    embeddings = pytest.importorskip("langchain_core.embeddings", reason=REASON)
    text = "".join(f"{n:049} " for n in range(200))
    chunks = [
        documents.Document(text[s : s + 50], metadata={"source": "a", "start_index": s})
        for s in range(0, len(text), 50)
    ]
    store = vectors.InMemoryVectorStore.from_documents(
        chunks, embeddings.DeterministicFakeEmbedding(size=8)
    )
    retriever = store.as_retriever()
    gold = [{"id": "q", "question": "zero", "spans": [{"doc": "a", "s": 0, "e": 50}]}]
    found = spanwise.compare(gold, {"it": retriever}, collection={"a": text}, budget=[5000])
    assert found.scores[0].facts["results"] == 100
    assert "k" not in retriever.search_kwargs
