"""Sweeps: ways of cutting and searching, their names, their depth and what is said about them."""

import csv
import json
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

import spanwise
from shared_data import REPOSITORY, shared
from spanwise.errors import InputError, MissingExtra, UnknownName, UsageError
from spanwise.evaluation.request import Request
from spanwise.retrieve.asking import KNOWN
from spanwise.retrieve.chunkers import CHUNKERS, find_chunker
from spanwise.stats.statements import Question
from spanwise.workflows.sweep import Sweep, Way, cut_up, swept

WORDS = ["alpha", "beta", "gamma", "delta", "omega"]
DOCUMENTS = {
    word: " ".join(f"The {word} number {n} is {n * n}." for n in range(40)) for word in WORDS
}
GOLD = [
    {
        "id": word,
        "question": f"What is the {word} number 17?",
        "spans": [{"doc": word, "text": f"The {word} number 17 is 289."}],
    }
    for word in WORDS
]


LINES = [
    {
        "qid": one["id"],
        "query": one["question"],
        "doc": one["id"],
        "spans": [{"text": one["spans"][0]["text"]}],
    }
    for one in GOLD
]


def runs_of(**more):
    """The runs of a sweep over the small documents."""
    request = Request(GOLD, [], collection=DOCUMENTS)
    asked = Sweep(request, **{"retrievers": "tfidf", "budgets": (100, 400), **more})
    compared, found = swept(asked, None, Question())
    return {run.name: run for run in compared.runs}, found


def read(run):
    """What is read of each topic if all of its results are."""
    starts = run.rows.starts.tolist()
    lengths = run.spans.lengths
    return [int(lengths[a:b].sum()) for a, b in pairwise(starts)]


def test_ways_are_multiplied_and_named():
    _, found = runs_of(
        chunkers=["fixed", "sentence"],
        sizes=(60, 120),
        overlaps=(0, 10),
        retrievers=["tfidf", "hybrid:tfidf+tfidf"],
        rerankers={"short": lambda question, texts: [-len(text) for text in texts]},
    )
    cuts = [f"{c}-{s}/{o}" for c in ("fixed", "sentence") for s in (60, 120) for o in (0, 10)]
    searches = ["tfidf", "tfidf short", "hybrid:tfidf+tfidf", "hybrid:tfidf+tfidf short"]
    assert sorted(found.runs) == sorted(f"{cut} {search}" for cut in cuts for search in searches)


def test_objects_and_functions_are_one_way_each():
    class Splitter:
        def split_text(self, text):
            return text.split(". ")

    def halves(text):
        return [(0, len(text) // 2), (len(text) // 2, len(text))]

    _, found = runs_of(chunkers=[Splitter(), halves, "fixed"], sizes=(50, 90))
    assert sorted(found.runs) == [
        "Splitter tfidf", "fixed-50/0 tfidf", "fixed-90/0 tfidf", "halves tfidf",
    ]  # fmt: skip
    with pytest.raises(UsageError, match="two chunkers are called 'Splitter'; name them"):
        runs_of(chunkers=[Splitter(), Splitter()])
    with pytest.raises(UsageError, match="expected a name, a text splitter, a node parser, or"):
        runs_of(chunkers={"x": 3})


def test_rankings_reach_the_largest_budget_and_keep_all_chunks():
    runs, _ = runs_of(sizes=(20, 200), budgets=(300, 3000))
    whole = sum(map(len, DOCUMENTS.values()))
    assert whole > 4000
    for size in (20, 200):
        run = runs[f"fixed-{size}/0 tfidf"]
        assert min(read(run)) >= 3000
        assert run.pool.spans.lengths.sum() == whole
    runs, _ = runs_of(sizes=(200,), budgets=10**6)  # all there is
    assert read(runs["fixed-200/0 tfidf"]) == [whole] * len(WORDS)


def test_small_chunks_of_a_real_collection_reach_a_large_budget(tmp_path):
    data = shared("data", "spans", "chroma-chunking")
    for file in data.glob("*.md"):
        (tmp_path / file.name).write_text(file.read_text("utf-8"), "utf-8")
    gold, measures = str(data / "questions_df.csv"), ["SpanR(budget=8000)"]
    request = Request(gold, [], measures, collection=str(tmp_path))
    asked = Sweep(request, ("fixed",), ("tfidf",), (), (200,), (0,), 8000)
    compared, _ = swept(asked, None, Question())
    with (data / "questions_df.csv").open(encoding="utf-8", newline="") as lines:
        questions = len(list(csv.DictReader(lines)))
    totals = read(compared.runs[0])
    assert len(totals) == questions
    assert min(totals) >= 8000
    assert max(totals) < 50 * 200 + 200


def test_tokens_count_where_the_budget_counts_them():
    """A word of the built-in tokenizer: six to a sentence and one for its full stop."""
    request = Request(GOLD, [], collection=DOCUMENTS, policy={"unit": "tokens:words"})
    asked = Sweep(request, ("sentence",), ("tfidf",), (), (30,), (0,), 800)
    compared, _ = swept(asked, None, Question())
    (run,) = compared.runs
    starts = run.rows.starts
    assert min(b - a for a, b in pairwise(starts)) >= 800 / 7
    with pytest.raises(UsageError, match="--unit cost has no effect on chunks that a sweep makes"):
        swept(
            Sweep(Request(GOLD, [], collection=DOCUMENTS, policy={"unit": "cost"})),
            None,
            Question(),
        )


def test_a_reranker_decides_the_order_of_what_was_found():
    def last(question, texts):
        return [DOCUMENTS["omega"].find(text) for text in texts]

    runs, _ = runs_of(chunkers="sentence", sizes=(30,), rerankers={"last": last})
    plain, again = runs["sentence-30/0 tfidf"], runs["sentence-30/0 tfidf last"]
    assert read(plain) == read(again)
    first = again.spans.at(again.rows.starts[:-1])
    found = [
        DOCUMENTS["omega"][s:e] for s, e in zip(first.starts, first.ends, strict=True)
    ]  # fmt: skip
    mine = found[-1]
    assert mine.startswith("The omega number")


def test_a_retriever_may_be_a_function_of_the_chunks():
    def made(texts):
        def search(question, most):
            topic, number = question.split()[3], question.split()[5].rstrip("?")
            wanted = f"The {topic} number {number} "
            return sorted(range(len(texts)), key=lambda n: wanted not in texts[n])[:most]

        return search

    _, found = runs_of(chunkers="sentence", sizes=(40,), retrievers={"own": made})
    assert all(
        found.diff(word)["sentence-40/0 own"]["SpanR(budget=100)"] == 1 for word in WORDS
    )  # fmt: skip


def test_identical_chunks_are_named_once():
    def thirds(text):
        return find_chunker("fixed")(text, 60, 0)

    _, found = runs_of(chunkers={"fixed": "fixed", "own": thirds}, sizes=(60, 120))
    (said,) = [one for one in found.warnings if "identical" in one]
    assert said == "identical chunks: fixed-60/0 = own"
    assert not any("change nothing" in one for one in found.warnings)


def test_settings_that_a_chunker_ignores_are_named_once():
    def by_line(text, size, overlap):
        return [(0, 50), (50, len(text))]

    def without_overlap(text, size, overlap):
        return find_chunker("fixed")(text, size, 0)

    made = {"by-line": by_line, "no-overlap": without_overlap}
    for name, cut in made.items():
        CHUNKERS.enter(name, CHUNKERS["fixed"].__class__(name, cut, "", ""), "spanwise.tests")
    try:
        _, found = runs_of(chunkers=[*made, "fixed"], sizes=(60, 120), overlaps=(0, 20))
    finally:
        for name in made:
            del CHUNKERS.registered[name], CHUNKERS.homes[name]
    (said,) = [one for one in found.warnings if "change nothing" in one]
    assert said == (
        "settings that change nothing: size 60, 120 and overlap 0, 20 of by-line;"
        " overlap 0, 20 of no-overlap"
    )
    (same,) = [one for one in found.warnings if "identical" in one]
    assert same == (
        "identical chunks: no-overlap-60/0 = fixed-60/0; no-overlap-120/0 = fixed-120/0"
    )


def test_chunks_without_offsets_are_placed_after_each_other():
    """All lines are equal; each stands where its predecessor ends."""
    text = "one line\n" * 30
    cut = cut_up("x", {"d.txt": text}, Way("x", str.splitlines).cutter())
    assert cut.spans.starts.tolist() == [9 * n for n in range(30)]
    assert cut.unplaced == 0


def test_chunks_that_occur_nowhere_are_read_and_counted():
    def invented(text):
        return ["Q" * 300, text[:200], text[200:]]

    runs, found = runs_of(chunkers=[invented])
    (said,) = [one for one in found.warnings if "occur in no document" in one]
    assert said == "chunks that occur in no document, and so hold nothing: invented (5)"
    run = runs["invented tfidf"]
    assert len(run.pool.rows) == 2 * len(WORDS)
    assert len(run.rows) == 3 * len(WORDS) ** 2


def test_a_triple_is_read_from_start_to_end_and_found_by_its_text():
    def whole(text):
        return [(0, len(text), text[:3])]

    cut = cut_up("x", {"d.txt": "abcdef", "e.txt": "ghijkl"}, Way("x", whole).cutter())
    assert cut.texts == ["abc", "ghi"]
    assert cut.spans.lengths.tolist() == [6, 6]
    assert cut.documents == [b"d", b"e"]


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(UnknownName, match=r"did you mean .*recursive.*known: fixed, sentence, rec"):
        spanwise.sweep(GOLD, DOCUMENTS, chunkers="recursiv")
    with pytest.raises(UnknownName, match="expected one of bm25, tfidf, dense:wordllama"):
        spanwise.sweep(GOLD, DOCUMENTS, retrievers="bm52")
    with pytest.raises(UnknownName, match="'recursive:model'"):
        spanwise.sweep(GOLD, DOCUMENTS, chunkers="recursive:model")
    with pytest.raises(UsageError, match="no retriever was given"):
        spanwise.sweep(GOLD, DOCUMENTS, retrievers=())
    with pytest.raises(InputError, match="number 999; expected one from 0 to"):
        spanwise.sweep(GOLD, DOCUMENTS, retrievers=lambda texts: lambda question: [999])


def test_a_measure_may_have_a_larger_budget_than_the_sweep():
    request = Request(GOLD, [], ["SpanR(budget=3500)"], collection=DOCUMENTS)
    asked = Sweep(request, sizes=(20,), retrievers="tfidf", budgets=100)
    compared, _ = swept(asked, None, Question())
    assert min(read(compared.runs[0])) >= 3500


def test_help_needs_no_numpy():
    """Names of chunkers and retrievers are listed without the libraries that they need."""
    code = (
        "import sys\nfrom spanwise.cli.options import chunker_names, retriever_names\n"
        "names = [*chunker_names(), *retriever_names()]\n"
        "assert 'hybrid' in names and 'numpy' not in sys.modules, sorted(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize(
    ("name", "library"),
    [
        ("langchain-markdown", "langchain_text_splitters"),
        ("llamaindex-sentence-window", "llama_index.core"),
        ("chonkie-semantic", "chonkie"),
    ],
)
def test_a_missing_library_names_its_extra(monkeypatch, name, library):
    monkeypatch.setitem(sys.modules, library, None)
    extra = name.partition("-")[0]
    expected = rf"chunker '{name}' needs {library}; .*pip install 'spanwise\[{extra}\]'"
    with pytest.raises(MissingExtra, match=expected):
        spanwise.sweep(GOLD, DOCUMENTS, chunkers=name)


def test_what_sweeps_need_is_an_extra_and_part_of_all():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    named = {entry.install for entry in CHUNKERS.values() if entry.library}
    asked = {name.partition("[")[2].partition("]")[0] for name in named}
    asked |= {extra for _, some in KNOWN.values() for extra in some.split(",") if extra}
    asked.discard("")
    assert {"langchain", "llamaindex", "chonkie", "sweep", "wordllama", "model2vec"} <= asked
    whole = {
        extra
        for line in extras["all"]
        if line.startswith("spanwise[")
        for extra in line.partition("[")[2].rstrip("]").split(",")
    }
    assert asked <= set(extras) & whole


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for name, text in DOCUMENTS.items():
        (tmp_path / "docs" / f"{name}.txt").write_text(text)
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(one) + "\n" for one in LINES))
    return tmp_path


ASKED = (
    *("sweep", "gold.jsonl", "--collection", "docs", "--chunker", "fixed,recursive"),
    *("--retriever", "tfidf,hybrid:tfidf+tfidf", "--sizes", "40,80", "--budget", "100,400"),
)


def test_the_number_of_processes_changes_nothing(folder, ask):
    answers = [
        ask(*ASKED, "--workers", count, "--runs", f"made{count}", "--json") for count in "123"
    ]
    assert [answer.status for answer in answers] == [0, 0, 0]
    assert len({answer.out for answer in answers}) == 1
    names = sorted(file.name for file in Path("made1").iterdir())
    assert len(names) == 8
    for name in names:
        one, two = (Path(f"made{count}", name).read_bytes() for count in "12")
        assert one == two


def test_processes_get_the_work_that_can_be_sent(folder, monkeypatch):
    """What a process cannot be sent is done here, with the same result."""
    from spanwise.executors import processes

    sent = []
    by_processes = processes.by_processes

    def recorded(work, items, count):
        sent.append((work.__name__, len(items)))
        return by_processes(work, items, count)

    monkeypatch.setattr(processes, "by_processes", recorded)
    some = {"sizes": (40, 80), "retrievers": "tfidf", "budgets": 100}
    first = spanwise.sweep("gold.jsonl", "docs", on="processes:2", **some)
    assert sent[0] == ("_found_by_file", 2)
    sent.clear()
    here = spanwise.sweep("gold.jsonl", "docs", **some)
    assert not sent
    assert {s.run: s.means for s in first.scores} == {s.run: s.means for s in here.scores}
    whole = {"a": lambda text: [text], "b": lambda text: [text]}
    spanwise.sweep("gold.jsonl", "docs", on="processes:2", chunkers=whole, **some)
    assert "_found_by_file" not in dict(sent)


def test_progress_is_shown_for_every_way(folder, monkeypatch):
    from spanwise.workflows import sweep as module

    seen = []

    def watched(things, count, label):
        seen.append((label, count))
        return things

    monkeypatch.setattr(module, "watched", watched)
    spanwise.sweep("gold.jsonl", "docs", sizes=(40, 80, 160), retrievers="tfidf", budgets=100)
    assert ("cutting and searching", 3) in seen


@pytest.mark.parametrize("ending", ["txt", "md", "tex", "csv", "json", "html"])
def test_results_go_to_files_of_all_kinds(folder, ask, ending):
    if ending == "html":
        pytest.importorskip("vl_convert")
    answer = ask(*ASKED, "-o", f"found.{ending}")
    assert answer.status == 0, answer.err
    text = Path(f"found.{ending}").read_text()
    assert "recursive-80/0 tfidf" in text or ending == "html"
    assert text.lstrip()[0] == {"json": "{", "html": "<"}.get(ending, text.lstrip()[0])


def test_a_page_is_written_beside_the_table(folder, ask):
    pytest.importorskip("vl_convert")
    answer = ask(*ASKED, "--html", "page.html")
    assert answer.status == 0, answer.err
    assert "recursive-80/0 tfidf" in answer.text
    assert Path("page.html").read_text().startswith("<!")
    complaint = ask(*ASKED, "--html", "page.html", "-o", "other.html").complaint
    assert "two pages are asked for" in complaint
    assert "a page needs a file" in ask(*ASKED, "--html", "-").complaint


def test_help_lists_chunkers_and_retrievers(ask):
    text = " ".join(ask("sweep", "--help").text.split())
    assert "Known: fixed, sentence, recursive, langchain-recursive" in text
    assert "chonkie-semantic" in text
    assert "Known: bm25, tfidf, dense:wordllama, dense:FOLDER, hybrid" in text


class Fragile:
    """A chunker that is pickled without an error, and then lacks what it needs, as some do."""

    def __init__(self):
        self.width = 40

    def __getstate__(self):
        return {}

    def __call__(self, text):
        return [text[start : start + self.width] for start in range(0, len(text), self.width)]


def test_objects_that_do_not_survive_pickling_are_used_in_this_process(folder):
    chunkers = {"one": Fragile(), "two": Fragile()}
    found = spanwise.sweep(
        "gold.jsonl",
        "docs",
        chunkers=chunkers,
        retrievers="tfidf",
        budgets=60,
        on="processes:2",
    )
    assert sorted(found.runs) == ["one tfidf", "two tfidf"]


def test_a_sweep_counts_chunks_and_their_characters():
    gold = [{"id": "q", "question": "abc", "quotes": ["abc"]}]
    found = spanwise.sweep(
        gold, {"a": "abc def ghi jkl"}, sizes=(4,), overlaps=(0, 2), retrievers="tfidf", budgets=4
    )
    facts = {one.run: one.facts for one in found.scores}
    # 15 characters: 4 + 4 + 4 + 3; with an overlap of 2: six chunks of 4, and one of 3.
    assert facts["fixed-4/0 tfidf"]["chunks"] == 4
    assert facts["fixed-4/0 tfidf"]["characters in chunks"] == 15
    assert facts["fixed-4/2 tfidf"]["chunks"] == 7
    assert facts["fixed-4/2 tfidf"]["characters in chunks"] == 27
