"""trec_eval 8.1: every line of `-q -a -T` against a second, naive program on random files."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from calling import called
from naive_trec_eval_8 import MeasureRequest, output
from spanwise.dropins.trec_eval.version8 import run

DOCS = st.sampled_from([f"d{n:02d}" for n in range(14)])
SCORES = st.one_of(
    st.integers(-3, 12),
    st.integers(0, 330),
    st.sampled_from([4.999999, 5, 14.9999999, 1.00000001, 1e300, 0.1]),
)
GRADES = st.sampled_from([-2, -1, 0, 0, 0, 1, 1, 2, 3])
PAGES = st.dictionaries(DOCS, SCORES, max_size=14)
FILLER = st.sampled_from([0, 0, 0, 1, 15, 29, 71, 140, 141, 142, 143])


@st.composite
def cases(draw):
    topics = draw(st.lists(st.sampled_from("pqrs"), min_size=1, max_size=4, unique=True))
    qrels = {t: draw(st.dictionaries(DOCS, GRADES, min_size=1, max_size=14)) for t in topics}
    extra = draw(st.integers(0, 8))
    qrels[topics[0]] |= {f"e{n:02d}": n % 2 for n in range(extra)}
    run = {}
    for topic in draw(st.permutations("pqrst")):
        results = draw(PAGES)
        results |= {f"f{n:03d}": draw(SCORES) if n < 3 else n % 9 for n in range(draw(FILLER))}
        if results:
            run[topic] = results
    asked = MeasureRequest(
        level=draw(st.integers(0, 2)),
        depth=draw(st.sampled_from([None, None, None, 0, 1, 5, 20])),
        judged_only=draw(st.booleans()),
        complete=draw(st.booleans()),
        times=draw(st.booleans()),
        documents=draw(st.sampled_from([0, 1000])),
        weights=draw(st.sampled_from([(1.0, -1.0, 0.0, 0.0), (2.0, -0.5, 0.25, 0.001)])),
    )
    return qrels, run, asked


def words_for(asked):
    words = ["-q", "-a", f"-l{asked.level}", f"-N{asked.documents}"]
    words += [f"-U{letter}{w}" for letter, w in zip("abcd", asked.weights, strict=True)]
    words += [f"-M{asked.depth}"] if asked.depth is not None else []
    flags = {"-J": asked.judged_only, "-c": asked.complete, "-T": asked.times}
    return words + [flag for flag, wanted in flags.items() if wanted]


@settings(max_examples=100, deadline=None)
@given(cases())
def test_agrees_with_the_naive_program(case):
    qrels, results, asked = case
    with tempfile.TemporaryDirectory() as name:
        judged, returned = Path(name, "judged"), Path(name, "returned")
        judged.write_text(
            "".join(f"{t} 0 {d} {g}\n" for t, graded in qrels.items() for d, g in graded.items())
        )
        returned.write_text(
            "".join(f"{t} 0 {d} 0 {s} x\n" for t, page in results.items() for d, s in page.items())
            or "zz 0 a 0 1 x\n"
        )
        out, _, status = called(run, *words_for(asked), judged, returned)
    lines, expected = output(qrels, results, asked)
    assert out.decode().splitlines() == lines
    assert status == expected
