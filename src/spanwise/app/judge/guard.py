"""Who may speak to the server, and what its answers allow a browser: before any route is looked at.

A page of another origin can make a browser send requests to loopback, and can even be called by a
name that points there. So the names in `Host` and `Origin` must be exactly ours, and nothing that a
browser adds by itself, such as a cookie, is ever a proof of who asks.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

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


class Guard:
    """Refuses what is not meant for us; adds the headers to every answer."""

    def __init__(self, app: App, hosts: Iterable[str], scheme: str = "http") -> None:
        self._app = app
        self._hosts = {host.encode() for host in hosts}
        self._origins = {f"{scheme}://{host}".encode() for host in hosts}

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """One request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [(k, v) for k, v in message["headers"] if k not in dict(HEADERS)]
                message["headers"] = [*kept, *HEADERS]
            await send(message)

        refused = self.refusal(scope)
        if refused:
            await _answer(guarded, *refused)
        else:
            await self._app(scope, receive, guarded)

    def refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Status and reason, if a request is not for us."""
        said: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            said.setdefault(name.lower(), []).append(value)
        if len(said.get(b"host", ())) != 1 or said[b"host"][0] not in self._hosts:
            return 403, "this server has another name"
        if any(origin not in self._origins for origin in said.get(b"origin", ())):
            return 403, "requests of other pages are refused"
        if any(site not in (b"same-origin", b"none") for site in said.get(b"sec-fetch-site", ())):
            return 403, "requests of other sites are refused"
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, "only GET and POST"
        if scope["method"] == "POST":
            return _refused_body(said)
        return None


def _refused_body(said: dict[bytes, list[bytes]]) -> tuple[int, str] | None:
    kind = said.get(b"content-type", [b""])[0].partition(b";")[0].strip().lower()
    if kind != b"application/json":
        return 415, "only application/json"
    length = said.get(b"content-length", [b""])[0]
    if not length.isdigit():
        return 411, "the length must be said"
    return (413, "too much at once") if int(length) > LARGEST else None


async def _answer(send: Any, status: int, reason: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": reason.encode()})
