"""The table of formats, and what a name on the command line stands for."""

from pathlib import Path

import pytest

from spanwise.errors import FormatError, UnknownName
from spanwise.formats import FORMATS, expanded
from spanwise.formats.registry import find_format, format_and_pieces, read

EVERY_FORMAT = pytest.mark.parametrize("entry", FORMATS.values(), ids=FORMATS)


@EVERY_FORMAT
def test_every_format_is_described_with_its_columns(entry):
    first = entry.description.splitlines()[0]
    assert first.endswith((".", ","))
    marked = ("inex_assessments", "inex_submission", "inex_efficiency", "span_", "chroma", "beir")
    marked += ("inex_full", "legalbench", "squad", "qasper", "wice", "fever", "ragas", "ragchecker")
    marked += ("reuters_", "lisa_", "npl_", "time_")  # records and lists
    in_columns = entry.holds not in ("topics", "pool") and not entry.name.startswith(marked)
    assert not in_columns or "`topic " in entry.description


@EVERY_FORMAT
def test_every_format_is_found_by_its_name(entry):
    assert find_format(entry.name, (entry.holds,)) is entry


def test_a_format_must_hold_what_is_asked_for():
    with pytest.raises(UnknownName) as caught:
        find_format("trec_run", ("judgements", "preferences"))
    message = str(caught.value)
    assert message.startswith("unknown judgements or preferences format 'trec_run';")
    assert message.endswith("see: spanwise formats")


def test_a_misspelt_format_gets_a_hint():
    with pytest.raises(UnknownName) as caught:
        find_format("qrel", ("judgements",))
    assert "unknown judgements format 'qrel'" in str(caught.value)
    assert "qrels" in str(caught.value).split(";")[1]


def test_a_file_is_recognised_by_what_is_read_anyway(tmp_path):
    """Nothing is opened twice, so that pipes can be recognised too."""
    lines = b"1 Q0 a 1 9 mine 0 100\n1 Q0 b 2 8 mine 0 50\n"
    file = tmp_path / "some"
    file.write_bytes(lines)
    entry, pieces = format_and_pieces(str(file), ("run",))
    assert entry.name == "inex_run"
    file.unlink()
    assert b"".join(pieces) == lines


def test_a_folder_stands_for_its_files_in_byte_order(tmp_path):
    for name in ("b", "a10", "a9", "Z", "ä"):
        (tmp_path / name).touch()
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "c").touch()
    names = [Path(file).name for file in expanded([str(tmp_path)])]
    assert names == ["Z", "a10", "a9", "b", "ä"]


def test_files_stay_where_they_were_named(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "one").touch()
    assert expanded(["z", str(folder), "-", "a"]) == ["z", str(folder / "one"), "-", "a"]


def test_an_empty_folder_is_an_error(tmp_path):
    with pytest.raises(FormatError) as caught:
        expanded([str(tmp_path)])
    assert str(caught.value) == f"{tmp_path}: the folder has no files; expected at least one file"


def test_an_empty_name_is_not_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "secret").touch()
    monkeypatch.chdir(tmp_path)
    assert expanded([""]) == [""]
    with pytest.raises(FormatError) as caught:
        read("", ("run",))
    assert str(caught.value) == "'': the file name is empty; expected the name of a file"


def test_a_file_called_dash_can_be_reached_by_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-").mkdir()
    assert expanded(["-"]) == ["-"]
