"""Small pairs of files, one defect or oddity each, and what a careful tool makes of them.

Every pair is a variation of the control, whose average precision is easy to see:

    topic 1   ape -, bat +, cat (unjudged), dog +   (1/2 + 2/4) / 2 = 0.5
    topic 2   eel +, fox -                                    1 / 1 = 1

Results are ordered by score, highest first; equal scores by document id, bytewise, last id first.
The oddities sit where a wrong reading would change the numbers.
"""

import gzip
from dataclasses import dataclass

JUDGED, MINE = "judged.txt", "mine.txt"  # the two files; a case may add a suffix

QRELS = b"""\
1 0 bat 1
1 0 dog 1
1 0 ape 0
2 0 eel 1
2 0 fox 0
"""

RUN = b"""\
1 Q0 ape 1 9.5 mine
1 Q0 bat 2 8.5 mine
1 Q0 cat 3 7.5 mine
1 Q0 dog 4 6.5 mine
2 Q0 eel 1 5.5 mine
2 Q0 fox 2 4.5 mine
"""

# Ranked backwards by id, dog cat bat ape and fox eel, this scores as the control does.
QRELS_BACKWARDS = b"""\
1 0 cat 1
1 0 ape 1
1 0 dog 0
2 0 fox 1
2 0 eel 0
"""

Values = dict[str, float | None]


@dataclass(frozen=True)
class Refused:
    """Refused with a message that begins with FILE:LINE, or names FILE where no line is to blame.

    Several places: any of them will do. `status` is the drop-in's; None is any but 0.
    """

    places: tuple[str, ...]
    status: int | None = 2


def refused(*places: str, status: int | None = 2) -> Refused:
    return Refused(places, status)


AS_CONTROL: Values = {"1": 0.5, "2": 1.0}


@dataclass(frozen=True)
class Case:
    name: str
    qrels: bytes = QRELS
    run: bytes = RUN
    want: Values | Refused | None = None  # None: as the control
    dropin: Values | Refused | None = None  # None: as `want`
    suffix: str = ""  # of both file names

    @property
    def wanted(self) -> Values | Refused:
        return AS_CONTROL if self.want is None else self.want

    @property
    def wanted_of_dropin(self) -> Values | Refused:
        return self.wanted if self.dropin is None else self.dropin


def put(file: bytes, number: int, line: bytes) -> bytes:
    """The file with its line of that number, from 1, replaced."""
    lines = file.splitlines(keepends=True)
    lines[number - 1] = line + b"\n"
    return b"".join(lines)


def insert(file: bytes, number: int, line: bytes) -> bytes:
    """The file with a new line of that number, from 1."""
    lines = file.splitlines(keepends=True)
    lines.insert(number - 1, line + b"\n")
    return b"".join(lines)


def both(old: bytes, new: bytes) -> dict[str, bytes]:
    """Both files of the control with one sequence of bytes replaced by another."""
    return {"qrels": QRELS.replace(old, new), "run": RUN.replace(old, new)}


def renamed(**names: bytes) -> dict[str, bytes]:
    """Both files of the control with documents called otherwise."""
    qrels, run = QRELS, RUN
    for old, new in names.items():
        qrels = qrels.replace(b" %s " % old.encode(), b" %s " % new)
        run = run.replace(b" %s " % old.encode(), b" %s " % new)
    return {"qrels": qrels, "run": run}


COLUMNS = [
    Case("well-formed control"),
    Case(
        "run line without the tag column",
        run=put(RUN, 3, b"1 Q0 cat 3 7.5"),
        want=refused("mine.txt:3"),
    ),
    Case("run line with 4 columns", run=put(RUN, 3, b"1 Q0 cat 3"), want=refused("mine.txt:3")),
    Case("run line with an extra 7th column", run=put(RUN, 3, b"1 Q0 cat 3 7.5 mine too")),
    Case(
        "qrels line with 3 columns", qrels=put(QRELS, 2, b"1 0 dog"), want=refused("judged.txt:2")
    ),
]

NUMBERS = [
    Case(
        "relevance 1.5 / 0.4",
        qrels=put(put(QRELS, 1, b"1 0 bat 0.4"), 2, b"1 0 dog 1.5"),
        want={"1": 0.25, "2": 1.0},  # only dog reaches grade 1, at rank 4: 1/4
        dropin=refused("judged.txt:1"),
    ),
    Case("relevance is a word", qrels=put(QRELS, 2, b"1 0 dog high"), want=refused("judged.txt:2")),
    Case("score nan", run=put(RUN, 3, b"1 Q0 cat 3 nan mine"), want=refused("mine.txt:3")),
    Case(
        "scores inf and -inf",
        run=put(put(RUN, 1, b"1 Q0 dog 4 -inf mine"), 4, b"1 Q0 ape 1 inf mine"),
    ),
    Case("score is a word", run=put(RUN, 3, b"1 Q0 cat 3 high mine"), want=refused("mine.txt:3")),
    Case(
        "score with decimal comma",
        run=put(RUN, 3, b"1 Q0 cat 3 7,5 mine"),
        want=refused("mine.txt:3"),
    ),
    Case("score 1e400 (overflows double)", run=put(RUN, 1, b"1 Q0 ape 1 1e400 mine")),
]

DUPLICATES = [
    Case(
        "duplicate document in run",
        run=insert(RUN, 5, b"1 Q0 bat 5 5.5 mine"),
        want=refused("mine.txt:5", status=4),
    ),
    Case(
        "duplicate judgement, same grade",
        qrels=insert(QRELS, 3, b"1 0 bat 1"),
        want=refused("judged.txt:3", status=4),
    ),
    Case(
        "duplicate judgement, other grade",
        qrels=insert(QRELS, 3, b"1 0 bat 0"),
        want=refused("judged.txt:3", status=4),
    ),
]

LINES_AND_BLANKS = [
    Case("empty run file", run=b"", want=refused(MINE)),
    Case("empty qrels file", qrels=b"", want=refused(JUDGED)),
    Case("CRLF line ends in both", **both(b"\n", b"\r\n")),
    Case(  # the carriage return is no sixth column
        "CRLF and no tag column",
        qrels=QRELS.replace(b"\n", b"\r\n"),
        run=put(RUN, 3, b"1 Q0 cat 3 7.5 ").replace(b"\n", b"\r\n"),
        want=refused("mine.txt:3"),
    ),
    Case("UTF-8 BOM at start of run", run=b"\xef\xbb\xbf" + RUN),
    Case("UTF-8 BOM at start of qrels", qrels=b"\xef\xbb\xbf" + QRELS),
    Case("tab-separated", **both(b" ", b"\t")),
    Case(
        "several spaces, leading spaces",
        qrels=b"  " + QRELS[:-1].replace(b" ", b"   ").replace(b"\n", b"\n  ") + b"\n",
        run=b"  " + RUN[:-1].replace(b" ", b"   ").replace(b"\n", b"\n  ") + b"\n",
    ),
    Case("trailing blanks", **both(b"\n", b" \t \n")),
]

IDS = [
    # Composed and decomposed, the same word to the eye: two documents.
    Case("UTF-8 document ids", **renamed(bat="b\u00e4t".encode(), cat="ba\u0308t".encode())),
    # Replacing what cannot be decoded would make one document of the two.
    Case("latin-1 bytes in ids", **renamed(bat=b"b\xe4t", cat=b"b\xf6t")),
    Case("NBSP (U+00A0) inside an id", **renamed(bat=b"ba\xc2\xa0t")),
    # Two of them, which differ in the last byte only.
    Case("1 MB document id", **renamed(bat=b"x" * 2**20 + b"b", cat=b"x" * 2**20 + b"c")),
    Case(
        "negative and non-numeric ranks",
        run=put(put(RUN, 1, b"1 Q0 ape first 9.5 mine"), 4, b"1 Q0 dog -7 6.5 mine"),
    ),
]

TOPICS = [
    Case("topic in run, not in qrels", run=insert(RUN, 7, b"9 Q0 bat 1 9.5 mine")),
    Case(
        "topic in qrels, not in run",
        qrels=insert(QRELS, 6, b"3 0 gnu 1"),
        want={"1": 0.5, "2": 1.0, "3": 0.0},
    ),
    Case(
        "no topic in common",
        run=RUN.replace(b"1 Q0", b"3 Q0").replace(b"2 Q0", b"4 Q0"),
        want=refused(JUDGED, MINE, status=None),
    ),
    Case(
        "topic whose judgements are all 0",
        qrels=put(QRELS, 4, b"2 0 eel 0"),
        want={"1": 0.5, "2": None},
        dropin={"1": 0.5, "2": 0.0},
    ),
]

GRADES = [
    Case("grades -1 and -2", qrels=put(put(QRELS, 3, b"1 0 ape -1"), 5, b"2 0 fox -2")),
    Case("grade 2000000000", qrels=put(QRELS, 1, b"1 0 bat 2000000000")),
    Case("grade written +1", qrels=put(QRELS, 1, b"1 0 bat +1")),
]

TEXT = [
    Case(  # without its last line, topic 2 would have nothing relevant, or not found it
        "no final newline",
        qrels=b"1 0 bat 1\n1 0 dog 1\n1 0 ape 0\n2 0 fox 0\n2 0 eel 1",
        run=put(put(RUN, 5, b"2 Q0 fox 2 4.5 mine"), 6, b"2 Q0 eel 1 5.5 mine").rstrip(b"\n"),
    ),
    Case(
        "# comment lines",
        qrels=b"# judged by hand\n# 0 bat 0\n" + insert(QRELS, 3, b"#1 0 ape 1") + b"# end\n",
        run=b"# made by hand\n# Q0 bat 1 99 mine\n"
        + insert(RUN, 3, b"#1 Q0 dog 1 99 mine")
        + b"#\n",
    ),
    Case("blank lines in run", run=b"\n" + insert(insert(RUN, 3, b""), 5, b" \t ") + b"\n"),
    Case("blank lines in qrels", qrels=b"\n" + insert(insert(QRELS, 3, b""), 5, b" \t ") + b"\n"),
    # One of a pair, a pair that a CSV reader would take off, and two ids then alike.
    Case("quotes in ids", **renamed(bat=b'"bat', dog=b"'dog'", eel=b'"eel"', fox=b"eel")),
    # Cut at the mark, bat and cat would be one document and dog would have no name.
    Case(
        "# inside ids and as first char of a doc id",
        **renamed(bat=b"a#1", cat=b"a#2", dog=b"#dog"),
    ),
    Case(
        "NUL byte inside an id (run)",
        run=put(RUN, 2, b"1 Q0 ba\0t 2 8.5 mine"),
        want=refused("mine.txt:2"),
    ),
]

ORDER = [
    Case(  # 10 before 9: as words they would rank bat cat dog ape, 5/6
        "integer scores",
        run=b"1 Q0 ape 1 10 mine\n1 Q0 bat 2 9 mine\n1 Q0 cat 3 8 mine\n1 Q0 dog 4 7 mine\n"
        b"2 Q0 eel 1 6 mine\n2 Q0 fox 2 5 mine\n",
    ),
    Case(  # dog cat+ bat ape+, (1/2 + 2/4) / 2; fox+ eel; in file order 5/6 and 1/2
        "all scores equal (docno descending)",
        qrels=QRELS_BACKWARDS,
        run=b"1 Q0 ape 1 5 mine\n1 Q0 bat 2 5 mine\n1 Q0 cat 3 5 mine\n1 Q0 dog 4 5 mine\n"
        b"2 Q0 eel 1 5 mine\n2 Q0 fox 2 5 mine\n",
    ),
    Case(  # bytes C3 A9 (é), C3 A4 (ä), then 7A (z): éa+ ärm+ zz zoo, (1/1 + 2/2) / 2
        "ties between UTF-8 and ASCII ids (byte order)",
        qrels="1 0 ärm 1\n1 0 éa 1\n1 0 zoo 0\n2 0 eel 1\n2 0 fox 0\n".encode(),
        run=(
            "1 Q0 zoo 1 5 mine\n1 Q0 ärm 2 5 mine\n1 Q0 zz 3 5 mine\n1 Q0 éa 4 5 mine\n"
            "2 Q0 eel 1 5 mine\n2 Q0 fox 2 4 mine\n"
        ).encode(),
        want={"1": 1.0, "2": 1.0},
    ),
    Case(  # dog cat+ bat ape+ by score and by id alike; in file order 5/6
        "scores equal in float32, not in float64",
        qrels=QRELS_BACKWARDS,
        run=b"1 Q0 ape 4 1.00000001 mine\n1 Q0 bat 3 1.00000002 mine\n"
        b"1 Q0 cat 2 1.00000003 mine\n1 Q0 dog 1 1.00000004 mine\n"
        b"2 Q0 eel 2 1.00000001 mine\n2 Q0 fox 1 1.00000002 mine\n",
    ),
    Case(  # ape+ bat cat dog+, (1/1 + 2/4) / 2; as a tie bat ape+ cat dog+, (1/2 + 2/4) / 2
        "scores equal in float32 only; docno order opposite",
        qrels=b"1 0 ape 1\n1 0 dog 1\n1 0 bat 0\n2 0 eel 1\n2 0 fox 0\n",
        run=b"1 Q0 ape 1 1.00000002 mine\n1 Q0 bat 2 1.00000001 mine\n"
        b"1 Q0 cat 3 0.5 mine\n1 Q0 dog 4 0.25 mine\n"
        b"2 Q0 eel 1 5 mine\n2 Q0 fox 2 4 mine\n",
        want={"1": 0.75, "2": 1.0},
    ),
    Case(
        "topics interleaved",
        qrels=b"1 0 bat 1\n2 0 eel 1\n1 0 dog 1\n2 0 fox 0\n1 0 ape 0\n",
        run=b"1 Q0 ape 1 9.5 mine\n2 Q0 eel 1 5.5 mine\n1 Q0 bat 2 8.5 mine\n"
        b"2 Q0 fox 2 4.5 mine\n1 Q0 cat 3 7.5 mine\n1 Q0 dog 4 6.5 mine\n",
    ),
    Case(  # in file order dog+ bat+ ape cat and fox eel+: 1 and 1/2
        "lines not in score order",
        run=b"1 Q0 dog 4 6.5 mine\n1 Q0 bat 2 8.5 mine\n1 Q0 ape 1 9.5 mine\n"
        b"1 Q0 cat 3 7.5 mine\n2 Q0 fox 2 4.5 mine\n2 Q0 eel 1 5.5 mine\n",
    ),
]

SPELLINGS = [
    Case(
        "hexadecimal score 0x12 (=18)",
        run=put(RUN, 3, b"1 Q0 cat 3 0x12 mine"),
        want=refused("mine.txt:3"),
    ),
    Case(
        "score 1_0 / grade 1_0",
        qrels=put(QRELS, 2, b"1 0 dog 1_0"),
        run=put(RUN, 3, b"1 Q0 cat 3 1_0 mine"),
        want=refused("judged.txt:2", "mine.txt:3"),
    ),
]

WHOLE_FILES = [
    Case(
        "gzip files with .gz name",
        qrels=gzip.compress(QRELS, mtime=0),
        run=gzip.compress(RUN, mtime=0),
        suffix=".gz",
    ),
    Case(
        "gzip content without .gz",
        qrels=gzip.compress(QRELS, mtime=0),
        run=gzip.compress(RUN, mtime=0),
    ),
    Case("qrels and run swapped", qrels=RUN, run=QRELS, want=refused(JUDGED, MINE)),
    Case(
        "topic ids 01 and 1 are different",
        qrels=QRELS.replace(b"2 0 ", b"01 0 "),
        run=RUN.replace(b"2 Q0 ", b"01 Q0 "),
        want={"01": 1.0, "1": 0.5},
    ),
    Case(
        "UTF-16 run file",
        run=b"\xff\xfe" + RUN.decode().encode("utf-16-le"),
        want=refused(MINE),
    ),
]

CASES = [
    *COLUMNS,
    *NUMBERS,
    *DUPLICATES,
    *LINES_AND_BLANKS,
    *IDS,
    *TOPICS,
    *GRADES,
    *TEXT,
    *ORDER,
    *SPELLINGS,
    *WHOLE_FILES,
]
