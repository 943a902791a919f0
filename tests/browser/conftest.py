"""A real browser, and pages made by the command."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from calling import called
from demo_files import (
    DENSE,
    HANDBOOK,
    HYBRID,
    KEYWORD,
    QRELS,
)
from spanwise.cli import main

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


@pytest.fixture(scope="session")
def browser(request):
    if CHROMIUM is None:
        pytest.skip("no chromium is installed")
    playwright = request.getfixturevalue("playwright_session")
    running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
    yield running
    running.close()


class Reader:
    """Opens pages, and collects what the browser complains about or asks the network for."""

    def __init__(self, browser):
        self.browser, self.contexts = browser, []

    def open(self, file, scheme="light", width=1280, height=900):
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        self.contexts.append(context)
        page = context.new_page()
        page.complaints, page.requests = [], []
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("request", lambda request: page.requests.append(request.url))
        page.goto(Path(file).as_uri())
        page.wait_for_selector("html[data-ready=yes]", timeout=30_000)
        return page


@pytest.fixture
def reader(browser):
    reading = Reader(browser)
    yield reading
    for context in reading.contexts:
        context.close()


def made(folder, *words):
    file = folder / "report.html"
    _, err, status = called(main, "compare", *words, "--html", file)
    assert status == 0, err
    return file


@pytest.fixture(scope="session")
def demo_page(tmp_path_factory):
    words = ("-m", "nDCG@10", "-m", "AP", "-m", "P@5")
    return made(tmp_path_factory.mktemp("demo"), QRELS, KEYWORD, DENSE, HYBRID, *words)


@pytest.fixture(scope="session")
def handbook_page(tmp_path_factory):
    runs = [HANDBOOK / f"{name}.run" for name in ("passages", "elements", "articles")]
    words = ("--collection", HANDBOOK / "articles", "-m", "MAiP", "-m", "iP[0.01]")
    return made(tmp_path_factory.mktemp("handbook"), HANDBOOK / "qrels.txt", *runs, *words)


def write_runs(folder, runs, topics, depth, name="system{:03d}"):
    """Judgements and runs by chance; later runs find more."""
    rng = np.random.default_rng(0)
    relevant = rng.integers(0, 3000, (topics, 20))
    lines = [f"q{t:03d} 0 doc{d} 1\n" for t in range(topics) for d in sorted(set(relevant[t]))]
    (folder / "qrels.txt").write_text("".join(lines))
    (folder / "runs").mkdir()
    for run in range(runs):
        lines = []
        for topic in range(topics):
            found = relevant[topic][rng.random(20) < 0.2 + 0.6 * run / runs]
            documents = list(dict.fromkeys([*found, *rng.integers(0, 3000, depth)]))[:depth]
            order = rng.permutation(len(documents))
            lines += [
                f"q{topic:03d} Q0 doc{documents[n]} {rank} {1000 - rank} {name.format(run)}\n"
                for rank, n in enumerate(order, 1)
            ]
        (folder / "runs" / f"r{run:03d}.run").write_text("".join(lines))
    return folder / "qrels.txt", folder / "runs"


@pytest.fixture(scope="session")
def large_page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    return made(folder, *write_runs(folder, 100, 250, 20), "-m", "nDCG@10", "-m", "AP")


@pytest.fixture(scope="session")
def hostile_page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    evil = "x</script><script>window.hurt=1</script><img/src=x/onerror=window.hurt=1>"
    (folder / "qrels.txt").write_text(f"{evil}t 0 {evil}d 1\n2 0 b 1\n")
    for name in ("a", "b"):
        lines = f"{evil}t Q0 {evil}d 1 2 {evil}{name}\n2 Q0 c 1 2 {evil}{name}\n"
        (folder / f"{name}.run").write_text(lines)
    return made(folder, folder / "qrels.txt", folder / "a.run", folder / "b.run", "-m", "AP")


@pytest.fixture(scope="session")
def budget_page(tmp_path_factory):
    runs = [HANDBOOK / f"{name}.run" for name in ("passages", "elements")]
    words = ("--collection", HANDBOOK / "articles", "--budget", "500,2000,8000")
    return made(tmp_path_factory.mktemp("budget"), HANDBOOK / "qrels.txt", *runs, *words)


@pytest.fixture(scope="session")
def all_pairs_page(tmp_path_factory):
    """Runs with long names, topics whose names are taken, texts that would like to be markup."""
    folder = tmp_path_factory.mktemp("pairs")
    (folder / "texts").mkdir()
    for name in ("d", "e"):
        evil = f"{name} <script>window.hurt=1</script><img src=x onerror=window.hurt=1>"
        (folder / "texts" / f"{name}.txt").write_text(evil)
    topics = ["1", "__proto__", "constructor", "hasOwnProperty"]
    (folder / "qrels.txt").write_text("".join(f"{t} 0 d 1\n{t} 0 e 0\n" for t in topics))
    for run in range(3):
        name = "a-rather-long-name-with-a-common-beginning-and-the-number-" + str(run)
        order = ("e", "d") if run else ("d", "e")
        lines = [f"{t} Q0 {d} {n} {9 - n} {name}\n" for t in topics for n, d in enumerate(order)]
        (folder / f"{run}.run").write_text("".join(lines))
    words = ("-m", "AP", "-m", "RR", "--all-pairs", "--collection", folder / "texts")
    runs = [folder / f"{run}.run" for run in range(3)]
    return made(folder, folder / "qrels.txt", *runs, *words)


@pytest.fixture(scope="session")
def chunks_page(tmp_path_factory):
    """Chunks that overlap, a text with blank lines, and a stretch long enough to be folded."""
    folder = tmp_path_factory.mktemp("chunks")
    (folder / "texts").mkdir()
    text = "\n\n\nOne cap.\n\n\nTwo posts.\n\n" + "wordless " * 200 + "\n\nThe end."
    (folder / "texts" / "d.txt").write_text(text)
    gold = {"qid": "q", "query": "cap?", "doc": "d", "spans": [{"text": "One cap."}]}
    (folder / "gold.jsonl").write_text(json.dumps(gold) + "\n")
    spans = [(3, 11), (5, 16), (11, 21), (len(text) - 8, len(text))]
    lines = [
        json.dumps({"qid": "q", "rank": rank, "doc": "d", "s": start, "e": end}) + "\n"
        for rank, (start, end) in enumerate(spans, 1)
    ]
    (folder / "twice.jsonl").write_text("".join(lines))
    (folder / "once.jsonl").write_text(lines[0])
    words = ("-m", "MAiP", "--collection", folder / "texts")
    return made(
        folder, folder / "gold.jsonl", folder / "twice.jsonl", folder / "once.jsonl", *words
    )


@pytest.fixture(scope="session")
def questions_page(tmp_path_factory):
    """Two questions and two systems of chunks; only the second question tells them apart."""
    folder = tmp_path_factory.mktemp("questions")
    (folder / "texts").mkdir()
    text = (
        "A cap is 12 mm high. " * 10
        + "Posts are made of oak. "
        + "Nothing else matters here. " * 40
    )
    (folder / "texts" / "manual.txt").write_text(text)
    judged = [
        ("q10", "How high is a cap?", {"s": 0, "e": 20}),
        ("q9", "What are posts made of?", {"s": 210, "e": 232}),
    ]
    gold = [
        json.dumps({"qid": topic, "query": question, "doc": "manual", "spans": [span]}) + "\n"
        for topic, question, span in judged
    ]
    (folder / "gold.jsonl").write_text("".join(gold))
    found = {"whole": [(200, 400), (600, 800)], "late": [(600, 800), (200, 400)]}
    for name, spans in found.items():
        several = [("q10", [(0, 100), (400, 600)]), ("q9", spans)]
        lines = [
            json.dumps({"qid": topic, "rank": rank, "doc": "manual", "s": start, "e": end}) + "\n"
            for topic, mine in several
            for rank, (start, end) in enumerate(mine, 1)
        ]
        (folder / f"{name}.jsonl").write_text("".join(lines))
    runs = (folder / "whole.jsonl", folder / "late.jsonl")
    words = ("--budget", "220,300", "--collection", folder / "texts")
    return made(folder, folder / "gold.jsonl", *runs, *words)
