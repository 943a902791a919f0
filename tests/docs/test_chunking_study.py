"""Every number in the text of the study of chunkers is one of its results."""

import csv
import json
import re
from pathlib import Path
from statistics import mean

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "examples" / "chunking-study" / "results"
PAGE = (ROOT / "docs" / "guide" / "chunking-study.md").read_text(encoding="utf-8")
BUDGETS = (1000, 2000, 8000)
FAMILIES = {
    "Recall": ("recall", [f"SpanR(budget={budget})" for budget in BUDGETS]),
    "Complete evidence": ("complete", [f"FullEvidence(budget={budget})" for budget in BUDGETS]),
    "First five chunks": ("at 5", ["ChunkHit@5", "ChunkNDCG@5", "SpanR@5"]),
}
ROWS = {
    **{
        f"{small} instead of {large}": f"{small} characters instead of {large.replace(',', '')}"
        for small, large in (("200", "400"), ("400", "800"), ("800", "1,600"), ("200", "1,600"))
    },
    "all chunkers": "overlap of a quarter instead of none",
    "only LangChain recursive": "overlap of a quarter: LangChain recursive",
    "only LlamaIndex sentence": "overlap of a quarter: LlamaIndex sentence",
    "only fixed windows": "overlap of a quarter: fixed windows",
}
NUMBER = r"[+-]?\d\.\d{3}"
CELL = re.compile(rf"(\*\*)?({NUMBER})(?:\*\*)? \(({NUMBER}) to ({NUMBER})\)")


def table(name):
    with (RESULTS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


CONTRASTS = {(row["family"], row["contrast"], row["measure"]): row for row in table("contrasts")}
RUNS = {row["run"]: row for row in table("runs")}
STUDY = json.loads((RESULTS / "study.json").read_text(encoding="utf-8"))


def printed_cells():
    """Yield the family, contrast, measure and text of each cell of the tables of differences."""
    for part in re.findall(r"(?:^\|.*\n)+", PAGE, re.MULTILINE):
        header, _, *lines = part.splitlines()
        family = header.split("|")[1].strip()
        if family not in FAMILIES:
            continue
        name, measures = FAMILIES[family]
        for line in lines:
            label, *cells = [cell.strip() for cell in line.strip("|").split("|")]
            assert len(cells) == len(measures)
            for measure, cell in zip(measures, cells, strict=True):
                yield name, ROWS.get(label, label), measure, cell


CELLS = list(printed_cells())


def test_each_cell_is_a_result():
    for family, contrast, measure, cell in CELLS:
        row = CONTRASTS[family, contrast, measure]
        found = CELL.fullmatch(cell)
        assert found, cell
        bold, *numbers = found.groups()
        for number, name in zip(numbers, ("difference", "low", "high"), strict=True):
            assert abs(float(number) - float(row[name])) < 0.00056, (contrast, measure, name)
        settled = float(row["low"]) > 0 or float(row["high"]) < 0
        assert bool(bold) == settled, (contrast, measure)


def test_the_tables_have_all_comparisons_of_recall():
    shown = {cell[:3] for cell in CELLS if cell[0] == "recall"}
    assert shown == {key for key in CONTRASTS if key[0] == "recall"}
    assert len(shown) == 42
    assert "All 42 comparisons of recall (14 at three budgets)" in PAGE


def number_of(contrast, measure, what="difference", family="recall"):
    return float(CONTRASTS[family, contrast, measure][what])


def mean_read(*names):
    """The mean number of characters in five chunks, of the runs whose names fit."""
    found = [float(r["Read@5"]) for n, r in RUNS.items() if any(re.match(x, n) for x in names)]
    return f"{mean(found):,.0f}"


LIBRARIES = "(langchain-recursive|llamaindex-sentence|chonkie-token)"
RECALL = [f"SpanR(budget={budget})" for budget in BUDGETS]
OVERLAP = "overlap of a quarter: "
SMALLEST = "200 characters instead of 400"
BM25 = "BM25 instead of static embeddings"
SEMANTIC = "LlamaIndex semantic instead of LlamaIndex sentence"
CORPORA = {
    "chat logs": "chatlogs",
    "finance": "finance",
    "biomedical articles": "pubmed",
    "State of the Union address": "state_of_the_union",
    "Wikipedia": "wikitexts",
}


def said():
    """Yield sentences of the text, made of results."""
    low, high = sorted(abs(number_of(SEMANTIC, one)) for one in RECALL)[::2]
    yield f"splitter is worse, by {low:.3f} to {high:.3f}"
    low, high = sorted(number_of(BM25, one) for one in RECALL)[::2]
    yield f"BM25 finds {low:.3f} to {high:.3f} more"
    first = CONTRASTS["recall", SMALLEST, RECALL[0]]
    yield f"find {-float(first['difference']):.3f} less of the evidence within 1,000 characters"
    yield f"difference is {float(first['low']):.3f} to {float(first['high']):.3f}"
    kept = ("LangChain recursive", "LlamaIndex sentence")
    most = max(number_of(OVERLAP + one, m, "high") for one in kept for m in RECALL)
    yield f"gains above {most:.3f} are excluded"
    yield f"a gain above {most:.3f} is excluded. |"
    chonkie = "Chonkie semantic instead of Chonkie recursive"
    yield (
        "settled in either direction, and a gain above"
        f" {max(number_of(chonkie, m, 'high') for m in RECALL):.3f} is excluded"
    )
    hit = CONTRASTS["at 5", "LlamaIndex sentence instead of fixed windows", "ChunkHit@5"]
    better, low, high = (-float(hit[name]) for name in ("difference", "high", "low"))
    yield f"by {better:.3f} ({low:.3f} to {high:.3f}):"
    yield (
        f"five of its chunks hold {mean_read('llamaindex-sentence-[0-9]')} characters on average,"
        f" five windows {mean_read('chonkie-token')}"
    )
    yield f"Five chunks of at most 200 characters hold {mean_read(LIBRARIES + '-200/')} characters"
    yield f"five chunks of at most 1,600 hold {mean_read(LIBRARIES + '-1600/')}"
    yield (
        f"Five of them hold {mean_read('llamaindex-semantic')} characters on average,"
        " five chunks of"
        f" the control {mean_read('llamaindex-sentence-like')}"
    )
    best = STUDY["best"]["SpanR(budget=2000)"]
    assert best["run"] == "langchain-recursive-800/200 bm25"
    assert best["mean"] == max(float(row["SpanR(budget=2000)"]) for row in RUNS.values())
    yield f"recall {best['mean']:.3f}. Of the {len(RUNS) - 1} other runs, "
    yield f"{len(best['not told apart'])} cannot be told from it"
    lengths = [
        float(row["mean_length"]) for n, row in RUNS.items() if re.match(LIBRARIES + "-800/", n)
    ]
    yield f"are {min(lengths):.0f} to {max(lengths):.0f} characters long on average"
    for words, corpus in CORPORA.items():
        count = STUDY["questions"][corpus]
        article = "a " if corpus == "state_of_the_union" else ""
        yield f"{count} {'questions on' if corpus == 'chatlogs' else 'on'} {article}{words}"
    yield f"with {sum(STUDY['questions'].values())} questions, {len(RUNS) // 2} ways of chunking"


SAID = list(said())


@pytest.mark.parametrize("sentence", SAID)
def test_a_sentence_says_what_was_found(sentence):
    assert sentence in " ".join(PAGE.split())


def test_no_other_result_is_in_the_text():
    """Whatever has three decimals stands in a table or in one of the sentences above."""
    lines = PAGE.splitlines()
    prose = " ".join(one for one in lines if not (one.startswith("|") and CELL.search(one)))
    prose = " ".join(prose.split())
    assert re.search(NUMBER, prose)
    for sentence in SAID:
        prose = prose.replace(sentence, "")
    assert re.findall(NUMBER, prose) == []
    counts = {"1,000", "2,000", "8,000", "1,600", "10,000"}  # budgets, sizes and resamples
    assert set(re.findall(r"\d+,\d{3}", prose)) == counts


# Words that summarise ---------------------------------------------------------------------------


def settled(contrast, measure, family="recall"):
    """Return 1 or -1 for a settled difference, 0 for another."""
    row = CONTRASTS[family, contrast, measure]
    return (float(row["low"]) > 0) - (float(row["high"]) < 0)


def corpora(contrast, measure):
    row = CONTRASTS["recall", contrast, measure]
    return {name: float(value) for name, value in row.items() if name.startswith("in ")}


def test_the_answer_on_sizes():
    assert [settled(SMALLEST, one) for one in RECALL] == [-1, -1, -1]
    assert all(max(corpora(SMALLEST, one).values()) < 0 for one in RECALL)
    steps = ("400 characters instead of 800", "800 characters instead of 1600")
    assert [settled(one, RECALL[0]) for one in steps] == [1, 1]
    assert [settled(one, RECALL[2]) for one in steps] == [0, 0]
    complete = FAMILIES["Complete evidence"][1]
    assert [settled(steps[0], one, "complete") for one in complete] == [0, -1, -1]
    at_five = FAMILIES["First five chunks"][1]
    assert all(settled(one, m, "at 5") == -1 for one in (SMALLEST, *steps) for m in at_five)
    reads = [float(mean_read(f"{LIBRARIES}-{size}/").replace(",", "")) for size in ("200", "1600")]
    assert 8 <= reads[1] / reads[0] < 9  # "may hold eight times as much text"


def test_the_answer_on_overlap():
    kinds = ("LangChain recursive", "LlamaIndex sentence", "fixed windows")
    found = {kind: [settled(OVERLAP + kind, one) for one in RECALL] for kind in kinds}
    assert found == {kinds[0]: [0, 0, 0], kinds[1]: [0, 0, 0], kinds[2]: [1, 1, 1]}
    assert [settled(OVERLAP + kind, "ChunkNDCG@5", "at 5") for kind in kinds] == [1, 1, 1]
    every = "overlap of a quarter instead of none"
    assert [settled(every, f"{m}@5", "at 5") for m in ("ChunkNDCG", "SpanR")] == [1, 1]


def test_the_answer_on_semantic_chunks():
    chonkie = "Chonkie semantic instead of Chonkie recursive"
    assert [settled(chonkie, one) for one in RECALL] == [0, 0, 0]
    assert [settled(SEMANTIC, one) for one in RECALL] == [-1, -1, -1]
    assert settled(SEMANTIC, "SpanR@5", "at 5") == 1
    for measure in RECALL:
        better = [name for name, value in corpora(SEMANTIC, measure).items() if value > 0]
        assert better == ["in state_of_the_union"]


def test_semantic_chunks_and_their_controls_have_the_same_mean_length():
    names = [name for name in RUNS if "-like-" in name]
    assert len(names) == 16
    for name in names:
        semantic = RUNS[name.partition("-like-")[2]]
        assert float(RUNS[name]["mean_length"]) == pytest.approx(
            float(semantic["mean_length"]), rel=0.01
        )


def test_the_answer_on_the_rest():
    assert [settled(BM25, one) for one in RECALL] == [1, 1, 1]
    kinds = ("LangChain recursive", "LlamaIndex sentence")
    for kind in kinds:
        assert [settled(f"{kind} instead of fixed windows", one) for one in RECALL[:2]] == [1, 1]
    libraries = "LangChain recursive instead of LlamaIndex sentence"
    assert [settled(libraries, one) for one in RECALL] == [0, 0, 0]
    for contrast in (f"{kind} instead of fixed windows" for kind in kinds):
        for budget in BUDGETS:
            complete = f"FullEvidence(budget={budget})"
            signs = (
                number_of(contrast, f"SpanR(budget={budget})"),
                number_of(contrast, complete, family="complete"),
            )
            assert min(signs) > 0


def test_every_run_reaches_every_budget():
    for row in RUNS.values():
        assert [row[f"topics reaching {budget}"] for budget in BUDGETS] == ["472"] * 3
    assert {row["topics"] for row in CONTRASTS.values()} == {"472"}
    assert len(RUNS) == 80
