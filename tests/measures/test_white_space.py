"""Complete evidence without white space, against reading character by character."""

import json
from random import Random

import numpy as np
import pytest

import spanwise
from spanwise.cli import main
from spanwise.matching.evidence import blank_places

# The 25 characters of PropList.txt with the property White_Space, written out here once more.
PROPERTY = [
    *"\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009",
    *"\u200a\u2028\u2029\u202f\u205f\u3000",
]


def test_white_space_is_the_property_of_unicode():
    assert len(PROPERTY) == 25
    text = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x11000)]))
    found = {text[place] for place in blank_places(text).tolist()}
    assert found == set(PROPERTY)
    assert not found & set("\x1c\x1d\x1e\x1f\u200b\ufeff\u180e")  # some count for str.isspace


def lines(path, objects):
    path.write_text("".join(json.dumps(one) + "\n" for one in objects))
    return str(path)


def complete(texts, gold, results, budget, ignored, share):
    """Read character by character; a set of nothing but white space counts it."""
    read = [(doc, at) for doc, s, e in results for at in range(s, e)]
    seen = set(read if budget is None else read[:budget])
    for number in {one["set"] for one in gold}:
        due = {
            (one["doc"], at)
            for one in gold
            if one["set"] == number
            for at in range(one["s"], one["e"])
        }
        counted = {(doc, at) for doc, at in due if texts[doc][at] not in ignored} or due
        if len(seen & counted) >= share * len(counted) - 1e-9:
            return 1.0
    return 0.0


@pytest.mark.filterwarnings("ignore:.*merged")
@pytest.mark.parametrize("seed", range(40))
def test_complete_evidence_follows_its_definition(seed, tmp_path):
    random = Random(seed)
    texts = {
        name: "".join(random.choice("ab   \u2003\n") for _ in range(40)) for name in ("x", "y", "z")
    }

    def stretch(longest):
        start = random.randrange(39)
        return random.choice("xyz"), start, min(40, start + random.randint(1, longest))

    gold, run = {}, {}
    for topic in "abcd":
        places = [stretch(12) for _ in range(random.randint(1, 4))]
        gold[topic] = [{"doc": d, "s": s, "e": e, "set": random.randrange(2)} for d, s, e in places]
        run[topic] = [stretch(25) for _ in range(random.randint(1, 9))]
    judged = lines(tmp_path / "gold.jsonl", [
        {"qid": topic, "doc": doc, "spans": [
            {k: v for k, v in one.items() if k != "doc"} for one in some if one["doc"] == doc
        ]}
        for topic, some in gold.items() for doc in sorted({one["doc"] for one in some})
    ])  # fmt: skip
    returned = lines(tmp_path / "run.jsonl", [
        {"qid": topic, "rank": rank, "doc": d, "s": s, "e": e}
        for topic, some in run.items() for rank, (d, s, e) in enumerate(some, start=1)
    ])  # fmt: skip
    wanted = {}
    for budget in (None, 10, 40):
        for blank, ignored in (("ignore", PROPERTY), ("count", [])):
            for share in (1.0, 0.95, 0.5):
                at = "" if budget is None else f"budget={budget},"
                name = f"FullEvidence({at}blank={blank},share={share})"
                wanted[name] = budget, ignored, share
    found = spanwise.evaluate(judged, returned, list(wanted), collection=texts)
    for topic, values in found.per_topic.items():
        due = {
            name: complete(texts, gold[topic], run[topic], *choice)
            for name, choice in wanted.items()
        }
        assert values == due, topic


TEXT = "One two.  Three four.  Five six."  # two blanks between sentences
STRIPPED = [(0, 8), (10, 21), (23, 32)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.txt").write_text(TEXT)
    lines(tmp_path / "gold.jsonl", [{"qid": "q", "doc": "d", "spans": [{"s": 0, "e": 32}]}])
    lines(tmp_path / "run.jsonl", [
        {"qid": "q", "rank": n, "doc": "d", "s": s, "e": e} for n, (s, e) in enumerate(STRIPPED)
    ])  # fmt: skip
    return tmp_path


def means(capfd, *words):
    capfd.readouterr()
    assert main(["eval", "gold.jsonl", "run.jsonl", "--json", *words]) == 0
    (run,) = json.loads(capfd.readouterr().out)["runs"]
    return run["means"], run["notes"]


def test_stripped_chunks_are_complete(folder, capfd):
    names = "FullEvidence,FullEvidence(blank=count),FullEvidence(budget=27),FullEvidence(budget=28)"
    found, notes = means(capfd, "-m", names, "--collection", "docs")
    assert list(found.values()) == [1, 0, 0, 1]  # 28 of 32 characters are no white space
    assert not [note for note in notes if "white space" in note]


def test_without_text_everything_counts_and_that_is_said_once(folder, capfd):
    found, notes = means(capfd, "-m", "FullEvidence,FullEvidence(budget=28),SpanR")
    assert list(found.values()) == [0, 0, 28 / 32]
    assert len([note for note in notes if "FullEvidence counts white space" in note]) == 1
    _, notes = means(capfd, "-m", "FullEvidence(blank=count)")
    assert not [note for note in notes if "white space" in note]


def test_the_text_of_a_quote_with_its_place_is_enough(folder, capfd):
    quote = {"s": 0, "e": 32, "text": TEXT}
    lines(folder / "gold.jsonl", [{"qid": "q", "doc": "d", "spans": [quote]}])
    found, notes = means(capfd, "-m", "FullEvidence")
    assert found == {"FullEvidence": 1}
    assert not [note for note in notes if "white space" in note]


def test_unread_white_space_is_reported(folder, capfd):
    """Four of the 32 relevant characters are not read, all of them white space."""
    found, _ = means(capfd, "-m", "UnreadBlank(budget=40)", "--collection", "docs")
    assert found == {"UnreadBlank(budget=40)": 1}
    found, _ = means(capfd, "-m", "UnreadBlank(budget=19)", "--collection", "docs")
    assert found == {"UnreadBlank(budget=19)": 5 / 13}  # one is inside the last sentence
    words = ["compare", "gold.jsonl", "run.jsonl", "--collection", "docs", "--budget", "28"]
    assert main([*words, "--json"]) == 0
    said = json.loads(capfd.readouterr().out)["warnings"]
    assert any(
        "100 % of the relevant text that run does not read is white space" in w for w in said
    )
    chunks = [{"qid": "q", "rank": 1, "doc": "d", "s": 0, "e": 32}]
    lines(folder / "run.jsonl", chunks)
    assert main([*words, "--json"]) == 0
    assert not any("white space" in w for w in json.loads(capfd.readouterr().out)["warnings"])


def test_a_share_must_be_a_share():
    from spanwise.errors import UsageError
    from spanwise.measures.names import parse

    for share in ("0", "1.5"):
        with pytest.raises(UsageError, match="share is"):
            parse(f"FullEvidence(share={share})")
    assert np.isclose(parse("FullEvidence(share=0.95)").parameter("share"), 0.95)
