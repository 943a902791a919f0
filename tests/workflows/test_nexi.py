"""spanwise nexi, and spanwise check of topics."""

import json

import pytest

from shared_data import shared
from spanwise.cli import main

QUERY = (
    '//article[about(.//(sec|p), solar panels)AND .//yr>=1999]//sec[about(.,"building code" -b)]'
)
OLD = "//article[./fm//yr = '1999']//sec[about(., 'tidal power')]"


@pytest.fixture
def say(capfdbinary):
    def said(*words):
        status = main([str(word) for word in words])
        out, err = capfdbinary.readouterr()
        return status, out.decode(), err.decode()

    return said


class TestNexi:
    def test_tree(self, say):
        assert say("nexi", QUERY) == (
            0,
            """\
content and structure
  //article
    and
      about .//(sec|p)
        word solar
        word panels
      compare .//yr >= 1999
  //sec  (target)
    about .
      phrase "building code"
      word -b
""",
            "",
        )

    def test_tree_without_structure(self, say):
        want = 'content only\n  phrase +"wind power"\n  word sea\n'
        assert say("nexi", '+"wind power" sea') == (0, want, "")

    def test_canonical(self, say):
        want = (
            "//article[about(.//(sec|p), solar panels) and .//yr >= 1999]"
            '//sec[about(., "building code" -b)]\n'
        )
        assert say("nexi", QUERY, "--format", "canonical") == (0, want, "")

    def test_json(self, say):
        status, out, _ = say("nexi", "//*[.=1.50 or about(.//p, +x)]//p", "--format", "json")
        assert status == 0
        assert json.loads(out) == {
            "canonical": "//*[. = 1.5 or about(.//p, +x)]//p",
            "steps": [
                {
                    "path": [{"axis": "//", "names": []}],
                    "condition": {
                        "or": [
                            {"compare": {"path": [], "operator": "=", "number": "1.5"}},
                            {
                                "about": {
                                    "path": [{"axis": "//", "names": ["p"]}],
                                    "terms": [{"sign": "+", "word": "x"}],
                                }
                            },
                        ]
                    },
                },
                {"path": [{"axis": "//", "names": ["p"]}]},
            ],
        }

    def test_json_without_structure(self, say):
        _, out, _ = say("nexi", "--format", "json", "--", '-"a b"')
        terms = [{"sign": "-", "phrase": ["a", "b"]}]
        assert json.loads(out) == {"canonical": '-"a b"', "terms": terms}

    def test_legacy(self, say):
        status, out, _ = say("nexi", "--legacy", OLD, "--format", "json")
        assert status == 0
        (condition,) = json.loads(out)["steps"][0]["condition"].values()
        assert condition["string"] == "1999"
        assert condition["path"][0] == {"axis": "/", "names": ["fm"]}

    def test_errors_are_one_line(self, say):
        want = "spanwise: error: at character 5: found ']', expected 'about', '.' or '('\n"
        assert say("nexi", "//a[]") == (2, "", want)
        assert say("nexi", "--legacy", "//a[]") == (2, "", want)

    def test_what_only_the_older_notation_allows_is_said(self, say):
        status, out, err = say("nexi", OLD)
        assert (status, out) == (2, "")
        assert err == (
            "spanwise: error: at character 12: found '/', expected '//', '<', '<=', '=', '>=' or"
            " '>'; to read it as a title of 2003, add --legacy\n"
        )


class TestCheck:
    def test_the_real_file(self, say):
        file = shared("data", "inex", "topics", "INEX-2009-topics.xml")
        assert say("check", file) == (0, f"{file}: fine (inex_topics: 115 topics)\n", "")

    def test_queries_that_do_not_parse(self, say, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "t.xml").write_text(
            '<inex-topic-file>\n<topic id="1"><castitle>//sec</castitle></topic>\n'
            '<topic id="2"><castitle>\n//sec[about(.,\n sea,wind)]</castitle></topic>\n'
            '<topic id="3"><castitle>./fm</castitle></topic>\n</inex-topic-file>\n'
        )
        assert say("check", "t.xml") == (
            1,
            "t.xml:5: castitle of topic '2', at character 20: found ',', expected a term or ')'\n"
            "t.xml:6: castitle of topic '3', at character 1: found '.', expected '//' or a term\n"
            "t.xml: 2 problems\n",
            "",
        )

    def test_titles_of_2003_may_be_old(self, say, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        topic = '<inex_topic topic_id="1" query_type="CAS"><title>{}</title></inex_topic>'
        (tmp_path / "t.xml").write_text(topic.format(OLD))
        (tmp_path / "u.xml").write_text(topic.format(OLD + "]"))
        status, out, _ = say("check", "t.xml", "u.xml")
        assert status == 1
        assert out.splitlines()[0] == "t.xml: fine (inex_topics: 1 topics)"
        assert out.splitlines()[1].startswith("u.xml:1: title of topic '1', at character 59: found")

    def test_topics_beside_runs_and_judgements(self, say, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "topics").write_text("1\tsea\n2\twind\n")
        (tmp_path / "qrels").write_text("1 0 d 1\n")
        (tmp_path / "run").write_text("1 Q0 d 1 2.5 x\n")
        status, out, _ = say("check", "topics", "qrels", "run")
        assert status == 0
        assert out.splitlines()[0] == "topics: fine (tsv_topics: 2 topics)"
