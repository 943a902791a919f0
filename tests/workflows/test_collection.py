"""spanwise collection, from the command line."""

import json

import pytest

from calling import called
from spanwise.cli import main


@pytest.fixture
def folder(tmp_path):
    source = tmp_path / "articles"
    source.mkdir()
    (source / "1.xml").write_text(
        "<article><t>One</t><p>Some <b>bold</b> &who; text.</p></article>"
    )
    (source / "2.xml").write_text("<article><t>Two</t></article>")
    (source / "3.txt").write_text("Plain text.\n")
    return source


def test_build_and_show(tmp_path, folder):
    store = tmp_path / "store"
    out, err, status = called(main, "collection", "build", folder, "-o", store, "--workers", 1)
    assert (err, status) == ("", 0)
    counted = "3 documents, 7 elements, 35 characters, 0 skipped, 1 references to unknown entities"
    assert out.decode() == f"{store}: {counted}\n"
    out, err, status = called(main, "collection", "show", store)
    assert (err, status) == ("", 0)
    assert out.decode().splitlines() == [
        "  characters   elements  document",
        "          20          4  1.xml",
        "           3          2  2.xml",
        "          12          1  3.txt",
    ]
    out, err, status = called(main, "collection", "show", store, "1")
    assert out.decode().splitlines() == [
        "     start     length  element",
        "         0         20  article[1]",
        "         0          3    t[1]",
        "         3         17    p[1]",
        "         8          4      b[1]",
    ]
    out, _, _ = called(main, "collection", "show", store, "1", "--levels", 2)
    assert len(out.splitlines()) == 4
    out, _, _ = called(main, "collection", "show", store, "1", "/article[1]/p[1]")
    assert out.decode() == "Some bold &who; text.\n"
    out, _, _ = called(main, "collection", "show", folder, "1", "/article[1]/p[1]/text()[2]")
    assert out.decode() == " &who; text.\n"


def test_what_is_shown_as_json(tmp_path, folder):
    def shown(*words):
        return json.loads(called(main, "collection", "show", folder, *words, "--json")[0])

    assert shown()["documents"][0] == {"document": "1.xml", "characters": 20, "elements": 4}
    tree = shown("1")
    assert [one["path"] for one in tree["elements"]][2:] == [
        "/article[1]/p[1]",
        "/article[1]/p[1]/b[1]",
    ]
    assert tree["elements"][2] == {"path": "/article[1]/p[1]", "start": 3, "length": 17}
    assert len(shown("1", "--levels", 2)["elements"]) == 3
    path = "/article[1]/p[1]/b[1]"
    assert shown("1", path) == {
        "document": "1",
        "path": path,
        "start": 8,
        "length": 4,
        "text": "bold",
    }


def test_a_build_is_reported_as_json(tmp_path, folder):
    words = ("collection", "build", folder, "-o", tmp_path / "s", "--json")
    found = json.loads(called(main, *words)[0])
    assert (found["path"], found["documents"], found["characters"]) == (str(tmp_path / "s"), 3, 35)


@pytest.mark.parametrize("words", [("1",), ("1", "/article[1]/p[1]"), ()])
def test_what_is_shown_can_go_to_a_file(tmp_path, folder, words):
    out, _, _ = called(main, "collection", "show", folder, *words)
    called(main, "collection", "show", folder, *words, "-o", tmp_path / "shown.txt")
    assert (tmp_path / "shown.txt").read_bytes() == out


@pytest.mark.parametrize("path", [".", "..", "../letters/."])
def test_the_folder_may_be_the_current_one(folder, monkeypatch, path):
    expected = called(main, "collection", "show", folder, "1")
    monkeypatch.chdir(folder)
    if path == "..":
        (folder / "empty").mkdir()
        monkeypatch.chdir(folder / "empty")
    path = path.replace("letters", folder.name)
    assert called(main, "collection", "show", path, "1") == expected


def test_a_name_that_a_terminal_would_obey(tmp_path, folder):
    (folder / "2.xml").rename(folder / "2\x1b[31m\n.xml")
    out, _, _ = called(main, "collection", "show", folder)
    assert out.decode().splitlines()[2] == "           3          2  2\\x1b[31m\\n.xml"


def test_policies(tmp_path, folder):
    (folder / "2.xml").write_text("<a>\n<b>é  é</b>\n</a>")
    words = ["--characters", "bytes", "--whitespace", "collapse", "--blank-nodes", "strip"]
    called(main, "collection", "build", folder, "-o", tmp_path / "store", *words)
    out, _, _ = called(main, "collection", "show", tmp_path / "store", "2")
    assert out.decode().splitlines()[1] == "         0          5  a[1]"


def test_a_broken_document(tmp_path, folder):
    (folder / "0.xml").write_text("<a>\n<b></a>")
    words = ["collection", "build", folder, "-o", tmp_path / "store"]
    out, err, status = called(main, *words)
    message = f"{folder}/0.xml:2: not well-formed XML: mismatched tag (character 6 of the line)"
    assert (out, err, status) == (b"", f"spanwise: error: {message}\n", 2)
    out, err, status = called(main, *words, "--on-error", "skip")
    assert err == f"spanwise: warning: skipped: {message}\n"
    assert status == 0
    assert b"3 documents" in out
    assert b"1 skipped" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show", "{store}", "9"], "no document '9'"),
        (["show", "{store}", "1", "/a[1]"], "document '1' has no '/a[1]'"),
        (
            ["show", "{store}", "1", "/article/p"],
            "'/article/p'; write paths as /name[1]/name[2]",
        ),
        (["show", "{tmp}/none"], "cannot be read (No such file or directory)"),
        (["build", "{tmp}/none", "-o", "{tmp}/s"], "cannot be read (No such file or directory)"),
        (["build", "{tmp}/articles", "-o", "{store}"], "already exists; use --fresh"),
        (["build", "{tmp}/articles"], "Missing option '-o' / '--output'."),
        (["build", "-o", "{tmp}/s"], "Missing argument 'PATHS...'."),
        (["tell"], "No such command 'tell'."),
    ],
)
def test_errors_are_one_line(tmp_path, folder, words, message):
    store = tmp_path / "store"
    called(main, "collection", "build", folder, "-o", store)
    filled = [word.format(store=store, tmp=tmp_path) for word in words]
    out, err, status = called(main, "collection", *filled)
    assert (out, status) == (b"", 2)
    assert err.startswith("spanwise: error: ")
    assert err.count("\n") == 1
    assert message in err


@pytest.mark.parametrize("words", [(), ("build",), ("show",)])
def test_help_has_examples(words):
    out, _, status = called(main, "collection", *words, "--help")
    assert status == 0
    assert b"\n    spanwise collection " in out


def test_a_progress_bar_on_a_terminal(tmp_path, folder, monkeypatch):
    from spanwise.workflows.collection import build_collection

    class Terminal:
        written = ""

        def isatty(self):
            return True

        def write(self, text):
            self.written += text

        def flush(self):
            pass

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    build_collection(folder, tmp_path / "store", progress=True)
    assert "3 documents" in terminal.written
    assert "100%" in terminal.written


def test_nothing_is_shown_unless_it_is_asked_for(tmp_path, folder, monkeypatch, capfd):
    from spanwise.workflows.collection import build_collection

    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    build_collection(folder, tmp_path / "store")
    assert capfd.readouterr() == ("", "")


def test_a_built_store_is_a_collection(tmp_path, folder):
    import spanwise

    built = spanwise.build_collection([folder], tmp_path / "store", blank_nodes="strip")
    store = spanwise.open_collection(built)
    assert len(list(store.documents())) == built.documents > 0
    assert store.policy.blank_nodes == "strip"
    assert repr(built).startswith(f"<Built {tmp_path / 'store'}: {built.documents} documents, ")
    assert built.to_dict()["path"] == str(tmp_path / "store")
    shown = "".join(spanwise.show_collection(built))
    assert shown.count("\n") == built.documents + 1
    name = next(store.documents()).name
    assert "".join(spanwise.show_collection(store, name, depth=1)).count("\n") == 2
    path = next(iter(store.tree(name).elements())).path
    text = "".join(spanwise.show_collection(store, name, path))
    assert text == store.text(name).replace("\ufffd", "&who;") + "\n"
    with pytest.raises(spanwise.SpanwiseError, match="already exists"):
        spanwise.build_collection([folder], built)
