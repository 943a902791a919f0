"""`spanwise.convert`: objects and files, what is lost, and what is written."""

import pytest

import spanwise
from spanwise.errors import UsageError

MARKED = "1 Q0 ape 6 9 3 1:3 6:3\n1 Q0 bat 0 4\n"


@pytest.fixture
def files(folder):
    (folder / "marked").write_text(MARKED)
    (folder / "a.run").write_text("q Q0 x 1 3.5 a\nq Q0 y 2 1 a\n")
    return folder


def test_nothing_is_written_without_a_path(files):
    before = sorted(files.iterdir())
    made = spanwise.convert("a.run", to="span_run")
    assert (made.format, made.losses, made.path) == ("span_run", {}, None)
    assert repr(made.content) == "<Run 'a': 2 results for 1 topic, documents>"
    assert sorted(files.iterdir()) == before


@pytest.mark.parametrize("read", [lambda name: name, spanwise.read_judgements])
def test_what_is_lost_is_counted_and_said(files, read):
    with pytest.warns(spanwise.SpanwiseWarning, match="marked: format 'qrels' cannot hold 2 high"):
        made = spanwise.convert(read("marked"), "plain", to="qrels")
    assert (files / "plain").read_text() == "1 0 ape 1\n1 0 bat 0\n"
    assert made.losses == {
        "highlighted passages by offset": 2,
        "lengths of documents": 2,
        "best entry points by offset": 1,
    }
    lost = "2 highlighted passages by offset, 2 lengths of documents, 1 best entry point by offset"
    assert repr(made) == f"<Converted judgements to qrels: lost {lost}>"


@pytest.mark.parametrize("to", ["span_run", "span_run_parquet", "trec_run"])
def test_the_command_writes_what_the_function_writes(files, ask, to):
    ask("convert", "a.run", "by-command", "--to", to)
    spanwise.convert("a.run", files / "by-function", to=to)
    assert (files / "by-function").read_bytes() == (files / "by-command").read_bytes()
    spanwise.convert(spanwise.read_run("a.run"), "by-object", to=to)
    assert spanwise.read_run("by-object").scores.tolist() == [3.5, 1.0]


def test_a_dataset_is_made_of_an_object(files):
    run = spanwise.read_run({"q1": {"a": 1.0}, "q2": {"b": 2.0}})
    made = spanwise.convert(run, "set", partition=2)
    assert made.content is run
    assert sorted(map(str, spanwise.read_run("set").rows.topics)) == ["b'q1'", "b'q2'"]
    with pytest.raises(UsageError, match="partition needs a path"):
        spanwise.convert(run, partition=2)


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ({"q": {"d": 1}}, {"to": "qrels"}, "dict cannot be converted; expected a path"),
        ("a.run", {"to": "qrels"}, "a.run holds a run, but format 'qrels' holds judgements"),
        ("marked", {"to": "qrels", "sizes": "collection"}, "needs --collection"),
        ("marked", {"path": "x"}, "--to is missing"),
    ],
)
def test_requests_without_sense_are_refused(files, source, options, message):
    with pytest.raises(UsageError, match=message):
        spanwise.convert(source, **options)
    assert not (files / "x").exists()
