"""A program of a user, as type checkers see it: every result has a type, wrong calls are refused.

A checker that no longer refuses a call marked `type: ignore` reports that the mark is unused.
"""

from pathlib import Path

import spanwise
from spanwise import Comparison, Judgements, Pool, Run, Scores, Topics


def program(folder: Path) -> str:
    """Make runs, fuse them, score them, pool them and write everything."""
    documents = {"d1": "a cat sat on a mat", "d2": "a dog and a cat", "d3": "a dog"}
    topics: Topics = spanwise.read_topics({"q1": "cat", "q2": "dog"})
    words: Run = spanwise.search(documents, topics, engine="bm25", top=10, settings={"b": 0.4})
    whole: Run = spanwise.search(documents, topics, grain="document", name="whole")
    both: Run = spanwise.fuse([words, whole], method="combsum", weights=[0.5, 0.5])
    pool: Pool = spanwise.pool([words, whole], budget=2, seed=3, topics=topics)
    more: Pool = spanwise.extend_pool(pool, [both], budget=3)
    judgements = spanwise.read_judgements({"q1": {"d1": 1, "d2": 1}, "q2": {"d3": 1}})
    assert isinstance(judgements, Judgements)
    scores: Scores = spanwise.evaluate(judgements, both, ["AP", "nDCG@10"])
    compared: Comparison = spanwise.compare(judgements, [words, whole])
    mean: float = scores.means["AP"]
    checked = spanwise.check([judgements, both])
    problems: list[str] = [problem.message for problem in checked.problems]
    made = spanwise.convert(judgements, folder / "judgements.parquet")
    lost: int = sum(made.losses.values())
    spanwise.write_run(both, folder / "both.run")
    spanwise.write_judgements(judgements, folder / "qrels", format="qrels")
    spanwise.write_pool(pool, str(folder / "pool.jsonl"))
    clusters: dict[str, int] = dict(spanwise.cluster(documents, clusters=2).clusters)
    text: str = "".join(spanwise.show_collection(documents))
    try:
        spanwise.open_collection(folder / "nothing")
    except spanwise.SpanwiseError as error:
        text += str(error)
    return f"{mean} {problems} {lost} {len(more)} {clusters} {compared.runs} {bool(text)}"


def elements(judged: Path, documents: Path) -> list[tuple[str, float]]:
    """Return the ideal elements of highlighted text, and the run that is made of them."""
    found = spanwise.recallbase(judged, collection=documents, only_ideal=True, ideal="deeper")
    run: Run = spanwise.simulate("irb", judged, collection=documents)
    store = spanwise.build_collection(documents, documents / "store", whitespace="collapse")
    count: int = store.documents
    return [(one.path, one.value) for one in found][: min(count, len(run.rows))]


def wrong(run: Run) -> None:
    """Call functions in ways that a type checker must refuse."""
    spanwise.search({}, {}, top="ten")  # type: ignore[arg-type]
    spanwise.search({}, {}, depth=10)  # type: ignore[call-arg]
    spanwise.fuse([run, run], method="rff")  # type: ignore[arg-type]
    spanwise.pool([run], method="rouds")  # type: ignore[arg-type]
    spanwise.check(7)  # type: ignore[arg-type]
    spanwise.convert(run, to=3)  # type: ignore[arg-type]
    spanwise.simulate("xrb", run)  # type: ignore[arg-type]
    spanwise.cluster({}, space="tfdf")  # type: ignore[arg-type]
    spanwise.recallbase(run, ideal="middle")  # type: ignore[arg-type]
    spanwise.write_run(run, 3)  # type: ignore[arg-type]
    spanwise.build_collection("a", "b", characters="letters")  # type: ignore[arg-type]
    print(spanwise.serch)  # type: ignore[attr-defined]
