"""A release of assessments as a tree of folders: what is official, what is passed over."""

import pytest

from same_content import listed
from spanwise.errors import FormatError, InputError, SpanwiseWarning
from spanwise.formats import expanded, read_judgements

POOL = '<assessments pool="{pool}" topic="{topic}" version="2"><file name="d{pool}"/></assessments>'


@pytest.fixture
def release(tmp_path):
    def put(*places: str):
        for place in places:
            file = tmp_path / place
            file.parent.mkdir(parents=True, exist_ok=True)
            topic = file.parent.name.removeprefix("topic-")
            pool = file.name.removeprefix("pool-").removesuffix(".xml")
            file.write_text(POOL.format(pool=pool, topic=topic))
        (tmp_path / "done" / "assessments.dtd").write_text("<!ELEMENT assessments ANY>")
        return tmp_path

    return put


def test_only_main_is_official_and_the_rest_is_counted(release):
    folder = release(
        "done/CO+S/main/topic-3/pool-30.xml",
        "done/CAS/main/topic-4/pool-40.xml",
        "done/CO+S/others/topic-3/pool-31.xml",
        "in_progress/CO+S/main/topic-5/pool-50.xml",
        "in_progress/CO+S/others/topic-5/pool-51.xml",
    )
    with pytest.warns(SpanwiseWarning) as said:
        judgements = read_judgements(folder)
    assert [str(one.message) for one in said] == [
        f"{folder}: 3 of 5 pools are not official and were skipped"
        " (2 under others, 2 under in_progress)"
    ]
    assert judgements.rows.topics == (b"4", b"3")
    assert listed(judgements.documents) == [b"d40", b"d30"]
    assert [pool.number for pool in judgements.elements.pools] == ["40", "30"]


@pytest.mark.parametrize("level", ["done", "done/CO", "done/CO/main"])
def test_any_level_of_a_release_will_do(release, level):
    folder = release("done/CO/main/topic-3/pool-30.xml", "done/CO/main/topic-4/pool-40.xml")
    assert len(expanded([str(folder / level)])) == 2


def test_who_names_others_gets_them(release):
    folder = release("done/CO/main/topic-3/pool-30.xml", "done/CO/others/topic-3/pool-31.xml")
    found = read_judgements(folder / "done/CO/others")
    assert listed(found.documents) == [b"d31"]


def test_older_releases_have_no_main(release):
    folder = release("done/CO/topic-3/pool-30.xml", "done/CO/topic-4/pool-40.xml")
    assert read_judgements(folder).rows.topics == (b"3", b"4")


@pytest.mark.parametrize("level", ["", "done/CO/topic-3"])
def test_two_pools_of_one_topic_are_not_mixed(release, level):
    folder = release("done/CO/topic-3/pool-30.xml", "done/CO/topic-3/pool-31.xml")
    with pytest.raises(InputError) as caught:
        read_judgements(folder / level)
    place = folder / "done/CO/topic-3"
    assert str(caught.value) == (
        f"{place / 'pool-31.xml'}: topic '3' is also in {place / 'pool-30.xml'};"
        " expected one pool for each topic; keep the official file"
    )


def test_unfinished_pools_alone_are_an_error(release, tmp_path):
    (tmp_path / "done").mkdir()
    release("in_progress/CO/main/topic-3/pool-30.xml")
    with pytest.raises(FormatError, match="no official pool; expected"):
        expanded([str(tmp_path)])


def test_assessments_and_plain_judgements_are_not_mixed(tmp_path):
    (tmp_path / "a.txt").write_text("1 0 d 1\n")
    (tmp_path / "b.xml").write_text(POOL.format(pool=1, topic=2))
    with pytest.raises(InputError, match=r"found judgements of documents among assessments"):
        read_judgements(tmp_path)
