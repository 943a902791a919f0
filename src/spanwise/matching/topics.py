"""Topics of a run matched with judged topics: by id, by the text of their questions, or by order.

A run is matched by topic id. Where a run or the judgements state no ids, the texts of questions are
compared. The order of entries counts only if it was asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from unicodedata import normalize
from warnings import warn

from spanwise.errors import InputError, SpanwiseWarning, UsageError
from spanwise.model.columns import text
from spanwise.model.judgements import Judgements
from spanwise.model.notes import Remark

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanwise.model.judgements import Preferences
    from spanwise.model.run import Run

NAMED = 3
"""Number of unmatched questions that a warning names."""
LONGEST = 80
"""Number of characters of a question that a warning shows."""


def folded(question: str) -> str:
    r"""Return the text by which questions are compared.

    Spellings of a character, case and white space do not matter.

    >>> folded("What  IS\u00a0x?") == folded("what is x?")
    True
    """
    whole = normalize("NFKC", normalize("NFKC", question).casefold())
    return " ".join(whole.split())


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """The topics of judgements, with their questions."""

    source: str
    topics: tuple[bytes, ...]  # that were judged
    questions: Mapping[bytes, str]
    numbered: bool
    known: frozenset[bytes]  # judged or not
    by_text: Mapping[str, Sequence[bytes]]

    @classmethod
    def of(cls, judgements: Judgements | Preferences) -> _Judged:
        evidence = judgements.evidence if isinstance(judgements, Judgements) else None
        rows, by_text = judgements.rows, dict[str, list[bytes]]()
        questions = {} if evidence is None else evidence.questions
        for topic, question in questions.items():
            by_text.setdefault(folded(question), []).append(topic)
        known = frozenset(rows.topics).union(questions)
        numbered = evidence is not None and evidence.numbered
        return cls(rows.source, rows.topics, questions, numbered, known, by_text)

    def asking(self, question: str) -> bytes | None:
        """Return the topic with this question, or None if there is none."""
        found = self.by_text.get(folded(question), ())
        if len(found) > 1:
            self.refuse(found)
        return found[0] if found else None

    def refuse_duplicates(self) -> None:
        """Refuse topics that have no ids and the same question."""
        for some in self.by_text.values():
            if len(some) > 1:
                self.refuse(some)

    def refuse(self, some: Sequence[bytes]) -> None:
        """Refuse topics that cannot be told apart by their questions."""
        kind = "entries" if self.numbered else "topics"
        raise InputError(
            f"{self.source}: {kind} {text(some[0])} and {text(some[1])} have the same question"
            f" {_short(self.questions[some[0]])}; expected each question once, or topic ids in the"
            " judgements and the run"
        )

    def order(self) -> list[bytes]:
        """Return the topics in the order of the judgements."""
        if not self.numbered:
            complete = self.questions.keys() >= set(self.topics)  # also those that are not judged
            return list(self.questions if complete else self.topics)
        return [b"%d" % number for number in range(1, max(map(int, self.known)) + 1)]


def with_judged_topics(
    run: Run, judgements: Judgements | Preferences, how: str, *, half: bool = False
) -> Run:
    """Return a run whose topics have the ids of the judgements, with notes on unmatched ones.

    `how` is `id` or `order`. `half` allows that more than half of the questions have no match.
    """
    plain = how == "id" and not run.numbered and not run.questions
    if plain and _judged_topics(judgements).issuperset(run.rows.topics):
        return run
    judged = _known_topics(judgements)
    if how == "order":
        return _by_order(run, judged)
    if run.numbered and not any(run.questions.values()) and _alone(run, judged):
        return _by_order(run, judged)
    if run.numbered and not judged.questions:
        raise InputError(
            f"{run.rows.source} states no topic ids, and {judged.source} states no questions;"
            " expected topic ids in both, or questions in both; to match the entries by their"
            " order, pass --match order"
        )
    if run.numbered and not any(run.questions.values()):
        raise InputError(
            f"{run.rows.source} states neither topic ids nor questions; expected one of them; to"
            " match the entries by their order, pass --match order"
        )
    found = _by_question(run, judged)
    used = run.numbered or any(topic not in (None, entry) for entry, topic in found.items())
    if not used and not (judged.numbered and any(run.questions.values())):
        return run
    if judged.numbered:
        judged.refuse_duplicates()
    _refuse_repeated(run, found)
    renamed = _renamed(run, found, judged.known)
    if not run.questions:  # a piece of a file, whose other pieces are not known here
        return renamed
    return replace(renamed, notes=_unmatched(run, judged, found, half=half))


def _alone(run: Run, judged: _Judged) -> bool:
    """Tell whether there is one entry and one topic, so that there is nothing to confuse."""
    return len(judged.topics) == 1 and len(list(entries_of(run))) == 1


def _judged_topics(judgements: Judgements | Preferences) -> frozenset[bytes]:
    if isinstance(judgements, Judgements):
        return judgements.once("judged topics", lambda: frozenset(judgements.rows.topics))
    return frozenset(judgements.rows.topics)


def _known_topics(judgements: Judgements | Preferences) -> _Judged:
    if isinstance(judgements, Judgements):
        return judgements.once("topics", lambda: _Judged.of(judgements))
    return _Judged.of(judgements)


def named_by_question(runs: Sequence[Run]) -> list[Run]:
    """Return several runs whose topics have ids, or the same name for the same question."""
    if len(runs) < 2 or not any(run.numbered for run in runs):
        return list(runs)
    names: dict[str, bytes] = {}
    found = []
    for run in runs:
        if not run.numbered or not all(run.questions.values()):
            without = next(one for one in runs if one.numbered)
            raise InputError(
                f"{without.rows.source} states no topic ids, and the topics of {run.rows.source}"
                " have no questions to compare; expected topic ids in all runs, or questions in all"
            )
        _refuse_repeated(run, dict.fromkeys(run.questions))
        of_entry = {
            entry: names.setdefault(folded(question), _as_id(question))
            for entry, question in run.questions.items()
        }
        found.append(_with_names(run, of_entry))
    return found


def _as_id(question: str) -> bytes:
    return " ".join(question.split()).encode("utf-8", "surrogateescape")


def entries_of(run: Run) -> Iterable[bytes]:
    """Return the topics of a run, with those for which nothing was returned if they are known."""
    return run.questions or run.rows.topics


def _by_question(run: Run, judged: _Judged) -> dict[bytes, bytes | None]:
    """Return the judged topic of each entry; None if it has none."""
    found: dict[bytes, bytes | None] = {}
    for entry in entries_of(run):
        question = run.questions.get(entry, "")
        stated = not run.numbered and not (judged.numbered and question)
        if stated and entry in judged.known:
            found[entry] = entry
        elif stated and question:  # both sides state ids, which differ
            found[entry] = None
        else:
            found[entry] = judged.asking(question or ("" if run.numbered else text(entry)))
    return found


def _refuse_repeated(run: Run, found: Mapping[bytes, bytes | None]) -> None:
    """Refuse several entries of a run with the same question."""
    first: dict[object, bytes] = {}
    for entry, topic in found.items():
        key = folded(_question(run, entry)) if topic is None else topic
        before = first.setdefault(key, entry)
        if before != entry:
            kind = "entries" if run.numbered else "topics"
            raise InputError(
                f"{run.rows.source}: {kind} {text(before)} and {text(entry)} have the same question"
                f" {_short(_question(run, entry))}; expected each question once"
            )


def _question(run: Run, entry: bytes) -> str:
    known = run.questions.get(entry)
    if known or not run.numbered:
        return known or text(entry)
    return f"entry {text(entry)}"


def _renamed(run: Run, found: Mapping[bytes, bytes | None], known: frozenset[bytes]) -> Run:
    """Return a run with other topic ids: of unmatched entries, ids that no judged topic has."""
    names = {}
    for entry, topic in found.items():
        name = topic
        if name is None:
            name = entry
            if run.numbered or name in known:
                name = _question(run, entry).encode("utf-8", "surrogateescape")
            while name in known:
                name = b"unmatched " + name
        names[entry] = name
    return _with_names(run, names)


def _with_names(run: Run, names: Mapping[bytes, bytes]) -> Run:
    rows = replace(run.rows, topics=tuple(map(names.__getitem__, run.rows.topics)))
    questions = {names[entry]: question for entry, question in run.questions.items()}
    return replace(run, rows=rows, questions=questions, numbered=False)


UNMATCHED = "questions are not in"
"""Words of a note on questions that only one side has, which comparisons repeat as a warning."""


def _unmatched(
    run: Run, judged: _Judged, found: Mapping[bytes, bytes | None], *, half: bool
) -> tuple[Remark, ...]:
    """Count and name the entries of either side that the other side lacks."""
    there = set(found.values())
    extra = [_question(run, entry) for entry, topic in found.items() if topic is None]
    entry = "entry " * judged.numbered
    missing = [
        judged.questions.get(topic) or f"{entry}{text(topic)}"
        for topic in judged.topics
        if topic not in there
    ]
    sides = (
        (extra, len(found), run.rows.source, judged.source),
        (missing, len(judged.topics), judged.source, run.rows.source),
    )
    lines = []
    for some, count, source, other in sides:
        if not some:
            continue
        named = ", ".join(map(_short, some[:NAMED])) + ", ..." * (len(some) > NAMED)
        line = f"{source}: {len(some)} of {count} {UNMATCHED} {other} ({named})"
        if 2 * len(some) > count and not (half and len(some) < count):
            advice = "" if half else "; to score only the common ones, pass --average-over both"
            raise InputError(f"{line}; expected the same questions in both{advice}")
        lines.append(line)
    for line in lines:
        warn(line, SpanwiseWarning, stacklevel=2)
    return tuple(map(Remark, lines))


def _short(question: str) -> str:
    words = " ".join(question.split())
    return repr(words if len(words) <= LONGEST else words[: LONGEST - 3] + "...")


def _by_order(run: Run, judged: _Judged) -> Run:
    """Return a run whose first entry has the first judged topic, and so on."""
    if not run.numbered and not judged.numbered:
        raise UsageError(
            f"--match order has no effect on {run.rows.source}: topics have ids there and in"
            f" {judged.source}; leave it out"
        )
    topics, entries = judged.order(), list(entries_of(run))
    if len(entries) != len(topics):
        raise InputError(
            f"{run.rows.source}: number of entries {len(entries)}, but {len(topics)} topics in"
            f" {judged.source}; --match order expects as many in both, in the same order"
        )
    return _with_names(run, dict(zip(entries, topics, strict=True)))
