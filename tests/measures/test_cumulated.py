"""Measures of elements on the first figure of the reliability study, worked out by hand.

With `sog` the article has the values: article and bdy 0.25, sec4 0.5 with children 0.9, 0.25 and
0.9, sec6 1 with children 1, 0.9 and 0.9. Ideal are sec4 and sec6, so xI = 1, 0.5.
"""

import pytest

import spanwise
from figure_one import (
    ARTICLE,
    GRADES,
    SEC4,
    SEC6,
    assessments,
    submission,
)
from spanwise.errors import UsageError


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figure")
    (folder / "articles").mkdir()
    (folder / "articles" / "r7022.xml").write_text(ARTICLE)
    (folder / "judged.xml").write_text(assessments())
    return folder


def value(files, name, paths, collection=True):
    run = files / "run.xml"
    run.write_text(submission(paths))
    documents = str(files / "articles") if collection else None
    scores = spanwise.evaluate(str(files / "judged.xml"), str(run), [name], collection=documents)
    return scores.means[name]


def near(fraction):
    return pytest.approx(fraction, abs=1e-12)


def test_children_of_an_ideal_element_earn_no_more_than_it(files):
    children = [f"{SEC4}/p[1]", f"{SEC4}/ip1[2]", f"{SEC4}/p[2]"]
    assert value(files, "xCG(quant=sog,alpha=0)@3", children) == near(2.05)
    assert value(files, "xCG(quant=sog)@1", children) == near(0.5)  # 0.9, but sec4 has only 0.5
    assert value(files, "xCG(quant=sog)@3", children) == near(0.5)
    assert value(files, "nxCG(quant=sog)@1", children) == near(0.5)
    assert value(files, "nxCG(quant=sog)@3", children) == near(0.5 / 1.5)


def test_a_section_after_one_of_its_paragraphs(files):
    run = [f"{SEC6}/p[2]", SEC6]  # 0.9 of the budget of 1 is used up at once
    # of the rest no child counts more than 0.1; unbounded it is (30 * 1 + 10 * 0.9) / 50 = 0.78
    assert value(files, "xCG(quant=sog)@1", run) == near(0.9)
    assert value(files, "xCG(quant=sog)@2", run) == near(0.9 + (30 + 10) * 0.1 / 50)
    assert value(files, "xCG(quant=sog,cap=descendants)@2", run) == near(0.9 + 0.78)
    assert value(files, "xCG(quant=sog,cap=subtree)@2", run) == near(1)
    # with alpha 1/2 it is 0.5 * 0.1 + 0.5 * 1, of which 0.1 is left
    assert value(files, "xCG(quant=sog,alpha=0.5)@2", run) == near(1)


def test_a_partly_seen_body_is_worth_what_its_sections_are(files):
    run = [SEC6, "/article[1]/bdy[1]"]  # sec4 is unseen: 0.5 * 80 / 150
    assert value(files, "xCG(quant=sog)@2", run) == near(1 + 0.5 * 80 / 150)
    assert value(files, "xCG(quant=sog,alpha=0.5)@2", run) == near(
        1 + 0.5 * (0.5 * 80 + 0 * 50) / 150 + 0.5 * 0.25
    )


def test_a_result_seen_as_a_whole_is_worth_nothing_more(files):
    run = [SEC6, f"{SEC6}/p[1]"]
    assert value(files, "xCG(quant=sog)@2", run, collection=False) == near(1)
    assert value(files, "xCG(quant=sog,overlap=off)@2", run, collection=False) == near(2)


def test_the_ideal_run_scores_one_at_every_rank(files):
    for k in (1, 2, 3, 50):
        assert value(files, f"nxCG(quant=sog)@{k}", [SEC6, SEC4]) == near(1)
    for name in ("MAncG(quant=sog)", "ep(quant=sog,overlap=on)[1]", "MAep(quant=sog,overlap=on)"):
        assert value(files, name, [SEC6, SEC4]) == near(1)


def test_effort_between_ranks(files):
    run = [SEC4, SEC6]  # xCG 0.5, 1.5 against 1, 1.5
    inside = "quant=sog,overlap=on"
    # half of the total is 0.75: the ideal curve has it at 0.75, the run at 1 + 0.25 / 1
    assert value(files, f"ep({inside})[0.5]", run) == near(0.75 / 1.25)
    assert value(files, f"ep({inside},interpolate=whole)[0.5]", run) == near(1 / 2)
    # 0.5 at rank 1: the ideal curve has it at 0.5; all at rank 2
    assert value(files, f"MAep({inside})", run) == near((0.5 / 1 + 2 / 2) / 2)
    assert value(files, f"gr({inside})@1", run) == near(0.5 / 1.5)
    assert value(files, f"MAnxCG({inside})@2", run) == near((0.5 + 1) / 2)
    # a cut-off far below both lists costs nothing
    assert value(files, f"MAnxCG({inside})@999999999999", run) == near(1)


def test_ranks_in_percent_of_a_length(files):
    run = [SEC4, SEC6]
    # base 5: ranks 1, 1, 2, 2, 3, 3, 4, 4, 5, 5
    assert value(files, "MAncG(quant=sog,base=5)", run) == near((2 * 0.5 + 8 * 1) / 10)
    assert value(files, "MAncG(quant=sog,base=ideal)", run) == near((5 * 0.5 + 5 * 1) / 10)


def test_precall_of_two_sections(files):
    # n = 1 + 1 + 4 * 0.9 + 0.5 + 3 * 0.25 = 6.85; a tenth of it is 0.685
    # sec4 has 0.5 of it; then sec6, of which nothing is not relevant
    wanted = 0.685
    assert value(files, "precall(quant=sog)[0.1]", [SEC4, SEC6]) == near(wanted / (wanted + 0.5))
    assert value(files, "precall(quant=sog)[0.05]", [SEC4]) == near(
        0.3425 / (0.3425 + 0.3425 * 0.5 / 1.5)
    )
    assert value(files, "precall(quant=sog)[1]", [SEC4, SEC6]) == 0
    with pytest.raises(UsageError, match="elements is 1, but a topic has 2 results"):
        value(files, "precall(quant=sog,elements=1)[1]", [SEC4, SEC6])


def test_strict_leaves_two_elements(files):
    assert value(files, "inex_eval(quant=strict)", [SEC6, f"{SEC6}/p[1]"]) == near(1)
    assert value(files, "inex_eval(quant=strict)", [SEC4, SEC6, f"{SEC6}/p[1]"]) == near(
        sum((x / 50) / (x / 50 + 1) for x in range(1, 101)) / 100
    )


def test_relevant_paths_may_end_where_nothing_has_a_value(files):
    # strict gives 1 to sec6 and its first paragraph alone. Of the two equal ones on the path to
    # that paragraph the deeper is ideal. Its siblings are graded 2 3: found relevant, worth 0. On
    # the path to one of them sec6 is the best, and being outermost it displaces the paragraph.
    paragraph = f"{SEC6}/p[1]"
    rule = "quant=strict,ideal=deeper"
    assert value(files, f"nxCG({rule})@1", [paragraph]) == 1
    # Seen as a whole the paragraph still earns half of its value, if its ideal element has it left:
    # that is the paragraph itself, or sec6, which was paid in full.
    assert value(files, f"xCG({rule},alpha=0.5)@2", [SEC6, paragraph]) == near(1.5)
    assert value(files, f"xCG({rule},alpha=0.5,paths=assessed)@2", [SEC6, paragraph]) == near(1)
    assert value(files, f"EPRUM(behaviour=identity,{rule})[1]", [SEC6, paragraph]) == 0.5
    assert value(files, f"EPRUM(behaviour=identity,{rule},paths=assessed)[1]", [SEC6]) == 1


def test_the_next_generation(files):
    run = [f"{SEC4}/p[1]", SEC4]  # sizes 40 and 80, specificity 1 and 2/3, half is seen
    assert value(files, "NGP@2", run) == near((40 + 2 / 3 * 40) / 80)
    assert value(files, "NGP(overlap=off)@2", run) == near((40 + 2 / 3 * 80) / 120)
    total = sum(int(grades[0]) for grades in GRADES.values()) / 3
    assert value(files, "NGR@2", run) == near((2 / 3 + 2 / 3 * 0.5) / total)


def test_overlap_counts_what_lies_inside_another(files):
    run = [f"{SEC4}/p[1]", SEC4, SEC6, "/article[1]"]
    assert value(files, "Overlap", run) == 0.75
    assert value(files, "Overlap(variant=earlier)", run) == 0.5


def test_a_missing_size_is_asked_for(files):
    with pytest.raises(spanwise.errors.InputError, match="pass --collection"):
        value(files, "nxCG(quant=sog)@2", [f"{SEC6}/p[1]", SEC6], collection=False)
    assert value(files, "nxCG(quant=sog)@1", [f"{SEC6}/p[1]"], collection=False) == near(1)
