"""A call of the drop-in, beside the small files that the tests share."""

from collections.abc import Callable
from typing import NamedTuple

import pytest

from spanwise.cli import main

JUDGEMENTS_A = """\
1 0 a 2
1 0 b 0
1 0 c 1
1 0 d -1
1 0 e 1
1 0 f 0
1 0 x 1
1 0 y 0
2 0 a 1
2 0 b 0
"""
RUN_A = """\
1 Q0 b 1 9 tag
1 Q0 a 2 8 tag
1 Q0 g 3 7 tag
1 Q0 c 4 6 tag
1 Q0 d 5 5 tag
1 Q0 e 6 5 tag
1 Q0 f 7 4 tag
2 Q0 a 1 1 tag
2 Q0 b 2 1 tag
"""
# Topic 1: e before d, because of equal scores the greater id comes first: b a g c e d f, grades
# 0 2 - 1 1 . 0; 7 retrieved, R = 4, relevant at 2, 4, 5. Topic 2: b a, grades 0 1.


class Answer(NamedTuple):
    status: int
    out: bytes
    err: str

    @property
    def values(self) -> dict[tuple[str, str], str]:
        """{(name, topic): value}, all as printed."""
        lines = [line.split("\t") for line in self.out.decode().splitlines()]
        return {(name.rstrip(" "), topic): value for name, topic, value in lines}

    def of(self, topic: str) -> dict[str, str]:
        """{name: value} of one topic."""
        return {name: value for (name, where), value in self.values.items() if where == topic}


Call = Callable[..., Answer]


@pytest.fixture
def trec_eval(tmp_path, monkeypatch, capfdbinary) -> Call:
    """Call the drop-in in a folder with qrels.a, run.a, and run.1, which lacks topic 2.

    Further files are given by name.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.a").write_text(JUDGEMENTS_A)
    (tmp_path / "run.a").write_text(RUN_A)
    (tmp_path / "run.1").write_text(RUN_A.partition("2 Q0")[0])

    def call(*words: str, **files: str | bytes) -> Answer:
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            (tmp_path / name).write_bytes(data)
        status = main(["trec_eval", *words])
        out, err = capfdbinary.readouterr()
        return Answer(status, out, err.decode())

    return call
