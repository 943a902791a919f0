"""Highlighted characters among those returned, by hand.

Document d has 100 characters, 40 of them highlighted; they lie in its first section of 60. Of that
section's paragraph of 20 characters 10 are highlighted, of the second section none. Document e has
50 characters and 10 of them highlighted. A reader of the run below has read 20, 80, 130 and 170
characters, and found 10, 40, 50 and 50 that are highlighted.
"""

from fractions import Fraction

import pytest

import spanwise

FILE = '<file collection="c" name="{}">{}</file>'
ELEMENT = '<element path="{}" exhaustivity="2" size="{}" rsize="{}"/>'
OF_D = [
    ("/a[1]", 100, 40), ("/a[1]/s[1]", 60, 40), ("/a[1]/s[1]/p[1]", 20, 10), ("/a[1]/s[2]", 40, 0),
]  # fmt: skip
OF_E = [("/a[1]", 50, 10)]
RUN = [("d", "/a[1]/s[1]/p[1]"), ("d", "/a[1]/s[1]"), ("e", "/a[1]"), ("d", "/a[1]/s[2]")]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hixeval")
    documents = (("d", OF_D), ("e", OF_E))
    said = (
        FILE.format(name, "".join(ELEMENT.format(*e) for e in some)) for name, some in documents
    )
    (folder / "judged.xml").write_text(
        f'<assessments pool="1" topic="1" version="2">{"".join(said)}</assessments>'
    )
    results = (f"<result><file>{d}</file><path>{path}</path></result>" for d, path in RUN)
    (folder / "run.xml").write_text(
        '<inex-submission participant-id="1" run-id="mine" task="Thorough"><topic topic-id="1">'
        f"{''.join(results)}</topic></inex-submission>"
    )
    return str(folder / "judged.xml"), str(folder / "run.xml")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("HiP@1", Fraction(10, 20)),
        ("HiP@2", Fraction(40, 80)),  # the section adds 30, what the paragraph showed is taken off
        ("HiP(alpha=0.5)@2", Fraction(45, 80)),
        ("HiP(alpha=0)@2", Fraction(50, 80)),
        ("HiP@3", Fraction(50, 130)),
        ("HiP@4", Fraction(50, 170)),
        ("HiP@9", Fraction(50, 170)),
        ("HiR@1", Fraction(10, 50)),
        ("HiR@2", Fraction(40, 50)),
        ("HiR(alpha=0.5)@2", Fraction(45, 50)),
        ("HiR(alpha=0)@3", Fraction(60, 50)),  # it can pass 1
        ("HiR(base=thorough)@2", Fraction(40, 40 + 40 + 10 + 10)),
        ("HiF@2", Fraction(2 * 40, 80 + 50)),
        ("HiF(base=thorough)@3", Fraction(2 * 50, 130 + 100)),
    ],
)
def test_highlighted_characters(files, name, expected):
    assert spanwise.evaluate(*files, [name]).means[name] == pytest.approx(float(expected))
