"""TrecEval II: the published example, number by number.

Three queries: n r n r r with 6 relevant documents, r r n n n r with 4, n r n r r n r with 6. The
published input is damaged, but these patterns give all the numbers that were printed for it.
"""

import re
from pathlib import Path

import pytest

import calling
from spanwise.dropins.trec_eval.version_two import run

PATTERNS = {"1": ("nrnrr", 6), "2": ("rrnnnr", 4), "3": ("nrnrrnr", 6)}
SHORT = """\
Total number of documents over all queries
    Retrieved:    #
    Relevant:     #
    Rel_ret:      #
Interpolated Recall - Precision Averages:
    at 0.00       *\x20
    at 0.10       *\x20
    at 0.20       *\x20
    at 0.30       *\x20
    at 0.40       *\x20
    at 0.50       *\x20
    at 0.60       *\x20
    at 0.70       *\x20
    at 0.80       *\x20
    at 0.90       *\x20
    at 1.00       *\x20
Average precision (non-interpolated) over all rel docs
                  *\x20
Precision:
  At    5 docs:   *
  At   10 docs:   *
  At   15 docs:   *
  At   20 docs:   *
  At   30 docs:   *
  At  100 docs:   *
  At  200 docs:   *
  At  500 docs:   *
  At 1000 docs:   *
R-Precision (precision after R (= num_rel for a query) docs retrieved):
    Exact:        *
"""
LONG = """\
The following measures included for TREC 1 compatability
Precision:
   Exact:         *
Recall:
   Exact:         *
   at    5 docs:  *
   at   10 docs:  *
   at   15 docs:  *
   at   20 docs:  *
   at   30 docs:  *
   at  100 docs:  *
   at  200 docs:  *
   at  500 docs:  *
   at 1000 docs:  *
Average interpolated precision for all 11 recall points
   11-pt Avg:     *
Average interpolated precision for 3 intermediate points (0.20, 0.50, 0.80)
    3-pt Avg:     *
The following measures are possible for future TRECs
R-based-Precision (precision after given multiple of R docs retrieved):
    Exact:        *
    At 0.20 R:    *
    At 0.40 R:    *
    At 0.60 R:    *
    At 0.80 R:    *
    At 1.00 R:    *
    At 1.20 R:    *
    At 1.40 R:    *
    At 1.60 R:    *
    At 1.80 R:    *
    At 2.00 R:    *
Relative Precision:
   Exact:         *
   At    5 docs:  *
   At   10 docs:  *
   At   15 docs:  *
   At   20 docs:  *
   At   30 docs:  *
   At  100 docs:  *
   At  200 docs:  *
   At  500 docs:  *
   At 1000 docs:  *
Average precision for first R docs retrieved:
                  *
Fallout - Recall Averages (recall after X nonrel docs retrieved):
    At   0 docs:  *
    At  14 docs:  *
    At  28 docs:  *
    At  42 docs:  *
    At  56 docs:  *
    At  71 docs:  *
    At  85 docs:  *
    At  99 docs:  *
    At 113 docs:  *
    At 127 docs:  *
    At 142 docs:  *
Average recall for first 142 nonrel docs retrieved:
                  *
The following measures are interpolated versions of measures above.
For the following, interpolated_prec(X) == MAX (prec(Y)) for all Y >= X
All these measures are experimental
Average interpolated precision over all rel docs
                  *
R-based-interpolated-Precision:
    Exact:        *
    At 0.20 R:    *
    At 0.40 R:    *
    At 0.60 R:    *
    At 0.80 R:    *
    At 1.00 R:    *
    At 1.20 R:    *
    At 1.40 R:    *
    At 1.60 R:    *
    At 1.80 R:    *
    At 2.00 R:    *
Average interpolated precision for first R docs retrieved:
                  *
"""
COUNTS = {"1": "5 6 3", "2": "6 4 3", "3": "7 6 4", "all": "18 16 10"}
NUMBERS = {  # in the order of the rows above; `0.6000 x 6` stands for six of them
    "1": """
        0.6000 x 6 0.0000 x 5 0.2667
        0.6000 0.3000 0.2000 0.1500 0.1000 0.0300 0.0150 0.0060 0.0030 0.5000
        0.6000 0.5000 x 10 0.3273 0.4000
        0.5000 0.5000 0.3333 0.5000 0.6000 0.5000 0.3750 0.3333 0.3000 0.2727 0.2500
        0.6000 0.6000 0.5000 x 8 0.4222 0.0000 0.5000 x 10 0.4941
        0.3000 0.5000 0.6000 x 4 0.5000 0.3750 0.3333 0.3000 0.2727 0.2500 0.6000""",
    "2": """
        1.0000 x 6 0.5000 x 2 0.0000 x 3 0.6250
        0.4000 0.3000 0.2000 0.1500 0.1000 0.0300 0.0150 0.0060 0.0030 0.5000
        0.5000 0.7500 0.5000 0.7500 x 8 0.6364 0.6667
        0.5000 1.0000 1.0000 0.6667 0.5000 0.5000 0.4000 0.5000 0.4286 0.3750 0.3750
        0.7500 0.5000 0.7500 x 8 0.6667 0.5000 0.7500 x 10 0.7447
        0.6250 0.5000 1.0000 1.0000 0.6667 0.5000 x 4 0.4286 0.3750 0.3750 0.6667""",
    "3": """
        0.6000 x 6 0.5714 0.0000 x 4 0.3619
        0.6000 0.4000 0.2667 0.2000 0.1333 0.0400 0.0200 0.0080 0.0040 0.5000
        0.5714 0.6667 0.5000 0.6667 x 8 0.3792 0.4000
        0.5000 0.5000 0.3333 0.5000 0.6000 0.5000 0.5000 0.4444 0.4000 0.3636 0.3333
        0.6667 0.6000 0.6667 x 8 0.3222 0.0000 0.6667 x 10 0.6573
        0.3952 0.5714 0.6000 x 4 0.5714 0.5000 0.4444 0.4000 0.3636 0.3333 0.5000""",
    "all": """
        0.7333 x 6 0.3571 0.1667 0.0000 x 3 0.4179
        0.5333 0.3333 0.2222 0.1667 0.1111 0.0333 0.0167 0.0067 0.0033 0.5000
        0.5571 0.6389 0.5000 0.6389 x 8 0.4476 0.4889
        0.5000 0.6667 0.5556 0.5556 0.5667 0.5000 0.4250 0.4259 0.3762 0.3371 0.3194
        0.6722 0.5667 0.6389 x 8 0.4704 0.1667 0.6389 x 10 0.6320
        0.4401 0.5238 0.7333 0.7333 0.6222 0.5667 0.5238 0.4583 0.4259 0.3762 0.3371 0.3194
        0.5889""",
}


def spelled_out(numbers):
    words, values = iter(numbers.split()), []
    for word in words:
        values += [values[-1]] * (int(next(words)) - 1) if word == "x" else [word]
    return values


def block(name, layout):
    counts, values = iter(COUNTS[name].split()), iter(spelled_out(NUMBERS[name]))
    opening = "3" if name == "all" else name
    text = re.sub("#", lambda _: f"{next(counts):>5}", layout)
    text = re.sub(r"\*", lambda _: next(values), text)
    return f"\nQueryid (Num):    {opening:>5}\n{text}"


@pytest.fixture
def files(tmp_path):
    judged, returned = tmp_path / "referential", tmp_path / "system"
    with judged.open("w") as qrels, returned.open("w") as results:
        for query, (pattern, relevant) in PATTERNS.items():
            for rank, mark in enumerate(pattern, start=1):
                results.write(f"{query} 0 doc-{rank} {rank} {1 / rank} 0\n")
                if mark == "r":
                    qrels.write(f"{query} 0 doc-{rank} 1\n")
            for number in range(relevant - pattern.count("r")):
                qrels.write(f"{query} 0 missing-{number} 1\n")
    return str(judged), str(returned)


def called(*words):
    out, err, status = calling.called(run, *words)
    return out.decode(), err, status


def test_published_example(files):
    expected = "".join(block(name, SHORT + LONG) for name in ("1", "2", "3", "all"))
    assert called("-q", "-a", *files) == (expected, "", 0)


def test_without_options(files):
    assert called(*files) == (block("all", SHORT), "", 0)


def test_queries_alone(files):
    expected = "".join(block(name, SHORT) for name in ("1", "2", "3", "all"))
    assert called(*files, "-q") == (expected, "", 0)


@pytest.mark.parametrize(
    ("words", "status"),
    [(["-x", "a", "b"], 1), (["a"], 1), (["/nowhere/a", "/nowhere/b"], 2)],
)
def test_refusals(words, status):
    out, err, code = called(*words)
    assert (out, code) == ("", status)
    assert err.startswith("spanwise: error: ")
    assert err.count("\n") == 1


def test_a_query_without_relevant_documents_counts_0(files, tmp_path):
    judged, returned = files
    more = tmp_path / "more"
    more.write_text(Path(judged).read_text() + "4 0 doc-1 0\n5 0 doc-1 1\n")
    results = tmp_path / "results"
    results.write_text(Path(returned).read_text() + "4 0 doc-1 1 1 0\n6 0 doc-1 1 1 0\n")
    out = called(str(more), str(results))[0]
    assert "Queryid (Num):        4\n" in out
    assert "    Exact:        0.3750\n" in out  # R-Precision: 3 times 1/2, once 0
