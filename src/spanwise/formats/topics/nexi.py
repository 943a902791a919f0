"""Parser of NEXI, the query language of castitles.

    query       = structured | terms
    structured  = step { step }                      the last one is the requested element
    step        = path [ "[" disjunction "]" ]
    path        = "//" test { "//" test }
    test        = name | "*" | "(" name "|" name { "|" name } ")"
    disjunction = conjunction { or conjunction }
    conjunction = condition { and condition }
    condition   = about | comparison | "(" disjunction ")"
    about       = "about" "(" "." [ path ] "," terms ")"
    comparison  = "." [ path ] ( "<" | "<=" | "=" | ">=" | ">" ) number
    terms       = term { term }                      separated by white space
    term        = [ "+" | "-" ] ( word | '"' word { word } '"' )

White space is optional around names, words, numbers and operators. `and` binds more tightly than
`or`; both may be in capitals. A word consists of letters, digits, `-`, `'` and `_` and begins with
a letter or digit. A name consists of letters, digits, `_`, `-`, `.` and `:`, begins with a letter
or `_`, and may be preceded by `@`.

Titles of 2003 are older than the language. With `legacy`, a single `/` selects children, the right
side of a comparison may be a string in single quotes, and so may all the terms of an `about`.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from typing import TYPE_CHECKING, NoReturn

from spanwise.errors import FormatError, QueryError
from spanwise.model.topics import (
    OPERATORS,
    About,
    And,
    Axis,
    Comparison,
    Condition,
    ContentOnly,
    Node,
    Or,
    Path,
    Phrase,
    Query,
    Sign,
    Step,
    Structured,
    Term,
    Word,
)

if TYPE_CHECKING:
    from spanwise.model.topics import Topic, Topics

DEEPEST = 100
"""Maximum nesting of brackets; no serious query comes near."""
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]*)?")


def parse(query: str, *, legacy: bool = False) -> Query:
    """Parse a query into a tree; an error states the character at which parsing failed.

    >>> parse("//article[about(., solar panels)]//sec").steps[-1]
    Step(path=Path(nodes=(Node(names=('sec',), axis='//'),)), condition=None)
    """
    return _Parser(query, legacy).query()


class _Scanner:
    """A text with a current position."""

    def __init__(self, text: str, legacy: bool) -> None:
        self.text, self.legacy = text, legacy
        self.at = 0

    def skip(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def sees(self, symbol: str) -> bool:
        self.skip()
        return self.text.startswith(symbol, self.at)

    def takes(self, symbol: str) -> bool:
        seen = self.sees(symbol)
        self.at += len(symbol) if seen else 0
        return seen

    def needs(self, symbol: str, expected: str = "") -> None:
        if not self.takes(symbol):
            self.fail(expected or repr(symbol))

    def takes_word(self, *spellings: str) -> bool:
        """Consume one of these words, unless it is only the beginning of a longer one."""
        self.skip()
        word = self.text[self.at : _end_of_letters(self.text, self.at)]
        self.at += len(word) if word in spellings else 0
        return word in spellings

    def name(self, expected: str) -> str:
        self.skip()
        first = self.at + self.text.startswith("@", self.at)
        begin = self.text[first : first + 1]
        if not (begin.isalpha() or begin == "_"):
            self.fail(expected)
        start, self.at = self.at, self._end_of_name(first)
        return self.text[start : self.at]

    def _end_of_name(self, at: int) -> int:
        while at < len(self.text) and (_is_letter(self.text[at]) or self.text[at] in "_-.:"):
            at += 1
        return at

    def word(self, expected: str, quoted: bool) -> str:
        """Consume a word; within single quotes an apostrophe belongs to it only before a letter."""
        self.skip()
        start = at = self.at
        text = self.text
        if not text[at : at + 1].isalnum():
            self.fail(expected)
        while at < len(text) and (_is_letter(text[at]) or text[at] in "-'_"):
            if text[at] == "'" and quoted and not text[at + 1 : at + 2].isalnum():
                break
            at += 1
        self.at = at
        return text[start:at]

    def fail(self, expected: str) -> NoReturn:
        self.skip()
        end = max(_end_of_letters(self.text, self.at), self.at + 1)
        token = self.text[self.at : end]
        found = repr(token if len(token) <= 20 else f"{token[:20]}...") if token else "the end"
        raise QueryError(self.at + 1, found, expected)


def _is_letter(character: str) -> bool:
    """Return whether this is a letter, a digit, or a mark that belongs to a letter."""
    return character.isalnum() or unicodedata.category(character).startswith("M")


def _end_of_letters(text: str, at: int) -> int:
    while at < len(text) and (_is_letter(text[at]) or text[at] == "_"):
        at += 1
    return at


class _Parser(_Scanner):
    """A recursive-descent parser with one method per production."""

    depth = 0

    def query(self) -> Query:
        if self.sees("//") or (self.legacy and self.sees("/")):
            return self.structured()
        terms = self.terms("'//' or a term", "white space or the end", quoted=False)
        if self.at < len(self.text):
            self.fail("a term or the end")
        return ContentOnly(terms)

    def structured(self) -> Structured:
        steps = [self.step()]
        while self.sees("/"):
            steps.append(self.step())
        self.skip()
        if self.at < len(self.text):
            self.fail("'//' or the end" if steps[-1].condition else "'//', '[' or the end")
        return Structured(tuple(steps))

    def step(self) -> Step:
        path = self.path()
        if not path.nodes:
            self.fail("'//'")
        condition = None
        if self.takes("["):
            condition = self.disjunction()
            self.needs("]", "'and', 'or' or ']'")
        return Step(path, condition)

    def path(self) -> Path:
        nodes = []
        while axis := self.axis():
            nodes.append(Node(self.test(), axis))
        return Path(tuple(nodes))

    def axis(self) -> Axis | None:
        if self.takes("//"):
            return "//"
        return "/" if self.legacy and self.takes("/") else None

    def test(self) -> tuple[str, ...]:
        if self.takes("*"):
            return ()
        if not self.takes("("):
            return (self.name("a name, '*' or '('"),)
        names = [self.name("a name")]
        self.needs("|")
        names.append(self.name("a name"))
        while self.takes("|"):
            names.append(self.name("a name"))
        self.needs(")", "'|' or ')'")
        return tuple(names)

    def disjunction(self) -> Condition:
        parts = [self.conjunction()]
        while self.takes_word("or", "OR"):
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def conjunction(self) -> Condition:
        parts = [self.condition()]
        while self.takes_word("and", "AND"):
            parts.append(self.condition())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def condition(self) -> Condition:
        if self.takes_word("about"):
            return self.about()
        if self.sees("."):
            return self.comparison()
        if self.depth == DEEPEST and self.sees("("):
            self.fail(f"no more than {DEEPEST} brackets within each other")
        self.needs("(", "'about', '.' or '('")
        self.depth += 1
        inner = self.disjunction()
        self.needs(")", "'and', 'or' or ')'")
        self.depth -= 1
        return inner

    def about(self) -> About:
        self.needs("(")
        path = self.relative_path()
        self.needs(",", "'//' or ','")
        quoted = self.legacy and self.takes("'")
        close = '"\'"' if quoted else "')'"
        terms = self.terms("a term", f"white space or {close}", quoted)
        if quoted:
            self.needs("'", f"a term or {close}")
        self.needs(")", "')'" if quoted else "a term or ')'")
        return About(path, terms)

    def relative_path(self) -> Path:
        self.needs(".")
        return self.path()

    def comparison(self) -> Comparison:
        path = self.relative_path()
        operator = next((sign for sign in OPERATORS if self.takes(sign)), None)
        if operator is None:
            self.fail("'//', '<', '<=', '=', '>=' or '>'")
        return Comparison(path, operator, self.value())

    def value(self) -> Decimal | str:
        if self.legacy and self.takes("'"):
            end = self.text.find("'", self.at)
            if end < 0:
                self.at = len(self.text)
                self.fail("the quote that ends the string")
            string = " ".join(self.text[self.at : end].split())
            self.at = end + 1
            return string
        self.skip()
        number = NUMBER.match(self.text, self.at)
        if number is None:
            self.fail("a number or a quoted string" if self.legacy else "a number")
        self.at = number.end()
        return Decimal(number.group())

    def terms(self, expected: str, after: str, quoted: bool) -> tuple[Term, ...]:
        """Parse terms up to something that cannot begin one, which the caller checks."""
        terms = [self.term(expected, quoted)]
        while True:
            apart = self.at
            self.skip()
            begin = self.text[self.at : self.at + 1]
            if not (begin.isalnum() or begin in ("+", "-", '"')):
                break
            if self.at == apart:
                self.fail(after)
            terms.append(self.term("a term", quoted))
        return tuple(terms)

    def term(self, expected: str, quoted: bool) -> Term:
        sign: Sign = "+" if self.takes("+") else "-" if self.takes("-") else ""
        expected = "a word or a phrase" if sign else expected
        if not self.takes('"'):
            return Word(self.word(expected, quoted), sign)
        words = [self.word("a word", quoted)]
        while not self.takes('"'):
            words.append(self.word("a word or '\"'", quoted))
        return Phrase(tuple(words), sign)


# Queries of topics -------------------------------------------------------------------------------


def queries_of(topics: Topics) -> dict[bytes, tuple[Query, ...]]:
    """Return the queries of each topic; a topic without structure requests all elements.

    A title of 2002 may have several targets, and an element that fits one of them is requested.
    """
    return {
        topic.id.encode("utf-8", "surrogateescape"): _queries(topic, topics.source)
        for topic in topics
    }


def _queries(topic: Topic, source: str) -> tuple[Query, ...]:
    if topic.targets:
        return tuple(_target(target) for target in topic.targets)
    name = topic.structured
    if name is None:
        return (ContentOnly(()),)
    try:
        return (_parsed(str(getattr(topic, name))),)
    except QueryError as error:
        raise FormatError(source, topic.line(name), f"{name}: {error}", "a NEXI query") from None


def _parsed(query: str) -> Query:
    """Parse a query in NEXI, or in the older notation of 2003."""
    try:
        return parse(query)
    except QueryError as error:
        try:
            return parse(query, legacy=True)
        except QueryError:
            raise error from None


def _target(target: str) -> Structured:
    """Return the query for a target of 2002: a name, or names from the outside in."""
    names = [name for name in target.split("/") if name]
    return Structured((Step(Path(tuple(Node((name,)) for name in names))),))
