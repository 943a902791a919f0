"""INEX runs in XML: submissions of 2002 to 2008, and of the efficiency track of 2009 and 2010.

Here is how to tell them apart; reading and writing are imported when they are needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from spanwise.formats.registry import Reading, reader, writer
from spanwise.formats.trec import beginning

if TYPE_CHECKING:
    from spanwise.model.run import Run

DESCRIPTIONS = {
    "inex_submission_2002": """INEX runs of 2002 to 2004: elements, in XML.

    `<inex-submission participant-id="7" run-id="mine" task="CO" query="automatic"
    topic-part="T"><topic topic-id="31"><result><file>an/1995/a1004</file>
    <path>/article[1]/bdy[1]</path><rank>1</rank><rsv>0.9</rsv></result></topic>
    </inex-submission>`. Rank and rsv may be missing; the order in the file counts.
    """,
    "inex_submission_2005": """INEX runs of 2005: as before, with `submission-type` and fields.

    `<topic-fields title="yes" castitle="no" description="no" narrative="no"
    ontopic_keywords="no"/>` takes the place of `topic-part`.
    """,
    "inex_submission_2006": """INEX runs of 2006: tasks Thorough to BestInContext.

    As 2005 without `submission-type`. A run of best entry points has one path for each document.
    """,
    "inex_submission_2007": """INEX runs of 2007 and 2008: elements, passages or offsets, in XML.

    With `result-type`. The place of a result is a `<path>`, a `<passage start="..." end="..."/>`
    or a `<fol offset="461" length="202"/>`.
    """,
    "inex_efficiency": """INEX runs of the efficiency track of 2009 and 2010, in XML.

    `<efficiency-submission ...>` tells of hardware and index, every `<topic>` of times.
    """,
}


def shape_of(head: bytes) -> str:
    """The name of the form that a submission has; empty if it is not one.

    Submissions of other tracks go the same way: its reader says that they are not read.
    """
    if beginning(head) != b"<":
        return ""
    from spanwise.formats.markup import first_element

    name, said = first_element(head)
    if name == "efficiency-submission":
        return "inex_efficiency"
    if not name.endswith("-submission"):
        return ""
    if "result-type" in said or name != "inex-submission":
        return "inex_submission_2007"
    if "submission-type" in said:
        return "inex_submission_2005"
    if b"<topic-fields" in head[:100_000]:
        return "inex_submission_2006"
    return "inex_submission_2002"


def _register(name: str, description: str) -> None:
    """Enter a form in the table of formats: one reader, a writer of its own."""

    def parse(pieces: Iterator[bytes], file: str, how: Reading) -> Run:
        from spanwise.formats.inex_submissions_in import parsed

        return parsed(pieces, file, how)

    def loses(run: Run) -> Mapping[str, int]:
        from spanwise.formats.inex_submissions_out import SHAPES

        return SHAPES[name].loses(run)

    def write(run: Run) -> Iterator[bytes]:
        from spanwise.formats.inex_submissions_out import SHAPES

        return SHAPES[name].write(run)

    parse.__doc__ = description
    reader(name, holds="run", recognise=lambda head: shape_of(head) == name)(parse)
    writer(name, loses=loses)(write)


for _name, _description in DESCRIPTIONS.items():
    _register(_name, _description)
