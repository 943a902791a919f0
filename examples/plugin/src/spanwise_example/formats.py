"""A file format: ranked results as comma-separated values."""

from collections.abc import Iterator

from spanwise.plugins import FormatError, Reading, Run, reader, results_of, writer

HEADER = b"topic,document,score"


@reader("ranked_csv", holds="run", recognise=lambda head: head.startswith(HEADER))
def read_ranked_csv(pieces: Iterator[bytes], file: str, how: Reading):
    """Read a run as comma-separated values: a header line `topic,document,score`, then the data.

    Ids contain no commas and are not quoted. The run has the name of the file.
    """
    run: dict[bytes, dict[bytes, float]] = {}
    for number, line in enumerate(b"".join(pieces).splitlines(), start=1):
        if number == 1 or not line.strip():
            continue
        try:
            topic, document, score = line.split(b",")
            run.setdefault(topic, {})[document] = float(score)
        except ValueError:
            found = line.decode("utf-8", "replace")
            how.note(FormatError(file, number, f"found {found!r}", "topic,document,score"))
    return run


@writer(
    "ranked_csv",
    loses=lambda run: {"places in documents": 0 if run.spans is None else len(run.rows)},
)
def write_ranked_csv(run: Run) -> Iterator[bytes]:
    """Write a line for each result, in the order that counts."""
    yield HEADER + b"\n"
    for topic, result in results_of(run):
        yield b"%b,%b,%r\n" % (topic, result.document, result.score)
