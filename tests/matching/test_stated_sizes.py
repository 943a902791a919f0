"""gP, gR and MAgP of XML assessments without the documents: stated sizes are enough.

Document d has 100 characters, 20 of them highlighted: paragraph 1 (10 of 10) of section 1 (10 of
40), and paragraph 3 (10 of 20) of section 2 (10 of 50). Document e has 50 characters, 5 of them
highlighted, in its only section. Document n was judged and has nothing highlighted.
"""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spanwise
from calling import called
from element_worlds import document, highlighted_assessments, shapes, submission
from spanwise.cli import main
from spanwise.errors import InputError, SpanwiseError, UsageError
from spanwise.evaluation.evaluate import score_run as score
from spanwise.evaluation.prepare import asked
from spanwise.model.policy import Policy

S1, P1, S2, P3 = "/a[1]/s[1]", "/a[1]/s[1]/p[1]", "/a[1]/s[2]", "/a[1]/s[2]/p[2]"
ASSESSED = f"""<assessments pool="1" topic="1" version="2">
<file collection="c" name="d">
<best-entry-point path="{P1}"/>
<passage start="{P1}" end="{P1}" size="10"/>
<passage start="{P3}/text()[1].10" end="{P3}" size="10"/>
<element path="/a[1]" exhaustivity="2" size="100" rsize="20"/>
<element path="{S1}" exhaustivity="2" size="40" rsize="10"/>
<element path="{P1}" exhaustivity="2" size="10" rsize="10"/>
<element path="{S2}" exhaustivity="2" size="50" rsize="10"/>
<element path="{P3}" exhaustivity="2" size="20" rsize="10"/>
</file>
<file collection="c" name="e">
<best-entry-point path="{S1}"/>
<passage start="{S1}/text()[1].0" end="{S1}/text()[1].5" size="5"/>
<element path="/a[1]" exhaustivity="1" size="50" rsize="5"/>
<element path="{S1}" exhaustivity="1" size="50" rsize="5"/>
</file>
<file collection="c" name="n"></file>
</assessments>
"""
DOCUMENTS = {
    "d": f"<a><s><p>{'x' * 10}</p>{'y' * 30}</s><s><p>{'y' * 30}</p><p>{'y' * 10}{'x' * 10}</p>"
    f"</s>{'z' * 10}</a>",
    "e": f"<a><s>{'x' * 5}{'y' * 45}</s></a>",
    "n": "<a><s>nothing</s></a>",
    "u": "<a><s>unjudged</s></a>",
}
ALL = ("gP(beta=1)@1", "gP(beta=1)@2", "gR@1", "gR@2", "gR@9", "MAgP(beta=1)")


def xml_run(*places):
    results = "".join(
        f"<result><file>{name}</file>"
        + (f"<path>{path}</path>" if path.startswith("/") else path)
        + "</result>"
        for name, path in places
    )
    return (
        '<inex-submission participant-id="1" run-id="mine" task="RelevantInContext">'
        f'<topic topic-id="1">{results}</topic></inex-submission>'
    )


@pytest.fixture
def judged(folder):
    (folder / "judged.xml").write_text(ASSESSED)
    (folder / "docs").mkdir()
    for name, content in DOCUMENTS.items():
        (folder / "docs" / f"{name}.xml").write_text(content)
    return folder


def values(folder, run, *measures, **more):
    (folder / "run").write_text(run)
    return spanwise.evaluate(
        folder / "judged.xml", folder / "run", list(measures), ties="file", **more
    ).means


def f_of(shown, found, known):
    p, r = Fraction(found, shown), Fraction(found, known)
    return 2 * p * r / (p + r) if found else Fraction(0)


def near(value):
    return pytest.approx(float(value), abs=1e-12)


RUNS = {
    # two elements of d, then a document without highlighted text, then e
    "apart": ([("d", P1), ("d", S2), ("n", S1), ("e", S1)], [(60, 20, 20), None, (50, 5, 5)]),
    # of elements in each other highlighted text counts once, all text as often as it was shown
    "inside": ([("d", P1), ("d", S1), ("e", "/a[1]")], [(50, 10, 20), (50, 5, 5)]),
    "around": ([("d", "/a[1]"), ("d", P3), ("u", S1)], [(120, 20, 20), None]),
    "irrelevant": ([("n", S1), ("u", S1)], [None, None]),
}
"""Runs, and for each document characters shown, highlighted ones found, and how many it has."""


@pytest.mark.parametrize("documents", [False, True])
@pytest.mark.parametrize("name", RUNS)
def test_worked_examples(judged, name, documents):
    places, read = RUNS[name]
    scores = [Fraction(0) if one is None else f_of(*one) for one in read]
    hits = [one is not None for one in read]
    gp = [sum(scores[:k]) / k for k in range(1, len(scores) + 1)]
    more = {"collection": judged / "docs"} if documents else {}
    found = values(judged, xml_run(*places), *ALL, **more)
    assert found == {
        "gP(beta=1)@1": near(gp[0]),
        "gP(beta=1)@2": near(gp[1]),
        "gR@1": near(Fraction(hits[0], 2)),
        "gR@2": near(Fraction(sum(hits[:2]), 2)),
        "gR@9": near(Fraction(sum(hits), 2)),
        "MAgP(beta=1)": near(sum(p for p, hit in zip(gp, hits, strict=True) if hit) / 2),
    }


@pytest.mark.parametrize("documents", [False, True])
def test_whole_documents(judged, documents):
    more = {"collection": judged / "docs"} if documents else {}
    run = "1 Q0 e 1 3 mine\n1 Q0 n 2 2 mine\n1 Q0 d 3 1 mine\n"
    found = values(judged, run, *ALL, **more)
    assert found["gP(beta=1)@1"] == near(f_of(50, 5, 5))
    assert found["MAgP(beta=1)"] == near(
        (f_of(50, 5, 5) + (f_of(50, 5, 5) + f_of(100, 20, 20)) / 3) / 2
    )
    assert found["gR@9"] == 1


UNKNOWN = [("d", P1), ("n", "/a[1]/x[9]"), ("e", "/a[1]/s[1]/x[1]")]


def test_only_a_size_that_nobody_states_asks_for_the_documents(judged):
    run = xml_run(*UNKNOWN)
    for measure in ("gP@3", "MAgP"):
        with pytest.raises(InputError) as caught:
            values(judged, run, measure)
        told = (
            "/a[1]/s[1]/x[1] of document 'e': its size was not found in any file; pass --collection"
        )
        assert told in str(caught.value)
    # that of n is not needed: it has nothing highlighted, so it scores 0
    assert values(judged, run, "gP(beta=1)@2", "gR@3") == {
        "gP(beta=1)@2": near(f_of(10, 10, 20) / 2),
        "gR@3": 1,
    }


@pytest.mark.parametrize(
    "place",
    [
        '<fol offset="0" length="9"/>',
        f'<passage start="{P1}" end="{P3}"/>',
    ],
)
def test_passages_and_ranges_count_for_recall_alone(judged, place):
    run = xml_run(("n", place), ("d", place))
    assert values(judged, run, "gR@2", "gP@1") == {"gR@2": 0.5, "gP@1": 0}
    with pytest.raises(
        InputError, match=r"of document 'd': .* was not found in any file; pass --coll"
    ):
        values(judged, run, "MAgP")


def test_distances_need_the_documents(judged):
    run = xml_run(("d", P1))
    for measure in ("gP(score=bep)@1", "MAgP(score=t2i)", "iP[0.01]", "MAiP", "char_prec"):
        with pytest.raises(
            UsageError, match=r"the positions of the passages of .* are unknown; pass --c"
        ):
            values(judged, run, measure)
    assert values(judged, run, "gR(score=bep)@1") == {"gR(score=bep)@1": 0.5}


def test_the_profile_of_the_year(judged):
    run = xml_run(("d", P1), ("d", S2))
    found = values(judged, run, profile="inex2006", task="ric")
    f = f_of(60, 20, 20)  # beta is 1
    assert found == {
        "MAgP": near(f / 2),
        **{f"gP@{k}": near(f / k) for k in (5, 10, 25, 50)},
    }


def test_grade_pairs_have_no_highlighted_text(judged):
    (judged / "judged.xml").write_text(
        "<assessments topic='1'><file file='d'><path path='/a[1]' exhaustiveness='3'"
        " specificity='1'/></file></assessments>"
    )
    with pytest.raises(SpanwiseError, match="needs highlighted text"):
        values(judged, xml_run(("d", "/a[1]")), "gR@1")


def test_nothing_highlighted_at_all(judged):
    (judged / "judged.xml").write_text(
        '<assessments pool="1" topic="1" version="2"><file name="d"></file></assessments>'
    )
    (judged / "run").write_text(xml_run(("d", P1)))
    scores = spanwise.evaluate(judged / "judged.xml", judged / "run", ["gR@1", "MAgP"])
    assert scores.counts == {"gR@1": 0, "MAgP": 0}


def test_explained(judged):
    (judged / "run").write_text(xml_run(*UNKNOWN))
    words = ("explain", "judged.xml", "run", "--topic", "1", "-m")
    out, err, status = called(main, *words, "gR@3")
    assert status == 0, err
    assert "gR@3 = 1.0000" in out.decode()
    _, err, status = called(main, *words, "MAgP")
    assert status == 2
    assert "its size was not found in any file; pass --collection" in err


# Random trees against a plain account -------------------------------------------------------


@st.composite
def worlds(draw):
    """Documents with highlighted text, and a run of their elements without duplicates."""
    documents = []
    for name in "def"[: draw(st.integers(1, 3))]:
        nodes, _ = document(name, draw(shapes))
        end = nodes[0].end
        starts = draw(st.lists(st.integers(0, max(end - 1, 0)), max_size=2))
        lit = {(name, p) for start in starts for p in range(start, min(start + 3, end))}
        for node in nodes:
            node.exhaustivity = 1
        documents.append((name, nodes, lit))
    every = [node for _, nodes, _ in documents for node in nodes]
    return documents, draw(st.lists(st.sampled_from(every), min_size=1, max_size=9, unique=True))


def account(documents, results):
    """For each document in order its F, and whether it has highlighted text."""
    marked = {name: lit for name, _, lit in documents}
    read = {}
    for result in results:
        read.setdefault(result.document, []).append(result)
    rows = []
    for name, some in read.items():
        shown = sum(one.size for one in some)
        found = len(set().union(*(one.characters() for one in some)) & marked[name])
        score = f_of(shown, found, len(marked[name])) if found else Fraction(0)
        rows.append((score, bool(marked[name])))
    return rows


@settings(max_examples=150, deadline=None)
@given(worlds(), st.booleans(), st.integers(1, 4))
def test_any_elements(world, all_listed, k):
    documents, results = world
    judgements = highlighted_assessments(documents, all_listed=all_listed)
    run = submission(results)
    marked = {name: lit for name, _, lit in documents}
    total = sum(bool(lit) for lit in marked.values())
    rows = account(documents, results)
    order = list(dict.fromkeys(one.document for one in results))
    unstated = [
        order.index(one.document) + 1
        for one in results
        if not all_listed and marked[one.document] and not one.characters() & marked[one.document]
    ]
    expected = {f"gP(beta=1)@{k}": sum(score for score, _ in rows[:k]) / k}
    if total:
        means = [sum(s for s, _ in rows[: i + 1]) / (i + 1) for i in range(len(rows))]
        hits = [hit for _, hit in rows]
        expected |= {
            f"gR@{k}": Fraction(sum(hits[:k]), total),
            "MAgP(beta=1)": sum(m for m, hit in zip(means, hits, strict=True) if hit)
            / Fraction(total),
        }
    policy = Policy(ties="file", empty="zero")
    for name, value in expected.items():
        reach = {"gR": 0, "gP": k}.get(name[:2], len(order))
        if any(place <= reach for place in unstated):
            with pytest.raises(
                InputError, match="its size was not found in any file; pass --collection"
            ):
                score(judgements, run, asked([name]), policy)
        else:
            assert score(judgements, run, asked([name]), policy).means[name] == near(value), name
