"""Paths, ranges and points of files, placed by documents small enough to count by hand."""

import warnings

import pytest

import spanwise
from collections_by_hand import stored
from spanwise.errors import InputError, SpanwiseWarning, UsageError
from spanwise.formats import read_judgements, read_run
from spanwise.matching.placing import placed_judgements, placed_run
from spanwise.model.notes import in_lines

# 0123 456789 01 23    /article[1] 0-14, t[1] 0-4, p[1] 4-14, p[1]/b[1] 10-12
# abcd efghij kl mn    text nodes of p[1]: 4-10 and 12-14
ARTICLE = "<article><t>abcd</t><p>efghij<b>kl</b>mn</p></article>"
DOCUMENTS = {"a.xml": ARTICLE, "b.xml": "<article><p>0123456789</p></article>"}


@pytest.fixture
def store(tmp_path):
    return stored(tmp_path, DOCUMENTS)


def returned(folder, *results):
    """A run for topic 1 in the form of 2009: documents and paths."""
    file = folder / "elements.run"
    lines = [f"1 Q0 {one} \n" for one in results]
    columns = [line.split() for line in lines]
    file.write_text(
        "".join(f"{t} {q} {d} {n} 1 r {' '.join(p)}\n" for n, (t, q, d, *p) in enumerate(columns))
    )
    return file


def assessed(folder, *parts, more=""):
    """Assessments of topic 1 in the form of 2006: what is said of document a."""
    file = folder / "pool.xml"
    inside = "".join(f"<{part}/>" for part in parts)
    file.write_text(
        f'<assessments pool="1" topic="1" version="2"{more}><file collection="c" name="a">'
        f'{inside}</file><file collection="c" name="b"></file></assessments>'
    )
    return file


def passage(start, end, size):
    return f'passage start="{start}" end="{end}" size="{size}"'


def element(path, size, rsize):
    return f'element path="{path}" exhaustivity="2" size="{size}" rsize="{rsize}"'


def entry(path):
    return f'best-entry-point path="{path}"'


def spans(run):
    return list(zip(run.spans.starts.tolist(), run.spans.lengths.tolist(), strict=True))


def highlighted(judgements):
    marked = judgements.highlights.of(0)
    return list(zip(marked.starts.tolist(), marked.ends.tolist(), strict=True))


# Runs ---------------------------------------------------------------------------------------


def test_elements_become_spans_and_keep_their_paths(tmp_path, store):
    file = returned(tmp_path, "a /article[1]/p[1]", "b /article[1]")
    run = placed_run(read_run(file), store)
    assert spans(run) == [(4, 10), (0, 10)]
    assert run.lengths.tolist() == [14, 10]
    assert run.paths.take(run.rows.starts[:1])[0] == b"/article[1]/p[1]"


def test_a_range_reaches_from_one_element_to_the_end_of_another(tmp_path, store):
    file = returned(tmp_path, "a /article[1]/t[1] /article[1]/p[1]/b[1]")
    assert spans(placed_run(read_run(file), store)) == [(0, 12)]


def test_a_range_ends_before_a_point_in_a_text_node(tmp_path, store):
    file = tmp_path / "run.xml"
    file.write_text(
        '<inex-submission run-id="r"><topic topic-id="1"><result><file>a</file><passage'
        ' start="/article[1]/p[1]/text()[1].2" end="/article[1]/p[1]/text()[2].1"/></result>'
        "</topic></inex-submission>"
    )
    assert spans(placed_run(read_run(file), store)) == [(6, 7)]


def test_what_is_not_in_the_collection_lies_nowhere_and_is_counted(tmp_path, store):
    file = returned(tmp_path, "x /article[1]", "a /article[1]/p[2]", "a /article[2]")
    notes = []
    assert spans(placed_run(read_run(file), store, notes)) == [(-1, 0)] * 3
    assert in_lines(notes) == [
        "results of documents that the collection does not have: 1 ('x' /article[1])",
        "results whose path is not in their document: 2 ('a' /article[1]/p[2], ...)",
    ]


def test_a_range_that_ends_before_it_begins_lies_nowhere(tmp_path, store):
    file = returned(tmp_path, "a /article[1]/p[1]/b[1] /article[1]/t[1]")
    notes = []
    assert spans(placed_run(read_run(file), store, notes)) == [(-1, 0)]
    assert len(in_lines(notes)) == 1


def test_without_a_collection_a_run_stays_as_it_is(tmp_path):
    run = read_run(returned(tmp_path, "a /article[1]"))
    assert placed_run(run, None) is run


# Judgements ---------------------------------------------------------------------------------


def test_passages_and_entry_points_get_offsets(tmp_path, store):
    file = assessed(
        tmp_path,
        entry("/article[1]/p[1]/text()[2].1"),
        passage("/article[1]/t[1]", "/article[1]/t[1]", 4),
        passage("/article[1]/p[1]/text()[1].2", "/article[1]/p[1]/b[1]", 6),
    )
    placed = placed_judgements(read_judgements(file), store)
    assert highlighted(placed) == [(0, 4), (6, 12)]
    assert placed.highlights.relevant.tolist() == [10, 0]
    assert placed.highlights.entries.tolist() == [13, -1]
    assert placed.highlights.lengths.tolist() == [14, 10]


@pytest.mark.parametrize(("size", "end"), [(3, 9), (4, 10)])
def test_an_end_point_is_read_as_the_size_says(tmp_path, store, size, end):
    file = assessed(
        tmp_path, passage("/article[1]/p[1]/text()[1].2", "/article[1]/p[1]/text()[1].5", size)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        placed = placed_judgements(read_judgements(file), store)
    assert highlighted(placed) == [(6, end)]


def test_an_end_point_that_agrees_with_no_reading_is_exclusive_with_a_warning(tmp_path, store):
    file = assessed(
        tmp_path, passage("/article[1]/p[1]/text()[1].2", "/article[1]/p[1]/text()[1].5", 7)
    )
    with pytest.warns(SpanwiseWarning, match="1 passages end at a point"):
        placed = placed_judgements(read_judgements(file), store)
    assert highlighted(placed) == [(6, 9)]
    assert placed.highlights.relevant.tolist() == [7, 0]


def test_touching_passages_are_one(tmp_path, store):
    file = assessed(
        tmp_path,
        passage("/article[1]/t[1]", "/article[1]/t[1]", 4),
        passage("/article[1]/p[1]", "/article[1]/p[1]", 10),
    )
    assert highlighted(placed_judgements(read_judgements(file), store)) == [(0, 14)]


def test_sizes_of_the_file_win_and_disagreements_are_counted(tmp_path, store):
    file = assessed(
        tmp_path,
        passage("/article[1]/t[1]", "/article[1]/t[1]", 4),
        element("/article[1]", 15, 4),
        element("/article[1]/t[1]", 4, 4),
    )
    notes = []
    placed = placed_judgements(read_judgements(file), store, notes)
    assert placed.elements.elements.sizes.tolist() == [15, 4]
    assert placed.highlights.lengths.tolist() == [15, 10]
    assert notes == ["sizes that differ from the collection's: 1; the file's are used"]


def test_what_was_said_is_said_for_every_run(tmp_path, store):
    judgements = read_judgements(assessed(tmp_path, passage("/article[1]", "/article[1]", 13)))
    first, second, third = [], [], []
    placed = placed_judgements(judgements, store, first)
    assert placed_judgements(judgements, store, second) is placed
    assert placed_judgements(placed, store, third) is placed
    assert first == second == third != []


def test_elements_of_2004_get_their_places_and_sizes_from_the_collection(tmp_path, store):
    file = tmp_path / "pool.xml"
    file.write_text(
        "<assessments pool='1' topic='1'><file file='a'>"
        "<path path='/article[1]/p[1]' exhaustiveness='2' specificity='3'/>"
        "<path path='/article[1]/q[1]' exhaustiveness='1' specificity='1'/></file></assessments>"
    )
    notes = []
    placed = placed_judgements(read_judgements(file), store, notes)
    elements = placed.elements.elements
    assert elements.sizes.tolist() == [10, -1]
    assert elements.spans.starts.tolist() == [4, -1]
    assert placed.highlights is None
    assert notes == ["judged elements that are not in their document: 1"]


def test_judged_documents_that_the_collection_lacks_are_counted(tmp_path, store):
    file = tmp_path / "qrels.txt"
    file.write_text("1 Q0 a 4 14 0 0:4\n1 Q0 y 2 9 0 0:2\n1 Q0 z 0 5\n")
    notes = []
    placed_judgements(read_judgements(file), store, notes)
    assert notes == ["judged documents that the collection does not have: 2 ('y', ...)"]


def test_lengths_of_qrels_win_over_the_collections(tmp_path, store):
    file = tmp_path / "qrels.txt"
    file.write_text("1 Q0 a 4 16 0 0:4\n")
    notes = []
    placed = placed_judgements(read_judgements(file), store, notes)
    assert placed.highlights.lengths.tolist() == [16]
    assert notes == ["sizes that differ from the collection's: 1; the file's are used"]


def test_another_rule_for_blank_nodes_is_said(tmp_path, store):
    part = passage("/article[1]", "/article[1]", 14)
    file = assessed(tmp_path, part, more=' whitespace-text-node="strip"')
    notes = []
    placed_judgements(read_judgements(file), store, notes)
    assert notes == ["blank text nodes: strip in the assessments, keep in the collection"]


# Scores -------------------------------------------------------------------------------------


def test_elements_are_scored_by_their_characters(tmp_path, store):
    """Highlighted 0-4 and 10-12. Ranks: p (10, 2 relevant), t (4, 4), b of another document."""
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("1 Q0 a 6 14 10 0:4 10:2\n1 Q0 b 0 10\n")
    run = returned(tmp_path, "a /article[1]/p[1]", "a /article[1]/t[1]", "b /article[1]/p[1]")
    measures = ["char_prec", "char_rec", "iP[0.00]", "iP[0.50]", "gP(beta=1)@1", "gP(score=bep)@1"]
    scores = spanwise.evaluate(qrels, run, measures, collection=store)
    expected = [6 / 24, 1, 6 / 14, 6 / 14, 2 * (6 / 14) / (6 / 14 + 1), (500 - 6) / 500]
    assert list(scores.means.values()) == pytest.approx(expected, abs=1e-15)


def test_assessments_by_paths_score_as_the_same_offsets(tmp_path, store):
    run = returned(tmp_path, "a /article[1]/p[1]", "b /article[1]", "a /article[1]/t[1]")
    by_paths = assessed(
        tmp_path,
        entry("/article[1]/p[1]"),
        passage("/article[1]/t[1]", "/article[1]/p[1]/text()[1].1", 5),
        passage("/article[1]/p[1]/b[1]", "/article[1]/p[1]", 4),
    )
    offsets = tmp_path / "qrels.txt"
    offsets.write_text("1 Q0 a 9 14 4 0:5 10:4\n1 Q0 b 0 10\n")
    measures = ["iP[0.01]", "MAiP", "char_f1", "MAgP", "MAgP(score=bep)", "MAgP(score=t2i)"]
    scores = [
        spanwise.evaluate(judgements, run, measures, collection=store).means
        for judgements in (by_paths, offsets)
    ]
    assert scores[0] == scores[1]
    assert 0 < scores[0]["MAiP"] < 1


def test_a_result_that_cannot_be_placed_stays_in_the_ranking(tmp_path, store):
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("1 Q0 a 4 14 0 0:4\n")
    run = returned(tmp_path, "x /article[1]", "a /article[1]/t[1]")
    scores = spanwise.evaluate(qrels, run, ["gP@1", "gP@2", "MAgP"], collection=store)
    assert list(scores.means.values()) == [0, 1 / 2, 1 / 2]
    assert "results that could not be placed in their documents: 1" in scores.notes


def test_listed_sizes_are_what_a_result_costs(tmp_path, store):
    """The file says that p has 20 characters, 5 of them highlighted; the passage has 5."""
    file = assessed(
        tmp_path,
        passage("/article[1]/p[1]/text()[1].0", "/article[1]/p[1]/text()[1].5", 5),
        element("/article[1]/p[1]", 20, 5),
    )
    run = returned(tmp_path, "a /article[1]/p[1]")
    scores = spanwise.evaluate(file, run, ["char_prec", "char_rec"], collection=store)
    assert scores.means == {"char_prec": 5 / 20, "char_rec": 1}


def test_two_paths_with_one_span_are_two_results(tmp_path):
    store = stored(tmp_path, {"a.xml": "<article><sec><p>abcd</p></sec>ef</article>"})
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("1 Q0 a 4 6 0 0:4\n")
    run = returned(tmp_path, "a /article[1]/sec[1]", "a /article[1]/sec[1]/p[1]")
    scores = spanwise.evaluate(qrels, run, ["char_prec", "char_rec"], collection=store)
    assert scores.means == {"char_prec": 4 / 8, "char_rec": 1}


def test_whole_documents_take_their_lengths_from_the_collection(tmp_path, store):
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("1 Q0 a 7 14 0 0:7\n")
    run = {"1": {"a": 2.0, "b": 1.0, "nowhere": 0.5}}
    with pytest.raises(InputError, match="--collection"):
        spanwise.evaluate(qrels, run, "char_prec")
    assert spanwise.evaluate(qrels, run, "char_prec", collection=store).means["char_prec"] == 7 / 24


def test_a_folder_of_documents_will_do(tmp_path, store):
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("1 Q0 a 4 14 0 0:4\n")
    run = returned(tmp_path, "a /article[1]/t[1]", "b.xml /article[1]")
    scores = spanwise.evaluate(qrels, run, "char_prec", collection=tmp_path / "source")
    assert scores.means["char_prec"] == 4 / 14


def test_an_id_with_its_extension_is_the_same_document(tmp_path, store):
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("1 Q0 a 4 14 0 0:4\n")
    run = returned(tmp_path, "a.xml /article[1]/t[1]", "a /article[1]/p[1]", "x.xml /article[1]")
    means = spanwise.evaluate(qrels, run, ["char_rec", "char_prec"], collection=store).means
    assert means == {"char_rec": 1, "char_prec": 4 / 14}
    (tmp_path / "other.txt").write_text("1 Q0 a.xml 4 14 0 0:4\n")
    run = returned(tmp_path, "a /article[1]/t[1]")
    scores = spanwise.evaluate(tmp_path / "other.txt", run, "char_rec", collection=store)
    assert scores.means == {"char_rec": 1}


def test_a_folder_is_counted_as_the_assessments_were(tmp_path):
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "a.xml").write_text("<article> <p>ab<b/> <c/>cd</p></article>")
    (folder / "b.xml").write_text("<article/>")
    part = passage("/article[1]/p[1]/text()[2].0", "/article[1]/p[1]/text()[2].2", 2)
    file = assessed(tmp_path, part, more=' whitespace-text-node="strip"')
    run = returned(tmp_path, "a /article[1]/p[1]")
    scores = spanwise.evaluate(file, run, ["char_prec", "char_rec"], collection=folder)
    assert scores.means == {"char_prec": 2 / 4, "char_rec": 1}
    assert scores.notes == ()


def test_an_ambiguous_document_is_an_error(tmp_path):
    store = stored(tmp_path, {"x/a.xml": ARTICLE, "y/a.xml": ARTICLE})
    run = read_run(returned(tmp_path, "a /article[1]"))
    with pytest.raises(InputError, match="2 documents have the name 'a'"):
        placed_run(run, store)
    by_path = read_run(returned(tmp_path, "y/a /article[1]/t[1]"))
    assert spans(placed_run(by_path, store)) == [(0, 4)]


def test_without_a_collection_the_need_of_it_is_said(tmp_path):
    file = assessed(tmp_path, passage("/article[1]", "/article[1]", 14))
    run = returned(tmp_path, "a /article[1]")
    with pytest.raises(UsageError, match="pass --collection"):
        spanwise.evaluate(file, run, "MAiP")
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("1 Q0 a 4 14 0 0:4\n")
    with pytest.raises(UsageError, match="pass --collection"):
        spanwise.evaluate(qrels, run, "MAiP")
    mixed = tmp_path / "mixed.jsonl"
    lines = '{"qid": "1", "doc": "a", "element": "/article[1]"}\n'
    lines += '{"qid": "1", "doc": "a", "s": 0, "e": 4}'
    mixed.write_text(lines)
    with pytest.raises(UsageError, match="pass --collection"):
        spanwise.evaluate(qrels, mixed, "MAiP")
    mixed.write_text(
        lines + '\n{"qid": "1", "doc": "a", "element": "/article[1]/p[1]", "s": 1, "e": 3}'
    )
    assert spanwise.evaluate(qrels, mixed, "char_prec").means["char_prec"] == 4 / 6
