"""Where work can run, how that is said, and what is said where it cannot."""

import os
import pickle
import signal
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from spanwise.errors import (
    ClusterError,
    MissingExtra,
    SpanwiseError,
    UnknownName,
)
from spanwise.executors import ENGINES, PENDING, Place, RemoteCall, place, workers


@pytest.fixture
def installed(monkeypatch):
    """As if every library were there."""
    for engine in ENGINES.values():
        found = ModuleType(engine.library)
        found.__spec__ = sys.__spec__
        monkeypatch.setitem(sys.modules, engine.library, found)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("dask", Place("dask", None)),
        ("dask:", Place("dask", None)),
        ("dask:tcp://10.0.0.1:8786", Place("dask", "tcp://10.0.0.1:8786")),
        ("spark:local-cluster[2,1,1024]", Place("spark", "local-cluster[2,1,1024]")),
        ("spark:yarn", Place("spark", "yarn")),
        ("ray:ray://head:10001", Place("ray", "ray://head:10001")),
    ],
)
def test_an_engine_and_the_address_after_its_first_colon(words, expected):
    assert place(words) == expected


@pytest.mark.parametrize("words", ["", "flink", "DASK", ":tcp://10.0.0.1", "tcp://10.0.0.1:8786"])
def test_an_unknown_engine_is_refused_with_those_that_there_are(words):
    with pytest.raises(UnknownName, match="expected one of dask, spark, ray"):
        place(words)


@pytest.mark.parametrize("name", ENGINES)
def test_a_missing_library_is_an_error_that_names_the_extra(monkeypatch, name):
    monkeypatch.setattr("spanwise.executors.find_spec", lambda _: None)
    match = rf"pip install 'spanwise\[{name}\]'"
    with pytest.raises(MissingExtra, match=match), workers(name):
        pass


class FakeEngine(ModuleType):
    """An engine that works in this process, and fails as it is told."""

    def __init__(self, failure: Exception | None = None) -> None:
        super().__init__("spanwise.executors.dask")
        self.failure, self.seen, self.open = failure, [], False

    @contextmanager
    def workers(self, address, folder):
        self.seen.append((address, folder, folder.is_dir()))
        self.open = True
        try:
            yield self.mapped
        finally:
            self.open = False

    def mapped(self, function, items):
        if self.failure is not None:
            raise self.failure
        yield from map(pickle.loads(pickle.dumps(function)), items)


@pytest.fixture
def fake(installed, monkeypatch):
    engine = FakeEngine()
    monkeypatch.setitem(sys.modules, "spanwise.executors.dask", engine)
    return engine


def test_a_map_in_order_and_a_folder_that_is_gone_afterwards(fake):
    with workers("dask:somewhere") as mapped:
        assert list(mapped(abs, [-3, 2, -1])) == [3, 2, 1]
        assert fake.open
    ((address, folder, was_there),) = fake.seen
    assert (address, was_there, folder.exists(), fake.open) == ("somewhere", True, False, False)


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (OSError("Timed out\nand more"), "dask: OSError: Timed out"),
        (RuntimeError(""), "dask: RuntimeError"),
        (
            RuntimeError("Job aborted\nTraceback:\n  File x\nmod.BadError: no\n\n\tat org.apache"),
            "dask: mod.BadError: no",
        ),
    ],
)
def test_what_fails_in_an_engine_is_one_line(fake, failure, said):
    fake.failure = failure
    with pytest.raises(ClusterError) as caught, workers("dask") as mapped:
        list(mapped(abs, [1]))
    assert str(caught.value) == said
    assert not fake.open


class Interrupting:
    """Ctrl-C while this is destroyed: an exception would be printed and forgotten there."""

    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_is_not_lost_in_the_code_of_an_engine(fake, capsys):
    def mapped(function, items):
        for item in items:
            yield PENDING
            Interrupting()
            yield function(item)

    fake.mapped = mapped
    found = []
    with pytest.raises(KeyboardInterrupt), workers("dask") as mapper:
        found.extend(mapper(abs, [-1, -2]))
    assert (found, fake.open, capsys.readouterr().err) == ([], False, "")


def test_waiting_is_no_result(fake):
    fake.mapped = lambda function, items: (
        one for item in items for one in (PENDING, PENDING, function(item))
    )
    with workers("dask") as mapper:
        assert list(mapper(abs, [-1, 2])) == [1, 2]


def test_our_own_errors_and_those_of_the_caller_stay_what_they_are(fake):
    with pytest.raises(ZeroDivisionError), workers("dask"):
        raise ZeroDivisionError
    fake.failure = SpanwiseError("known")
    with pytest.raises(SpanwiseError, match=r"^known$"), workers("dask") as mapped:
        list(mapped(abs, [1]))
    assert not fake.open


def folder_and_item(item):
    return str(Path.cwd()), item


def test_a_visitor_works_in_the_folder_that_it_came_from(tmp_path, monkeypatch):
    home, away = tmp_path / "home", tmp_path / "away"
    home.mkdir()
    away.mkdir()
    monkeypatch.chdir(home)
    call = pickle.loads(pickle.dumps(RemoteCall.wrap(folder_and_item)))
    monkeypatch.chdir(away)
    assert call(1) == (str(home), 1)
    assert Path.cwd() == away


def test_a_remote_call_stays_in_its_folder_if_that_of_the_sender_does_not_exist(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert RemoteCall(folder_and_item, str(tmp_path / "nowhere"), RemoteCall.wrap(abs).version)(
        1
    ) == (
        str(tmp_path),
        1,
    )


def test_a_worker_with_another_version_is_refused():
    with pytest.raises(ClusterError, match=r"expected 0\.0\.0"):
        RemoteCall(abs, "/", "0.0.0")(1)


def test_clusters_can_be_used_outside_of_the_main_thread(fake):
    found = []

    def work():
        with workers("dask") as mapped:
            found.extend(mapped(abs, [-1]))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [1]
