"""The tables of a judging store. The log of events is the truth; nothing in it is ever changed."""

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
"""What is hashed of an event, in this order."""
