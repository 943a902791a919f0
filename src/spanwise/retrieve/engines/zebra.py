"""The engine Zebra of Index Data, run as a local server while an index is open.

Records are written to one XML file. A query is sent to the SRU interface of the server on a free
port of the loopback address; the response lists units with scores from 0 to 1000.
"""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import ProxyHandler, build_opener
from xml.sax.saxutils import escape

import numpy as np

from spanwise.errors import InputError
from spanwise.retrieve.registry import MissingEngine, engine

if TYPE_CHECKING:
    from spanwise.model.arrays import FloatArray, IntArray

START_SECONDS = 20.0
"""Maximum time in seconds that the server may take to start."""
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
LETTER = re.compile(r"[^\W\x00-\x7f]")
OTHER = re.compile(r"[^\x00-\x7f]")
HIT = re.compile(r'<hit [^>]*unit="(\d+)" score="(\d+)"')
SHEET = (
    '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"'
    ' xmlns:z="http://indexdata.com/zebra-2.0">{}</xsl:stylesheet>\n'
)
FILES = {
    "zebra.cfg": (
        "profilePath: .\nmodulePath: {modules}\nregister: register:100G\n"
        "recordType: dom.dom.xml\nrank: rank-1\nisam: b\nsortmax: {most}\n"
    ),
    "dom.xml": (
        '<dom xmlns="http://indexdata.com/zebra-2.0"><input><xmlreader level="1"/></input>'
        '<extract name="index"><xslt stylesheet="index.xsl"/></extract>'
        '<retrieve name="hit"><xslt stylesheet="hit.xsl"/></retrieve></dom>\n'
    ),
    "index.xsl": SHEET.format(
        '<xsl:template match="/unit"><z:record z:id="{@id}"><z:index name="any:w">'
        '<xsl:value-of select="."/></z:index></z:record></xsl:template>'
    ),
    "hit.xsl": SHEET.format(
        '<xsl:param name="score"/><xsl:template match="/unit">'
        '<hit unit="{@id}" score="{$score}"/></xsl:template>'
    ),
    "default.idx": "index w\ncompleteness 0\nposition 1\ncharmap words.chr\n",
    "words.chr": (
        "encoding utf-8\nlowercase {0-9}{a-z}\nuppercase {0-9}{A-Z}\n"
        "space {\\001-\\040}!\"#$%&'\\()*+,-./:;<=>?@\\[\\\\]^_`\\{|}~\n"
    ),
}
"""Zebra's configuration: one index of words, records known by number, all ranked."""


@engine(
    "zebra",
    title="Zebra",
    install="install Debian's idzebra-2.0-utils and libidzebra-2.0-modules",
)
@dataclass(frozen=True, slots=True)
class Zebra:
    """Zebra's own ranking (rank-1) over unstemmed words; scores are integers up to 1000."""

    def build(self, texts: Iterable[str], folder: Path) -> None:
        """Build a register from one XML file."""
        program = _program("zebraidx")
        modules = next(iter(sorted(Path("/usr").glob("lib*/**/idzebra-2.0/modules"))), None)
        if modules is None:
            raise MissingEngine("zebra", "Zebra's modules")
        for name in ("register", "records"):
            (folder / name).mkdir()
        count = _write_units(folder / "records" / "units.xml", texts)
        for name, content in FILES.items():
            settings = content.replace("{modules}", str(modules)).replace("{most}", str(count))
            (folder / name).write_text(settings)
        for words in (("init",), ("update", "records")):
            _run(program, folder, *words)

    def open(self, folder: Path) -> _Open:
        """Return the server, which is started when the context is entered."""
        return _Open(folder)


def _write_units(file: Path, texts: Iterable[str]) -> int:
    """Write the texts as one XML file and return their number."""
    number = -1
    with file.open("w", encoding="utf-8") as stream:
        stream.write("<units>")
        for number, text in enumerate(texts):
            inside = escape(FORBIDDEN.sub(" ", _plain(text)))
            stream.write(f'<unit id="{number}">{inside}</unit>\n')
        stream.write("</units>\n")
    return number + 1


def _plain(text: str) -> str:
    """Return a text in lower-case ASCII, the only letters that Zebra is configured for.

    >>> _plain("Élan — vital")
    'xe9xlan   vital'
    """
    return OTHER.sub(" ", LETTER.sub(lambda found: f"x{ord(found[0]):x}x", text.lower()))


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise MissingEngine("zebra", f"the program {name}")
    return found


def _end_with_parent() -> list[str]:
    """Return a command prefix that ends a program when this process is killed."""
    found = shutil.which("setpriv")
    return [found, "--pdeathsig", "KILL", "--"] if found is not None else []


def _run(program: str, folder: Path, *words: str) -> None:
    command = [program, "-c", "zebra.cfg", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode or "[fatal]" in done.stderr:
        fatal = [line for line in done.stderr.splitlines() if "[fatal]" in line]
        raise InputError(f"engine zebra: {''.join(fatal[:1]) or done.stderr.strip()[-200:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class _Open:
    """A server that runs while the context is open."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder, _free_port()
        self._server: subprocess.Popen[bytes] | None = None
        self._opener = build_opener(ProxyHandler({}))

    def __enter__(self) -> _Open:
        server = [_program("zebrasrv"), "-c", "zebra.cfg", "-S", f"tcp:127.0.0.1:{self._port}"]
        command = [*_end_with_parent(), *server]
        quiet = subprocess.DEVNULL
        self._server = subprocess.Popen(
            command, cwd=self._folder, stdin=quiet, stdout=quiet, stderr=quiet
        )
        try:
            self._await()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.terminate()
            try:
                server.wait(5)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()

    def _await(self) -> None:
        """Wait until the server accepts connections."""
        assert self._server is not None
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and self._server.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self._port), 1).close()
                return
            except OSError:
                time.sleep(0.02)
        raise InputError(f"engine zebra: the server did not start on port {self._port}")

    def search(self, words: Sequence[str], top: int) -> tuple[IntArray, FloatArray]:
        """Return the best units that contain any of the words, ties in the order of units."""
        asked = [f"@attr 1=any {_plain(word)}" for word in dict.fromkeys(words)]
        if not asked:
            return np.zeros(0, np.int64), np.zeros(0)
        query = "@attr 2=102 " + "@or " * (len(asked) - 1) + " ".join(asked)
        found = HIT.findall(self._answer(query, top))
        columns = np.array(found, np.float64).reshape(-1, 2)
        return columns[:, 0].astype(np.int64), columns[:, 1]

    def _answer(self, query: str, top: int) -> str:
        fields = {
            "version": "1.1",
            "operation": "searchRetrieve",
            "x-pquery": query,
            "maximumRecords": str(top),
            "recordSchema": "hit",
        }
        address = f"http://127.0.0.1:{self._port}/Default"
        try:
            with self._opener.open(address, urlencode(fields).encode(), timeout=60) as answer:
                text: str = answer.read().decode()
        except (URLError, OSError) as error:
            raise InputError(f"engine zebra: the server does not answer ({error})") from error
        if "<zs:diagnostics>" in text or "<diag:diagnostic" in text:
            message = re.sub(r"<[^>]+>", " ", text)
            raise InputError(f"engine zebra: {' '.join(message.split())[:200]}")
        return text
