"""INEX assessments of 2002 to 2007: one XML file for each topic, every year in a form of its own.

Here is how to tell them apart; reading and writing are imported when they are needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from spanwise.formats.registry import Reading, reader, writer
from spanwise.formats.trec import beginning

if TYPE_CHECKING:
    from spanwise.model.judgements import Judgements

DESCRIPTIONS = {
    "2002": """INEX assessments of 2002: relevance 0 to 3 and a letter for coverage.

    `<assessments topic="1"><file file="an/1995/a1004"><path path="/article[1]" relevance="3"
    coverage="L"/></file></assessments>`. N says no coverage, L too large, S too small, E exact.
    """,
    "2003": """INEX assessments of 2003: exhaustiveness and specificity, 0 to 3 each.

    `<assessments topic="61"><file file="co/2000/r1001"><path path="/article[1]"
    exhaustiveness="2" specificity="1"/></file></assessments>`. U, or nothing, says not judged.
    """,
    "2004": """INEX assessments of 2004: as those of 2003, with pools and how grades came about.

    The attributes `inpool`, `inferred` and `inconsistant` are true or left out; values stand in
    single quotes. A `file` that is empty was judged and has nothing relevant in it.
    """,
    "2005": """INEX assessments of 2005: highlighted passages, and exhaustivity of elements.

    `<file collection="ieee" name="..."><passage start="..." end="..." size="412"/><element
    path="/article[1]" exhaustivity="2" size="5120" rsize="412"/></file>`. Exhaustivity is 1, 2
    or `?` (too small); size counts the characters of an element, rsize the highlighted ones.
    """,
    "2006": """INEX assessments of 2006: highlighted passages and a best entry point.

    As 2005, with `<best-entry-point path="..."/>` first in a relevant `file`: the path of an
    element, or a point in its text such as `/article[1]/p[1]/text()[2].17`.
    """,
    "2007": """INEX assessments of 2007: as 2006, and how white space was counted.

    The attribute `whitespace-text-node` of `assessments` says whether text nodes of white space
    alone count as text nodes.
    """,
}


def form_of(head: bytes) -> str:
    """The year whose form a file has; empty if it does not hold assessments."""
    if beginning(head) != b"<":
        return ""
    from spanwise.formats.markup import first_element

    name, said = first_element(head)
    if name != "assessments":
        return ""
    head = head[:1_000_000]
    if "whitespace-text-node" in said:
        return "2007"
    if b"<best-entry-point" in head:
        return "2006"
    if "version" in said or b"<passage" in head or b"rsize" in head:
        return "2005"
    if b"relevance=" in head:
        return "2002"
    return "2004" if "pool" in said else "2003"


def _register(year: str, description: str) -> None:
    """Enter the form of a year in the table of formats: one reader, a writer of its own."""
    name = f"inex_assessments_{year}"

    def parse(pieces: Iterator[bytes], file: str, how: Reading) -> Judgements:
        from spanwise.formats.inex_assessments_in import parsed

        return parsed(pieces, file, how)

    def loses(judgements: Judgements) -> Mapping[str, int]:
        from spanwise.formats.inex_assessments_out import FORMS

        return FORMS[year].loses(judgements)

    def files(judgements: Judgements) -> Iterator[tuple[str, Judgements]]:
        from spanwise.formats.inex_assessments_out import FORMS

        return FORMS[year].files(judgements)

    def write(judgements: Judgements) -> Iterator[bytes]:
        from spanwise.formats.inex_assessments_out import FORMS

        return FORMS[year].write(judgements)

    parse.__doc__ = description
    reader(name, holds="judgements", recognise=lambda head: form_of(head) == year)(parse)
    writer(name, loses=loses, files=files)(write)


for _year, _description in DESCRIPTIONS.items():
    _register(_year, _description)
