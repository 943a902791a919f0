"""The judging store: an SQLite file with an append-only, hash-chained log of gestures.

All other state is derived from the log, whose events are never changed or removed.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spanwise.errors import InputError, UsageError
from spanwise.judge.events import Gesture

# Tables -------------------------------------------------------------------------------------------

APPLICATION = 0x5350574A
VERSION = 1

TABLES = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE judge (name TEXT PRIMARY KEY, role TEXT NOT NULL, number INTEGER NOT NULL);
CREATE TABLE token (hash BLOB PRIMARY KEY, judge TEXT NOT NULL REFERENCES judge (name));
CREATE TABLE topic (number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, said TEXT NOT NULL);
CREATE TABLE document (
  topic INTEGER NOT NULL REFERENCES topic (number), number INTEGER NOT NULL, id TEXT NOT NULL,
  sha256 TEXT NOT NULL, chars INTEGER NOT NULL, said TEXT NOT NULL,
  PRIMARY KEY (topic, number), UNIQUE (topic, id)
);
CREATE TABLE event (
  seq INTEGER PRIMARY KEY, judge TEXT NOT NULL, topic INTEGER NOT NULL, doc INTEGER NOT NULL,
  client TEXT NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL, layer TEXT NOT NULL,
  start INTEGER NOT NULL, "end" INTEGER NOT NULL, value TEXT NOT NULL, "check" TEXT NOT NULL,
  base INTEGER NOT NULL, at_client REAL NOT NULL, at_server REAL NOT NULL,
  prev BLOB NOT NULL, hash BLOB NOT NULL, UNIQUE (client, n)
);
CREATE INDEX event_of ON event (judge, topic, doc, seq);
CREATE TRIGGER event_stays BEFORE UPDATE ON event
BEGIN SELECT RAISE (ABORT, 'the log is never changed'); END;
CREATE TRIGGER event_remains BEFORE DELETE ON event
BEGIN SELECT RAISE (ABORT, 'the log is never cut'); END;
"""

COLUMNS = (
    *("judge", "topic", "doc", "client", "n", "kind", "layer", "start", "end", "value", "check"),
    *("base", "at_client", "at_server"),
)
"""Columns of an event in the order in which they are hashed."""


# Store --------------------------------------------------------------------------------------------

GENESIS = b"\0" * 32
TRIGGERS = ("event_stays", "event_remains")
PRACTICE = "practice"
"""Name under which answers to practice documents are in the log."""
RESERVED = ("adjudicated", "desk", PRACTICE)
"""Names that an assessor cannot have."""
LONGEST_NAME = 100
SQLITE = b"SQLite format 3\0"
QUOTED = ", ".join(f'"{name}"' for name in COLUMNS)


@dataclass(frozen=True, slots=True)
class Event:
    """A gesture with its assessor, document, times and number in the log."""

    seq: int
    assessor: str
    topic: int
    doc: int
    gesture: Gesture
    base: int
    at_client: float
    at_server: float


@dataclass(frozen=True, slots=True)
class Document:
    """A document of a topic's pool, as it was when the store was made."""

    topic: int
    number: int
    id: str
    sha256: str
    chars: int
    details: dict[str, Any]

    @property
    def added_by(self) -> list[str]:
        """The assessors who added the document to their own pools, if it was not pooled."""
        names: list[str] = self.details.get("added_by", [])
        return names


def is_store(path: str) -> bool:
    """Return whether a file is an SQLite database."""
    try:
        with Path(path).open("rb") as stream:
            return stream.read(16) == SQLITE
    except OSError:
        return False


class Store:
    """An open judging store.

    One connection writes, behind a lock; every thread reads through its own connection.
    """

    def __init__(self, path: str) -> None:
        if not is_store(path):
            raise InputError(f"{path}: not a judging store; to create one: spanwise judge POOL ...")
        self.path = path
        self._lock = threading.Lock()
        self._local = threading.local()
        self._writer = self._connection()
        found = self._writer.execute("PRAGMA application_id").fetchone()[0]
        version = self._writer.execute("PRAGMA user_version").fetchone()[0]
        if (found, version) != (APPLICATION, VERSION):
            raise InputError(f"{path}: not a judging store of version {VERSION}")
        self.about: dict[str, Any] = {
            key: json.loads(value) for key, value in self._writer.execute("SELECT * FROM about")
        }
        self._start = bytes.fromhex(self.about.get("contents", GENESIS.hex()))

    def _connection(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, isolation_level=None, check_same_thread=False, timeout=30
        )
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")
        return connection

    def _read(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        if not hasattr(self._local, "connection"):
            self._local.connection = self._connection()
        return self._local.connection.execute(query, values).fetchall()

    def close(self) -> None:
        """Close the connection that writes."""
        self._writer.close()

    # Who and what -----------------------------------------------------------------------------

    def assessors(self) -> dict[str, str]:
        """Return the names and roles of assessors in the order in which they were added."""
        return dict(self._read("SELECT name, role FROM judge ORDER BY number"))

    def add_assessor(self, name: str, role: str = "judge") -> None:
        """Add an assessor unless there is one of that name."""
        if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
            raise UsageError(
                f"found the assessor name {name!r}; expected 1 to {LONGEST_NAME} printable letters"
            )
        if role == "judge" and name in RESERVED:
            raise UsageError(f"the assessor name {name!r} is reserved; choose another")
        insert = "INSERT OR IGNORE INTO judge SELECT ?, ?, count(*) FROM judge"
        try:
            with self._lock:
                self._writer.execute(insert, (name, role))
        except sqlite3.Error as error:
            raise UsageError(f"{self.path}: cannot be written ({error})") from error

    def new_token(self, assessor: str) -> str:
        """Create a secret token for an assessor, of which only the hash is stored."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._writer.execute("INSERT INTO token VALUES (?, ?)", (_hashed(token), assessor))
        return token

    def revoke(self, assessor: str) -> int:
        """Revoke all tokens of an assessor and return their number."""
        with self._lock:
            return self._writer.execute("DELETE FROM token WHERE judge = ?", (assessor,)).rowcount

    def bearer(self, token: str) -> tuple[str, str] | None:
        """Return the name and role of the assessor to whom a token belongs."""
        query = "SELECT name, role FROM token JOIN judge ON judge = name WHERE hash = ?"
        found = self._read(query, (_hashed(token),))
        return found[0] if found else None

    def topics(self) -> list[tuple[int, str, dict[str, Any]]]:
        """Return the number, id and statement of each topic."""
        rows = self._read("SELECT number, id, said FROM topic ORDER BY number")
        return [(number, name, json.loads(statement)) for number, name, statement in rows]

    def documents(self, topic: int) -> list[Document]:
        """Return the pool of a topic, ordered by number."""
        rows = self._read("SELECT * FROM document WHERE topic = ? ORDER BY number", (topic,))
        return [_document(row) for row in rows]

    def document(self, topic: int, number: int) -> Document | None:
        """Return a document of a topic's pool, or None."""
        query = "SELECT * FROM document WHERE topic = ? AND number = ?"
        rows = self._read(query, (topic, number))
        return _document(rows[0]) if rows else None

    def add_document(self, one: Document, assessor: str) -> int:
        """Add a document to an assessor's pool of a topic, and return its number."""
        with self._lock:
            query = "SELECT * FROM document WHERE topic = ? AND id = ?"
            old = self._writer.execute(query, (one.topic, one.id)).fetchone()
            if old is not None and not _document(old).added_by:
                return _document(old).number
            if old is None:
                last = "SELECT coalesce(max(number), -1) + 1 FROM document WHERE topic = ?"
                one = replace(one, number=self._writer.execute(last, (one.topic,)).fetchone()[0])
            else:
                one = _document(old)
            details = {**one.details, "added_by": sorted({*one.added_by, assessor})}
            row = (one.topic, one.number, one.id, one.sha256, one.chars, json.dumps(details))
            self._writer.execute("INSERT OR REPLACE INTO document VALUES (?, ?, ?, ?, ?, ?)", row)
            return one.number

    # The log ----------------------------------------------------------------------------------

    def events(
        self,
        assessor: str | None = None,
        topic: int = -1,
        doc: int = -1,
        since: int = 0,
        most: int = -1,
    ) -> list[Event]:
        """Return the log, or its events of an assessor, a topic or a document."""
        wanted: list[tuple[str, object]] = [("seq > ?", since)]
        wanted += [("judge = ?", assessor)] if assessor is not None else []
        wanted += [("topic = ?", topic)] if topic >= 0 else []
        wanted += [("doc = ?", doc)] if doc >= 0 else []
        where = " AND ".join(condition for condition, _ in wanted)
        query = f"SELECT seq, {QUOTED} FROM event WHERE {where} ORDER BY seq LIMIT ?"
        return [_event(row) for row in self._read(query, [*(v for _, v in wanted), most])]

    def head(self) -> tuple[int, str]:
        """Return the number and hash of the last event, by which a log is cited."""
        rows = self._read("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1")
        return (rows[0][0], rows[0][1].hex()) if rows else (0, self._start.hex())

    def append(self, batch: Sequence[Event]) -> list[tuple[int, str]]:
        """Append events to the log in one transaction, and return when they are on disk.

        For each event the result is its number and an empty string. An event that is stored already
        gives its old number. If another event has the same client and number, the result is 0 and a
        reason.
        """
        with self._lock:
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                answers = [self._put(event) for event in batch]
                self._note_head()
                self._writer.execute("COMMIT")
            except BaseException:
                if self._writer.in_transaction:  # SQLite rolls back by itself on a full disk
                    self._writer.execute("ROLLBACK")
                raise
        return answers

    def _put(self, event: Event) -> tuple[int, str]:
        gesture = event.gesture
        query = f"SELECT seq, {QUOTED} FROM event WHERE client = ? AND n = ?"
        old = self._writer.execute(query, (gesture.client, gesture.n)).fetchone()
        if old is not None:
            known = _event(old)
            same = (known.assessor, known.topic, known.doc, known.gesture) == (
                event.assessor,
                event.topic,
                event.doc,
                gesture,
            )
            return (known.seq, "") if same else (0, "another event has the same client and number")
        last = self._writer.execute(
            "SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1"
        ).fetchone() or (0, self._start)
        row = _row(event)
        seq, prev = last[0] + 1, last[1]
        places = ", ".join("?" * (len(row) + 3))
        self._writer.execute(
            f"INSERT INTO event (seq, {QUOTED}, prev, hash) VALUES ({places})",
            (seq, *row, prev, chained(prev, seq, row)),
        )
        return seq, ""

    def _note_head(self) -> None:
        """Store the end of the log a second time, because a truncated chain is still valid."""
        last = "SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1"
        for seq, head in self._writer.execute(last).fetchall():
            noted = json.dumps([seq, head.hex()])
            self._writer.execute("INSERT OR REPLACE INTO about VALUES ('head', ?)", (noted,))

    def verify(self, cited: str | None = None) -> list[str]:
        """List the problems of the file and of the chain of the log.

        `cited` is the head that an export names, or its beginning: the log must contain it.
        """
        problems = [row[0] for row in self._read("PRAGMA integrity_check") if row[0] != "ok"]
        names = {row[0] for row in self._read("SELECT name FROM sqlite_master")}
        problems += [
            f"the trigger {name!r} that protects the log is missing"
            for name in TRIGGERS
            if name not in names
        ]
        problems += self._broken_links()
        noted = [
            json.loads(row[0]) for row in self._read("SELECT value FROM about WHERE key = 'head'")
        ]
        heads = {seq: head.hex() for seq, head in self._read("SELECT seq, hash FROM event")}
        problems += [
            f"the log was truncated: it extended to event {s}"
            for s, h in noted
            if heads.get(s) != h
        ]
        if heads and not noted:
            problems.append("the record of the end of the log is missing")
        problems += self._other_contents()
        every = (self._start.hex(), *heads.values())
        if cited is not None and not any(h.startswith(cited.lower()) for h in every):
            problems.append(f"no event has the hash {cited}")
        return problems

    def _other_contents(self) -> Iterator[str]:
        """Yield problems of the tables that give the log its meaning."""
        if "contents" in self.about and contents(self._writer) != self._start:
            yield "pool, topics or settings have changed since the store was created"
        unknown = "SELECT DISTINCT judge FROM event WHERE judge NOT IN (SELECT name FROM judge)"
        for (name,) in self._read(unknown):
            if name != PRACTICE:
                yield f"the log has events of {name!r}, who is not an assessor"

    def _broken_links(self) -> list[str]:
        problems = []
        prev, due = self._start, 1
        query = f"SELECT seq, {QUOTED}, prev, hash FROM event ORDER BY seq"
        for seq, *row, stored_prev, stored in self._read(query):
            if seq != due:
                problems.append(f"event {due} is missing")
            if stored_prev != prev or chained(prev, seq, row) != stored:
                problems.append(f"event {seq} was changed")
            prev, due = stored, seq + 1
        return problems

    def copy_to(self, path: Path) -> str:
        """Make a safety copy while others write, and return its problem, if any."""
        path.unlink(missing_ok=True)
        try:
            self._read("VACUUM INTO ?", (str(path),))
            copy = sqlite3.connect(path)
            (answer,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
            copy.close()
        except sqlite3.Error as error:
            path.unlink(missing_ok=True)
            return str(error)
        return "" if answer == "ok" else str(answer)


def _row(event: Event) -> tuple[Any, ...]:
    g = event.gesture
    return (
        *(event.assessor, event.topic, event.doc, g.client, g.n, g.kind, g.layer, g.start, g.end),
        *(g.value, g.check, event.base, event.at_client, event.at_server),
    )


def _event(row: Sequence[Any]) -> Event:
    seq, assessor, topic, doc, *rest = row
    return Event(seq, assessor, topic, doc, Gesture(*rest[:8]), *rest[8:])


def _document(row: Sequence[Any]) -> Document:
    topic, number, name, sha256, chars, details = row
    return Document(topic, number, name, sha256, chars, json.loads(details))


def chained(prev: bytes, seq: int, row: Sequence[Any]) -> bytes:
    """Return the hash of an event, which includes all events before it."""
    text = json.dumps([seq, *row], ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(prev + text.encode()).digest()


def contents(connection: sqlite3.Connection) -> bytes:
    """Return the hash of a store's contents, with which its log begins.

    Documents that assessors added to the pool later are not included.
    """
    digest = hashlib.sha256()
    kept = "SELECT * FROM about WHERE key NOT IN ('head', 'contents') ORDER BY key"
    pool = "SELECT * FROM document ORDER BY topic, number"
    for query in (kept, "SELECT * FROM topic ORDER BY number", pool):
        for row in connection.execute(query):
            if query != pool or not _document(row).added_by:
                digest.update(json.dumps(row, ensure_ascii=True).encode() + b"\n")
    return digest.digest()


def _hashed(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def create(
    path: str,
    about: dict[str, Any],
    topics: Iterable[tuple[str, dict[str, Any]]],
    documents: Iterator[Document],
) -> Store:
    """Create a store; the file appears only when it is complete."""
    place = Path(path)
    temporary = place.with_name(f".{place.name}.new")
    for leftover in place.parent.glob(f"{temporary.name}*"):
        leftover.unlink()
    try:
        connection = sqlite3.connect(temporary, isolation_level=None)
    except sqlite3.Error as error:
        raise UsageError(f"{path}: cannot be written ({error})") from error
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.executescript(TABLES)
    connection.execute("BEGIN")
    settings = {**about, "made": time.time()}
    rows = [(key, json.dumps(value)) for key, value in settings.items()]
    connection.executemany("INSERT INTO about VALUES (?, ?)", rows)
    for number, (name, statement) in enumerate(topics):
        connection.execute(
            "INSERT INTO topic VALUES (?, ?, ?)", (number, name, json.dumps(statement))
        )
    connection.executemany(
        "INSERT INTO document VALUES (?, ?, ?, ?, ?, ?)",
        ((d.topic, d.number, d.id, d.sha256, d.chars, json.dumps(d.details)) for d in documents),
    )
    made = json.dumps(contents(connection).hex())
    connection.execute("INSERT INTO about VALUES ('contents', ?)", (made,))
    connection.execute("COMMIT")
    connection.close()
    temporary.replace(place)
    return Store(path)
