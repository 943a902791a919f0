"""Hostile requests: every one is refused, with the right status, and nothing is stored."""

import json

import pytest

from judging import Judge, Server, campaign
from spanwise.judge.store import Store

TEXT = "One two three. Four five six."
DOCUMENTS = {"d0": f"<a><p>{TEXT}</p></a>", "d1": "<a><p>Other.</p></a>"}
BAD_HOSTS = [
    *("evil.example", "127.0.0.1", "127.0.0.1:1", "localhost", "127.0.0.1.nip.io:{port}"),
    *("evil.example:{port}", "[::1]", "0.0.0.0:{port}", "127.0.0.1:{port}.", "", "127.1:{port}"),
]
BAD_ORIGINS = [
    *("http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1"),
    *("http://localhost", "http://127.0.0.1:{port}.evil.example", "file://"),
]
PATHS = [
    "/api/t/0/d/99999999999999999999999",
    "/api/t/99999999999999999999999/pool",
    *("/page/../store.py", "/page/..%2fstore.py", "/page/%2e%2e/store.py", "/page/..%5cstore.py"),
    *("/page/app.js%00", "/page//etc/passwd", "/page/%2fetc%2fpasswd", "/../../etc/passwd"),
    *("/page/index.html/../../store.py", "/t/0/d/..%2f..%2f", "/t/abc", "/t/-1", "/t/0/d/x"),
    *("/api/t/0/d/../../../etc/passwd", "/api/t/%00/pool", "/api/nothing", "/page/"),
    "/pool.jsonl.judged",
]
EVENTS = [
    {"at": float("nan")},
    {"at": float("inf")},
    {"at": 10**400},
    {"at": -1},
    {},
    {"client": "x"},
    {"n": -1},
    {"n": True},
    {"n": 1.5},
    {"n": 1 << 60},
    {"kind": "freeze"},
    {"kind": 3},
    {"topic": "0"},
    {"start": 5, "end": 5},
    {"start": 9, "end": 3},
    {"check": "00"},
    {"layer": "__proto__"},
    {"value": "x" * 20_000},
    {"value": ["a"]},
    {"judge": "ben"},
    {"kind": "grade", "value": "9"},
    {"kind": "skip", "value": " "},
    {"kind": "undo", "value": "x"},
    {"at": "now"},
]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = campaign(tmp_path_factory.mktemp("hostile") / "c", DOCUMENTS)
    with Server(folder, judges=("anna", "ben")) as running:
        yield running


@pytest.fixture
def judge(server):
    return server.judge()


def test_a_good_request_is_answered(judge):
    assert judge.ask("GET", "/api/me")[0] == 200


@pytest.mark.parametrize("host", [*BAD_HOSTS, None])
def test_other_names_are_refused(judge, host):
    said = None if host is None else host.format(port=judge.port)
    assert judge.ask("GET", "/api/me", Host=said)[0] in (400, 403)
    assert judge.ask("GET", "/", Host=said)[0] in (400, 403)


@pytest.mark.parametrize("origin", BAD_ORIGINS)
def test_other_origins_are_refused(judge, origin):
    said = origin.format(port=judge.port)
    assert judge.ask("POST", "/api/events", {"events": []}, Origin=said)[0] == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "odd"])
def test_other_sites_are_refused(judge, site):
    assert judge.ask("GET", "/api/me", Sec_Fetch_Site=site)[0] == 403


@pytest.mark.parametrize("token", [None, "", "Bearer", "Bearer x", "Basic YTpi", "bearer"])
def test_without_a_token_nothing_is_told(judge, token):
    for path in ("/api/me", "/api/t/0/pool", "/api/t/0/d/0", "/api/t/0/d/0/events"):
        assert judge.ask("GET", path, Authorization=token)[0] == 401


@pytest.mark.parametrize("path", PATHS)
def test_no_path_opens_a_file(judge, path):
    status, _, content = judge.ask("GET", path)
    assert status == 404, content
    assert "root:" not in str(content)
    assert "import" not in str(content)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"])
def test_other_methods_are_refused(judge, method):
    assert judge.ask(method, "/api/events")[0] in (400, 405)


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"{}", {"Content_Type": "text/plain"}, 415),
        (b"events=1", {"Content_Type": "application/x-www-form-urlencoded"}, 415),
        (b"{", {}, 400),
        (b"[]", {}, 400),
        (b"{}", {}, 400),
        (b'{"events": []}', {}, 400),
        (b'{"events": 7}', {}, 400),
        (b'{"events": [7]}', {}, 400),
        (b"[" * 100_000, {}, 400),
        (json.dumps({"events": [{}] * 51}).encode(), {}, 400),
        (b" " * (257 * 1024), {}, 413),
        (b"", {"Content_Length": None}, 400),
    ],
)
def test_odd_bodies_are_refused(judge, body, headers, status):
    assert judge.ask("POST", "/api/events", body, **headers)[0] in (status, 411)


@pytest.mark.parametrize("change", EVENTS, ids=lambda e: json.dumps(e)[:30])
def test_odd_events_are_refused(server, judge, change):
    good = judge.event("add", 0, 0, TEXT, start=0, end=3)
    sent = {**good, **change} if change else {}
    assert judge.send(sent)[0] == 400
    assert Store(server.store).events("anna") == []


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"doc": 7}, 404),
        ({"topic": 7}, 404),
        ({"check": "0" * 16}, 409),
        ({"end": 900}, 409),
        ({"kind": "bep", "layer": ""}, 409),  # the check is of another text
        ({"kind": "bep", "check": ""}, 400),
        ({"kind": "bep", "start": len(TEXT)}, 409),
    ],
)
def test_events_that_mean_nothing_are_refused(server, judge, change, status):
    assert judge.send({**judge.event("add", 0, 0, TEXT, start=0, end=3), **change})[0] == status
    assert Store(server.store).events("anna") == []


def test_every_answer_has_the_headers_and_no_cookie(judge):
    for path in ("/", "/page/app.js", "/api/me", "/nothing", "/page/x"):
        _, headers, _ = judge.ask("GET", path)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "trusted-types 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "set-cookie" not in headers
        assert "access-control-allow-origin" not in headers


def test_a_judge_learns_nothing_of_another(server):
    anna, ben = server.judge("anna"), Judge(server.port, server.judge("ben").token, "client-ben1")
    secret = "a note that nobody else may see"
    assert ben.send(ben.event("note", value=secret))[0] == 200
    for path in ("/api/me", "/api/t/0/pool", "/api/t/0/d/0", "/api/t/0/d/0/events?since=0"):
        status, _, content = anna.ask("GET", path)
        assert status == 200
        assert secret not in json.dumps(content)
        assert "client-ben1" not in json.dumps(content)
    assert anna.ask("GET", "/api/t/0/d/0/compare")[0] == 403
