"""The handbook that ships with the package: its articles, topics, judgements and runs agree."""

import re
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest

import spanwise

HANDBOOK = Path(spanwise.__file__).parent / "data" / "handbook"
ARTICLES = sorted((HANDBOOK / "articles").glob("*.xml"))
RUNS = ("articles", "elements", "passages")


def lines(name):
    return [line.split() for line in (HANDBOOK / name).read_text("utf-8").splitlines()]


def topics():
    return list(ET.parse(HANDBOOK / "topics.xml").getroot())


def topic_ids():
    return [topic.get("id") for topic in topics()]


def lengths():
    return {path.stem: len("".join(ET.parse(path).getroot().itertext())) for path in ARTICLES}


def place(element, path, start, found):
    """Note where the element and everything in it begins and ends; say where it ends."""
    end = start + len(element.text or "")
    counts = Counter()
    for child in element:
        counts[child.tag] += 1
        end = place(child, f"{path}/{child.tag}[{counts[child.tag]}]", end, found)
        end += len(child.tail or "")
    found[path] = (start, end)
    return end


def elements(file):
    found = {}
    root = ET.parse(file).getroot()
    place(root, f"/{root.tag}[1]", 0, found)
    return found


def judged():
    """Topic, document, relevant characters, length, entry point or None, passages."""
    for topic, _, document, relevant, length, *rest in lines("qrels.txt"):
        pairs = [tuple(map(int, passage.split(":"))) for passage in rest[1:]]
        passages = [(start, start + size) for start, size in pairs]
        entry = int(rest[0]) if rest else None
        yield topic, document, int(relevant), int(length), entry, passages


def spans(name):
    """The stretches of text that a run returned, by topic and document."""
    paths = {file.stem: elements(file) for file in ARTICLES}
    grouped = defaultdict(list)
    for topic, _, document, _, _, _, *where in lines(f"{name}.run"):
        if len(where) == 2:
            start, size = map(int, where)
            span = (start, start + size)
        else:
            span = paths[document][where[0]]
        grouped[topic, document].append(span)
    return grouped


def disjoint(found):
    return all(first[1] <= second[0] for first, second in pairwise(sorted(found)))


@pytest.mark.parametrize("file", ARTICLES, ids=lambda file: file.stem)
def test_every_article_is_well_formed_and_carries_its_own_name(file):
    root = ET.parse(file).getroot()
    assert (root.tag, root.get("id")) == ("article", file.stem)
    assert [child.tag for child in root] == ["title", "abstract", "body"]


@pytest.mark.parametrize("file", ARTICLES, ids=lambda file: file.stem)
def test_every_article_is_short_and_has_nested_sections(file):
    root = ET.parse(file).getroot()
    assert 150 <= len("".join(root.itertext()).split()) <= 450
    assert root.find("body/section/section/p") is not None


def test_there_are_some_two_dozen_articles_in_a_small_package():
    assert 20 <= len(ARTICLES) <= 30
    assert sum(file.stat().st_size for file in HANDBOOK.rglob("*") if file.is_file()) < 300_000


def test_every_topic_has_all_fields_of_2009_and_an_id_of_its_own():
    fields = ["title", "castitle", "phrasetitle", "description", "narrative"]
    assert all([child.tag for child in topic] == fields for topic in topics())
    assert all(child.text.strip() for topic in topics() for child in topic)
    assert len(set(topic_ids())) == len(topic_ids()) == 12


def test_every_castitle_asks_for_elements_that_exist():
    names = {path.rsplit("/", 1)[1].split("[")[0] for file in ARTICLES for path in elements(file)}
    for topic in topics():
        steps = re.findall(r"//\(?([a-z|]+)", topic.findtext("castitle"))
        assert steps
        assert {name for step in steps for name in step.split("|")} <= names


def test_judgements_name_topics_and_articles_that_exist_once_each():
    keys = [(topic, document) for topic, document, *_ in judged()]
    assert len(set(keys)) == len(keys)
    assert {topic for topic, _ in keys} == set(topic_ids())
    assert {document for _, document in keys} <= set(lengths())


def test_judgements_state_the_length_of_each_article():
    known = lengths()
    assert all(length == known[document] for _, document, _, length, *_ in judged())


def test_highlighted_passages_lie_inside_their_article_apart_from_each_other():
    for _, _, _, length, _, passages in judged():
        assert all(0 <= start < end <= length for start, end in passages)
        assert passages == sorted(passages)
        assert disjoint(passages)


def test_highlighted_passages_add_up_to_the_relevant_characters():
    for _, _, relevant, _, _, passages in judged():
        assert sum(end - start for start, end in passages) == relevant


def test_highlighted_passages_begin_and_end_with_words_not_with_space():
    texts = {file.stem: "".join(ET.parse(file).getroot().itertext()) for file in ARTICLES}
    for _, document, _, _, _, passages in judged():
        marked = [texts[document][start:end] for start, end in passages]
        assert all(text == text.strip() for text in marked)


def test_entry_points_lie_before_the_first_passage_or_inside_one():
    for _, _, relevant, _, entry, passages in judged():
        assert (entry is None) == (relevant == 0)
        if relevant:
            inside = any(start <= entry < end for start, end in passages)
            assert inside or 0 <= entry < passages[0][0]


def test_every_topic_has_two_to_eight_relevant_articles_and_some_refused_ones():
    relevant = Counter(topic for topic, _, characters, *_ in judged() if characters)
    refused = Counter(topic for topic, _, characters, *_ in judged() if not characters)
    assert all(2 <= relevant[topic] <= 8 for topic in topic_ids())
    assert all(refused[topic] for topic in topic_ids())


@pytest.mark.parametrize("name", RUNS)
def test_runs_answer_every_topic_with_ten_to_twenty_results(name):
    counts = Counter(line[0] for line in lines(f"{name}.run"))
    assert list(counts) == topic_ids()
    assert all(10 <= count <= 20 for count in counts.values())


@pytest.mark.parametrize("name", RUNS)
def test_runs_count_ranks_from_one_and_let_scores_fall(name):
    scores = defaultdict(list)
    for topic, _, _, rank, score, run, *_ in lines(f"{name}.run"):
        scores[topic].append(float(score))
        assert (int(rank), run) == (len(scores[topic]), name)
    assert all(found == sorted(found, reverse=True) for found in scores.values())


@pytest.mark.parametrize(("name", "columns"), [("articles", 7), ("elements", 7), ("passages", 8)])
def test_runs_have_the_columns_of_their_grain(name, columns):
    assert {len(line) for line in lines(f"{name}.run")} == {columns}


@pytest.mark.parametrize("name", ["articles", "elements"])
def test_every_path_of_a_run_exists(name):
    known = {(file.stem, path) for file in ARTICLES for path in elements(file)}
    assert {(line[2], line[6]) for line in lines(f"{name}.run")} <= known


@pytest.mark.parametrize("name", RUNS)
def test_results_of_one_article_do_not_overlap(name):
    known = lengths()
    for (_, document), found in spans(name).items():
        assert disjoint(found)
        assert all(0 <= start < end <= known[document] for start, end in found)


def test_articles_are_larger_than_passages_and_passages_than_elements():
    means = {}
    for name in RUNS:
        sizes = [end - start for found in spans(name).values() for start, end in found]
        means[name] = sum(sizes) / len(sizes)
    assert means["articles"] > means["passages"] > means["elements"]


def test_passages_are_windows_of_some_four_hundred_characters():
    sizes = [end - start for found in spans("passages").values() for start, end in found]
    assert all(100 <= size <= 520 for size in sizes)
    assert 380 <= median(sizes) <= 420


# Scores -------------------------------------------------------------------------------------

MEASURES = ["iP[0.01]", "MAiP", "char_prec", "char_rec", "art_prec", "gP@5", "gR@5", "MAgP"]
MEASURES += ["MAgP(score=bep)", "MAgP(score=t2i)"]


@pytest.mark.parametrize("name", ["articles", "elements"])
def test_paths_score_as_the_offsets_that_another_parser_finds(name, tmp_path):
    paths = {file.stem: elements(file) for file in ARTICLES}
    offsets = tmp_path / "offsets.run"
    with offsets.open("w") as file:
        for *before, path in lines(f"{name}.run"):
            start, end = paths[before[2]][path]
            file.write(" ".join([*before, str(start), str(end - start)]) + "\n")
    by_path = spanwise.evaluate(
        HANDBOOK / "qrels.txt",
        HANDBOOK / f"{name}.run",
        MEASURES,
        collection=HANDBOOK / "articles",
    )
    by_offset = spanwise.evaluate(HANDBOOK / "qrels.txt", offsets, MEASURES)
    assert by_path.per_topic == by_offset.per_topic
    assert by_path.notes == by_offset.notes == ()
