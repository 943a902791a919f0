"""Average precision of passages against the scoring program of TREC Genomics 2007."""

import csv

import pytest

import spanwise
from shared_data import shared

NAMES = {
    "DOCUMENT": "DocumentAP",
    "PASSAGE": "PassageAP",
    "ASPECT": "AspectAP",
    "PASSAGE2": "Passage2AP",
}
FOLDER = ("data", "spans", "trec-genomics-2007")


def reference():
    with shared(*FOLDER, "reference-scores-per-topic.tsv").open() as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            yield row["RUN"], NAMES[row["MEASURE"]], row["TOPIC"], float(row["SCORE"])


@pytest.mark.parametrize("number", range(1, 6))
def test_every_topic_has_the_value_of_the_program(number):
    run = f"york07-ga-0{number}"
    gold = shared(*FOLDER, "trecgen2007.gold.standard.tsv")
    scores = spanwise.evaluate(gold, shared(*FOLDER, f"{run}.run.gz"), list(NAMES.values()))
    due = [one for one in reference() if one[0] == run]
    assert len(due) == 4 * 36
    for _, measure, topic, value in due:
        assert scores.per_topic[topic][measure] == pytest.approx(value, abs=1e-6), (measure, topic)
