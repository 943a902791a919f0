"""Whether elements are of the kind asked for, strictly and vaguely."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanwise.errors import InputError
from spanwise.formats.topics.nexi import parse
from spanwise.matching.structure import satisfies

SECTIONS = "//article[about(., wind)]//sec[about(., sea)]"

# query, path, strictly, vaguely
CASES = [
    # the table of the module
    (SECTIONS, "/article[1]/bdy[1]/sec[2]", True, True),
    (SECTIONS, "/article[1]/bdy[1]/sec[2]/p[1]", False, True),
    (SECTIONS, "/article[1]", False, True),
    (SECTIONS, "/book[1]/sec[3]", False, True),
    (SECTIONS, "/article[1]/bdy[1]", False, False),
    (SECTIONS, "/article[1]/fm[1]/abs[1]/p[1]", False, False),
    # one step
    ("//article[about(., wind)]", "/article[1]", True, True),
    ("//article[about(., wind)]", "/books[1]/article[7]", True, True),
    ("//article[about(., wind)]", "/article[1]/sec[1]", False, True),
    ("//article[about(., wind)]", "/book[1]", False, False),
    # any element
    ("//*[about(., wind)]", "/article[1]/sec[1]", True, True),
    ("//article[about(., wind)]//*[about(., sea)]", "/article[1]", False, True),
    ("//article[about(., wind)]//*[about(., sea)]", "/article[1]/bdy[1]/p[1]", True, True),
    ("//article[about(., wind)]//*[about(., sea)]", "/book[1]/p[1]", False, True),
    ("//*//*//p", "/a[1]/p[1]", False, True),
    ("//*//*//p", "/a[1]/b[1]/p[1]", True, True),
    # alternatives
    ("//(sec|p)[about(., wind)]", "/article[1]/p[1]", True, True),
    ("//(sec|p)[about(., wind)]", "/article[1]/st[1]", False, False),
    # a descendant is never the element itself, and steps keep their order
    ("//sec//sec", "/article[1]/sec[1]", False, True),
    ("//sec//sec", "/article[1]/sec[1]/sec[1]", True, True),
    ("//sec//article", "/article[1]/sec[1]", False, True),
    # a first match that leads nowhere does not hide a later one
    ("//a//b//c", "/a[1]/b[1]/a[1]/c[1]/b[1]/c[1]", True, True),
    # conditions name no element to return
    ("//article[about(.//abs, wind)]//sec", "/article[1]/fm[1]/abs[1]", False, False),
    # attributes are elements of no kind
    ("//sec//@id", "/sec[1]/@id", True, True),
    ("//sec//*", "/sec[1]/@id", False, True),
    # content only
    ("wind sea", "/article[1]/fm[1]", True, True),
    # paths without numbers
    (SECTIONS, "/article/bdy/sec", True, True),
]


@pytest.mark.parametrize(("query", "path", "strictly", "vaguely"), CASES)
def test_worked_examples(query, path, strictly, vaguely):
    tree = parse(query)
    assert satisfies(path, tree, strict=True) is strictly
    assert satisfies(path, tree, strict=False) is vaguely


@pytest.mark.parametrize(
    ("query", "path", "strictly"),
    [
        ("/article/bdy", "/article[1]/bdy[1]", True),
        ("/article/bdy", "/books[1]/article[1]/bdy[1]", False),
        ("//article/bdy", "/books[1]/article[1]/bdy[1]", True),
        ("//article/sec", "/article[1]/bdy[1]/sec[1]", False),
        ("//a/b//c", "/a[1]/x[1]/a[1]/b[1]/x[1]/c[1]", True),
        ("//a/b/c", "/a[1]/b[1]/a[1]/b[1]/c[1]", True),
        ("//a/b/c", "/a[1]/b[1]/x[1]/c[1]", False),
    ],
)
def test_steps_to_children(query, path, strictly):
    assert satisfies(path, parse(query, legacy=True), strict=True) is strictly


def test_tags_that_mean_the_same():
    alike = [{"sec", "ss1", "ss2"}, {"p", "ip1"}]
    tree = parse(SECTIONS)
    assert satisfies("/article[1]/bdy[1]/sec[1]/ss1[1]", tree, strict=True, alike=alike)
    assert not satisfies("/article[1]/bdy[1]/sec[1]/ip1[1]", tree, strict=True, alike=alike)
    assert not satisfies("/article[1]/bdy[1]/ss1[1]", tree, strict=False)
    assert satisfies("/article[1]/bdy[1]/ss1[1]", tree, strict=False, alike=alike)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "article[1]",
        "/article[0]",
        "/article[1]/",
        "/a[1]//b[1]",
        "/a[1]/text()[1].5",
        "/a b",
    ],
)
def test_what_is_no_path(path):
    with pytest.raises(InputError, match="expected the path of an element"):
        satisfies(path, parse("//a"), strict=False)


tags = st.sampled_from("abc")
queries = st.lists(tags | st.just("*") | st.just("(a|b)"), min_size=1, max_size=4).map(
    lambda tests: parse("".join(f"//{test}" for test in tests))
)
paths = st.lists(tags, min_size=1, max_size=6).map(
    lambda found: "".join(f"/{tag}[1]" for tag in found)
)


@given(queries, paths)
def test_strict_is_vague_too(query, path):
    assert satisfies(path, query, strict=False) or not satisfies(path, query, strict=True)


@given(queries, paths, tags)
def test_what_lies_in_a_target_is_vaguely_one(query, path, tag):
    if satisfies(path, query, strict=True):
        assert satisfies(f"{path}/{tag}[2]", query, strict=False)


@given(queries, paths, tags)
def test_more_above_never_hurts(query, path, tag):
    for strict in (True, False):
        if satisfies(path, query, strict=strict):
            assert satisfies(f"/{tag}[1]{path}", query, strict=strict)
