"""Options have one meaning in every command, stand where they have an effect, and only once."""

import json
import re
import sys

import click
import pytest

from demo_files import DENSE, HYBRID, KEYWORD, QRELS
from source_code import MODULES
from spanwise.cli import COMMANDS, cli
from spanwise.cli.options import Command, Option, paragraphs


def _commands():
    """Every command by its words, subcommands too; the drop-ins read their own words."""
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        if isinstance(command, click.Group):
            yield from (((name, part), one) for part, one in command.commands.items())
        elif isinstance(command, Command):
            yield (name,), command


EVERY = dict(_commands())
every_command = pytest.mark.parametrize("words", EVERY, ids=" ".join)


def options(words):
    return [one for one in EVERY[words].params if isinstance(one, click.Option)]


def ours(words):
    """The options that are defined with a heading."""
    return [one for one in options(words) if isinstance(one, Option)]


# Definitions --------------------------------------------------------------------------------


def test_all_commands_but_the_drop_ins_are_of_one_kind():
    assert set(COMMANDS) - {words[0] for words in EVERY} == {"trec_eval", "inex_eval", "evalj"}


@every_command
def test_old_names_are_gone(words):
    names = {name for one in options(words) for name in one.opts}
    assert not names & {"--queries", "--engines", "--file-format"}
    for one in options(words):
        if "--topics" in one.opts:
            assert one.metavar == "FILE"
        if "--format" in one.opts:  # of printed results, never of files
            assert isinstance(one.type, click.Choice)
        if {"--to", "--from"} & {*one.opts}:
            assert one.metavar == "FORMAT"
            assert one.name != "layout"
        if "--ideal" in one.opts:
            assert list(one.type.choices) == ["higher", "deeper"]


@every_command
def test_every_option_stands_under_a_heading(words):
    assert options(words) == ours(words)


@pytest.mark.parametrize(
    "words",
    [
        *(("check",), ("recallbase",), ("cluster",), ("pool", "check"), ("pool", "estimate")),
        *(("collection", "build"), ("collection", "show")),
    ],
    ids=" ".join,
)
def test_commands_that_report_have_json(words):
    assert {"--format", "--json"} <= {name for one in ours(words) for name in one.opts}


@every_command
def test_help_of_an_option_is_one_sentence_with_its_default(words):
    for one in ours(words):
        assert re.match(r"[A-Z]", one.help), one.opts
        plain = not one.is_flag and not one.multiple and isinstance(one.default, str | int | float)
        if plain and not one.required:
            default = f"{one.default:g}" if isinstance(one.default, float) else one.default
            assert f"[default: {default}]" in one.help, one.opts


@every_command
def test_seeds_are_zero_unless_given(words):
    for one in ours(words):
        assert "--seed" not in one.opts or one.default == 0


@every_command
def test_what_prints_json_has_the_short_option(words):
    by_name = {name: one for one in ours(words) for name in one.opts}
    layouts = getattr(by_name.get("--format"), "type", None)
    if isinstance(layouts, click.Choice) and "json" in layouts.choices:
        assert "--json" in by_name


# Help ---------------------------------------------------------------------------------------


def test_what_eval_needs_most_fits_one_screen(ask):
    text = ask("eval", "--help").text
    first, _, below = text.partition("\n\nXML and passages:\n")
    assert len(first.splitlines()) <= 24
    assert max(map(len, text.partition("\nDetails:")[0].splitlines())) <= 80
    assert first.startswith("Usage: spanwise eval ")
    assert "\nExample:\n    spanwise eval qrels.txt" in first
    assert "\nCommon options:\n" in first
    for heading in ("Chunks", "Files", "Running", "Details", "More examples"):
        assert f"\n{heading}:\n" in below


def test_a_command_with_one_kind_of_options_has_one_heading(ask):
    text = ask("formats", "--help").text
    assert "\nOptions:\n" in text
    assert "Common options" not in text


def test_every_example_is_in_the_help(ask):
    for words, command in EVERY.items():
        text = ask(*words, "--help").text
        _, examples, _ = paragraphs(command.help)
        assert examples, words
        for example in examples:
            assert all(line in text for line in example.splitlines()), words


@every_command
def test_examples_use_options_that_exist(words):
    known = {name for one in options(words) for name in (*one.opts, *one.secondary_opts)}
    for example in paragraphs(EVERY[words].help)[1]:
        if example.startswith(f"spanwise {' '.join(words)} "):
            quoted = re.sub(r"'[^']*'|\"[^\"]*\"", "x", example)
            assert set(re.findall(r"(?<=\s)--[a-z-]+", quoted)) <= known, example


# Only once ----------------------------------------------------------------------------------

FILES = ("qrels.txt", "run.txt")


@pytest.mark.parametrize(
    "words",
    [
        ("--ties", "docno", "--ties", "docno"),
        ("--depth", "2", "--depth=3"),
        ("-q", "--per-topic"),
        ("-o", "a.txt", "--output", "b.txt"),
        ("-l", "1", "--rel", "2"),
    ],
    ids=" ".join,
)
def test_an_option_that_stands_twice_is_an_error(folder, ask, words):
    complaint = ask("eval", *FILES, *words).complaint
    assert complaint.endswith(" stands twice; expected it once")
    assert not (folder / "a.txt").exists()


def test_measures_may_be_repeated(folder, ask):
    assert list(measured(ask, "-m", "AP", "-m", "P@1", "--measure", "RR")) == ["AP", "P@1", "RR"]


# Measures -----------------------------------------------------------------------------------


def measured(ask, *words):
    """Mean by measure."""
    answer = ask("eval", *FILES, "--format", "jsonl", *words)
    assert answer.status == 0, answer.err
    return {record["measure"]: record["value"] for record in answer.records}


def test_a_list_of_measures_repeats_the_names_as_they_were_asked_for(folder, ask):
    one_by_one = measured(ask, *(w for m in ("AP", "P@1", "P@2", "RR") for w in ("-m", m)))
    together = measured(ask, "-m", "AP, P(rel=1)@1,P_1,2", "-m", "mrr")
    assert list(together) == ["AP", "P(rel=1)@1", "P_1", "P_2", "mrr"]
    assert together["P_2"] == one_by_one["P@2"]
    assert together["mrr"] == one_by_one["RR"]
    assert together["P_1"] == together["P(rel=1)@1"] == one_by_one["P@1"]


def test_trec_evals_lists_keep_their_meaning(folder, ask):
    assert list(measured(ask, "-m", "P.1,2,AP")) == ["P_1", "P_2", "AP"]


def test_an_unknown_measure_in_a_list_is_answered_with_a_hint(folder, ask):
    complaint = ask("eval", *FILES, "-m", "AP,nDGC@10").complaint
    assert complaint.startswith("unknown measure 'nDGC'; did you mean ")


@pytest.mark.parametrize("names", [",", "AP,", "AP,,RR"])
def test_a_missing_name_in_a_list_is_an_error(folder, ask, names):
    assert "a name is missing" in ask("eval", *FILES, "-m", names).complaint


# The relevance level ------------------------------------------------------------------------


@pytest.fixture
def graded(folder):
    (folder / "qrels.txt").write_text("1 0 bat 1\n1 0 dog 2\n2 0 eel 2\n")
    return folder


def test_the_relevance_level_is_that_of_measures_that_do_not_state_one(graded, ask):
    stated = measured(ask, "-m", "P(rel=1)@2,P(rel=2)@2,P@4,nDCG@4")
    given = measured(ask, "-m", "P(rel=1)@2,P@2,nDCG@4", "--rel", "2")
    assert given["P(rel=1)@2"] == stated["P(rel=1)@2"]
    assert given["P@2"] == stated["P(rel=2)@2"] != stated["P(rel=1)@2"]
    assert given["nDCG@4"] == stated["nDCG@4"]
    assert measured(ask, "-m", "P@2", "-l", "2") == {"P@2": stated["P(rel=2)@2"]}


def test_counts_of_results_have_no_relevance_level(graded, ask):
    counts = measured(ask, "-m", "NumRet,NumRel")
    assert measured(ask, "-m", "NumRet,NumRel", "--rel", "2")["NumRet"] == counts["NumRet"] == 6
    assert ask("eval", *FILES, "-m", "NumRet", "--rel", "2").status == 2


def test_the_signature_states_the_relevance_level(graded, ask):
    assert "assumed:rel=2|" in ask("eval", *FILES, "-m", "AP", "--rel", "2").text
    assert "rel=" not in ask("eval", *FILES, "-m", "AP").text


def test_explain_obeys_the_relevance_level(graded, ask):
    words = ("--topic", "1", "-m", "P@2")
    assert "P@2 = 0.5000" in ask("explain", *FILES, *words).text
    assert "P@2 = 0.0000" in ask("explain", *FILES, *words, "--rel", "2").text


def test_results_are_verified_at_their_relevance_level(graded, ask):
    assert ask("eval", *FILES, "-m", "P@2", "--rel", "2", "-o", "kept.jsonl").status == 0
    assert ask("verify", "kept.jsonl").status == 0


def test_a_relevance_level_that_no_measure_takes_is_an_error(graded, ask):
    words = ("-m", "nDCG@4,P(rel=1)@2", "--rel", "2")
    assert ask("eval", *FILES, *words).complaint.startswith("--rel has no effect on nDCG@4, P(")


# Layouts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ending", "layout"),
    [(".txt", "table"), (".md", "md"), (".tex", "latex"), (".csv", "csv"), (".JSON", "json")],
)
@pytest.mark.parametrize("command", ["eval", "compare"])
def test_the_ending_of_the_output_chooses_the_layout(tmp_path, ask, command, ending, layout):
    files = (command, str(QRELS), str(KEYWORD), str(DENSE), "-m", "AP")
    file = tmp_path / f"out{ending}"
    assert ask(*files, "-o", str(file)).status == 0
    assert file.read_bytes() == ask(*files, "--format", layout).out


def test_the_format_overrides_the_ending(folder, ask):
    ask("eval", *FILES, "-m", "AP", "--format", "csv", "-o", "out.json")
    assert (folder / "out.json").read_bytes() == ask(
        "eval", *FILES, "-m", "AP", "--format", "csv"
    ).out


def test_without_an_ending_the_layout_is_the_usual_one(folder, ask):
    assert ask("eval", *FILES, "-m", "AP", "-o", "out").status == 0
    assert (folder / "out").read_bytes() == ask("eval", *FILES, "-m", "AP").out
    assert ask("eval", *FILES, "-m", "AP", "-o", "-").out == ask("eval", *FILES, "-m", "AP").out


@pytest.mark.parametrize(
    ("words", "known"),
    [
        (("eval", *FILES), ".txt, .md, .tex, .csv, .json, .jsonl, .parquet, or"),
        (("compare", *FILES), ".txt, .md, .tex, .csv, .json, .html, or"),
        (("reliability", "qrels.txt"), ".txt, .md, .tex, .csv, .json, or"),
        (("agree", *FILES), ".txt, .json, or"),
    ],
)
def test_an_ending_that_a_command_does_not_have_is_an_error(folder, ask, words, known):
    complaint = ask(*words, "-o", "out.docx").complaint
    assert complaint.startswith("out.docx: unknown ending '.docx'; expected one of ")
    assert known in complaint
    assert not (folder / "out.docx").exists()


def test_results_to_keep_stay_what_they_are(folder, ask):
    assert ask("eval", *FILES, "-m", "AP", "-o", "kept.jsonl").status == 0
    assert ask("verify", "kept.jsonl").status == 0
    printed = ask("eval", *FILES, "-m", "AP", "--format", "jsonl").out
    assert ask("eval", *FILES, "-m", "AP", "--format", "jsonl", "-o", "rows.jsonl").status == 0
    assert (folder / "rows.jsonl").read_bytes() == printed


def test_json_is_short_for_its_format(folder, ask):
    words = ("eval", *FILES, "-m", "AP")
    assert ask(*words, "--json").out == ask(*words, "--format", "json").out
    assert ask(*words, "--json", "--format", "json").status == 0
    assert "expected one of them" in ask(*words, "--json", "--format", "csv").complaint


def test_a_page_is_chosen_by_its_ending(tmp_path, ask):
    pytest.importorskip("jinja2", reason="Jinja2 is not installed")
    pytest.importorskip("vl_convert", reason="vl-convert is not installed")
    files = ("compare", str(QRELS), str(KEYWORD), str(DENSE), "-m", "AP")
    answer = ask(*files, "-o", str(tmp_path / "page.html"))
    assert (answer.status, answer.out) == (0, b"")
    assert (tmp_path / "page.html").read_text().startswith("<!")


@pytest.fixture
def kept(folder, ask):
    ask("eval", *FILES, "-m", "AP", "-o", "kept.jsonl")
    return folder


def test_a_gate_writes_junit_markdown_or_json(kept, ask):
    words = ("gate", "kept.jsonl", "--baseline", "kept.jsonl", "-m", "AP")
    printed = ask(*words)
    assert printed.text.startswith("**Gate: passed**")
    beside = (kept / "kept.junit.xml").read_bytes()
    (kept / "kept.junit.xml").unlink()
    assert ask(*words, "-o", "gate.xml").out == printed.out
    assert (kept / "gate.xml").read_bytes() == beside
    assert not (kept / "kept.junit.xml").exists()
    assert ask(*words, "-o", "gate.md").out == b""
    assert (kept / "gate.md").read_bytes() == printed.out
    found = json.loads(ask(*words, "--json").out)
    assert found["passed"] is True
    (one,) = found["verdicts"]
    assert (one["run"], one["measure"], one["drop"], one["passed"]) == ("mine", "AP", 0.0, True)


def test_a_gate_that_fails_says_so_as_json_too(kept, ask):
    words = ("gate", "kept.jsonl", "--baseline", "kept.jsonl", "-m", "AP", "--min", "0.99")
    answer = ask(*words, "--json")
    assert answer.status == 1
    found = json.loads(answer.out)
    assert found["passed"] is False
    assert found["verdicts"][0]["reasons"]


def test_verify_reports_as_json(kept, ask):
    assert json.loads(ask("verify", "kept.jsonl", "--json").out)["changed"] is False
    (kept / "run.txt").write_text("1 Q0 dog 1 1 mine\n2 Q0 fox 1 1 mine\n")
    answer = ask("verify", "kept.jsonl", "--json")
    found = json.loads(answer.out)
    assert (answer.status, found["changed"]) == (1, True)
    assert "mine: the run run.txt changed" in found["messages"]


# Without effect -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("eval", *FILES, "--structure", "strict"), "--structure has no effect without --topics"),
        (("eval", *FILES, "--topics", "t.xml"), "--topics has no effect without --structure"),
        (
            ("explain", *FILES, "--topic", "1", "-m", "AP", "--topics", "t"),
            "--topics has no effect",
        ),
        (("eval", *FILES, "-m", "AP,P@5", "--unit", "cost"), "--unit has no effect on AP, P@5:"),
        (("eval", *FILES, "-m", "SpanR@5", "--unit", "cost"), "--unit has no effect on SpanR@5:"),
        (("eval", *FILES, "--task", "ric", "--unit", "cost"), "--unit has no effect on "),
        (("compare", *FILES, "-m", "AP", "--unit", "cost"), "--unit has no effect on AP:"),
        (("eval", *FILES, "--workers", "2", "--on", "dask"), "--workers has no effect with --on"),
        (("compare", *FILES, "--no-ceiling"), "--ceiling and --no-ceiling have no effect without"),
        (
            ("compare", *FILES, "--budget", "9", "--rel", "2"),
            "--rel has no effect on SpanR(budget=9)",
        ),
        (("compare", *FILES, "--all-pairs", "--baseline", "run.txt"), "--baseline has no effect"),
        (("compare", *FILES, "--test", "t", "--resamples", "2000"), "--resamples has no effect"),
        (("plot", "nxCG", *FILES, "--baseline", "x", "-o", "a.svg"), "--baseline has no effect on"),
        (
            ("plot", "scatter", *FILES, "--run", "x", "-o", "a.svg"),
            "--run has no effect on",
        ),
        (("plot", "budget", *FILES, "-m", "AP", "-o", "a.svg"), "-m has no effect on budget"),
        (("gate", "a.jsonl", "--baseline", "b.jsonl"), "no measure is given"),
        (("check", *FILES, "--most", "2", "--json"), "--most has no effect with --format json"),
        (("check", *FILES, "--limit", "2"), "--fix and --limit need --task"),
        (
            ("fuse", "run.txt", "run.txt", "--method", "combsum", "--k", "60"),
            "--k has no effect on combsum",
        ),
        (
            ("search", ".", "t", "--structure", "vague"),
            "--structure has no effect without --query castitle",
        ),
        (("search", ".", "t", "--task", "focused"), "--task focused has no effect on whole"),
        (("cluster", ".", "--clusters", "2", "--dimensions", "9"), "--dimensions has no effect on"),
        (("cluster", ".", "--clusters", "2", "--most", "9"), "--most and --judgements-format have"),
        (("collection", "show", ".", "--levels", "2"), "--levels has no effect without a tree"),
        (("collection", "show", ".", "--levels", "2", "--json"), "--levels has no effect without"),
        (("pool", "run.txt", "-o", "p", "--gamma", "0.5"), "--gamma has no effect on rounds"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_an_option_without_effect_is_an_error(folder, ask, words, complaint):
    assert ask(*words).complaint.startswith(complaint)


def test_a_unit_has_an_effect_where_reading_is_counted(folder, ask):
    """The error is about the files: the option itself is accepted."""
    words = ("-m", "AP,SpanR(budget=100)", "--unit", "cost")
    assert "--unit" not in ask("eval", *FILES, *words).complaint


SEED = re.compile(r"""seed["']?\s*(?::\s*int\s*)?[=,]\s*(\d+)""")


def test_a_seed_that_is_not_stated_is_0_everywhere():
    found = {file.name: SEED.findall(file.read_text(encoding="utf-8")) for file in MODULES}
    assert {seed for seeds in found.values() for seed in seeds} == {"0"}
    assert {"service.py", "agreement.py", "estimate.py"} <= {name for name in found if found[name]}


# Commands of reference ----------------------------------------------------------------------


def test_profiles_and_tasks_are_listed_and_described(ask):
    listed = ask("profiles").text
    assert "\n  inex2009 " in listed
    assert "\n  focused " in listed
    text = ask("profiles", "inex2007").text
    assert text.startswith("inex2007 (profile)\n\nChoices: ties:file|")
    assert "MAiP" in text
    assert "beta=1" in text
    assert ask("profiles", "inex2077").complaint.startswith("unknown profile 'inex2077'; did you")


def test_engines_are_listed_and_described(ask):
    assert ask("engines").text.startswith("fts5")
    assert ask("engines", "fts5").text.startswith("fts5: ")
    assert "did you mean fts5" in ask("engines", "fts6").complaint


@pytest.mark.parametrize("command", ["measures", "formats", "engines", "profiles"])
def test_reference_is_also_json(ask, command):
    every = json.loads(ask(command, "--json").out)
    assert len(every) > 5
    name = every[-1]["name"]
    assert json.loads(ask(command, name, "--json").out) == [every[-1]]


def test_properties_of_measures_as_json(ask):
    (one,) = json.loads(ask("measures", "nxCG", "--properties", "--json").out)
    assert one["properties"]["near_misses"] == "yes"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(ask, shell):
    text = ask("completion", shell).text
    assert "_SPANWISE_COMPLETE" in text
    assert f"{shell}_complete" in text


def completed(run_command, *words):
    """The lines that a shell is given: the kind of a completion, and its text."""
    line = " ".join(("spanwise", *words))
    setting = {
        "_SPANWISE_COMPLETE": "bash_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words)),
    }
    answer = run_command(environment=setting)
    assert (answer.status, answer.err) == (0, "")
    return [line for line in answer.text.splitlines() if line]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("com",), ["plain,compare", "plain,completion"]),
        (("eval", "--average"), ["plain,--average-over"]),
        (("eval", "-m", "nDC"), ["plain,nDCG"]),
        (("eval", "--profile", "inex200"), [f"plain,inex200{year}" for year in range(2, 10)]),
        (("eval", "qr"), ["file,qr"]),
        (("eval", "qrels.txt", "ru"), ["file,ru"]),
        (("eval", "--collection", "do"), ["file,do"]),
        (("eval", "--ties", "fi"), ["plain,file"]),
        (("measures", "nDC"), ["plain,nDCG"]),
        (("convert", "a"), ["file,a"]),
        (("nonsense", "x"), []),
    ],
    ids=" ".join,
)
def test_commands_options_and_names_are_completed(run_command, words, expected):
    assert set(expected) <= set(completed(run_command, *words))
    assert expected or not completed(run_command, *words)


# Exit status --------------------------------------------------------------------------------


def test_what_is_not_installed_has_a_status_of_its_own(ask, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    words = ("plot", "recall-precision", str(QRELS), str(KEYWORD), str(HYBRID), "-o", "a.svg")
    answer = ask(*words)
    assert answer.status == 3
    assert answer.err.count("\n") == 1
    assert "pip install 'spanwise[report]'" in answer.err
