"""The web server of the judging page: request checks, routes, start and stop.

Topics and documents are addressed by their numbers in the store; no part of a request is a path.
Every request is checked before it is routed. A page of another origin can make a browser send
requests to the loopback interface, even under a host name that resolves to it. Therefore `Host` and
`Origin` must be exact names of this server, and nothing that a browser adds by itself, such as a
cookie, identifies an assessor.
"""

from __future__ import annotations

import json
import socket
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from spanwise.console import emit, say
from spanwise.errors import InputError, MissingExtra, UsageError
from spanwise.judge import practice, service
from spanwise.judge.exchange import lines
from spanwise.judge.service import OWNER, Refused, Service, progress
from spanwise.judge.setup import copy_safely, locked
from spanwise.judge.verdicts import chosen_assessors, verdicts

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from spanwise.judge.store import Store
    from spanwise.model.documents import Collection

# Request checks -----------------------------------------------------------------------------------

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
App = Callable[
    [Scope, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]
]

LARGEST = 256 * 1024
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


class RequestFilter:
    """A filter that refuses foreign requests and adds security headers to every response."""

    def __init__(self, app: App, hosts: Iterable[str], scheme: str = "http") -> None:
        self._app = app
        self._hosts = {host.encode() for host in hosts}
        self._origins = {f"{scheme}://{host}".encode() for host in hosts}

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Handle one request of the ASGI protocol."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [(k, v) for k, v in message["headers"] if k not in dict(HEADERS)]
                message["headers"] = [*kept, *HEADERS]
            await send(message)

        refused = self.refusal(scope)
        if refused:
            await _answer(send_with_headers, *refused)
        else:
            await self._app(scope, receive, send_with_headers)

    def refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return the status and reason if a request is refused."""
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        if len(headers.get(b"host", ())) != 1 or headers[b"host"][0] not in self._hosts:
            return 403, "unknown host name; use the address that the server printed"
        if any(origin not in self._origins for origin in headers.get(b"origin", ())):
            return 403, "requests from other pages are refused"
        if any(
            site not in (b"same-origin", b"none") for site in headers.get(b"sec-fetch-site", ())
        ):
            return 403, "requests from other sites are refused"
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, "only GET and POST are allowed"
        if scope["method"] == "POST":
            return _refused_body(headers)
        return None


def _refused_body(headers: dict[bytes, list[bytes]]) -> tuple[int, str] | None:
    kind = headers.get(b"content-type", [b""])[0].partition(b";")[0].strip().lower()
    if kind != b"application/json":
        return 415, "the content type must be application/json"
    length = headers.get(b"content-length", [b""])[0]
    if not length.isdigit():
        return 411, "the Content-Length header is missing"
    return (413, "the request is too large") if int(length) > LARGEST else None


async def _answer(send: Any, status: int, reason: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": reason.encode()})


# Routes -------------------------------------------------------------------------------------------

PAGE = {
    "app.js": "text/javascript",
    "desk.js": "text/javascript",
    "document.js": "text/javascript",
    "fold.js": "text/javascript",
    "keys.js": "text/javascript",
    "moving.js": "text/javascript",
    "outbox.js": "text/javascript",
    "paint.js": "text/javascript",
    "panels.js": "text/javascript",
    "plain.js": "text/javascript",
    "practice.js": "text/javascript",
    "screens.js": "text/javascript",
    "text.js": "text/javascript",
    "words.js": "text/javascript",
    "style.css": "text/css",
    "icon.svg": "image/svg+xml",
}
"""Media types of the files of the page, besides index.html."""
BATCH = 50
RATE, BURST = 50.0, 500.0
"""Maximum number of events per second and assessor, and of a burst after a pause."""
MATCHING = 10
"""Number of events that a regular expression counts as."""


def application(service: Service, hosts: list[str], scheme: str = "http") -> RequestFilter:
    """Return the server as an ASGI application."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    api = Api(service)
    routes = [
        Route("/", page),
        Route("/t/{topic:int}", page),
        Route("/t/{topic:int}/next", page),
        Route("/t/{topic:int}/d/{doc:int}", page),
        Route("/help", page),
        Route("/desk", page),
        Route("/practice", page),
        Route("/page/{name}", asset),
        Route("/api/me", api.answers(api.me)),
        Route("/api/t/{topic:int}/pool", api.answers(api.pool)),
        Route("/api/t/{topic:int}/d/{doc:int}", api.answers(api.document)),
        Route("/api/t/{topic:int}/d/{doc:int}/compare", api.answers(api.compare)),
        Route("/api/t/{topic:int}/d/{doc:int}/events", api.answers(api.newer)),
        Route("/api/t/{topic:int}/d/{doc:int}/matches", api.answers(api.matches), methods=["POST"]),
        Route("/api/t/{topic:int}/find", api.answers(api.find)),
        Route("/api/t/{topic:int}/documents", api.answers(api.add), methods=["POST"]),
        Route("/api/practice", api.answers(api.lessons), methods=["GET"]),
        Route("/api/practice", api.answers(api.practise), methods=["POST"]),
        Route("/api/events", api.answers(api.post), methods=["POST"]),
        Route("/api/desk", api.answers(api.campaign), methods=["GET"]),
        Route("/api/desk", api.answers(api.decide), methods=["POST"]),
        Route("/api/desk/export", api.answers(api.export)),
    ]
    return RequestFilter(Starlette(routes=routes), hosts, scheme)


def _asset(name: str) -> bytes:
    return (files("spanwise.judge") / "page" / name).read_bytes()


async def page(request: Request) -> Response:  # noqa: ARG001
    """Return the page, which is the same at every address."""
    from starlette.responses import Response

    return Response(_asset("index.html"), media_type="text/html")


async def asset(request: Request) -> Response:
    """Return a file of the page by its name in the table."""
    from starlette.responses import PlainTextResponse, Response

    name = request.path_params["name"]
    if name not in PAGE:
        return PlainTextResponse("unknown file", 404)
    return Response(_asset(name), media_type=PAGE[name])


class Api:
    """The handlers of the routes; every request must carry an assessor's token."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._rates: dict[str, tuple[float, float]] = {}

    def answers(self, act: Callable[..., Any]) -> Callable[[Request], Awaitable[Response]]:
        """Make a route of a handler, which checks the token and runs in a thread."""
        from starlette.concurrency import run_in_threadpool
        from starlette.responses import Response

        async def route(request: Request) -> Response:
            try:
                body = await request.body() if request.method == "POST" else b""
                status, content = await run_in_threadpool(self._act, act, request, body)
            except Refused as refused:
                status, content = refused.status, {"error": refused.reason}
            data = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
            return Response(
                data.encode("utf-8", "surrogatepass"), status, media_type="application/json"
            )

        return route

    def _act(self, act: Callable[..., Any], request: Request, body: bytes) -> tuple[int, Any]:
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        identity = self.service.store.bearer(token.strip()) if kind == "Bearer" and token else None
        if identity is None:
            raise Refused(401, "the link is not valid; open the one that the server printed")
        try:
            return act(identity, request, body)
        except sqlite3.OperationalError as error:
            raise Refused(507, f"the store cannot be written ({error})") from error
        except InputError as error:
            raise Refused(409, str(error)) from error

    def me(self, identity: tuple[str, str], request: Request, body: bytes) -> tuple[int, Any]:  # noqa: ARG002
        """Return the topics and the assessor's progress."""
        return 200, self.service.overview(*identity)

    def pool(self, identity: tuple[str, str], request: Request, body: bytes) -> tuple[int, Any]:  # noqa: ARG002
        """Return a topic and its documents."""
        return 200, self.service.pool(identity[0], request.path_params["topic"])

    def document(self, identity: tuple[str, str], request: Request, body: bytes) -> tuple[int, Any]:  # noqa: ARG002
        """Return a document and its gestures."""
        return 200, self.service.document(identity[0], *_place(request))

    def compare(self, identity: tuple[str, str], request: Request, body: bytes) -> tuple[int, Any]:  # noqa: ARG002
        """Return the judgements of all assessors to the adjudicator."""
        return 200, self.service.compare(identity[1], *_place(request))

    def newer(self, identity: tuple[str, str], request: Request, body: bytes) -> tuple[int, Any]:  # noqa: ARG002
        """Return the events on a document after a given one."""
        since = request.query_params.get("since", "0")
        if not since.isdecimal() or len(since) > 15:
            raise Refused(400, "since must be the number of an event")
        return 200, {"newer": self.service.newer(identity[0], *_place(request), int(since))}

    def post(self, identity: tuple[str, str], request: Request, body: bytes) -> tuple[int, Any]:  # noqa: ARG002
        """Store a batch of gestures."""
        if identity[1] == OWNER:
            raise Refused(403, "the organiser cannot judge")
        batch = _object(body).get("events")
        if not isinstance(batch, list) or not 0 < len(batch) <= BATCH:
            raise Refused(400, f"expected 1 to {BATCH} events")
        self._charge(identity[0], len(batch))
        answers = self.service.receive(identity[0], batch)
        results = [
            {"n": a.n, "seq": a.seq} if not a.error else {"n": a.n, "error": a.error}
            for a in answers
        ]
        return (409 if any(a.error for a in answers) else 200), {"results": results}

    def find(self, identity: tuple[str, str], request: Request, body: bytes) -> tuple[int, Any]:  # noqa: ARG002
        """Return documents that can be added to a topic's pool."""
        wanted = request.query_params.get("q", "")
        return 200, self.service.findable(identity[0], request.path_params["topic"], wanted)

    def matches(self, identity: tuple[str, str], request: Request, body: bytes) -> tuple[int, Any]:
        """Return the matches of a regular expression in a document."""
        self._charge(identity[0], MATCHING)
        return 200, self.service.matches(
            identity[0], *_place(request), _object(body).get("pattern")
        )

    def add(self, identity: tuple[str, str], request: Request, body: bytes) -> tuple[int, Any]:
        """Add a document to an assessor's pool."""
        if identity[1] == OWNER:
            raise Refused(403, "the organiser cannot judge")
        self._charge(identity[0], 1)
        topic = request.path_params["topic"]
        return 200, {"number": self.service.add(identity[0], topic, _object(body).get("id"))}

    def lessons(self, identity: tuple[str, str], request: Request, body: bytes) -> tuple[int, Any]:  # noqa: ARG002
        """Return the practice documents for new assessors."""
        return 200, practice.lessons(self.service.store, identity[0])

    def practise(self, identity: tuple[str, str], request: Request, body: bytes) -> tuple[int, Any]:  # noqa: ARG002
        """Store the answer to a practice document and return feedback."""
        if identity[1] == OWNER:
            raise Refused(403, "the organiser cannot judge")
        sent = _object(body)
        if problem := practice.refusal(sent):
            raise Refused(400, problem)
        self._charge(identity[0], 1)
        event, answer = practice.answered(sent, identity[0])
        ((_, error),) = self.service.store.append([event])
        return (409, {"error": error}) if error else (200, answer)

    # The organiser -----------------------------------------------------------------------------

    def campaign(self, identity: tuple[str, str], request: Request, body: bytes) -> tuple[int, Any]:  # noqa: ARG002
        """Return the progress of all assessors and the organiser's settings."""
        _refuse_unless_organiser(identity)
        store, settings = self.service.store, self.service.settings()
        people = [name for name, role in store.assessors().items() if role == "judge"]
        topics = [
            {
                "number": number,
                "id": name,
                "title": statement.get("title"),
                "frozen": number in settings.frozen,
                "given": number in settings.assigned,
                "assigned": [one for one in people if settings.allows(one, number)],
            }
            for number, name, statement in store.topics()
        ]
        seq, head = store.head()
        return 200, {
            "judges": people,
            "topics": topics,
            "progress": progress(store),
            "agreement": service.agreements(store),
            "practised": practice.practised(store),
            "events": seq,
            "head": head,
        }

    def decide(self, identity: tuple[str, str], request: Request, body: bytes) -> tuple[int, Any]:  # noqa: ARG002
        """Store a setting of the organiser."""
        _refuse_unless_organiser(identity)
        sent = _object(body)
        if problem := service.refusal_of_setting(sent, self.service.store):
            raise Refused(400, problem)
        ((seq, error),) = self.service.store.append([service.setting_event(sent)])
        return (409, {"error": error}) if error else (200, {"seq": seq})

    def export(self, identity: tuple[str, str], request: Request, body: bytes) -> tuple[int, Any]:  # noqa: ARG002
        """Return all judgements as the file that `spanwise judge export` writes."""
        _refuse_unless_organiser(identity)
        store = self.service.store
        found = verdicts(store, chosen_assessors(store, None, None, machines=False))
        return 200, {"lines": b"".join(lines(store, found)).decode()}

    def _charge(self, assessor: str, count: int) -> None:
        now = time.monotonic()
        left, then = self._rates.get(assessor, (BURST, now))
        left = min(BURST, left + (now - then) * RATE)
        if left < count:
            raise Refused(429, "too many requests; the page sends them again")
        self._rates[assessor] = (left - count, now)


def _refuse_unless_organiser(identity: tuple[str, str]) -> None:
    if identity[1] != OWNER:
        raise Refused(403, "only the organiser can see this")


def _object(body: bytes) -> dict[str, Any]:
    try:
        sent = json.loads(body)
        json.dumps(sent, ensure_ascii=False).encode()  # unpaired surrogates cannot be stored
    except (ValueError, RecursionError):
        raise Refused(400, "the content is not valid JSON") from None
    if not isinstance(sent, dict):
        raise Refused(400, "expected a JSON object")
    return sent


def _place(request: Request) -> tuple[int, int]:
    return request.path_params["topic"], request.path_params["doc"]


# Start and stop -----------------------------------------------------------------------------------

PORT = 7878
HOUR = 3600.0
LOOPBACK = "127.0.0.1"


def refuse_without_extra() -> None:
    """Raise MissingExtra unless the libraries of the server are installed."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise MissingExtra("starlette and uvicorn", "judge", "spanwise judge") from None


def links(store: Store, port: int) -> list[tuple[str, str]]:
    """Create a new link for every assessor.

    The token is in the fragment of the link, so that no server logs it.
    """
    try:
        tokens = [(name, store.new_token(name)) for name in store.assessors()]
    except sqlite3.Error as error:
        raise UsageError(f"{store.path}: cannot be written ({error})") from error
    return [(name, f"http://{LOOPBACK}:{port}/#k={token}") for name, token in tokens]


def serve(store: Store, collection: Collection, port: int, *, browse: bool) -> None:
    """Serve the page until interrupted."""
    import uvicorn

    from spanwise.judge.service import Service

    handle = locked(store.path)
    listening = _bound(port)
    port = listening.getsockname()[1]
    copy_safely(store)
    threading.Thread(target=_copy_in_use, args=(store,), daemon=True).start()
    printed = links(store, port)
    for name, link in printed:
        emit(f"{name}: {link}\n")
    emit(f"Judgements are stored in {store.path}. Press Ctrl-C to stop.\n")
    hosts = [f"{name}:{port}" for name in (LOOPBACK, "localhost", "[::1]")]
    config = uvicorn.Config(
        application(Service(store, collection), hosts),
        log_level="error",  # invalid requests are answered without a log entry
        http="h11",
        ws="none",
        loop="asyncio",
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="off",
        timeout_graceful_shutdown=2,
    )
    if browse:
        import webbrowser

        webbrowser.open(printed[0][1])
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        say("note", "stopped")
    finally:
        handle.close()


def _copy_in_use(store: Store, every: float = HOUR) -> None:
    """Make a safety copy after each hour in which something was judged."""
    copied = store.head()
    while True:
        time.sleep(every)
        if store.head() != copied:
            copied = store.head()
            copy_safely(store)


def _bound(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
    except OSError as error:
        raise UsageError(
            f"port {port} is in use ({error.strerror}); choose another --port"
        ) from error
    return listening
