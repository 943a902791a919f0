"""Runs and judgements of every grain, made at random and written as files."""

import json
from pathlib import Path

from numpy.random import Generator

TOPICS = 9


def topics_of(rng: Generator) -> tuple[list[str], list[str]]:
    """Topics of the judgements and of the run; most are in both, in orders of their own."""
    judged = [f"t{n}" for n in rng.permutation(TOPICS)]
    answered = [f"t{n}" for n in rng.permutation(TOPICS + 3) if n not in (0, 4)]
    return judged, answered


def documents(rng: Generator, folder: Path) -> None:
    """Graded documents; equal scores; rankings long and short."""
    judged, answered = topics_of(rng)
    with (folder / "qrels").open("w") as out:
        for topic in judged:
            for document in rng.permutation(400)[: rng.integers(1, 60)]:
                out.write(f"{topic} 0 d{document} {rng.integers(-1, 4)}\n")
    with (folder / "run").open("w") as out:
        for topic in answered:
            depth = int(rng.choice([1, 3, 7, 20, 130, 300]))
            scores = sorted(rng.integers(0, 2 * depth, depth) / 7, reverse=bool(rng.integers(2)))
            for score, document in zip(scores, rng.permutation(400)[:depth], strict=True):
                out.write(f"{topic} Q0 d{document} 1 {score:.4f} mine\n")


def preferences(rng: Generator, folder: Path) -> None:
    """Documents some of which are preferred to others."""
    documents(rng, folder)
    judged, _ = topics_of(rng)
    with (folder / "qrels").open("w") as out:
        for topic in judged:
            for group in range(rng.integers(1, 4)):
                for document in rng.permutation(400)[: rng.integers(2, 30)]:
                    out.write(f"{topic} {group} {rng.integers(2)} d{document} {rng.integers(5)}\n")


def passages(rng: Generator, folder: Path) -> None:
    """Highlighted text, and spans."""
    judged, answered = topics_of(rng)
    with (folder / "qrels").open("w") as out:
        for topic in judged:
            for document in rng.permutation(40)[: rng.integers(1, 20)]:
                start, size = int(rng.integers(0, 50)), int(rng.integers(0, 40))
                marked = f"{start} {start}:{size}" if size else ""
                out.write(f"{topic} Q0 {document} {size} 200 {marked}\n")
    with (folder / "run").open("w") as out:
        for topic in answered:
            for rank, document in enumerate(rng.integers(0, 50, rng.integers(1, 200))):
                place = f"{rng.integers(0, 90)} {rng.integers(1, 40)}" if rng.integers(9) else "X X"
                out.write(f"{topic} Q0 {document} {rank} {1000 - rank} mine {place}\n")


def chunks(rng: Generator, folder: Path) -> None:
    """Spans as JSON lines, some of whose fields nobody asks for."""
    judged, answered = topics_of(rng)
    lines = [{"format": "span-qrels/1", "unit": "char", "char": "codepoint"}]
    for topic in judged:
        for document in rng.permutation(20)[: rng.integers(1, 6)].tolist():
            start = int(rng.integers(0, 50))
            spans = [{"s": start, "e": start + 30, "aspect": [f"a{document % 3}"]}]
            lines.append({"qid": topic, "doc": f"d{document}", "doc_len": 200, "spans": spans})
    _write(folder / "qrels", lines)
    lines = [{"format": "span-run/1", "run": "mine", "unit": "char", "char": "codepoint"}]
    for topic in answered:
        for rank in range(rng.integers(1, 150)):
            start = int(rng.integers(0, 100))
            result = {"qid": topic, "doc": f"d{rng.integers(30)}", "s": start, "e": start + 20}
            odd = {"colour": "blue"} if not rng.integers(5) else {}
            lines.append({**result, "score": 1000 - rank, "id": f"c{rank}", "cost": 3, **odd})
    _write(folder / "run", lines)


def elements(rng: Generator, folder: Path) -> None:
    """Judged elements with their sizes, and elements that were returned, not all of them there."""
    judged, answered = topics_of(rng)
    (folder / "articles").mkdir(exist_ok=True)
    for number in range(18):
        text = "".join(f"<s>{'x' * 25}</s>" for _ in range(4))
        (folder / "articles" / f"d{number}.xml").write_text(f"<a>{text}</a>")
    lines = []
    for topic in judged:
        for document in rng.permutation(20)[: rng.integers(1, 8)].tolist():
            listed = [{"path": "/a[1]", "exhaustivity": 2, "size": 100, "rsize": 40}]
            for number in range(1, 5):
                path = {"path": f"/a[1]/s[{number}]", "exhaustivity": int(rng.integers(0, 3))}
                listed.append({**path, "size": 25, "rsize": int(rng.integers(0, 25))})
            entry = {"qid": topic, "doc": f"d{document}", "doc_len": 100, "bep": 3}
            lines.append({**entry, "elements": listed, "spans": [{"s": 3, "e": 43}]})
    _write(folder / "qrels", [{"format": "span-qrels/1", "unit": "char"}, *lines])
    lines = []
    for topic in answered:
        for place in rng.permutation(100)[: rng.integers(1, 60)].tolist():
            document, number = divmod(place, 5)
            path = f"/a[1]/s[{number}]" if number else "/a[1]"
            path += "/b[1]" if not rng.integers(20) else ""
            lines.append({"qid": topic, "doc": f"d{document}", "element": path})
    _write(folder / "run", [{"format": "span-run/1", "run": "mine"}, *lines])


def _write(file: Path, lines: list) -> None:
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


WORLDS = {
    "documents": documents,
    "preferences": preferences,
    "passages": passages,
    "chunks": chunks,
    "elements": elements,
}
