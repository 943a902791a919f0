"""Folders, archives, lists."""

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile

import pytest

from spanwise.collection import archives
from spanwise.collection.building import Plan, build
from spanwise.collection.sources import sources, total_size
from spanwise.collection.store import Store
from spanwise.errors import FormatError, InputError, SpanwiseWarning

XML = b"<a>x</a>"


def names(*paths):
    return [source.name for source in sources([str(path) for path in paths])]


@pytest.fixture
def folder(tmp_path):
    """Files whose byte order is not that of folder after folder."""
    shelf = tmp_path / "shelf"
    for name in ("b.xml", "a/2.xml", "a/10.xml", "a.xml", "a-z.xml", "a/c/d.xml", ".hidden"):
        path = shelf / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(XML)
    return shelf


def tar(path, members, mode="w"):
    with tarfile.open(path, mode) as archive:
        for name, data in members.items():
            about = tarfile.TarInfo(name)
            about.size = len(data)
            archive.addfile(about, io.BytesIO(data))


def test_a_folder_comes_in_byte_order_of_paths(folder):
    found = names(folder)
    assert found == ["a-z.xml", "a.xml", "a/10.xml", "a/2.xml", "a/c/d.xml", "b.xml"]
    assert found == sorted(found)


def test_companions_of_documents_are_left_out_and_counted(folder, tmp_path):
    (folder / "a" / "article.dtd").write_text("<!ELEMENT a ANY>")
    (folder / "x.PNG").write_bytes(b"\x89PNG")
    with pytest.warns(SpanwiseWarning, match=r"shelf: not documents, ignored: 1 \.dtd, 1 \.png"):
        assert len(names(folder)) == 6
    tar(tmp_path / "docs.tar", {"a.xml": XML, "a.gif": b"GIF"})
    with pytest.warns(SpanwiseWarning, match=r"docs\.tar: not documents, ignored: 1 \.gif"):
        assert names(tmp_path / "docs.tar") == ["a.xml"]
    assert names(folder / "x.PNG") == ["x.PNG"]  # who names a file wants it


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz", "w:bz2"])
@pytest.mark.parametrize("name", ["docs.tar", "docs"])
def test_tar(tmp_path, mode, name):
    tar(tmp_path / name, {"./z/1.xml": XML, "a.xml": b"<a>yy</a>", "z/.hidden": b""}, mode)
    assert names(tmp_path / name) == ["z/1.xml", "a.xml"]
    build([str(tmp_path / name)], str(tmp_path / "store"))
    store = Store(str(tmp_path / "store"))
    assert (store.text("1"), store.text("a.xml")) == ("x", "yy")


def test_links_in_a_tar_are_no_documents_and_counted(tmp_path):
    with tarfile.open(tmp_path / "t.tar", "w") as archive:
        for kind, name in ((tarfile.SYMTYPE, "link.xml"), (tarfile.LNKTYPE, "other.xml")):
            about = tarfile.TarInfo(name)
            about.type, about.linkname = kind, "/etc/passwd"
            archive.addfile(about)
        about = tarfile.TarInfo("folder")
        about.type = tarfile.DIRTYPE
        archive.addfile(about)
    tar(tmp_path / "t2.tar", {"a.xml": XML})
    with pytest.warns(SpanwiseWarning, match=r"t\.tar: 2 members that are links") as said:
        assert names(tmp_path / "t.tar", tmp_path / "t2.tar") == ["a.xml"]
    assert len(said) == 1


def test_a_tar_without_the_mark_of_newer_ones(tmp_path):
    tar(tmp_path / "new.tar", {"a.xml": XML})
    data = bytearray((tmp_path / "new.tar").read_bytes())
    data[257:512] = bytes(255)  # all that the first tar did not have
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    (tmp_path / "old.tar").write_bytes(data)
    assert names(tmp_path / "old.tar") == ["a.xml"]
    data[0:1] = b"b"  # the sum is no longer right
    (tmp_path / "other").write_bytes(data)
    assert names(tmp_path / "other") == ["other"]


@pytest.mark.parametrize("pack", [gzip, lzma, bz2])
def test_members_of_archives_may_be_compressed(tmp_path, pack):
    members = {"in/1.xml.gz": pack.compress(XML), "in/2.xml": pack.compress(b"<a>yy</a>")}
    tar(tmp_path / "docs.tar", members)
    with zipfile.ZipFile(tmp_path / "docs.zip", "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    for number, archive in enumerate(("docs.tar", "docs.zip")):
        assert names(tmp_path / archive) == ["in/1.xml", "in/2.xml"]
        build([str(tmp_path / archive)], str(tmp_path / f"store{number}"))
        store = Store(str(tmp_path / f"store{number}"))
        assert (store.text("1"), store.text("in/2")) == ("x", "yy")


def test_an_archive_inside_an_archive_is_told_so(tmp_path):
    tar(tmp_path / "in.tar.gz", {"a.xml": XML}, "w:gz")
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
        archive.writestr("a.xml", XML)
    packed = {name: (tmp_path / name).read_bytes() for name in ("in.tar.gz", "in.zip")}
    tar(tmp_path / "out.tar", {**packed, "b.xml": XML})
    with pytest.warns(SpanwiseWarning, match=r"out\.tar/in\.(tar\.gz|zip): an archive;") as said:
        build([str(tmp_path / "out.tar")], str(tmp_path / "s"), Plan(on_error="skip"))
    assert len(said) == 2
    assert len(Store(str(tmp_path / "s"))) == 1


def test_an_archive_without_members(tmp_path):
    zipfile.ZipFile(tmp_path / "empty.zip", "w").close()
    with pytest.raises(InputError, match="no document could be read"):
        build([str(tmp_path / "empty.zip")], str(tmp_path / "s"))


def test_zip(tmp_path):
    with zipfile.ZipFile(tmp_path / "docs.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("z/1.xml", XML)
        archive.writestr("a.xml", XML)
    assert names(tmp_path / "docs.zip") == ["z/1.xml", "a.xml"]


def test_names_in_a_zip_are_utf8_even_where_it_is_not_said(tmp_path):
    with zipfile.ZipFile(tmp_path / "docs.zip", "w") as archive:
        archive.writestr("n_.xml", XML)
        archive.writestr("\u00e9.xml", XML)
    data = (tmp_path / "docs.zip").read_bytes()
    (tmp_path / "docs.zip").write_bytes(data.replace(b"n_.xml", "ü.xml".encode()))
    assert names(tmp_path / "docs.zip") == ["ü.xml", "\u00e9.xml"]


@pytest.mark.parametrize(("pack", "ending"), [(gzip, "gz"), (lzma, "xz"), (bz2, "bz2")])
def test_single_files(tmp_path, pack, ending):
    (tmp_path / f"d.xml.{ending}").write_bytes(pack.compress(XML))
    (tmp_path / "misnamed.xml").write_bytes(pack.compress(XML))
    assert names(tmp_path) == ["d.xml", "misnamed.xml"]
    build([str(tmp_path / f"d.xml.{ending}"), str(tmp_path / "misnamed.xml")], str(tmp_path / "s"))
    assert Store(str(tmp_path / "s")).text("d") == "x"
    assert Store(str(tmp_path / "s")).text("misnamed") == "x"


def test_archives_inside_a_folder(tmp_path):
    (tmp_path / "in").mkdir()
    tar(tmp_path / "in" / "part.tar.xz", {"x/1.xml": XML}, "w:xz")
    (tmp_path / "in" / "2.xml.gz").write_bytes(gzip.compress(XML))
    assert names(tmp_path) == ["in/2.xml", "in/x/1.xml"]


def test_a_list_of_files(tmp_path, folder, monkeypatch):
    (tmp_path / "list.txt").write_text("\nshelf/b.xml\n  shelf/a/2.xml  \n\n./shelf/a.xml\n")
    assert names(tmp_path / "list.txt") == ["shelf/b.xml", "shelf/a/2.xml", "shelf/a.xml"]
    monkeypatch.chdir(folder)
    (tmp_path / "here.txt").write_text("b.xml\n")
    assert names(tmp_path / "here.txt") == ["b.xml"]


def test_a_list_may_be_compressed(tmp_path, folder):
    (tmp_path / "list.txt.gz").write_bytes(gzip.compress(b"shelf/b.xml\nshelf/a.xml\n"))
    assert names(tmp_path / "list.txt.gz") == ["shelf/b.xml", "shelf/a.xml"]


def test_a_list_that_names_what_is_not_there(tmp_path, folder):
    (tmp_path / "list.txt").write_text("shelf/b.xml\nshelf/none.xml\n")
    with pytest.raises(FormatError, match=r"list\.txt:2: 'shelf/none\.xml' is not a file"):
        build([str(tmp_path / "list.txt")], str(tmp_path / "store"))


def test_a_list_of_files_none_of_which_is_there_is_no_document(tmp_path):
    (tmp_path / "list.txt").write_text("shelf/none.xml\nshelf/some.xml.gz\n")
    with pytest.raises(FormatError, match=r"list\.txt:1: 'shelf/none\.xml' is not a file"):
        build([str(tmp_path / "list.txt")], str(tmp_path / "store"))


def test_a_text_that_names_no_file_is_a_document(tmp_path):
    (tmp_path / "t.txt").write_text("Just words\n")
    assert names(tmp_path / "t.txt") == ["t.txt"]


def test_a_list_on_standard_input(tmp_path, folder, monkeypatch):
    class Stdin:
        buffer = io.BytesIO(f"{folder}/b.xml\n".encode())

    monkeypatch.setattr("sys.stdin", Stdin)
    assert names("-") == [f"{folder}/b.xml".lstrip("/")]


@pytest.mark.parametrize("ending", ["tar.gz", "tar.xz", "zip", "tar"])
def test_damaged_archives(tmp_path, ending):
    path = tmp_path / f"docs.{ending}"
    data = os.urandom(50_000).hex().encode()
    if ending == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.xml", data)
    else:
        tar(path, {"a.xml": data}, {"tar": "w"}.get(ending, f"w:{ending[-2:]}"))
    path.write_bytes(path.read_bytes()[:30_000])
    with pytest.raises(FormatError, match=r"docs.*(damaged|cannot be read)"):
        build([str(path)], str(tmp_path / "store"))


def skipping(folder):
    """The names and the complaints of a build that skips."""
    with pytest.warns(SpanwiseWarning) as caught:
        build([str(folder)], str(folder / "../store"), Plan(on_error="skip"))
    said = [str(warning.message).removeprefix(f"skipped: {folder}/") for warning in caught]
    return [document.name for document in Store(str(folder / "../store")).documents()], said


def test_a_damaged_archive_is_skipped_and_what_lies_before_the_damage_kept(folder):
    members = {f"{n}.xml": b"<a>%b</a>" % os.urandom(10_000).hex().encode() for n in range(4)}
    tar(folder / "t.tar.gz", members, "w:gz")
    (folder / "t.tar.gz").write_bytes((folder / "t.tar.gz").read_bytes()[:30_000])
    found, said = skipping(folder)
    assert found[6:] == ["0.xml", "1.xml"]
    assert said[0].startswith("t.tar.gz/2.xml: damaged")
    assert all(each.startswith("t.tar.gz") for each in said)


def test_one_damaged_member_of_a_zip_is_skipped(tmp_path):
    folder = tmp_path / "shelf"
    folder.mkdir()
    with zipfile.ZipFile(folder / "z.zip", "w") as archive:
        for name in ("1.xml", "2.xml", "3.xml"):
            archive.writestr(name, f"<a>number {name[0]}</a>")
    data = (folder / "z.zip").read_bytes()
    (folder / "z.zip").write_bytes(data.replace(b"number 2", b"number 5"))
    found, said = skipping(folder)
    assert found == ["1.xml", "3.xml"]
    assert len(said) == 1
    assert said[0].startswith("z.zip/2.xml: damaged (Bad CRC-32")


@pytest.mark.parametrize("ending", ["tar.xz", "zip", "xml.xz"])
def test_what_unpacks_to_far_more_than_it_is(tmp_path, monkeypatch, ending):
    monkeypatch.setattr(archives, "_HARMLESS", 10_000)
    path, bomb = tmp_path / f"bomb.{ending}", b"<a>%b</a>" % (b" " * 10_000_000)
    if ending == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
            archive.writestr("a.xml", bomb)
    elif ending == "tar.xz":
        tar(path, {"a.xml": bomb}, "w:xz")
    else:
        path.write_bytes(lzma.compress(bomb))
    with pytest.raises(FormatError, match=rf"bomb\.{ending}.*: unpacks to over 500 times its size"):
        build([str(path)], str(tmp_path / "store"))


def test_a_link_to_nothing_is_skipped(folder):
    (folder / "z.xml").symlink_to("nowhere")
    (folder / "z.xml.gz").symlink_to("nowhere")
    found, said = skipping(folder)
    assert len(found) == 6
    assert [each.split(":")[0] for each in said] == ["z.xml", "z.xml.gz"]


def test_what_is_not_there_or_empty(tmp_path):
    with pytest.raises(FormatError, match="cannot be read"):
        names(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match="has no files"):
        names(tmp_path / "empty")


def test_links_in_a_circle(folder):
    (folder / "a" / "loop").symlink_to(folder)
    with pytest.warns(SpanwiseWarning, match="link to a folder above") as said:
        assert len(names(folder)) == 6
    assert len(said) == 1  # though the folder is looked through before
    assert total_size([str(folder)]) == 6 * len(XML)


def test_pipes_are_left_out(folder):
    os.mkfifo(folder / "pipe")
    with pytest.warns(SpanwiseWarning, match="not a file") as said:
        assert len(names(folder)) == 6
    assert len(said) == 1


def test_weights_add_up_to_what_is_on_disk(tmp_path, folder):
    tar(folder / "more.tar", {"1.xml": XML, "2.xml": XML})
    weights = [source.weight for source in sources([str(folder)])]
    assert sum(weights[:-2]) == 6 * len(XML)
    assert 0 < sum(weights[-2:]) <= (folder / "more.tar").stat().st_size
    assert total_size([str(folder)]) == 6 * len(XML) + (folder / "more.tar").stat().st_size
