"""Claims with alternative sets of sentences: WiCE and FEVER."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spanwise.formats.json_file import has_keys, values_of
from spanwise.formats.pointed import Item, PointedOut
from spanwise.formats.registry import Reading, reader

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements

WICE_DUE = '{"claim": ..., "evidence": [sentences], "supporting_sentences": [[5, 15], [15, 17]]}'
FEVER_DUE = '{"id": ..., "claim": ..., "evidence": [[[0, 0, "page", 3]]]}'


@reader(
    "wice",
    holds="judgements",
    recognise=lambda head: has_keys(head, b"supporting_sentences", b"evidence"),
)
def parse_wice(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """Claims with their web page in sentences, and sets of sentences that support them: WiCE.

    Every claim has a document of its own, its sentences joined by newlines, that comes along: it is
    called `meta.id` if there is one, else by the number of the line, like the claim. Each list in
    supporting_sentences is one alternative set.
    """
    content = PointedOut(file, how)
    for line, claim in values_of(pieces, file, WICE_DUE):
        name = str(line).encode()
        if "meta" in claim and "id" in claim["meta"]:
            name = claim["meta"]["id"].id()
        sentences = [sentence.text() for sentence in claim["evidence"]]
        content.documents[name] = "\n".join(sentences)
        content.topic(name, claim["claim"].text())
        content.document(name, name, line)
        begins = _begins(sentences)
        for number, chosen in enumerate(claim["supporting_sentences"]):
            for place in (one.whole() for one in chosen):
                if not 0 <= place < len(sentences):
                    raise claim.wrong(f"sentence {place} of {len(sentences)}")
                words = sentences[place]
                item = Item(begins[place], len(words), words, set=number)
                content.item(name, name, line, item)
    return content.judgements(WICE_DUE)


def _begins(sentences: list[str]) -> list[int]:
    """Where each sentence begins once they are joined."""
    begins = [0]
    for sentence in sentences:
        begins.append(begins[-1] + len(sentence) + 1)
    return begins


def looks_like_fever(head: bytes) -> bool:
    """Claims with labels and evidence, but without sentences."""
    return has_keys(head, b"claim", b"evidence", b"label") and not has_keys(
        head, b"supporting_sentences"
    )


@reader("fever", holds="judgements", recognise=looks_like_fever)
def parse_fever(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
    """Claims with alternative sets of sentences of pages: FEVER.

    A set is a list of `[annotation, evidence, page, sentence]`. A document is a sentence, called
    `page#sentence`, and relevant as a whole: nothing says where in its page it stands. So every
    sentence counts 1, and a budget counts sentences. Claims without evidence have no relevant
    document.
    """
    content = PointedOut(file, how, "opaque")
    for line, claim in values_of(pieces, file, FEVER_DUE):
        topic = claim["id"].id()
        content.topic(topic, claim["claim"].text())
        for number, chosen in enumerate(claim["evidence"]):
            for one in chosen:
                parts = list(one)
                if len(parts) != 4:
                    raise one.wrong("no list of four")
                if parts[2].value is None:
                    continue
                name = b"%s#%d" % (parts[2].id(), parts[3].whole())
                content.item(topic, name, line, Item(0, 1, set=number))
    found = content.judgements(FEVER_DUE)
    assert found.highlights is not None
    whole = replace(found.highlights, lengths=np.ones(len(found.rows), np.int64))
    return replace(found, highlights=whole)
