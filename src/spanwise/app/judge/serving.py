"""Running the server: links for judges, loopback, and a clear word when a port is taken."""

from __future__ import annotations

import socket
import sqlite3
import threading
import time
from typing import TYPE_CHECKING

from spanwise.app.judge.setup import copy_safely, locked
from spanwise.app.output import emit, say
from spanwise.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from spanwise.app.judge.store import Store
    from spanwise.model.documents import Collection

PORT = 7878
HOUR = 3600.0
LOOPBACK = "127.0.0.1"


def refuse_without_extra() -> None:
    """The libraries of the server are an extra."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise MissingExtra("starlette and uvicorn", "judge", "spanwise judge") from None


def links(store: Store, port: int) -> list[tuple[str, str]]:
    """A fresh link for every judge; the secret is behind the #, so no server logs it."""
    try:
        tokens = [(name, store.new_token(name)) for name in store.judges()]
    except sqlite3.Error as error:
        raise UsageError(f"{store.path}: cannot be written ({error})") from error
    return [(name, f"http://{LOOPBACK}:{port}/#k={token}") for name, token in tokens]


def serve(store: Store, collection: Collection, port: int, *, browse: bool) -> None:
    """Serve until interrupted."""
    import uvicorn

    from spanwise.app.judge.server import application
    from spanwise.app.judge.service import Service

    handle = locked(store.path)
    listening = _bound(port)
    port = listening.getsockname()[1]
    copy_safely(store)
    threading.Thread(target=_copy_in_use, args=(store,), daemon=True).start()
    printed = links(store, port)
    for name, link in printed:
        emit(f"{name}: {link}\n")
    emit(f"Everything is kept in {store.path}. Stop with Ctrl-C.\n")
    hosts = [f"{name}:{port}" for name in (LOOPBACK, "localhost", "[::1]")]
    config = uvicorn.Config(
        application(Service(store, collection), hosts),
        log_level="error",  # whoever sends what is no HTTP is answered, and that is all
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
    """A copy each hour in which anything was judged."""
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
        raise UsageError(f"port {port} is taken ({error.strerror}); give another --port") from error
    return listening
