"""Every engine: finds what is there, is deterministic, says what is missing, leaves nothing behind.

An engine that is not installed is skipped with its own words. `make test-engines` installs all.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import numpy as np
import pytest

from shared_data import shared
from spanwise import evaluate
from spanwise.errors import InputError, UsageError
from spanwise.formats.trec.columns import write_run
from spanwise.retrieve import engines
from spanwise.retrieve.engines import lucene, zebra
from spanwise.retrieve.queries import ALL_RESULTS
from spanwise.retrieve.registry import ENGINES, MissingEngine, find_engine
from spanwise.workflows.search import Search, searched

engines.load()
EVERY = list(ENGINES)
TEXTS = [
    "lift of wings",
    "drag",
    "heat in slabs of steel",
    "heat heat heat and lift",
    "other words",
]


def built(name, folder, **settings):
    """An engine with its index, or a skipped test."""
    engine = find_engine(name).made(**settings)
    try:
        engine.build(TEXTS, folder)
    except MissingEngine as error:
        pytest.skip(str(error))
    return engine


@pytest.mark.parametrize("name", EVERY)
def test_the_units_that_have_the_words_are_found(name, tmp_path):
    settings = {"lsi": {"dimensions": 4}, "plsi": {"topics": 3}}.get(name, {})
    with built(name, tmp_path, **settings).open(tmp_path) as searcher:
        units, scores = searcher.search(["heat"], 10)
        assert set(units[:2].tolist()) == {2, 3}
        assert (np.diff(scores) <= 0).all()
        if ENGINES[name].kind == "engine":
            assert len(units) == 2
            assert len(searcher.search(["heat"], 1)[0]) == 1
        assert len(searcher.search(["zyx"], 10)[0]) == 0
        assert len(searcher.search([], 10)[0]) == 0


@pytest.mark.parametrize("name", EVERY)
def test_an_engine_is_described_with_what_it_needs(name):
    entry = ENGINES[name]
    assert entry.title
    assert entry.description.endswith(".")
    assert not entry.install or "install" in entry.install


def test_a_missing_program_is_an_error_that_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingEngine, match=r"zebraidx; install Debian's idzebra-2\.0-utils"):
        zebra.Zebra().build(TEXTS, tmp_path)
    monkeypatch.setenv("SPANWISE_LUCENE_JAR", "")
    with pytest.raises(MissingEngine, match="Java 17; install Java 17 and"):
        lucene.Lucene().build(TEXTS, tmp_path)


def servers():
    """Zebra's servers that run on this machine and were started from here."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text().rpartition(")")[2].split()
            name = place.with_name("comm").read_text().strip()
        except OSError:
            continue
        if int(fields[1]) == os.getpid() and name.startswith("zebrasrv"):
            found.append(place.parent.name)
    return found


def test_the_server_is_stopped_whatever_happens(tmp_path):
    engine = built("zebra", tmp_path)

    def interrupted():
        with engine.open(tmp_path):
            assert servers()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not servers()


KILLED = """
import os, signal, sys
from pathlib import Path
from spanwise.retrieve.engines.zebra import Zebra
with Zebra().open(Path(sys.argv[1])) as searcher:
    print(searcher._server.pid, flush=True)
    os.kill(os.getpid(), getattr(signal, sys.argv[2]))
"""


@pytest.mark.skipif(
    shutil.which("setpriv") is None,
    reason="without setpriv (util-linux) no kernel ends a server whose parent was killed",
)
@pytest.mark.parametrize("how", ["SIGTERM", "SIGHUP", "SIGKILL"])
def test_the_server_is_stopped_when_we_are_killed(how, tmp_path):
    built("zebra", tmp_path)
    command = [sys.executable, "-c", KILLED, str(tmp_path), how]
    killed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert killed.returncode < 0
    state = Path("/proc", killed.stdout.strip(), "stat")
    end = time.monotonic() + 10
    while state.exists() and ") Z " not in state.read_text() and time.monotonic() < end:
        time.sleep(0.05)
    assert not state.exists() or ") Z " in state.read_text()


def test_a_server_that_dies_is_an_error(tmp_path):
    engine = built("zebra", tmp_path)
    with engine.open(tmp_path) as searcher:
        searcher._server.kill()
        searcher._server.wait()
        with pytest.raises(Exception, match="does not answer"):
            searcher.search(["heat"], 5)


def test_servers_can_run_side_by_side(tmp_path):
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
        engine = built("zebra", folder)
    with engine.open(folders[0]) as one, engine.open(folders[1]) as other:
        assert one.search(["drag"], 5)[0].tolist() == other.search(["drag"], 5)[0].tolist() == [1]


# The table ---------------------------------------------------------------------------------------

FILES = {
    "cran": ("cran.qry", "cran.qrels"),
    "cacm": ("query.text", "qrels.text"),
    "cisi": ("CISI.QRY", "CISI.REL"),
    "med": ("MED.QRY", "MED.REL"),
    "adi": ("ADI.QRY", "ADI.REL"),
    "time": ("TIME.QUE", "TIME.REL"),
}
MEASURED = {
    "tantivy": (0.2919, 0.2842, 0.1677, 0.5249, 0.4014, 0.6024),
    "bm25s": (0.2796, 0.3422, 0.2007, 0.5171, 0.4076, 0.5708),
    "fts5": (0.2925, 0.2831, 0.1734, 0.5297, 0.4087, 0.6126),
    "xapian": (0.2781, 0.3022, 0.1946, 0.5180, 0.3969, 0.5804),
    "lucene": (0.2791, 0.3270, 0.1983, 0.5118, 0.4016, 0.5714),
    "lsi": (0.3149, 0.1200, 0.1933, 0.6748, 0.3900, 0.5538),
}
"""Mean average precision of runs that were made with other programs, on each of the sets."""


@pytest.fixture(scope="module")
def smart(tmp_path_factory):
    folder = tmp_path_factory.mktemp("smart")
    for name in FILES:
        with tarfile.open(shared("data", "collections", "smart", f"{name}.tar.xz")) as archive:
            archive.extractall(folder, filter="data")
    return folder


@pytest.mark.parametrize("name", MEASURED)
@pytest.mark.filterwarnings("ignore::spanwise.errors.SpanwiseWarning")
def test_mean_average_precision_is_what_others_measured(name, smart, tmp_path):
    built(name, tmp_path)
    found = []
    for collection, (topics, judgements) in FILES.items():
        place = smart / collection
        run = searched(Search(str(place), str(place / topics), name))
        found.append(evaluate(place / judgements, run, ["AP"]).means["AP"])
    assert found == pytest.approx(MEASURED[name], abs=0.01)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.filterwarnings("ignore::spanwise.errors.SpanwiseWarning")
def test_the_same_search_twice_gives_the_same_bytes(name, smart, tmp_path):
    built(name, tmp_path, **({"topics": 3} if name == "plsi" else {}))
    settings = {"topics": 8, "rounds": 10} if name == "plsi" else {}
    search = Search(
        str(smart / "adi"), str(smart / "adi" / "ADI.QRY"), name, settings=settings, top=50
    )
    one, two = (b"".join(write_run(searched(search))) for _ in range(2))
    assert one == two
    assert len(one.splitlines()) > 500


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("bm25", {"k1": "nan"}, "k1=nan; expected a number from 0 to 1000"),
        ("bm25", {"b": 1.5}, "b=1.5; expected a number from 0 to 1"),
        ("plsi", {"topics": 0}, "topics=0; expected a whole number from 1"),
        ("plsi", {"rounds": 2.5}, "rounds=2.5; expected a whole number from 1"),
        ("lsi", {"dimensions": "0"}, "dimensions=0; expected a whole number from 1"),
        ("ql", {"mu": []}, "something like 1000.0"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(name, settings, message):
    with pytest.raises(UsageError, match=message):
        find_engine(name).made(**settings)


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("fts5", {"tokenize": "nosuch"}, "no such tokenizer"),
        ("tantivy", {"tokenizer": "nosuch"}, "tokenizer"),
        ("bm25s", {"method": "nosuch"}, "nosuch"),
        ("bm25s", {"stopwords": "nosuch"}, "nosuch"),
    ],
)
def test_what_a_library_does_not_take_is_an_error_of_ours(name, settings, message, tmp_path):
    with pytest.raises(UsageError, match=message):
        built(name, tmp_path, **settings)


@pytest.mark.parametrize("name", EVERY)
def test_one_text_alone_is_found(name, tmp_path):
    engine = built(name, tmp_path)
    (tmp_path / "one").mkdir()
    engine.build(["heat of slabs"], tmp_path / "one")
    with engine.open(tmp_path / "one") as searcher:
        assert searcher.search(["heat"], 10)[0].tolist() == [0]


@pytest.mark.parametrize("name", ["bm25s", "lsi", "plsi"])
def test_texts_of_stop_words_alone_are_an_error(name, tmp_path):
    engine = built(name, tmp_path)
    with pytest.raises(InputError, match="the texts contain no words except stop words"):
        engine.build(["of the", "and"], tmp_path)


@pytest.mark.parametrize("name", [name for name in EVERY if ENGINES[name].kind == "engine"])
def test_a_question_of_thousands_of_words_is_answered(name, tmp_path):
    words = [f"word{number}" for number in range(3000)]
    with built(name, tmp_path).open(tmp_path) as searcher:
        assert searcher.search([*words, "drag", *words], 10)[0].tolist() == [1]


@pytest.mark.parametrize("name", [name for name in EVERY if ENGINES[name].kind == "engine"])
def test_letters_beyond_ascii_are_found(name, tmp_path):
    built(name, tmp_path)
    engine, folder = find_engine(name).made(), tmp_path / "other"
    folder.mkdir()
    engine.build(["Öl — im Wasser", "ol"], folder)
    with engine.open(folder) as searcher:
        assert 0 in searcher.search(["öl"], 10)[0]
        assert searcher.search(["wasser"], 10)[0].tolist() == [0]


@pytest.mark.parametrize("name", [name for name in EVERY if ENGINES[name].kind == "engine"])
def test_as_many_units_are_found_as_are_asked_for(name, tmp_path):
    built(name, tmp_path)
    engine, folder = find_engine(name).made(), tmp_path / "other"
    folder.mkdir()
    engine.build(["heat" if n % 2 else "drag" for n in range(3000)], folder)
    with engine.open(folder) as searcher:
        assert len(searcher.search(["heat"], 1200)[0]) == 1200
        assert set(searcher.search(["heat"], ALL_RESULTS)[0].tolist()) == set(range(1, 3000, 2))
