"""What is written is read again as it was, by every format that can hold it."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given

from same_content import parsed, plain, written
from spanwise.formats import FORMATS
from spanwise.formats.builders import grades_of
from spanwise.model.columns import PlainIds, Rows
from spanwise.model.elements import (
    NO_SIZE,
    TOO_SMALL,
    UNJUDGED,
    UNSTATED,
    Assessments,
    Elements,
    Flag,
    Passages,
    Pool,
    begins_of,
)
from spanwise.model.judgements import Highlights, Judgements
from spanwise.model.run import Run
from spanwise.model.spans import Spans

words = st.text(st.sampled_from("ab7é/.-<&'\"+"), min_size=1, max_size=5)
names = words.map(str.encode)
texts = st.text(st.sampled_from("ab é<&'\"\n"), max_size=9).map(str.strip)
steps = st.tuples(st.sampled_from(["article", "sec", "p", "xy:z", "é"]), st.integers(1, 12))
paths = st.lists(steps, min_size=1, max_size=4).map(
    lambda path: "".join(f"/{name}[{n}]" for name, n in path)
)
points = st.one_of(
    paths, st.tuples(paths, st.integers(1, 3), st.integers(0, 99)).map(
        lambda one: f"{one[0]}/text()[{one[1]}].{one[2]}"
    )
)  # fmt: skip
sizes = st.integers(0, 10**6)
scores = st.floats(allow_nan=False)

# Grades of one element: exhaustivity, specificity, coverage, size, highlighted, flags.
letters = st.tuples(
    st.integers(0, 3),
    st.just(UNSTATED),
    st.sampled_from(b"NLSE"),
    st.just(NO_SIZE),
    st.just(NO_SIZE),
    st.just(0),
)
grade = st.sampled_from([0, 1, 2, 3, UNJUDGED])
flags = st.integers(0, int(Flag.INPOOL | Flag.INFERRED | Flag.INCONSISTENT))
no_sizes = (st.just(0), st.just(NO_SIZE), st.just(NO_SIZE))
pairs = st.one_of(
    st.tuples(grade, grade, *no_sizes, flags),
    st.tuples(st.just(UNSTATED), st.just(UNSTATED), *no_sizes, flags),
)
highlighted = st.tuples(
    st.sampled_from([0, 1, 2, TOO_SMALL]), st.just(UNSTATED), st.just(0), sizes, sizes, st.just(0)
)


NO_POOL = st.just(Pool())


def rows_of(topics: dict[bytes, list]) -> Rows:
    return Rows("made", tuple(topics), begins_of([len(one) for one in topics.values()]))


@st.composite
def assessments(draw, grades, topics=1, *, passages=False, entries=False, pool=NO_POOL):
    """Judgements with elements of one kind."""
    chosen = draw(st.lists(names, min_size=1, max_size=topics, unique=True))
    documents = {
        topic: draw(st.lists(names, min_size=1, max_size=4, unique=True)) for topic in chosen
    }
    count = sum(map(len, documents.values()))
    elements = [draw(st.dictionaries(paths, grades, max_size=4)) for _ in range(count)]
    marked = st.lists(st.tuples(points, points, sizes), max_size=3 if passages else 0)
    texts = [draw(marked) for _ in range(count)]
    said = Assessments(
        _elements(elements),
        Passages(
            begins_of([len(one) for one in texts]),
            PlainIds([start.encode() for one in texts for start, _, _ in one]),
            PlainIds([end.encode() for one in texts for _, end, _ in one]),
            np.array([size for one in texts for _, _, size in one], np.int64),
        ),
        PlainIds(
            [draw(points).encode() if entries and draw(st.booleans()) else b"" for _ in texts]
        ),
        PlainIds([draw(names) if passages and draw(st.booleans()) else b"" for _ in texts]),
        tuple(draw(pool) for _ in documents),
    )
    everything = PlainIds([name for one in documents.values() for name in one])
    return Judgements(rows_of(documents), everything, grades_of(said), elements=said)


def _elements(found: list[dict]) -> Elements:
    numbers = [grades for one in found for grades in one.values()]
    columns = np.array(numbers, np.int64).reshape(-1, 6).T
    every = [path.encode() for one in found for path in one]
    return Elements(begins_of([len(one) for one in found]), PlainIds(every), *columns)


STATEMENTS = st.sampled_from(
    ["", '<inex_topic query_type="CO">\n<title>a &lt; b</title></inex_topic>']
)
numbered = st.builds(Pool, number=words)
stated = st.builds(Pool, words, words, st.just(""), STATEMENTS)
with_white_space = st.builds(Pool, words, words, st.sampled_from(["keep", "strip"]), STATEMENTS)


def same_again(content, name: str) -> None:
    assert FORMATS[name].loses(content) == {}
    assert plain(parsed(written(content, name), name)) == plain(content)


@given(assessments(letters))
def test_assessments_of_2002(content):
    same_again(content, "inex_assessments_2002")


@given(assessments(pairs.map(lambda one: (*one[:5], 0))))
def test_assessments_of_2003(content):
    same_again(content, "inex_assessments_2003")


@given(assessments(pairs, pool=numbered))
def test_assessments_of_2004(content):
    same_again(content, "inex_assessments_2004")


@given(assessments(highlighted, passages=True, pool=stated))
def test_assessments_of_2005(content):
    same_again(content, "inex_assessments_2005")


@given(assessments(highlighted, passages=True, entries=True, pool=stated))
def test_assessments_of_2006(content):
    same_again(content, "inex_assessments_2006")


@given(assessments(highlighted, passages=True, entries=True, pool=with_white_space))
def test_assessments_of_2007(content):
    same_again(content, "inex_assessments_2007")


anything = assessments(
    st.one_of(letters, pairs, highlighted), 3, passages=True, entries=True, pool=with_white_space
)


@given(anything)
def test_assessments_as_our_own_lines(content):
    same_again(content, "span_qrels")


@given(anything)
def test_a_form_keeps_what_it_does_not_say_it_loses(content):
    """Whatever the form, the documents that are written mean what they meant before."""
    for year in range(2002, 2008):
        name = f"inex_assessments_{year}"
        before = dict(zip(_keys(content), content.grades.tolist(), strict=True))
        for _, part in FORMATS[name].files(content):
            data = written(part, name)
            if b"<file" not in data:
                continue
            after = parsed(data, name)
            for key, grade in zip(_keys(after), after.grades.tolist(), strict=True):
                assert before[key] == grade


def _keys(content: Judgements) -> list[tuple[bytes, bytes]]:
    owners = np.repeat(np.arange(len(content.rows.topics)), np.diff(content.rows.starts))
    documents = content.documents.take(np.arange(len(content.rows)))
    return [(content.rows.topics[t], d) for t, d in zip(owners.tolist(), documents, strict=True)]


# Highlighted text and grades ------------------------------------------------------------------


@st.composite
def highlights(draw):
    """Judgements with highlighted text by offset."""
    documents = draw(
        st.dictionaries(
            names, st.lists(names, min_size=1, max_size=3, unique=True), min_size=1, max_size=3
        )
    )
    count = sum(map(len, documents.values()))
    cuts = [sorted(draw(st.sets(st.integers(0, 500), max_size=8))) for _ in range(count)]
    spans = [list(zip(one[::2], one[1::2], strict=False)) for one in cuts]
    starts = np.array([s for one in spans for s, _ in one], np.int64)
    lengths = np.array([e - s for one in spans for s, e in one], np.int64)
    first = begins_of([len(one) for one in spans])
    stated = np.diff(begins_of(lengths)[first]) + np.array(
        [draw(st.integers(0, 1)) if one else 0 for one in spans]
    )
    marked = Highlights(
        stated,
        np.array([draw(st.integers(-1, 900)) for _ in spans]),
        np.array([draw(st.integers(-1, 500)) for _ in spans]),
        first,
        Spans(starts, lengths),
        draw(st.sampled_from(["opaque", "codepoint", "utf16", "byte"])),
    )
    everything = PlainIds([name for one in documents.values() for name in one])
    grades = (stated > 0).astype(np.float64)
    return Judgements(rows_of(documents), everything, grades, highlights=marked)


@given(highlights())
def test_highlighted_text_as_our_own_lines_and_tables(content):
    same_again(content, "span_qrels")
    same_again(content, "span_qrels_parquet")


@st.composite
def grades(draw, assessed=False):
    """Plain judgements."""
    documents = draw(
        st.dictionaries(
            names, st.lists(names, min_size=1, max_size=4, unique=True), min_size=1, max_size=3
        )
    )
    everything = [name for one in documents.values() for name in one]
    values = [draw(st.one_of(st.integers(-2, 4), st.floats(-9, 9))) for _ in everything]
    people = PlainIds([draw(names) for _ in everything]) if assessed else None
    rows = rows_of(documents)
    return Judgements(rows, PlainIds(everything), np.array(values, np.float64), people)


@given(grades(), grades(assessed=True))
def test_grades(plain_ones, assessed):
    same_again(plain_ones, "qrels")
    same_again(plain_ones, "span_qrels")
    same_again(assessed, "qrels_jg")
    same_again(assessed, "span_qrels")


# Runs -----------------------------------------------------------------------------------------

HEADERS = {
    "inex_submission_2002": ["participant-id", "task", "query", "topic-part", "description"],
    "inex_submission_2005": ["participant-id", "task", "submission-type", "topic-fields/title"],
    "inex_submission_2006": ["participant-id", "task", "query", "topic-fields/castitle"],
    "inex_submission_2007": ["participant-id", "task", "result-type", "description", "collections"],
    "inex_efficiency": ["participant-id", "topk", "ram", "general_description"],
}


@st.composite
def runs(draw, kinds=("path",), header=("task",)):
    """Runs of parts of documents, with or without ranks and scores."""
    topics = draw(
        st.dictionaries(
            names, st.lists(st.sampled_from(kinds), min_size=1, max_size=4), min_size=1, max_size=3
        )
    )
    placed = [kind for one in topics.values() for kind in one]
    counts = [len(one) for one in topics.values()]
    some = st.one_of(scores, st.just(np.nan))
    stated = [draw(st.lists(draw(st.sampled_from([scores, some])), min_size=n, max_size=n))
              for n in counts]  # fmt: skip
    values = [one if not np.isnan(one).any() else [*range(len(one), 0, -1)] for one in stated]
    flat = np.array([score for one in stated for score in one], np.float64)
    ranks = np.array(
        [draw(st.one_of(st.just(np.nan), st.integers(0, 9))) for _ in placed], np.float64
    )
    path = [draw(points).encode() if k in ("path", "range") else b"" for k in placed]
    ends = [draw(points).encode() if kind == "range" else b"" for kind in placed]
    places = [(draw(sizes), draw(sizes)) if kind == "span" else (-1, 0) for kind in placed]
    spans = np.array(places).T
    name = draw(words)
    said = {"run-id": name, **{key: draw(texts) for key in header if draw(st.booleans())}}
    return Run(
        name,
        rows_of(topics),
        PlainIds([draw(names) for _ in placed]),
        np.array([value for one in values for value in one], np.float64),
        None if np.isnan(ranks).all() else ranks,
        Spans(spans[0], spans[1]) if {"span", "lost"} & set(placed) else None,
        PlainIds(path) if any(path) else None,
        PlainIds(ends) if any(ends) else None,
        said,
        stated_scores=flat if np.isnan(flat).any() else None,
    )


@pytest.mark.filterwarnings("ignore:.* are ignored because other results of their topic have none")
@given(st.data())
def test_submissions(data):
    for name, header in HEADERS.items():
        kinds = ("path", "range", "span") if name == "inex_submission_2007" else ("path",)
        run = data.draw(runs(kinds, header))
        assume("collections" not in run.header or run.header["collections"].strip())
        if "collections" in run.header:
            run.header["collections"] = " ".join(run.header["collections"].split())
        same_again(run, name)


@given(runs(("path", "range", "span", "lost"), ("task", "description")))
@pytest.mark.filterwarnings("ignore:.* are ignored because other results of their topic have none")
def test_runs_as_our_own_lines_and_tables(run):
    same_again(run, "span_run")
    same_again(run, "span_run_parquet")


@st.composite
def document_runs(draw):
    """Runs of whole documents, in the order of their scores."""
    topics = draw(
        st.dictionaries(
            names, st.lists(names, min_size=1, max_size=4, unique=True), min_size=1, max_size=3
        )
    )
    found = [
        sorted(draw(st.lists(scores, min_size=len(one), max_size=len(one))), reverse=True)
        for one in topics.values()
    ]
    values = np.array([value for one in found for value in one])
    ranks = np.array([draw(st.integers(-3, 9)) for _ in values], np.float64)
    everything = PlainIds([name for one in topics.values() for name in one])
    return Run(draw(words), rows_of(topics), everything, values, ranks)


@given(document_runs())
def test_runs_of_documents(run):
    same_again(run, "trec_run")
    again = parsed(written(run, "span_run"), "span_run")
    assert plain(again) == plain(run)
