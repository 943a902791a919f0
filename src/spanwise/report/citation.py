"""What a paper has to cite for the measures it used: a sentence, and BibTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from unicodedata import normalize

from spanwise.version import __version__

if TYPE_CHECKING:
    from spanwise.model.measures import Measure

REFERENCE = re.compile(r"(?P<who>[^:]+): (?P<what>.+?)(?:\. (?P<where>.+?))?,? ?(?P<year>\d{4})")
PROGRAM = re.compile(r"(?P<what>[\w.]+ [\d.]+)(?:, (?P<who>[^,]+), (?P<year>\d{4}))?")
OWN = """@software{spanwise,
  title   = {spanwise: evaluation of retrieval at any grain},
  version = {%s}
}
"""


@dataclass(frozen=True, slots=True)
class Cited:
    """One reference."""

    who: str
    what: str
    where: str
    year: str

    @property
    def key(self) -> str:
        """The first name and the year, in plain letters."""
        first = re.split(r",| and | et al", self.who)[0].split()[-1] if self.who else self.what
        plain = normalize("NFKD", first).encode("ascii", "ignore").decode()
        return re.sub(r"\W", "", plain).lower() + self.year

    def bibtex(self, key: str) -> str:
        """An entry; names as they stand in the table of measures, without first names."""
        people = re.sub(r" et al\.?", " and others", self.who).replace(", ", " and ")
        people = re.sub(r"(?: and)+ ", " and ", people)
        fields = [("author", people), ("title", f"{{{self.what}}}")]
        fields += [("howpublished", self.where), ("year", self.year)]
        body = ",\n".join(f"  {name:<12} = {{{value}}}" for name, value in fields if value)
        return f"@misc{{{key},\n{body}\n}}\n"


def references(measure: Measure) -> list[Cited]:
    """What the table of measures names as the sources of one."""
    found = []
    for part in measure.reference.split("; "):
        text = re.sub(r"^[a-z][\w ]*: ", "", part)  # a remark on what it is cited for
        match = REFERENCE.fullmatch(text) or PROGRAM.fullmatch(text)
        if match:
            said = {name: value or "" for name, value in match.groupdict().items()}
            found.append(Cited(said["who"], said["what"], said.get("where", ""), said["year"]))
        elif text and not text.startswith("see "):
            found.append(Cited("", text, "", ""))
    return found


def citation(measures: Sequence[tuple[str, Measure]], signature: str) -> str:
    """The sentence and the entries; `measures` are names as asked for, with their lines."""
    keys = _keys(cited for _, measure in measures for cited in references(measure))
    named = []
    for label, measure in measures:
        mine = ",".join(keys[cited] for cited in references(measure))
        named.append(f"{_latex(label)} \\cite{{{mine}}}" if mine else _latex(label))
    listing = ", ".join(named[:-1]) + (" and " if len(named) > 1 else "") + named[-1]
    sentence = (
        f"We report {listing}, computed with spanwise {__version__} \\cite{{spanwise}}"
        f" (\\texttt{{{_latex(signature)}}})."
    )
    entries = [cited.bibtex(key) for cited, key in keys.items()]
    return "\n".join([sentence + "\n", *entries, OWN % __version__])


def _keys(cited: Iterable[Cited]) -> dict[Cited, str]:
    """A key for each reference, no two alike."""
    keys: dict[Cited, str] = {}
    for one in cited:
        if one not in keys:
            same = sum(one.key == other.key for other in keys)
            keys[one] = one.key + ("bcdefgh"[same - 1] if same else "")
    return keys


def _latex(text: str) -> str:
    escaped = {"_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "|": r"\textbar{}"}
    return "".join(escaped.get(c, c) for c in text)
