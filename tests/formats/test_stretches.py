"""Long stretches of judged elements say the same whether they are read at once or one by one."""

import numpy as np
import pytest

from spanwise.errors import FormatError
from spanwise.formats.inex.assessments import read_assessments
from spanwise.formats.registry import Reading

HEAD = '<assessments pool="1" topic="9" version="2">\n<file collection="c" name="d">\n'
TAIL = "</file>\n</assessments>\n"


def line(number, grade="2"):
    path = f"/a[1]/p[{number}]"
    return (
        f'<element path="{path}" exhaustivity="{grade}" size="{10 + number}" rsize="{number}"/>\n'
    )


def read(text):
    return read_assessments(iter([text.encode()]), "f", Reading())


def test_a_stretch_reads_as_its_lines_do():
    body = "".join(line(number, "12?0"[number % 4]) for number in range(1, 40))
    slowly = read(HEAD + "<!-- no stretches in this file -->\n" + body + TAIL)
    quickly = read(HEAD + "\n" + body + TAIL)
    for name in ("exhaustivity", "sizes", "highlighted"):
        assert np.array_equal(
            getattr(slowly.elements.elements, name), getattr(quickly.elements.elements, name)
        )
    every = np.arange(39)
    assert slowly.elements.elements.paths.take(every) == quickly.elements.elements.paths.take(every)


def test_lines_in_a_comment_are_not_read():
    commented = "<!--\n" + "".join(map(line, range(1, 9))) + "-->\n"
    found = read(HEAD + commented + line(20) + TAIL)
    assert found.elements.elements.paths.take(np.arange(1)) == [b"/a[1]/p[20]"]
    assert len(found.elements.elements) == 1


def test_an_element_twice_in_a_stretch_is_found_on_its_line():
    body = "".join(map(line, [1, 2, 3, 4, 2, 5]))
    with pytest.raises(FormatError, match=r"f:7: element /a\[1\]/p\[2\] occurs twice"):
        read(HEAD + body + TAIL)


def test_a_wrong_line_in_a_stretch_is_found_on_its_line():
    body = "".join(map(line, range(1, 9))) + line(9, "7") + "".join(map(line, range(10, 19)))
    with pytest.raises(FormatError, match=r"f:11: exhaustivity '7'; expected one of 0, 1, 2, \?"):
        read(HEAD + body + TAIL)


def test_nobody_can_write_the_sign_that_stands_for_a_stretch():
    with pytest.raises(FormatError, match="<element> without a path"):
        read(HEAD + '<element stretch="0"/>\n' + TAIL)
