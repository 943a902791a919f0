"""The drop-in for XCGEval and EvalJ: properties, metrics, results, graphs."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from calling import called
from small_navigation import paths_run
from spanwise import evaluate
from spanwise.cli import main

ASSESSED = """<assessments pool="1" topic="{topic}" version="2" whitespace-text-node="keep">
 <file collection="w" name="a">
  <best-entry-point path="/article[1]/sec[1]"/>
  <passage start="/article[1]/sec[1]" end="/article[1]/sec[1]" size="4"/>
  <element path="/article[1]" exhaustivity="2" size="10" rsize="4"/>
  <element path="/article[1]/sec[1]" exhaustivity="2" size="4" rsize="4"/>
 </file>
 <file collection="w" name="b">
  <best-entry-point path="/article[1]"/>
  <passage start="/article[1]" end="/article[1]" size="5"/>
  <element path="/article[1]" exhaustivity="2" size="10" rsize="5"/>
 </file>
</assessments>"""
SEC, ROOT = "/article[1]/sec[1]", "/article[1]"
PROPERTIES = """# Focused
! also a comment
TASK: Focused
METRICS= nxCG, ep/gr
OVERLAP: on, \\
         off
ALPHA 1.0
DCV: 1, 5
QUANT_FUNCTIONS: gen
ASSESSMENTS_DIR: assessed/*.xml
SUBMISSIONRUNS_DIR: runs
RESULTS_DIR: out/deep
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Two topics, one of them answered by one run; documents of ten characters."""
    monkeypatch.chdir(tmp_path)
    for folder in ("assessed", "runs", "docs"):
        (tmp_path / folder).mkdir()
    for topic in "12":
        Path(f"assessed/{topic}.xml").write_text(ASSESSED.format(topic=topic))
    Path("runs/mine.xml").write_text(paths_run([("a", ROOT), ("a", SEC), ("b", ROOT)]))
    Path("docs/a.xml").write_text("<article>......<sec>....</sec></article>")
    Path("docs/b.xml").write_text("<article>..........</article>")
    Path("f.prop").write_text(PROPERTIES)
    return tmp_path


def call(*words):
    out, err, status = called(main, *words)
    return status, out.decode(), err


def lines(file):
    return [line.split("\t") for line in Path(file).read_text().splitlines() if line[0] != "#"]


def table(file):
    return {(measure, topic): float(value) for measure, topic, value in lines(file)}


def test_properties_give_the_measures_of_that_task(place):
    """Focused: with overlap off the ideal vector is still that of the ideal recall base.

    Gains of the run: article of a 2/5, its section 1, article of b 1/2. Ideal: 1, 1/2. With
    overlap on, the section was seen with its article: 0.
    """
    status, out, err = call("evalj", "-q", "-config", "f.prop")
    assert status == 0, err
    found = table("out/deep/mine.txt")
    assert found["nxCG(gen,on)@1", "all"] == pytest.approx(0.4)
    assert found["nxCG(gen,on)@5", "1"] == pytest.approx(0.9 / 1.5)
    assert found["nxCG(gen,off)@5", "all"] == pytest.approx(1.9 / 1.5)
    assert ("MAep(gen,on)", "all") in found
    assert sum(measure.startswith("ep(gen,on)[") for measure, _ in found) == 100
    assert "nxCG(gen,on)@5" in out
    assert "ep(gen,on)[0.5]" not in out
    expected = evaluate("assessed", "runs/mine.xml", ["ep(overlap=on)[0.5]"], average_over="run")
    assert found["ep(gen,on)[0.5]", "all"] == expected.means["ep(overlap=on)[0.5]"]


def test_alpha_keeps_all_its_digits(place):
    """The section was seen with its article, so it gains 1 - alpha; article of b 1/2."""
    text = Path("f.prop").read_text().replace("ALPHA 1.0", "ALPHA 0.123456789")
    Path("f.prop").write_text(text)
    call("evalj", "-config", "f.prop")
    gained = 0.4 + (1 - 0.123456789) + 0.5
    found = table("out/deep/mine.txt")["nxCG(gen,on)@5", "all"]
    assert found == pytest.approx(gained / 1.5, rel=1e-12)


def test_topics_without_results_count_only_with_e(place):
    call("evalj", "-config", "f.prop")
    alone = table("out/deep/mine.txt")["nxCG(gen,on)@1", "all"]
    call("evalj", "-e", "-config", "f.prop")
    assert table("out/deep/mine.txt")["nxCG(gen,on)@1", "all"] == pytest.approx(alone / 2)


def test_all_assessments_are_kept_in_one_file(place):
    with Path("f.prop").open("a") as file:
        file.write("EXPANDED_FULLRB: everything.xml\n")
    call("evalj", "-e", "-config", "f.prop")
    first = Path("out/deep/mine.txt").read_text()
    assert Path("everything.xml").read_text().count("<assessments ") == 2
    shutil.rmtree("assessed")  # no longer looked at
    status, _, err = call("evalj", "-e", "-config", "f.prop")
    assert status == 0, err
    assert Path("out/deep/mine.txt").read_text() == first


def test_all_assessments_in_one_file_may_be_out_of_date(place):
    with Path("f.prop").open("a") as file:
        file.write("EXPANDED_FULLRB: everything.xml\n")
    for _ in range(2):
        assert "everything.xml" not in call("evalj", "-config", "f.prop")[2]
    os.utime("everything.xml", (0, 0))
    status, _, err = call("evalj", "-config", "f.prop")
    assert status == 0
    assert "everything.xml: older than assessed/1.xml, which is not looked at" in err


def test_one_file_that_cannot_hold_the_assessments_is_not_made(place):
    Path("lit.qrels").write_text("1 Q0 a 4 10 6 6:4\n")
    text = Path("f.prop").read_text().replace("assessed/*.xml", "lit.qrels")
    Path("f.prop").write_text(text + "INEXDOCCOLL_DIR: docs\nEXPANDED_FULLRB: everything.xml\n")
    status, _, err = call("evalj", "-config", "f.prop")
    assert status == 2
    assert "EXPANDED_FULLRB 'everything.xml' cannot hold 1 highlighted passage by offset" in err
    assert not Path("everything.xml").exists()
    words = ("--to", "inex_full_recall_base", "--collection", "docs")
    assert call("convert", "lit.qrels", "everything.xml", *words)[0] == 0
    assert call("evalj", "-config", "f.prop")[0] == 0


def test_all_assessments_have_to_come_from_somewhere(place):
    text = Path("f.prop").read_text().replace("ASSESSMENTS_DIR: assessed/*.xml", "")
    Path("f.prop").write_text(text + "EXPANDED_FULLRB: everything.xml\n")
    status, _, err = call("evalj", "-config", "f.prop")
    assert status == 2
    assert "ASSESSMENTS_DIR is missing, and there is no everything.xml; expected where" in err


def test_a_configuration_may_come_from_a_pipe(place):
    command = [sys.executable, "-m", "spanwise", "evalj", "-config", "-"]
    done = subprocess.run(command, input=Path("f.prop").read_bytes(), check=False, cwd=place)
    assert done.returncode == 0
    assert Path("out/deep/mine.txt").exists()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("DCV: 1", "DVC: 1", "f.prop:8: unknown key 'DVC'; did you mean DCV?"),
        ("DCV: 1", "DCV: zero", "f.prop:8: DCV 'zero'; expected ranks"),
        ("nxCG, ep/gr", "MAP", "f.prop:4: METRICS 'MAP'; expected one of nxCG, xCG, ep/gr"),
        ("METRICS=", "#", "METRICS is missing; expected one or more of"),
        ("Focused\n!", "Browsing\n!", "expected one of Thorough, Focused"),
        ("ALPHA 1.0", "ALPHA 2", "f.prop:7: ALPHA '2'; expected a number from 0 to 1"),
        ("assessed/*.xml", "nowhere/*.xml", "'nowhere/*.xml'; expected a file, a folder"),
        ("SUBMISSIONRUNS_DIR: runs", "", "SUBMISSIONRUNS_DIR is missing"),
        ("RESULTS_DIR: out/deep", "DCV: 3", "DCV a second time"),
        ("RESULTS_DIR", "INEXDOCCOLL_DIR", "INEXDOCCOLL_DIR 'out/deep'; expected a folder"),
        ("gen", "odd", "f.prop:9: QUANT_FUNCTIONS 'odd'; expected one of strict, gen"),
        ("DCV: 1", ": 1", "f.prop:8: ': 1, 5'; expected KEY: value"),
        ("out/deep\n", "out/deep\nFOO: 1\\", "f.prop:13: unknown key 'FOO'"),
    ],
)
def test_mistakes_in_properties(place, old, new, message):
    text = Path("f.prop").read_text()
    if old.startswith("Focused"):
        text = text.replace("TASK: Focused", "TASK: Browsing")
    Path("f.prop").write_text(text.replace(old, new))
    status, _, err = call("evalj", "-config", "f.prop")
    assert status == 2
    assert message in err
    assert err.splitlines()[-1].startswith("spanwise: error: ")


def test_gnuplot_accepts_data_and_script(place):
    call("evalj", "-gnu", "-config", "f.prop")
    data = Path("out/deep/nxCG_gen_on.dat").read_text().splitlines()
    assert data[1].split() == ["1", "0.4"]
    program = shutil.which("gnuplot")
    if program is None:
        pytest.skip("gnuplot is not installed")
    for script in Path("out/deep").glob("*.gp"):
        done = subprocess.run(
            [program, script.name], cwd="out/deep", capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, ""), script
        assert (script.with_suffix(".png")).read_bytes().startswith(b"\x89PNG")


def test_pictures(place):
    pytest.importorskip("vl_convert")
    status, _, err = call("evalj", "-jfree", "-config", "f.prop")
    assert status == 0, err
    names = {file.name for file in Path("out/deep").glob("*.png")}
    assert names == {f"{m}_gen_{o}.png" for m in ("nxCG", "ep_gr") for o in ("on", "off")}
    assert Path("out/deep/nxCG_gen_on.png").read_bytes().startswith(b"\x89PNG")


def test_graphs_of_like_labels_keep_their_files_apart(place):
    Path("m.xml").write_text('<metrics><PR id="p/1"/><PR id="p 1"/></metrics>')
    status, _, err = call("evalj", "-gnu", "-config", "m.xml", "assessed", "runs/mine.xml")
    assert status == 0, err
    assert "set title 'p/1'" in Path("results/p_1.gp").read_text()
    assert "set title 'p 1'" in Path("results/p_1_2.gp").read_text()


METRICS = """<metrics>
 <EPRUM id="e"><binary value="false"/><generator value="BEPTargetGenerator"/>
  <quantisation value="Exh"/><behaviour value="BEPDistance"><A value="0.1"/></behaviour></EPRUM>
 <BEPD id="b"><a value="0.1"/></BEPD>
 <PR id="pr"/> <PRNG id="ng"><overlap value="false"/></PRNG>
 <GR id="gr"><behaviour value="Containment"/><binary value="true"/></GR>
 <PRUM id="prum"/>
 <BEPD id="other" only="BestInContext"><a value="1"/></BEPD>
</metrics>"""


def test_metrics_as_evalj_names_them(place):
    Path("m.xml").write_text(METRICS)
    words = ("-config", "m.xml", "-collection", "docs", "assessed", "runs/mine.xml")
    status, _, err = call("evalj", *words)
    assert status == 0, err
    found = table("results/mine.txt")
    names = {
        "e": "EPRUM(A=0.1)",
        "e[0.5]": "EPRUM(A=0.1)[0.5]",
        "b": "BEPD(A=0.1)",
        "pr": "inex_eval",
        "ng.R@5": "NGR(overlap=off)@5",
        "gr@5": "GR(behaviour=containment,worth=binary)@5",
        "prum[0.5]": "PRUM[0.5]",
    }
    scores = evaluate(
        "assessed", "runs/mine.xml", list(names.values()), collection="docs", average_over="run"
    )
    for label, name in names.items():
        assert found[label, "all"] == scores.means[name], label
    # L is 10: A L = 1; the first result of a begins 6 characters before its best entry point.
    assert found["b", "all"] == pytest.approx((1 / 7 + 1) / 2)
    assert not any(label.startswith("other") for label, _ in found)


def test_runs_of_another_task_are_left_out(place):
    Path("m.xml").write_text('<metrics><BEPD only="BestInContext"/></metrics>')
    words = ("-config", "m.xml", "-collection", "docs", "assessed", "runs/mine.xml")
    status, out, err = call("evalj", *words)
    assert (status, out) == (0, "")
    assert "a run for Thorough, for which no metric is meant" in err


def test_runs_of_several_tasks_stand_in_one_table(place):
    """Each under the metrics that are for it; what it was not asked is left blank."""
    Path("m.xml").write_text(
        '<metrics><PR id="p" only="Thorough"/><BEPD id="b" only="BestInContext"/></metrics>'
    )
    Path("runs/near.xml").write_text(
        paths_run([("a", SEC)]).replace('task="Thorough"', 'task="BestInContext"')
    )
    status, out, err = call("evalj", "-config", "m.xml", "-collection", "docs", "assessed", "runs")
    assert status == 0, err
    heading, _, mine, near = out.splitlines()[:4]
    assert heading.split() == ["run", "p", "b"]
    assert (len(mine.split()), len(near.split())) == (2, 2)
    assert len(mine) < len(near)
    assert ("b", "all") not in table("results/mine.txt")


def test_runs_of_one_file_name_keep_their_results_apart(place):
    for folder in ("x", "y"):
        Path(f"runs/{folder}").mkdir()
    Path("runs/x/mine.xml").write_text(paths_run([("a", ROOT)]))
    Path("runs/y/mine.xml").write_text(paths_run([("b", ROOT)]))
    text = Path("f.prop").read_text().replace("DIR: runs", "DIR: runs/*/*.xml, runs/x/mine.xml")
    Path("f.prop").write_text(text)
    status, _, err = call("evalj", "-gnu", "-config", "f.prop")
    assert status == 0, err
    assert {file.name for file in Path("out/deep").glob("*.txt")} == {"x_mine.txt", "y_mine.txt"}
    one, other = (table(f"out/deep/{name}_mine.txt") for name in "xy")
    assert one["nxCG(gen,on)@1", "all"] == pytest.approx(0.4)
    assert other["nxCG(gen,on)@1", "all"] == pytest.approx(0.5)
    drawn = Path("out/deep/nxCG_gen_on.gp").read_text()
    assert "title 'x/mine.xml'" in drawn
    assert "title 'y/mine.xml'" in drawn


@pytest.mark.parametrize("option", ["-results", "--results"])
def test_results_can_be_sent_elsewhere(place, option):
    call("evalj", option, "there", "-config", "f.prop")
    assert Path("there/mine.txt").exists()
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        ("<MAP/>", "m.xml:1: the metric <MAP>; expected one of EPRUM"),
        ("<BEPD><c value='1'/></BEPD>", "<c> in <BEPD>; expected one of a, L"),
        ("<BEPD><a value='x'/></BEPD>", "<a value='x'>; expected a number above 0"),
        ("<BEPD><a/></BEPD>", "<a> without a value"),
        ("<BEPD ID='1'/>", "the attribute 'ID' of <BEPD>"),
        ("<BEPD/><BEPD/>", "the id 'BEPD' occurs twice"),
        ("<GR><behaviour value='Jump'/></GR>", "expected one of BEPDistance, Identity"),
        ("<GR><generator value='BEPTargetGenerator'/></GR>", "expected IdealTargetGenerator"),
        ("", "no metrics in it"),
        ("<BEPD><a value='1'><A value='5'/></a></BEPD>", "<A> in <a>; expected nothing in it"),
        ("<BEPD><a value='1'/><A value='5'/></BEPD>", "<a> a second time"),
        ("<BEPD><a value='1e400'/></BEPD>", "<a value='1e400'>; expected a number above 0"),
        (
            "<GR><behaviour value='Identity'><A value='5'/></behaviour></GR>",
            "<A value='5'>; expected it only with the behaviour BEPDistance",
        ),
        ("<GR><behaviour value='BEPDistance'><B/></behaviour></GR>", "expected only <A value=...>"),
        (
            "<GR><behaviour value='BEPDistance'/><binary value='perhaps'/></GR>",
            "<binary value='perhaps'>; expected one of true, false",
        ),
        (
            "<GR><behaviour value='BEPDistance'/><quantisation value='gen'/></GR>",
            "<quantisation value='gen'>; expected Exh",
        ),
        ("\n<PR><quantisation value='odd'/></PR>", "m.xml:2: <quantisation value='odd'>; expected"),
        ("<PR><quantisation value='gen' id='1'/></PR>", "of <quantisation>; expected value"),
    ],
)
def test_mistakes_in_metrics(place, inside, message):
    Path("m.xml").write_text(f"<metrics>{inside}</metrics>")
    status, _, err = call("evalj", "-config", "m.xml", "assessed", "runs/mine.xml")
    assert status == 2
    assert message in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-q"], "no configuration; usage: evalj -config"),
        (["-config"], "-config needs a name"),
        (["-config", "f.prop", "-gnu", "-jfree"], "exclude each other"),
        (["-config", "f.prop", "-z"], "unknown option '-z'"),
        (["-config", "f.prop", "run"], "properties name their files themselves"),
        (["-config", "none.prop"], "none.prop: cannot be opened"),
    ],
)
def test_mistakes_on_the_command_line(place, words, message):
    status, _, err = call("evalj", *words)
    assert status == 2
    assert message in err


def test_without_words_it_says_how_it_is_used():
    status, out, err = call("evalj")
    assert (status, err) == (0, "")
    assert out.startswith("spanwise evalj -config FILE")


def test_official_configurations_come_along_and_work(place):
    call("evalj", "-examples", "official")
    assert {file.name for file in Path("official").iterdir()} == {
        "thorough-2006.prop",
        "focused-2006.prop",
        "best-in-context-2006.xml",
    }
    Path("assessed").rename("assessments")
    for name, label in (("thorough", "MAep(gen,off)"), ("focused", "nxCG(gen,off)@50")):
        status, _, err = call("evalj", "-e", "-config", f"official/{name}-2006.prop")
        assert status == 0, err
        assert (label, "all") in table("results/mine.txt")
    text = Path("runs/mine.xml").read_text().replace("Thorough", "BestInContext")
    Path("runs/mine.xml").write_text(text)
    words = ("-collection", "docs", "assessments", "runs/mine.xml")
    call("evalj", "-config", "official/best-in-context-2006.xml", *words)
    found = table("results/mine.txt")
    for a in ("0.01", "0.1", "1", "10", "100"):
        assert 0 < found[f"bepd-{a}", "all"] <= 1
        assert 0 < found[f"eprum-bep-{a}", "all"] <= 1
    status, _, err = call("evalj", "-examples", "official")
    assert status == 2
    assert "already exists" in err
