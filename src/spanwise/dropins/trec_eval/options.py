"""The options of trec_eval 9 and 10: numbers, parsing and the help text."""

from __future__ import annotations

import getopt
import re
from dataclasses import dataclass, field

from spanwise.console import say
from spanwise.errors import UnknownName, UsageError
from spanwise.evaluation.profiles import NICKNAMES, TREC_EVAL
from spanwise.formats import FORMATS
from spanwise.measures.names import by_stem

# Numbers ------------------------------------------------------------------------------------------

WHOLE = re.compile(r"[ \t\n\v\f\r]*([+-]?\d+)")
REAL = re.compile(
    r"[ \t\n\v\f\r]*([+-]?(?:0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?\d+)?"
    r"|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan))",
    re.IGNORECASE,
)


def whole(text: str) -> int:
    """Return an integer as C's `atol` reads it: trailing text is ignored, no digits are 0.

    >>> whole("5x"), whole(" 23.4"), whole("abc")
    (5, 23, 0)
    """
    match = WHOLE.match(text)
    return int(match[1]) if match else 0


def real(text: str) -> float:
    """Return a number as C's `atof` reads it: trailing text is ignored, no digits are 0.

    >>> real(".5abc"), real("0x10"), real("x")
    (0.5, 16.0, 0.0)
    """
    match = REAL.match(text)
    if not match:
        return 0.0
    number = match[1]
    return float.fromhex(number) if "x" in number.lower() else float(number)


# Options ------------------------------------------------------------------------------------------

SHORT = "hvqm:cl:nD:JN:M:R:T:oZ:"
LONG = {
    "help": "h",
    "version": "v",
    "query_eval_wanted": "q",
    "measure=": "m",
    "complete_rel_info_wanted": "c",
    "level_for_rel=": "l",
    "nosummary": "n",
    "Debug_level=": "D",
    "Judged_docs_only": "J",
    "Number_docs_in_coll=": "N",
    "Max_retrieved_per_topic=": "M",
    "Rel_info_format=": "R",
    "Results_format=": "T",
    "Output_old_results_format=": "o",
    "Zscore=": "Z",
}
JUDGEMENT_FORMATS = ("qrels", "qrels_jg", "prefs", "qrels_prefs")


@dataclass(slots=True)
class Options:
    """The options of the command line."""

    version: int
    files: list[str] = field(default_factory=list)
    help: bool = False
    show_version: bool = False
    per_topic: bool = False
    marked: set[str] = field(default_factory=set)  # measures to print, with nicknames expanded
    parameters: dict[str, str] = field(default_factory=dict)  # the first value counts
    complete: bool = False
    level: int = 1
    summary: bool = True
    only_topic: bytes | None = None
    judged_only: bool = False
    collection_size: int = 0
    depth: int | None = None
    judgement_format: str = "qrels"
    results_format: str = "trec_results"
    zscores: str | None = None

    def set(self, option: str, value: str) -> None:
        """Set one option from its value."""
        if option == "m":
            self._mark(value)
        elif option == "D":
            topic = value.partition(".")[2]
            self.only_topic = topic.encode("utf-8", "surrogateescape") if topic else None
        elif option in FLAGS:
            name, flag = FLAGS[option]
            setattr(self, name, flag)
        elif option in TEXTS:
            setattr(self, TEXTS[option], value)
        elif option in NUMBERS:
            if str(whole(value)) != value:
                say("warning", f"-{option} {value} is read as {whole(value)}")
            setattr(self, NUMBERS[option], whole(value))

    def _mark(self, text: str) -> None:
        name, dot, parameters = text.partition(".")
        if dot and not parameters:
            raise UsageError(f"-m {text}: there is nothing after the dot")
        known = {n for n, entry in TREC_EVAL.items() if entry.since <= self.version}
        if name in NICKNAMES:
            self.marked |= known & set(NICKNAMES[name])
            return
        if name not in known:
            raise UnknownName("measure", name, sorted(known | set(NICKNAMES)))
        if name in self.marked and dot and name not in self.parameters:
            say(
                "warning",
                f"-m {text}: only these numbers of {name} are printed, not its usual ones",
            )
        self.marked.add(name)
        if not dot or TREC_EVAL[name].kind == "plain":
            return
        if name in self.parameters:
            say("warning", f"-m {text}: {name} has parameters already, so these are ignored")
        self.parameters.setdefault(name, parameters)

    def check(self) -> None:
        """Raise UsageError if a single value is invalid."""
        if self.level < 0:
            raise UsageError(f"-l {self.level}: a level must be 0 or more")
        if self.depth is not None and self.depth < 0:
            raise UsageError(f"-M {self.depth}: a number of results must be 0 or more")
        if not self.help and len(self.files) != 2:
            raise UsageError(
                f"{len(self.files)} files given; expected two: judgements and results"
                " (spanwise trec_eval [options] QRELS RUN; -h for help)"
            )


FLAGS = {
    "h": ("help", True),
    "q": ("per_topic", True),
    "c": ("complete", True),
    "n": ("summary", False),
    "J": ("judged_only", True),
}
TEXTS = {"R": "judgement_format", "T": "results_format", "Z": "zscores"}
NUMBERS = {"l": "level", "N": "collection_size", "M": "depth"}


def parse(words: list[str], version: int) -> Options:
    """Parse the words of the command line; `-v` ends the parsing."""
    options = Options(version)
    try:
        pairs, options.files = getopt.gnu_getopt(words, SHORT, list(LONG))
    except getopt.GetoptError as error:
        if _version_first(words):
            options.show_version = True
            return options
        raise UsageError(f"{error}; see: spanwise trec_eval -h") from None
    for name, value in pairs:
        letter = name[1:] if not name.startswith("--") else _letter(name[2:])
        if letter == "v":
            options.show_version = True
            return options
        options.set(letter, value)
    options.check()
    if not options.marked and not options.help:
        options._mark("official")
    return options


def _letter(name: str) -> str:
    return LONG.get(name) or LONG[f"{name}="]


def _version_first(words: list[str]) -> bool:
    """Return whether `-v` comes before the first invalid word."""
    for end in range(1, len(words) + 1):
        try:
            pairs, _ = getopt.gnu_getopt(words[:end], SHORT, list(LONG))
        except getopt.GetoptError:
            continue
        if any(name in ("-v", "--version") for name, _ in pairs):
            return True
    return False


# Help ---------------------------------------------------------------------------------------------

GENERAL = """\
spanwise trec_eval [options] JUDGEMENTS RESULTS

Scores a ranked run against judgements, as trec_eval does.

  -q            also print every topic
  -m NAME       a measure or a nickname: official (default), set, all_trec, prefs, all_prefs,
                qrels_jg; parameters follow a dot: P.5,10  ndcg.1=1,2=3  utility.1,-1,0,0
  -c            average over all judged topics; those missing from the run count 0
  -l N          smallest grade that is relevant (1)
  -n            no summary
  -J            only judged documents
  -M N          only the first N results of each topic
  -N N          number of documents in the collection
  -R FORMAT     qrels, qrels_jg, prefs, qrels_prefs
  -T FORMAT     trec_results
  -D N.TOPIC    only this topic
  -Z FILE       print z-scores against these means and deviations
  -h            this text; with -m also what the measures mean
  -v            the version
  --compat V    as version II, 8, 9 or 10 (default)

Example:
  spanwise trec_eval -q -m map -m P.5,10 qrels.txt run.txt
"""
RULE = "-" * 23


def help_text(options: Options) -> str:
    """Return the general help, the formats, and the measures that were asked for."""
    parts = [GENERAL, RULE]
    if options.results_format == "trec_results":
        parts += [FORMATS["trec_run"].description, RULE]
    if options.judgement_format in JUDGEMENT_FORMATS:
        parts += [FORMATS[options.judgement_format].description, RULE]
    parts += ["Measures", ""]
    if not options.marked:
        parts.append("None was asked for; name one with -m, such as -m map.")
    for name in TREC_EVAL:
        if name in options.marked:
            parts += [name, _described(name), ""]
    return "\n".join(parts) + "\n"


def _described(name: str) -> str:
    if name == "runid":
        return "    The name of the run: the tag on the last line of its file."
    measure = by_stem(name)[0]
    text = "\n".join(f"    {line}".rstrip() for line in measure.definition.splitlines())
    return f"{text}\n    Reference: {measure.reference}"
