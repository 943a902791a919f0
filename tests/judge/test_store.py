"""The log: idempotent, chained, never changed; what a killed server acknowledged is there."""

import os
import random
import shutil
import sqlite3
import threading
import time
from http.client import HTTPException
from pathlib import Path

import pytest

from calling import called
from judging import (
    SOAK,
    Server,
    campaign,
    scaled,
)
from spanwise.cli import main
from spanwise.judge.events import Gesture
from spanwise.judge.setup import copy_safely
from spanwise.judge.store import (
    Document,
    Event,
    Store,
    create,
)

TEXT = "One two three. Four five six. Seven eight nine."
DOCUMENTS = {f"d{n}": f"<a><p>{TEXT}</p></a>" for n in range(4)}


@pytest.fixture
def store(tmp_path):
    pooled = [Document(0, 0, "first", "00", 5, {"p": 0.5})]
    made = create(str(tmp_path / "s"), {"mode": "highlight"}, [("1", {})], iter(pooled))
    made.add_assessor("anna")
    yield made
    made.close()


def event(n, kind="note", value="x", client="client-1"):
    return Event(0, "anna", 0, 0, Gesture(client, n, kind, value=value), 0, 0.0, 1.0)


def test_the_same_event_twice_is_one(store):
    assert store.append([event(0), event(1)]) == [(1, ""), (2, "")]
    assert store.append([event(1), event(2)]) == [(2, ""), (3, "")]
    assert store.append([event(2, value="other")]) == [
        (0, "another event has the same client and number")
    ]
    assert [one.gesture.n for one in store.events("anna")] == [0, 1, 2]
    assert store.verify() == []


def test_the_log_refuses_changes_and_notices_them(store, tmp_path):
    store.append([event(n) for n in range(3)])
    other = sqlite3.connect(tmp_path / "s")
    with pytest.raises(sqlite3.IntegrityError, match="never changed"):
        other.execute("UPDATE event SET value = 'y'")
    with pytest.raises(sqlite3.IntegrityError, match="never cut"):
        other.execute("DELETE FROM event")
    other.execute("DROP TRIGGER event_stays")
    other.execute("UPDATE event SET value = 'y' WHERE seq = 2")
    other.commit()
    other.close()
    gone = "the trigger 'event_stays' that protects the log is missing"
    assert store.verify() == [gone, "event 2 was changed"]


def test_a_log_that_was_cut_is_noticed(store, tmp_path):
    store.append([event(n) for n in range(3)])
    _, head = store.head()
    assert store.verify(head) == []
    assert store.verify("0000") == ["no event has the hash 0000"]
    other = sqlite3.connect(tmp_path / "s")
    (trigger,) = other.execute("SELECT sql FROM sqlite_master WHERE name = 'event_remains'")
    other.execute("DROP TRIGGER event_remains")
    other.execute("DELETE FROM event WHERE seq = 3")
    other.execute(trigger[0])
    other.commit()
    other.close()
    assert store.verify() == ["the log was truncated: it extended to event 3"]
    assert f"no event has the hash {head}" in store.verify(head)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            "UPDATE document SET id = 'other' WHERE number = 0",
            "have changed since the store was created",
        ),
        ("UPDATE document SET said = '{\"p\": 0.1}'", "have changed since the store was created"),
        ("UPDATE topic SET id = 'other'", "have changed since the store was created"),
        (
            "UPDATE about SET value = '\"grades\"' WHERE key = 'mode'",
            "have changed since the store",
        ),
        ("DELETE FROM about WHERE key = 'contents'", "event 1 was changed"),
        ("DELETE FROM about WHERE key = 'head'", "the record of the end"),
        ("DELETE FROM judge", "the log has events of 'anna', who is not an assessor"),
    ],
)
def test_what_the_log_means_cannot_be_changed_in_silence(store, tmp_path, change, problem):
    beginning = store.head()[1]
    store.append([event(n) for n in range(3)])
    store.add_document(Document(0, 1, "later", "00", 5, {}), "anna")  # which is no such change
    assert Store(store.path).verify(beginning) == []
    other = sqlite3.connect(tmp_path / "s")
    other.execute(change)
    other.commit()
    other.close()
    (found,) = Store(store.path).verify()
    assert problem in found


def test_tokens_are_hashed_and_revoked(store, tmp_path):
    store.add_assessor("anna")
    token = store.new_token("anna")
    assert store.bearer(token) == ("anna", "judge")
    assert token.encode() not in (tmp_path / "s").read_bytes()
    assert store.revoke("anna") == 1
    assert store.bearer(token) is None


def test_kills_lose_nothing_that_was_acknowledged(tmp_path):
    """Judges send in a closed loop while the server is killed again and again."""
    server = Server(campaign(tmp_path / "c", DOCUMENTS)).start()
    acknowledged, lock, over = {}, threading.Lock(), threading.Event()
    judges = []
    for number in range(4):
        one = server.judge()
        one.client = f"client-{number:04}"
        judges.append(one)

    def work(judge, number):
        while not over.is_set():
            start = judge.n % 20
            sent = judge.event("add", 0, number, TEXT, start=start, end=start + 9)
            while not over.is_set():
                try:
                    status, _, content = judge.send(sent)
                except (OSError, ValueError, HTTPException):
                    time.sleep(0.02)
                    continue
                if status == 200:
                    with lock:
                        acknowledged[sent["client"], sent["n"]] = content["results"][0]["seq"]
                    break
                time.sleep(0.05)

    threads = [threading.Thread(target=work, args=(j, n)) for n, j in enumerate(judges)]
    for thread in threads:
        thread.start()
    moments = random.Random(1)
    try:
        for _ in range(scaled(3, 200)):
            time.sleep(moments.uniform(0.1, 0.6))
            server.kill()
            server.start()
    finally:
        over.set()
        for thread in threads:
            thread.join()
        server.stop()
    store = Store(server.store)
    stored = [(e.gesture.client, e.gesture.n) for e in store.events("anna")]
    assert len(acknowledged) > 20
    assert set(acknowledged) <= set(stored)
    assert len(stored) == len(set(stored))
    assert store.verify() == []
    print(f"\nacknowledged {len(acknowledged)}, stored {len(stored)}, lost 0")


def test_one_server_for_a_store(tmp_path):
    folder = campaign(tmp_path / "c", DOCUMENTS)
    with Server(folder), pytest.raises(RuntimeError, match="is in use by another server"):
        Server(folder).start()


def test_a_changed_text_is_not_judged(tmp_path):
    folder = campaign(tmp_path / "c", DOCUMENTS)
    with Server(folder) as server:
        judge = server.judge()
        assert judge.send(judge.event("add", 0, 0, TEXT, start=0, end=3))[0] == 200
    (folder / "docs" / "d0.xml").write_text(f"<a><p>Zero. {TEXT}</p></a>")
    with Server(folder) as server:
        judge = server.judge()
        judge.client = "client-0002"
        status, _, content = judge.send(judge.event("add", 0, 0, TEXT, start=4, end=7))
        assert status == 409
        assert "has changed since" in content["results"][0]["error"]
        assert judge.ask("GET", "/api/t/0/d/0")[2]["frozen"] is True
    out, _, status = called(main, "judge", "verify", server.store, "--collection", folder / "docs")
    assert status == 1
    assert b"the text of document 'd0' has changed" in out


def test_a_stale_finish_is_refused(tmp_path):
    with Server(campaign(tmp_path / "c", DOCUMENTS)) as server:
        one, other = server.judge(), server.judge()
        other.client = "client-0002"
        base = one.send(one.event("open"))[2]["results"][0]["seq"]
        other.send(other.event("add", 0, 0, TEXT, start=0, end=3))
        status, _, content = one.send(one.event("done", base=base))
        assert status == 409
        assert "another window" in content["results"][0]["error"]


def test_a_finish_is_not_brought_back_over_what_does_not_fit(tmp_path):
    with Server(campaign(tmp_path / "c", DOCUMENTS)) as server:
        one, other = server.judge(), server.judge()
        other.client = "client-0002"
        mark = one.event("add", text=TEXT, start=0, end=3)
        entry, done = one.event("bep", text=TEXT, start=0), one.event("done")
        one.send(mark, entry, done)
        one.send(one.event("undo", value=f"{one.client}:{done['n']}"))
        taken = other.event("undo", value=f"{one.client}:{entry['n']}")
        last = other.send(taken)[2]["results"][0]["seq"]
        for base, reason in ((0, "another window"), (last, "set the best entry point")):
            redo = one.event("redo", value=f"{one.client}:{done['n']}", base=base)
            status, _, content = one.send(redo)
            assert status == 409
            assert reason in content["results"][0]["error"]


def busy_campaign(folder):
    """In full 500 documents of up to a million letters, in a store; else four short ones."""
    if not SOAK:
        return campaign(folder, DOCUMENTS), dict.fromkeys(range(4), TEXT)
    draw = random.Random(7)
    texts = {n: f"{n} {TEXT} " * int(10 ** draw.uniform(2.3, 4.3)) for n in range(500)}
    campaign(folder, {f"d{n:03}": f"<a><p>{text}</p></a>" for n, text in texts.items()})
    _, error, status = called(main, "collection", "build", folder / "docs", "-o", folder / "built")
    assert status == 0, error
    shutil.rmtree(folder / "docs")
    (folder / "built").rename(folder / "docs")
    return folder, texts


def gestures(judge, name, texts, end, seconds, opening, problems):
    """Two a second, at random moments; now and then another document is opened."""
    draw, number = random.Random(name), 0
    due = time.monotonic()
    while due < end:
        due += draw.expovariate(2)
        time.sleep(max(0.0, due - time.monotonic()))
        if draw.random() < 0.05:
            number, before = draw.randrange(len(texts)), time.perf_counter()
            assert judge.ask("GET", f"/api/t/0/d/{number}")[0] == 200
            opening.append(time.perf_counter() - before)
        start = draw.randrange(len(texts[number]) - 5)
        kind, before = draw.choice(["add", "remove"]), time.perf_counter()
        sent = judge.event(kind, 0, number, texts[number], start=start, end=start + 5)
        status, _, content = judge.send(sent)
        seconds.append(time.perf_counter() - before)
        if status != 200:
            problems.append(content)


def test_twenty_judges_at_two_gestures_a_second(tmp_path):
    """Open loop, exponential pauses; in full for ten minutes."""
    names = [f"judge{n}" for n in range(20)]
    delays, opening, problems = [], [], []
    folder, texts = busy_campaign(tmp_path / "c")
    with Server(folder, judges=names) as server:
        judges = [server.judge(name) for name in names]
        for number, judge in enumerate(judges):
            judge.client = f"client-{number:04}"
        end = time.monotonic() + scaled(4, 600)
        threads = [
            threading.Thread(target=gestures, args=(*one, texts, end, delays, opening, problems))
            for one in zip(judges, names, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        memory = own_memory(server.process.pid)
    delays.sort()
    p50, p99 = delays[len(delays) // 2], delays[int(len(delays) * 0.99)]
    print(
        f"\n{len(delays)} events, {len(opening)} documents opened, p50 {p50 * 1e3:.1f} ms,"
        f" p99 {p99 * 1e3:.1f} ms, {memory >> 10} MB, load {os.getloadavg()}"
    )
    assert problems == []
    assert Store(server.store).verify() == []
    if SOAK:
        assert p99 < 0.150
        assert memory < 150 << 10


def own_memory(process):
    """In kB: without the files of the collection, which the system maps and takes back at will."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    said = dict(line.split(":", 1) for line in lines)
    return int(said["RssAnon"].split()[0])


def test_a_pool_that_learns_is_served_one_document_at_a_time(tmp_path):
    """Move to front: d0 is relevant, so its run is asked again; then it is not."""
    folder = campaign(tmp_path / "c", DOCUMENTS)
    for name, order in (("x", "0123"), ("y", "3210")):
        lines = [f"t0 Q0 d{d} {n} {9 - n} {name}\n" for n, d in enumerate(order, 1)]
        (folder / f"{name}.run").write_text("".join(lines))
    words = ["--method", "mtf", "--budget", "3", "-o", folder / "pool.jsonl"]
    called(main, "pool", folder / "x.run", folder / "y.run", *words)
    with Server(folder) as server:
        judge = server.judge()

        def shown():
            documents = judge.ask("GET", "/api/t/0/pool")[2]["documents"]
            return [(one["id"], one["status"], one["number"]) for one in documents]

        seen = []
        for _ in range(3):
            *_, (name, status, number) = shown()
            seen.append(name)
            assert status == "new"
            judge.send(judge.event("done", 0, number))
        assert len(shown()) == len(set(seen)) == 3
        assert {status for _, status, _ in shown()} == {"done"}


def test_safety_copies_are_checked_and_the_last_five_kept(store, tmp_path, capsys):
    store.append([event(0)])
    assert store.copy_to(tmp_path / "copy") == ""
    assert Store(str(tmp_path / "copy")).head() == store.head()
    folder = tmp_path / "s.copies"
    folder.mkdir()
    for name in "012345":
        (folder / f"{name}.sqlite").touch()
    copy_safely(store)
    assert len(list(folder.iterdir())) == 5
    assert store.copy_to(tmp_path / "nowhere" / "copy") != ""
    shutil.rmtree(folder)
    folder.touch()
    copy_safely(store)
    assert "no safety copy could be made" in capsys.readouterr().err


def test_a_full_disk_is_named_and_what_comes_later_is_taken(store):
    """A file that may not grow fails as a full disk does."""
    store.append([event(0)])
    pages = store._writer.execute("PRAGMA page_count").fetchone()[0]
    store._writer.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(sqlite3.OperationalError, match="disk is full"):
        store.append([event(1, value="x" * 9000)])
    store._writer.execute("PRAGMA max_page_count = 100000")
    assert store.append([event(2)]) == [(2, "")]
    assert store.verify() == []
