"""Chunks of real frameworks. They live in an environment of their own: make test-adapters."""

import pytest

import spanwise
from spanwise.formats.frames.chunks import chunks_run

CAP = "The aggregate liability of the supplier is capped at five million euros per year. "
TEXT = (
    CAP
    + "Nothing in this agreement limits liability for fraud. Notices are sent by post. "
    + "Each party keeps the other's secrets for ten years after the end of the agreement. " * 3
)
DOCUMENTS = {"contracts/acme": TEXT, "other": "Rain is expected in the north. " * 20}
GOLD = [{"id": "q1", "question": "What is the cap?", "quotes": [CAP.strip()]}]
REASON = "not installed; run: make test-adapters"


def measured(chunks, **more):
    found = spanwise.compare(
        GOLD, {"it": {"q1": chunks}}, collection=DOCUMENTS, budget=[200, 1000], **more
    )
    return found.diff("q1")["it"]["SpanR(budget=1000)"], found


def test_langchain_documents_with_and_without_offsets():
    splitters = pytest.importorskip("langchain_text_splitters", reason=REASON)
    documents = pytest.importorskip("langchain_core.documents", reason=REASON)
    source = documents.Document(TEXT, metadata={"source": "/home/me/docs/contracts/acme"})
    for options in ({"add_start_index": True}, {}):
        splitter = splitters.RecursiveCharacterTextSplitter(
            chunk_size=100, chunk_overlap=20, **options
        )
        chunks = splitter.split_documents([source])
        value, _ = measured(chunks)
        assert value == pytest.approx(1, abs=0.03)  # blanks between chunks are stripped
        scored = [(chunk, 1 / place) for place, chunk in enumerate(chunks, start=1)]
        assert measured(scored)[0] == value


def test_missing_offsets_of_langchain_are_recovered():
    splitters = pytest.importorskip("langchain_text_splitters", reason=REASON)
    splitter = splitters.RecursiveCharacterTextSplitter(
        chunk_size=16,
        chunk_overlap=8,
        add_start_index=True,
        length_function=lambda t: len(t.split()),
    )
    chunks = splitter.create_documents([TEXT], [{"source": "contracts/acme"}])
    lost = [chunk for chunk in chunks if chunk.metadata["start_index"] == -1]
    for chunk in chunks[1::2]:
        chunk.metadata["start_index"] = -1
    run = chunks_run({"q1": chunks}, "it", {"q1": ""})
    assert (run.spans.starts == -1).sum() >= max(len(lost), len(chunks) // 2)
    value, found = measured(chunks)
    assert value == pytest.approx(1, abs=0.05)
    assert any("had no valid offset" in one for one in found.warnings)


def test_llama_index_nodes():
    nodes = pytest.importorskip("llama_index.core.schema", reason=REASON)
    parsers = pytest.importorskip("llama_index.core.node_parser", reason=REASON)
    document = nodes.Document(text=TEXT, doc_id="contracts/acme")
    made = parsers.TokenTextSplitter(chunk_size=30, chunk_overlap=5)
    chunks = [nodes.NodeWithScore(node=n, score=0.5) for n in made([document])]
    run = chunks_run({"q1": chunks}, "it", {"q1": ""})
    assert set(run.documents.take(range_of(run))) == {b"contracts/acme"}
    assert measured(chunks)[0] == pytest.approx(1, abs=0.03)


def exactly_placed(chunks):
    """Whether all chunks stand where their framework says, though sentences come again."""
    value, found = measured(chunks)
    said = " ".join(found.scores[0].notes)
    return value > 0.95 and f"chunks placed in their documents: all {len(chunks)} exact" in said


def test_ids_that_frameworks_invent_do_not_hide_the_file():
    nodes = pytest.importorskip("llama_index.core.schema", reason=REASON)
    parsers = pytest.importorskip("llama_index.core.node_parser", reason=REASON)
    document = nodes.Document(text=TEXT, metadata={"file_path": "/data/contracts/acme"})
    assert exactly_placed(parsers.TokenTextSplitter(chunk_size=40, chunk_overlap=5)([document]))
    haystack = pytest.importorskip("haystack", reason=REASON)
    splitters = pytest.importorskip("haystack.components.preprocessors", reason=REASON)
    source = haystack.Document(content=TEXT, meta={"file_path": "/data/contracts/acme"})
    splitter = splitters.DocumentSplitter(split_by="word", split_length=12, split_overlap=3)
    splitter.warm_up()
    assert exactly_placed(splitter.run(documents=[source])["documents"])


def range_of(run):
    import numpy as np

    return np.arange(len(run.rows))


def test_haystack_documents():
    haystack = pytest.importorskip("haystack", reason=REASON)
    splitters = pytest.importorskip("haystack.components.preprocessors", reason=REASON)
    source = haystack.Document(content=TEXT, meta={"name": "acme"})
    splitter = splitters.DocumentSplitter(split_by="word", split_length=12, split_overlap=3)
    splitter.warm_up()
    chunks = splitter.run(documents=[source])["documents"]
    for chunk in chunks:
        chunk.meta["source_id"] = "contracts/acme"
    run = chunks_run({"q1": chunks}, "it", {"q1": ""})
    assert run.spans.starts[0] == 0
    assert measured(chunks)[0] == 1


def test_chonkie_chunks():
    chonkie = pytest.importorskip("chonkie", reason=REASON)
    chunks = chonkie.TokenChunker(tokenizer="character", chunk_size=80, chunk_overlap=10)(TEXT)
    value, found = measured(chunks)
    assert value == 1
    assert not any("lost" in one for one in found.warnings)
    assert exactly_placed(chunks)


def test_results_of_chroma():
    chromadb = pytest.importorskip("chromadb", reason=REASON)
    client = chromadb.EphemeralClient()
    made = client.create_collection("chunks", embedding_function=None)
    pieces = [TEXT[start : start + 80] for start in range(0, len(TEXT), 80)]
    made.add(
        ids=[str(number) for number in range(len(pieces))],
        documents=pieces,
        embeddings=[[float(number), 1.0] for number in range(len(pieces))],
        metadatas=[
            {"corpus_id": "contracts/acme", "start_index": 80 * n, "end_index": 80 * n + len(p)}
            for n, p in enumerate(pieces)
        ],
    )
    found = made.query(query_embeddings=[[0.0, 1.0]], n_results=3)
    run = chunks_run(found, "it", {"q1": ""})
    assert run.spans.starts.tolist() == [0, 80, 160]
    compared = spanwise.compare(GOLD, {"it": found}, collection=DOCUMENTS, budget=[1000])
    assert compared.diff("q1")["it"]["SpanR(budget=1000)"] == 1


def test_citations_of_claude():
    types = pytest.importorskip("anthropic.types", reason=REASON)
    citation = types.CitationCharLocation(
        type="char_location",
        cited_text=CAP,
        document_index=0,
        document_title="contracts/acme",
        start_char_index=0,
        end_char_index=len(CAP),
        file_id=None,
    )
    value, _ = measured([citation])
    assert value == 1


def test_citations_of_cohere_point_into_the_answer():
    types = pytest.importorskip("cohere.types", reason=REASON)
    citation = types.ChatCitation(start=900, end=940, text=CAP, document_ids=["contracts/acme"])
    run = chunks_run({"q1": [citation]}, "it", {"q1": ""})
    assert run.spans.starts.tolist() == [-1]
    assert measured([citation])[0] == 1


def test_chunkers_of_the_sweep():
    pytest.importorskip("chonkie", reason=REASON)
    pytest.importorskip("langchain_text_splitters", reason=REASON)
    from spanwise.workflows.sweep import Way, cut_up

    for name in ("langchain-recursive", "langchain-character", "chonkie-token"):
        cut = cut_up(name, {"acme.txt": TEXT}, Way(name, name, 120, 20).cutter())
        assert cut.documents[0] == b"acme"
        assert len(cut.texts) > 1 or name == "langchain-character"
        assert all(
            TEXT[s:e] == words
            for s, e, words in zip(cut.spans.starts, cut.spans.ends, cut.texts, strict=True)
        )
