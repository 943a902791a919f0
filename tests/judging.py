"""A campaign to judge, its server as a process of its own, and judges that speak HTTP."""

import hashlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
SOAK = bool(os.environ.get("SPANWISE_SOAK"))
ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"),
    *("--disable-component-update", "--disable-dev-shm-usage"),
]


def scaled(small, full):
    """How often something is tried: a little in every test run, in full by `make soak`."""
    return full if SOAK else small


def needs_browser():
    if not CHROMIUM.exists():
        pytest.skip(f"no browser: {CHROMIUM} is absent (Debian: apt-get install chromium)")
    return pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


def campaign(folder, documents, topics=1, title="a question", narrative="What is asked."):
    """Documents (name to markup), each in the pool of every topic."""
    (folder / "docs").mkdir(parents=True)
    for name, markup in documents.items():
        (folder / "docs" / f"{name}.xml").write_bytes(markup.encode())
    from spanwise.formats.io.xml import escaped

    said = "".join(
        f'<topic id="t{n}"><title>{escaped(title)}</title>'
        f"<narrative>{escaped(narrative)}</narrative></topic>"
        for n in range(topics)
    )
    (folder / "topics.xml").write_text(f"<inex-topic-file>{said}</inex-topic-file>", "utf-8")
    lines = [{"topic": f"t{n}", "doc": name} for n in range(topics) for name in documents]
    (folder / "pool.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    return folder


class Server:
    """`spanwise judge`, started, killed and started again."""

    def __init__(self, folder, *words, judges=("anna",)):
        self.folder = folder
        names = [word for name in judges for word in ("--judge", name)]
        self.words = ["--order", "pool", *names, *words]
        self.port, self.links, self.process = 0, {}, None

    def start(self):
        command = [sys.executable, "-m", "spanwise", "judge", "pool.jsonl", "--no-open"]
        command += ["--collection", "docs", "--topics", "topics.xml", "--port", str(self.port)]
        self.process = subprocess.Popen(
            [*command, *self.words],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        links = {}
        for line in self.process.stdout:
            found = re.match(r"(.+): (http://127\.0\.0\.1:(\d+)/#k=(\S+))$", line.strip())
            if found is None:
                break
            links[found[1]] = found[2]
            self.port = int(found[3])
        if not links:
            said = self.process.stderr.read()
            self._ended()
            raise RuntimeError(said)
        self.links = links
        self._wait()
        return self

    def _wait(self):
        for _ in range(200):
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
                connection.request("GET", "/")
                connection.getresponse().read()
                connection.close()
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("the server does not respond")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self._ended()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self._ended()

    def _ended(self):
        self.process.wait(20)
        self.process.stdout.close()
        self.process.stderr.close()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def judge(self, name="anna"):
        return Judge(self.port, self.links[name].partition("#k=")[2])

    @property
    def store(self):
        return str(self.folder / "pool.jsonl.judged")


def check(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Judge:
    """Speaks to a server as the page does; counts its events."""

    def __init__(self, port, token, client="client-0001"):
        self.port, self.token, self.client, self.n = port, token, client, 0

    def ask(self, method, path, body=None, **headers):
        """Status, headers and content; header names with _ for -; None takes one away."""
        said = {"Host": f"127.0.0.1:{self.port}", "Authorization": f"Bearer {self.token}"}
        if body is not None:
            said["Content-Type"] = "application/json"
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        said |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in said.items():
                if value is not None:
                    connection.putheader(name, value)
            if body is not None and "Content-Length" not in said:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            content = answer.read()
            try:
                content = json.loads(content)
            except ValueError:
                content = content.decode(errors="replace")
            return answer.status, answer.headers, content
        finally:
            connection.close()

    def event(self, kind, topic=0, doc=0, text=None, **more):
        event = {"client": self.client, "n": self.n, "topic": topic, "doc": doc, "kind": kind}
        if kind in ("add", "remove"):
            event |= {"layer": "relevant", "check": check(text[more["start"] : more["end"]])}
        if kind == "bep" and text is not None:
            event["check"] = check(text[more["start"] : more["start"] + 32])
        self.n += 1
        return event | more

    def send(self, *events):
        return self.ask("POST", "/api/events", {"events": list(events)})
