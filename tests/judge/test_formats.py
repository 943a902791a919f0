"""Judgements go out in every format and come in again as they were."""

import json
import random
from pathlib import Path

import pytest

import spanwise
from calling import called
from judging import campaign
from spanwise.cli import main
from spanwise.collection import open_collection
from spanwise.formats import read_pool, read_topics
from spanwise.judge.events import Gesture
from spanwise.judge.setup import Campaign, made
from spanwise.judge.store import Event, Store
from spanwise.judge.verdicts import verdicts
from spanwise.judge.views import check_of

HANDBOOK = Path(spanwise.__file__).parent / "data" / "handbook"
ARTICLES = HANDBOOK / "articles"
LOSSLESS = ["span_qrels", "inex_assessments_2006", "inex_assessments_2007", "inex_qrels", "w3c"]


@pytest.fixture(scope="module")
def collection():
    return open_collection(ARTICLES)


@pytest.fixture(scope="module")
def store(tmp_path_factory, collection):
    """A pool of the handbook, judged at random by two judges."""
    folder = tmp_path_factory.mktemp("judged")
    runs = sorted(HANDBOOK.glob("*.run"))
    called(main, "pool", *runs, "-o", folder / "pool.jsonl", "--budget", 5)
    pool = read_pool(str(folder / "pool.jsonl"))
    topics = read_topics(str(HANDBOOK / "topics.xml"))
    store = made(str(folder / "judged"), pool, topics, collection, Campaign())
    for name in ("anna", "ben"):
        store.add_assessor(name)
        store.append(list(random_events(store, collection, name)))
    return store


def random_events(store, collection, judge):
    draw, n = random.Random(judge), 0
    for topic, _, _ in store.topics():
        for one in store.documents(topic):
            text = collection.text(one.id)
            made = []
            for _ in range(draw.randrange(3)):
                start = draw.randrange(len(text) - 5)
                end = draw.randrange(start + 1, min(len(text), start + 400))
                check = check_of(text[start:end])
                made.append(
                    {"kind": "add", "layer": "relevant", "start": start, "end": end, "check": check}
                )
            if made:
                made.append({"kind": "bep", "start": draw.randrange(len(text))})
            made.append({"kind": "done"})
            for gesture in made:
                yield Event(
                    0,
                    judge,
                    topic,
                    one.number,
                    Gesture(f"client-{judge}", n, **gesture),
                    0,
                    0.0,
                    0.0,
                )
                n += 1


def content(store, judge):
    return {
        (one.topic, one.document.id): (one.state.status, one.spans, one.state.bep)
        for one in verdicts(store, [judge])
    }


def copied(store, path):
    store.copy_to(path)
    return path


@pytest.mark.parametrize("form", LOSSLESS)
def test_a_round_trip_changes_nothing(store, tmp_path, form):
    out, copy = tmp_path / "out", copied(store, tmp_path / "copy")
    words = ["--to", form, "--judge", "anna", "--collection", ARTICLES]
    said, err, status = called(main, "judge", "export", store.path, "-o", out, *words)
    assert (status, err) == (0, "")
    assert store.head()[1][:16].encode() in said
    more = ["--from", "w3c"] if form == "w3c" else []
    words = ["--judge", "again", "--collection", ARTICLES, *more]
    _, err, status = called(main, "judge", "import", copy, out, *words)
    assert (status, err) == (0, "")
    assert content(Store(str(copy)), "again") == content(store, "anna")


def test_plain_qrels_keep_who_is_relevant(store, tmp_path):
    called(
        main, "judge", "export", store.path, "-o", tmp_path / "q", "--to", "qrels", "--judge", "ben"
    )
    lines = [line.split() for line in (tmp_path / "q").read_text().splitlines()]
    assert {(t, d): g == "1" for t, _, d, g in lines} == {
        key: bool(spans) for key, (_, spans, _) in content(store, "ben").items()
    }


def test_scores_are_the_same_whichever_format(store, tmp_path):
    scores = []
    for form in ("span_qrels", "inex_assessments_2007", "inex_qrels"):
        words = ["--to", form, "--judge", "anna", "--collection", ARTICLES]
        called(main, "judge", "export", store.path, "-o", tmp_path / form, *words)
        words = ["-m", "MAiP", "-m", "iP[0.01]", "-m", "gP(score=bep)@5", "--format", "jsonl"]
        words += ["--collection", ARTICLES, "--task", "passages"]
        out = called(main, "eval", tmp_path / form, HANDBOOK / "passages.run", *words)[0]
        scores.append([json.loads(line)["value"] for line in out.splitlines()])
    assert scores[0] == pytest.approx(scores[1], abs=1e-12)
    assert scores[0] == pytest.approx(scores[2], abs=1e-12)
    assert all(value > 0 for value in scores[0])


def test_probabilities_travel_with_the_judgements(store, tmp_path):
    called(main, "judge", "export", store.path, "-o", tmp_path / "j")
    head, first, *_ = map(json.loads, (tmp_path / "j").read_text().splitlines())
    assert head["head"] == store.head()[1]
    assert head["pool"]["method"] == "rounds"
    assert first["drawn"] == {"method": "rounds", "p": 1.0, "stratum": 1}
    assert first["by"] == "anna"


@pytest.mark.parametrize("form", [*LOSSLESS, "qrels"])
def test_every_export_names_pool_head_and_unit(store, tmp_path, form):
    """What programs elsewhere would stumble over stands beside the file, and is no judgement."""
    out = tmp_path / "some" / "out"
    out.parent.mkdir()
    words = ["--to", form, "--judge", "anna", "--collection", ARTICLES]
    called(main, "judge", "export", store.path, "-o", out, *words)
    files = [file for file in out.parent.rglob("*") if file.is_file()]
    if form in ("qrels", "inex_qrels"):
        assert sorted(files) == [out, out.with_name("out.about.json")]
        run = ("passages" if form == "inex_qrels" else "articles") + ".run"
        assert called(main, "eval", out.parent, HANDBOOK / run)[2] == 0
        files.remove(out)
    for file in files:
        said = file.read_text()
        assert store.head()[1] in said
        assert '"pool.jsonl"' in said
        assert '"unit"' in said


def test_what_a_format_cannot_hold_is_said(tmp_path):
    store = judged_store(tmp_path, "highlight")
    did(store, ("note", "", -1, -1, "a note"), ("done",))
    words = ["export", store.path, "-o", tmp_path / "q", "--to"]
    _, err, status = called(main, "judge", *words, "inex_qrels")
    assert (status, err.endswith("format 'inex_qrels' cannot hold 1 notes\n")) == (0, True)
    assert called(main, "judge", *words, "span_qrels")[1] == ""


def test_an_export_to_standard_output_is_only_that(store):
    words = ("-o", "-", "--judge", "anna", "--to", "inex_qrels")
    out, err, status = called(main, "judge", "export", store.path, *words)
    assert status == 0
    assert {line.split()[1] for line in out.splitlines()} == {b"Q0"}
    assert err.startswith("-: ")


def test_judges_as_one(store, tmp_path):
    sizes = {}
    for how in ("union", "majority", "intersection"):
        called(main, "judge", "export", store.path, "-o", tmp_path / how, "--merge", how)
        lines = [json.loads(line) for line in (tmp_path / how).read_text().splitlines()[1:]]
        sizes[how] = sum(span["e"] - span["s"] for line in lines for span in line["spans"])
    assert sizes["intersection"] == sizes["majority"] < sizes["union"]


def test_status_verify_and_log(store):
    out = called(main, "judge", "status", store.path)[0].decode()
    assert store.head()[1] in out
    answer = json.loads(called(main, "judge", "status", store.path, "--format", "json")[0])
    assert all(row["finished"] == row["documents"] for row in answer["judges"])
    out, _, status = called(main, "judge", "verify", store.path, "--collection", ARTICLES)
    assert (status, out.endswith(b"intact\n")) == (0, True)
    log = called(main, "judge", "log", store.path, "--judge", "ben")[0].splitlines()
    assert len(log) == len(store.events("ben"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["export", "{store}", "-o", "x", "--judge", "zoe"], "unknown assessor 'zoe'"),
        (["export", "{store}", "-o", "x", "--to", "inex_qrels"], "use --judge or --merge"),
        (["export", "{store}", "-o", "x", "--to", "w3c"], "needs --collection"),
        (["export", "none", "-o", "x"], "not a judging store"),
        (["revoke", "{store}", "zoe"], "unknown assessor 'zoe'; expected one of anna, ben"),
        (
            ["import", "{store}", "{q}", "--judge", "", "--collection", "c"],
            "found the assessor name ''",
        ),
        (["import", "{store}", "{q}", "--judge", "desk", "--collection", "c"], "'desk' is"),
        (
            ["import", "{store}", "x", "--judge", "anna", "--collection", "c"],
            "already has judgements",
        ),
        (["serve"], "or --demo"),
    ],
)
def test_mistakes_are_said(store, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    words = [word.format(store=store.path, q=HANDBOOK / "qrels.txt") for word in words]
    if words[0] == "import":
        words[-1] = ARTICLES
    _, err, status = called(main, "judge", *words)
    assert status == 2
    assert message in err


MARKUP = "<a><p>One two three.</p><p>Four five six.</p></a>"
TEXT = "One two three.Four five six."


def judged_store(folder, mode, aspects=()):
    """One document in a store of its own."""
    campaign(folder, {"d0": MARKUP})
    pool, topics = read_pool(str(folder / "pool.jsonl")), read_topics(str(folder / "topics.xml"))
    plan = Campaign(mode=mode, aspects=aspects)
    return made(str(folder / "s"), pool, topics, open_collection(folder / "docs"), plan)


def did(store, *gestures):
    store.add_assessor("anna")
    events = [Gesture("client-anna", n, *one) for n, one in enumerate(gestures)]
    store.append([Event(0, "anna", 0, 0, one, 0, 0.0, 0.0) for one in events])


def again(store, folder, form):
    """The state of the only document after it went out and came in again."""
    words = ["--collection", folder / "docs", "--judge"]
    called(main, "judge", "export", store.path, "-o", folder / form, "--to", form, *words, "anna")
    _, err, status = called(main, "judge", "import", store.path, folder / form, *words, form)
    assert (status, err) == (0, "")
    return {one.assessor: one.state for one in verdicts(store, ["anna", form], every=True)}


@pytest.mark.parametrize("form", ["span_qrels", "w3c"])
def test_aspects_notes_and_reasons_come_back(tmp_path, form):
    store = judged_store(tmp_path, "aspects", ("cause", "effect"))
    did(
        store,
        ("add", "cause", 0, 3, "", check_of(TEXT[:3])),
        ("add", "effect", 2, 7, "", check_of(TEXT[2:7])),
        ("bep", "", 0, -1, "", check_of(TEXT)),
        ("note", "", -1, -1, "a note"),
        ("done",),
    )
    found = again(store, tmp_path, form)
    assert found[form] == found["anna"]
    assert found[form].layers == {"cause": ((0, 3),), "effect": ((2, 7),)}


@pytest.mark.parametrize("form", ["span_qrels", "w3c"])
def test_why_a_document_was_skipped_comes_back(tmp_path, form):
    store = judged_store(tmp_path, "highlight")
    did(store, ("skip", "", -1, -1, "I cannot tell"))
    found = again(store, tmp_path, form)
    assert (found[form].status, found[form].reason) == ("skipped", "I cannot tell")


@pytest.mark.parametrize("form", ["span_qrels", "w3c", "inex_assessments_2006"])
def test_exhaustivity_comes_back(tmp_path, form):
    """The first paragraph is 2 and lifts the whole; the second is only touched: too small."""
    store = judged_store(tmp_path, "exhaustivity")
    did(
        store,
        ("add", "relevant", 4, 18, "", check_of(TEXT[4:18])),
        ("bep", "", 4, -1, "", check_of(TEXT[4:36])),
        ("exh", "/a[1]/p[1]", -1, -1, "2"),
        ("exh", "/a[1]/p[2]", -1, -1, "-1"),
        ("done",),
    )
    found = again(store, tmp_path, form)
    assert found[form] == found["anna"]
    assert found[form].exhaustivity == {"/a[1]": 2, "/a[1]/p[1]": 2, "/a[1]/p[2]": -1}


def test_highlights_that_no_page_would_show_are_refused(tmp_path):
    store = judged_store(tmp_path, "aspects", ("cause",))
    (tmp_path / "q").write_text("t0 Q0 d0 3 28 0 0:3\n")
    words = ["--collection", tmp_path / "docs", "--judge", "ben"]
    _, err, status = called(main, "judge", "import", store.path, tmp_path / "q", *words)
    assert (status, "found highlights on layer 'relevant'; expected cause" in err) == (2, True)
    assert store.events("ben") == []


def test_annotations_say_where_text_lies_as_the_standard_does(tmp_path):
    """XPath for the text nodes, positions within them; names that are no IRIs are quoted."""
    campaign(tmp_path, {"a b": MARKUP})
    pool, topics = (
        read_pool(str(tmp_path / "pool.jsonl")),
        read_topics(str(tmp_path / "topics.xml")),
    )
    documents = open_collection(tmp_path / "docs")
    store = made(str(tmp_path / "s"), pool, topics, documents, Campaign())
    bep = ("bep", "", 4, -1, "", check_of(TEXT[4:36]))
    did(store, ("add", "relevant", 4, 18, "", check_of(TEXT[4:18])), bep, ("done",))
    found = again(store, tmp_path, "w3c")
    assert found["w3c"] == found["anna"]
    judged, marked = json.loads((tmp_path / "w3c").read_text())["items"]
    assert (judged["id"], judged["target"]["source"]) == ("urn:spanwise:t0:a%20b:anna", "a%20b")
    by_type = {one.pop("type"): one for one in marked["target"]["selector"]}
    assert by_type["TextPositionSelector"] == {"start": 4, "end": 18}
    assert by_type["TextQuoteSelector"]["exact"] == "two three.Four"
    ends = [by_type["RangeSelector"][name] for name in ("startSelector", "endSelector")]
    assert [(end["value"], end["refinedBy"]["start"]) for end in ends] == [
        ("/a[1]/p[1]/text()[1]", 4),
        ("/a[1]/p[2]/text()[1]", 4),
    ]


def test_annotations_of_something_else_are_refused_in_one_line(store, tmp_path):
    context = "http://www.w3.org/ns/anno.jsonld"
    page = {"@context": context, "items": [{"motivation": "assessing"}]}
    (tmp_path / "a.json").write_text(json.dumps(page))
    words = [store.path, tmp_path / "a.json", "--judge", "zoe", "--collection", ARTICLES]
    _, err, status = called(main, "judge", "import", *words)
    assert (status, err.count("\n")) == (2, 1)
    assert "invalid annotations" in err
