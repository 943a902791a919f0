"""Simulated runs and what measures make of them, on the example of the reliability study."""

import json
import random

import numpy as np
import pytest

from calling import called
from figure_one import GRADES, SEC4, SEC6
from small_navigation import paths_run
from spanwise.cli import main
from spanwise.formats import read_run
from spanwise.report.studies import Ranked
from spanwise.stats.correlation import competition_ranks
from spanwise.workflows.reliability import _agreement

ARTICLE, BODY = "/article[1]", "/article[1]/bdy[1]"
PAIRS = {path: tuple(map(int, pair.split())) for path, pair in GRADES.items()}
PAIRS[f"{SEC6}/p[1]"] = 2, 3  # so that section 6 alone is best
"""Values under sog: 1/4 of article and body; 1/2 of section 4, 9/10, 9/10 and 1/4 of its three
parts, which make the 2.05 of the study; 1 of section 6, 9/10 of each of its parts."""
LEAVES = [f"{sec}/{part}" for sec in (SEC4, SEC6) for part in ("ip1[2]", "p[1]")] + [f"{SEC6}/p[2]"]
EXPECTED = {
    "irb": [SEC6, SEC4],
    "frb": [SEC6, *LEAVES, SEC4, f"{SEC4}/p[2]", BODY, ARTICLE],
    "ia": [SEC6, SEC4, BODY, ARTICLE],
    "id": [SEC6, *LEAVES, SEC4, f"{SEC4}/p[2]"],
    "lo": [*LEAVES, f"{SEC4}/p[2]"],
    "ao": [ARTICLE],
}
"""By falling value, then the deeper, then by path. The sets are those of the study's figure 1."""


def call(*words):
    out, err, status = called(main, *words)
    return status, out.decode(), err


def assessments(grades, topic="163", document="co/2001/r7022"):
    paths = "".join(
        f"<path path='{path}' exhaustiveness='{e}' specificity='{s}'/>"
        for path, (e, s) in grades.items()
    )
    file = f"<file file='{document}'>{paths}</file>"
    return f"<assessments pool='1' topic='{topic}'>{file}</assessments>"


@pytest.fixture
def figure(tmp_path):
    file = tmp_path / "figure1.xml"
    file.write_text(assessments(PAIRS))
    return str(file)


@pytest.fixture
def sized(tmp_path):
    """The same with a document whose elements have sizes, for measures that look at text."""
    leaf = "<{0}>" + "x" * 10 + "</{0}>"
    other = "<sec>" + "y" * 5 + "</sec>"
    inside = leaf.format("ip1") * 2 + leaf.format("p") * 2
    secs = other * 3 + f"<sec>{inside}</sec>" + other + f"<sec>{inside}</sec>"
    folder = tmp_path / "docs" / "co" / "2001"
    folder.mkdir(parents=True)
    (folder / "r7022.xml").write_text(f"<article><bdy>{secs}</bdy></article>")
    return str(tmp_path / "docs")


def paths_of(run):
    return [path.decode() for path in run.paths.take(np.arange(len(run.rows)))]


WITH_IDEAL = ("irb", "ia", "id")


@pytest.mark.parametrize("kind", EXPECTED)
def test_figure_1(tmp_path, figure, kind):
    target = tmp_path / "run.xml"
    words = ("simulate", kind, figure, "-o", target, "--quant", "sog")
    status, out, err = call(*words, *(("--ideal", "deeper") if kind in WITH_IDEAL else ()))
    assert (status, out, err) == (0, "", "")
    run = read_run(target)
    assert run.name == kind
    assert paths_of(run) == EXPECTED[kind]


STRICT_LEAVES = [f"{SEC6}/p[1]"]
ASSESSED_LEAVES = [
    f"{SEC6}/p[1]",
    *(f"{SEC4}/{part}" for part in ("ip1[2]", "p[1]", "p[2]")),
    f"{SEC6}/ip1[2]",
    f"{SEC6}/p[2]",
]
"""The one leaf of value 1 under strict, and all leaves that were found relevant: at one depth in
one document, so those of value 0 follow by path."""


@pytest.mark.parametrize(
    ("kind", "paths", "expected"),
    [
        ("lo", (), STRICT_LEAVES),
        ("lo", ("--paths", "valued"), STRICT_LEAVES),
        ("lo", ("--paths", "assessed"), ASSESSED_LEAVES),
        ("irb", (), STRICT_LEAVES),
        ("irb", ("--paths", "assessed"), [SEC6]),
        ("id", ("--paths", "assessed"), [f"{SEC6}/p[1]", SEC6]),
        ("ia", (), [f"{SEC6}/p[1]", SEC6]),
        ("ia", ("--paths", "assessed"), [SEC6]),
    ],
)
def test_relevant_paths_under_strict(tmp_path, kind, paths, expected):
    """Only section 6 and its first paragraph are graded 3 3; its other two parts have 2 3."""
    file, target = tmp_path / "figure1.xml", tmp_path / "run.xml"
    file.write_text(assessments(PAIRS | {f"{SEC6}/p[1]": (3, 3)}))
    words = ("simulate", kind, file, "-o", target, "--quant", "strict", *paths)
    assert call(*words, *(("--ideal", "deeper") if kind in WITH_IDEAL else ())) == (0, "", "")
    assert paths_of(read_run(target)) == expected


@pytest.mark.parametrize("kind", ["frb", "ao"])
def test_a_rule_for_paths_is_refused_where_there_are_none(figure, kind):
    status, _, err = call("simulate", kind, figure, "-o", "-", "--paths", "assessed")
    assert status == 2
    assert f"--paths has no effect on {kind}" in err


@pytest.mark.parametrize("kind", ["frb", "lo", "ao"])
def test_a_choice_of_ideal_elements_is_refused_where_there_are_none(figure, kind):
    status, _, err = call("simulate", kind, figure, "--ideal", "higher")
    assert status == 2
    assert f"--ideal has no effect on {kind}" in err


@pytest.mark.parametrize("words", [(), ("-o", "-")])
def test_a_simulated_run_can_be_printed(figure, words):
    status, out, _ = call("simulate", "ao", figure, *words)
    assert status == 0
    assert "<path>/article[1]</path>" in out


def test_a_simulated_run_can_have_another_format(figure):
    status, out, _ = call("simulate", "ao", figure, "--to", "inex_run")
    assert status == 0
    assert " /article[1]" in out
    assert "<path>" not in out


def test_nothing_relevant_is_an_error(tmp_path):
    file = tmp_path / "a.xml"
    file.write_text(assessments({ARTICLE: (1, 1)}))
    status, _, err = call("simulate", "irb", file, "-o", "-", "--quant", "strict")
    assert status == 2
    assert "nothing is relevant under quant=strict" in err
    status, _, err = call("reliability", file, "--quant", "strict")
    assert status == 2
    assert "nothing is relevant under quant=strict" in err


def test_articles_that_are_not_relevant_make_a_run_that_scores_0(figure, sized):
    """Strictly only section 6 is relevant, so the run of root elements is empty."""
    words = (figure, "--quant", "strict", "--collection", sized)
    table = by_measure(study(*words)["simulated"])
    assert {run: row["value"] for run, row in table["inex_eval"].items()} == {
        **dict.fromkeys(("irb", "frb", "ia", "id", "lo"), 1),
        "ao": 0,
    }
    assert table["MAncG"]["ao"]["rank"] == 6
    assert table["MAncG"]["ao"]["overlap"] is None
    status, _, err = call("simulate", "ao", figure, "-o", "-", "--quant", "strict")
    assert status == 2
    assert "found no relevant root elements under quant=strict, so the run ao would be empty" in err


def study(*words):
    status, out, err = call("reliability", *words, "--format", "json")
    assert status == 0, err
    return json.loads(out)


def by_measure(rows):
    table = {}
    for row in rows:
        table.setdefault(row["measure"], {})[row["run"]] = row
    return table


def test_the_study_on_figure_1(figure, sized):
    """nxCG of the ideal run is 1 and nothing beats it; inex_eval prefers the full recall base.

    Overlap: of the eight elements of id six lie in a section; of ia three in another, of the ten
    of frb nine.
    """
    words = (figure, "--quant", "sog", "--ideal", "deeper", "--collection", sized)
    found = study(*words, "-m", "inex_eval", "-m", "nxCG@2", "-m", "MAncG")
    table = by_measure(found["simulated"])
    overlaps = {run: row["overlap"] for run, row in table["MAncG"].items()}
    assert overlaps == {"irb": 0, "lo": 0, "ao": 0, "id": 6 / 8, "ia": 3 / 4, "frb": 9 / 10}
    assert table["nxCG@2"]["irb"]["value"] == 1
    assert table["MAncG"]["irb"] == {
        **table["MAncG"]["irb"],
        "value": pytest.approx(1),
        "rank": 1,
    }
    assert table["inex_eval"]["frb"]["rank"] == 1
    beaten = {v["measure"] for v in found["violations"] if v["rule"] == "nothing beats irb"}
    assert beaten == {"inex_eval"}
    rewarded = [v for v in found["violations"] if "overlap 90.0% against 0.0%" in v["rule"]]
    assert {"frb"} == {v["better"] for v in rewarded if v["measure"] == "inex_eval"}


def generated(folder, seed, topics=4):
    """Random trees of graded elements: a parent is as exhaustive as its best child."""
    chance = random.Random(seed)
    docs = folder / "docs"
    docs.mkdir(parents=True)
    (folder / "judged").mkdir()
    for topic in range(1, topics + 1):
        files = []
        for number in range(3):
            grades, sections = {}, ""
            for sec in range(1, chance.randint(2, 5)):
                count = chance.randint(1, 4)
                sections += "<sec>" + "".join(
                    "<p>" + "x" * chance.randint(5, 30) + "</p>" for _ in range(count)
                )
                sections += "</sec>"
                inner = {
                    f"{ARTICLE}/sec[{sec}]/p[{p}]": (chance.randint(1, 3), chance.randint(1, 3))
                    for p in range(1, count + 1)
                    if chance.random() < 0.6
                }
                if inner:
                    best = max(e for e, _ in inner.values())
                    most = max(s for _, s in inner.values())
                    grades |= inner
                    grades[f"{ARTICLE}/sec[{sec}]"] = best, chance.randint(1, most)
            if grades:
                best = max(e for e, _ in grades.values())
                grades[ARTICLE] = best, 1
                name = f"d{topic}x{number}"
                (docs / f"{name}.xml").write_text(f"<article>{sections}</article>")
                files.append((name, grades))
        inside = "".join(
            assessments(grades, document=name).split(">", 1)[1].removesuffix("</assessments>")
            for name, grades in files
        )
        text = f"<assessments pool='1' topic='{topic}'>{inside}</assessments>"
        (folder / "judged" / f"{topic}.xml").write_text(text)
    return str(folder / "judged"), str(docs)


@pytest.mark.parametrize("seed", range(6))
def test_the_conclusion_of_the_study_on_generated_collections(tmp_path, seed):
    """inex_eval rewards overlap: the full recall base is best. nxCG does not: irb is."""
    judged, docs = generated(tmp_path, seed)
    words = (judged, "--collection", docs, "--quant", "sog", "--ideal", "deeper")
    found = study(*words, "-m", "inex_eval", "-m", "MAncG", "-m", "nxCG@5")
    table = by_measure(found["simulated"])
    assert table["inex_eval"]["frb"]["rank"] == 1
    assert table["inex_eval"]["frb"]["overlap"] > 0.4
    assert table["inex_eval"]["irb"]["rank"] > 1
    for measure in ("MAncG", "nxCG@5"):
        assert table[measure]["irb"]["value"] == pytest.approx(1)
        assert table[measure]["irb"]["rank"] == 1
    rules = {(v["measure"], v["rule"]) for v in found["violations"]}
    assert ("inex_eval", "nothing beats irb") in rules
    assert not any(rule == "nothing beats irb" for m, rule in rules if m != "inex_eval")


HIGHLIGHTED = """<assessments pool="1" topic="1" version="2"><file collection="w" name="a">
<passage start="/article[1]/sec[1]" end="/article[1]/sec[1]" size="4"/>
<element path="/article[1]" exhaustivity="2" size="11" rsize="4"/>
<element path="/article[1]/sec[1]" exhaustivity="2" size="4" rsize="4"/>
</file></assessments>"""


def test_where_less_is_better_the_least_comes_first(tmp_path):
    """Who begins with the article reads seven characters for nothing, with its section none."""
    (tmp_path / "judged.xml").write_text(HIGHLIGHTED)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.xml").write_text("<article>in vain<sec>read</sec></article>")
    judged, docs = str(tmp_path / "judged.xml"), str(tmp_path / "docs")
    runs = [str(tmp_path / f"{kind}.xml") for kind in ("ao", "irb")]
    for kind, run in zip(("ao", "irb"), runs, strict=True):
        assert call("simulate", kind, judged, "-o", run)[0] == 0
    found = study(judged, *runs, "-m", "nxCG@1", "-m", "FirstEvidence", "--collection", docs)
    for part in ("simulated", "runs"):
        late = by_measure(found[part])["FirstEvidence"]
        assert (late["irb"]["value"], late["irb"]["rank"]) == (0, 1)
        assert (late["ao"]["value"], late["ao"]["rank"]) == (7, len(late))
    assert not [v for v in found["violations"] if v["rule"] == "nothing beats irb"]
    assert found["agreements"][0]["kendall"] == 1


@pytest.fixture
def with_runs(tmp_path, figure, sized):
    for name, places in {
        "one": EXPECTED["lo"],
        "two": EXPECTED["frb"][::-1],
        "three": EXPECTED["ia"],
    }.items():
        text = paths_run([("co/2001/r7022", path) for path in places], topic="163")
        (tmp_path / f"{name}.xml").write_text(text.replace('"mine"', f'"{name}"'))
    files = [str(tmp_path / f"{name}.xml") for name in ("one", "two", "three")]
    return (figure, *files, "--quant", "sog", "--ideal", "deeper", "--collection", sized)


def test_real_runs_are_ranked_crosswise(with_runs):
    found = study(*with_runs, "-m", "inex_eval", "-m", "nxCG@2")
    table = by_measure(found["runs"])
    assert set(table["nxCG@2"]) == {"one", "two", "three"}
    (agreement,) = found["agreements"]
    assert agreement["measures"] == ["inex_eval", "nxCG@2"]
    first, second = (
        [table[measure][run]["value"] for run in ("one", "two", "three")]
        for measure in agreement["measures"]
    )
    pairs = [(0, 1), (0, 2), (1, 2)]
    opposite = sum((first[i] - first[j]) * (second[i] - second[j]) < 0 for i, j in pairs)
    assert agreement["swapped"] == pytest.approx(opposite / 3)
    assert agreement["kendall"] == pytest.approx(1 - 2 * opposite / 3)
    assert found["halves"] == {"inex_eval": None, "nxCG@2": None}  # one topic has no halves


def test_runs_of_one_name_are_told_apart(tmp_path, with_runs):
    text = (tmp_path / "one.xml").read_text()
    (tmp_path / "two.xml").write_text(text)
    found = study(*with_runs, "-m", "inex_eval")
    names = [row["run"] for row in found["runs"]]
    assert names == ["one", "two", "three"]


def test_what_is_to_be_said_of_runs_is_said(tmp_path, with_runs):
    text = (tmp_path / "one.xml").read_text()
    more = '<topic topic-id="9"><result><file>d</file><path>/a[1]</path></result></topic>'
    (tmp_path / "one.xml").write_text(text.replace("</inex-s", f"{more}</inex-s"))
    notes = study(*with_runs)["notes"]
    assert "one: 1 topic ('9') of the run not judged, so ignored" in notes
    assert any("documents that the collection does not have" in note for note in notes)
    for layout, begin, place in (("table", "", 1), ("latex", "% ", 1), ("csv", "", 2)):
        said = call("reliability", *with_runs, "--format", layout)[place]
        assert all(begin + note in said for note in notes)


def test_scores_that_differ_by_rounding_are_equal():
    """Without the tie the first two runs would be in opposite order: tau 1/3, pairs swapped 1/3."""
    values = {"m": (0.3, 0.1 + 0.2, 0.1), "n": (0.4, 0.2, 0.1)}
    ranks = {name: tuple(competition_ranks(column)) for name, column in values.items()}
    found = _agreement(Ranked(("a", "b", "c"), (0.0,) * 3, values, ranks), "m", "n")
    assert found.kendall == pytest.approx(2 / 6**0.5)
    assert found.swapped == 0


@pytest.mark.parametrize("layout", ["table", "md", "latex", "csv"])
def test_layouts(with_runs, layout):
    status, out, err = call("reliability", *with_runs, "--format", layout)
    assert (status, err) == (0, "")
    assert "irb" in out
    assert "inex\\_eval" in out if layout == "latex" else "inex_eval" in out
    if layout != "csv":
        assert "violations of the expected orders" in out
        assert "Best by MAncG" in out
        assert "nothing beats irb" in out


def test_unknown_measures_are_said_on_one_line(figure):
    status, _, err = call("reliability", figure, "-m", "nothing")
    assert status == 2
    assert err.count("\n") == 1
