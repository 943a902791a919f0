"""Plug-ins that are broken, that are registered twice, and that nobody needs."""

import json
import re
import subprocess
import sys
import textwrap
from inspect import getdoc

import pytest

import spanwise.plugins
from command_line import folder, run_command  # noqa: F401  (fixtures)
from plugins.installed import beside, write_package
from source_code import ROOT, parsed

MEASURE = '''
from spanwise.plugins import measure

@measure("{name}", reference="nowhere, 2000"{more})
def found(r{parameters}):
    """How many results there are, plainly counted."""
    return {value}
'''


def code(name="Mine", more="", parameters="", value="r.retrieved"):
    return MEASURE.format(name=name, more=more, parameters=parameters, value=value)


@pytest.fixture
def ask(run_command, tmp_path):  # noqa: F811
    """Run the command where some packages are installed, each one module."""

    def ask(*words, **packages):
        site = tmp_path / "site"
        for name, text in packages.items():
            write_package(site, name.replace("_", "-"), text)
        return run_command(*words, environment=beside(site))

    return ask


EVAL = ("eval", "qrels.txt", "run.txt")


# Broken -------------------------------------------------------------------------------------

BROKEN = {
    "a module that is missing": ("import nosuchmodule", "No module named 'nosuchmodule'"),
    "a mistake": ("1 / 0", "ZeroDivisionError: division by zero"),
    "a mistake in its grammar": ("def", "SyntaxError: invalid syntax"),
    "an end": ("raise SystemExit(7)", "SystemExit: 7"),
    "a name that is taken": (
        code("AP"),
        "measure 'AP' of broken already exists in spanwise.measures.ranks",
    ),
    "an alias that is taken": (
        code(more=", aliases=('map',)"),
        "measure 'map' of broken already exists in spanwise.measures.ranks",
    ),
    "no docstring": (
        re.sub(r'"""How.*"""', "", code()),
        "measure 'Mine' of broken has no docstring",
    ),
    "a parameter without a type": (
        code(parameters=", *, k=1"),
        "measure 'Mine' of broken: parameter k has no annotation",
    ),
    "a kind of file that there is not": (
        "from spanwise.plugins import reader\n"
        "@reader('x', holds='runs')\ndef f(pieces, file, how):\n  '''X.'''",
        "format 'x' of broken: holds='runs'; expected run, judgements,",
    ),
    "a writer without a reader": (
        "from spanwise.plugins import writer\n@writer('x')\ndef f(run): ...",
        "format 'x' of broken has a writer but no reader",
    ),
    "a second writer": (
        "from spanwise.plugins import writer\n@writer('trec_run')\ndef f(run): ...",
        "format 'trec_run' of broken already has a writer in spanwise.formats.trec.columns",
    ),
    "an engine that cannot search": (
        "from spanwise.plugins import engine\n@engine('x', title='X')\nclass X:\n  '''X.'''",
        "engine 'x' of broken has no method 'build'",
    ),
    "an engine whose name is taken": (
        "from spanwise.plugins import engine\n@engine('bm25s', title='X')\nclass X:\n  '''X.'''\n"
        "  build = open = None",
        "engine 'bm25s' of broken already exists in spanwise.retrieve.engines.bm25s",
    ),
    "a chunker whose name is taken": (
        "from spanwise.plugins import chunker\n@chunker('fixed')\ndef f(text, size, overlap):\n"
        "  '''X.'''",
        "chunker 'fixed' of broken already exists in spanwise.retrieve.chunkers",
    ),
}


@pytest.mark.parametrize(("text", "reason"), BROKEN.values(), ids=BROKEN)
def test_a_broken_plug_in_is_one_warning_that_names_its_package(ask, text, reason):
    answer = ask("measures", broken=text)
    assert answer.status == 0
    (warning,) = answer.warnings
    assert warning.startswith("plug-in broken: module broken was not loaded: ")
    assert reason in warning
    assert warning.endswith("; update or uninstall broken")
    assert "\n  AP " in answer.text


def test_nothing_remains_of_a_plug_in_that_fails_half_way(ask):
    answer = ask(*EVAL, "-m", "Mine", broken=code() + "\nraise ValueError('no more')\n")
    assert answer.status == 2
    warning, error = answer.err.splitlines()
    assert "ValueError: no more" in warning
    assert "unknown measure 'Mine'" in error


def test_other_plug_ins_are_loaded_beside_a_broken_one(ask):
    answer = ask(*EVAL, "-m", "Mine", a_broken="import nosuchmodule", better=code())
    assert answer.status == 0
    assert re.search(r"^Mine +3\.0000$", answer.text, re.MULTILINE)
    assert [line.split(":")[2] for line in answer.err.splitlines()] == [" plug-in a-broken"]


def test_of_two_plug_ins_with_one_name_the_second_is_not_loaded(ask):
    answer = ask(*EVAL, "-m", "Mine", one=code(), two=code(value="r.retrieved * 100"))
    assert re.search(r"^Mine +3\.0000$", answer.text, re.MULTILINE)
    assert "plug-in two: module two was not loaded: measure 'Mine' of two" in answer.err
    assert "already exists in one" in answer.err


@pytest.mark.parametrize("value", ["1 / 0", "r.nosuch"])
def test_a_mistake_in_a_measure_is_laid_at_the_right_door(ask, value):
    answer = ask(*EVAL, "-m", "Mine", wrong=code(value=value))
    assert answer.status == 70
    assert answer.err.startswith("spanwise: error: a defect of the plug-in wrong (wrong), ")
    assert answer.err.count("\n") == 1


def test_explain_shows_the_columns_that_a_measure_names(ask, folder):  # noqa: F811
    words = ("explain", "qrels.txt", "run.txt", "--topic", "1", "-m", "Mine")
    named = ask(*words, mine=code(more=', explains="binary"'))
    header = named.text.splitlines()[0].split()
    assert header == ["rank", "document", "grade", "relevant", "precision", "recall"]


def test_explain_lists_results_plainly_for_a_measure_that_names_no_columns(ask, folder):  # noqa: F811
    words = ("explain", "qrels.txt", "run.txt", "--topic", "1", "-m", "Mine")
    answer = ask(*words, mine=code())
    assert answer.status == 0
    assert "precision" not in answer.text


def test_a_measure_that_cannot_be_estimated_from_a_sample_is_refused(ask, folder):  # noqa: F811
    (folder / "pool.jsonl").write_text('{"topic": "1", "doc": "bat"}\n')
    words = ("pool", "estimate", "pool.jsonl", "qrels.txt", "run.txt", "-m", "Mine")
    answer = ask(*words, mine=code(more=", sampled=False"))
    assert "'Mine' depends on which documents were judged" in answer.err


@pytest.mark.parametrize(("value", "shape"), [("1.0", "()"), ("r.grade", "(2, 4)")])
def test_a_measure_must_return_one_value_per_topic(ask, value, shape):
    complaint = ask(*EVAL, "-m", "Mine", wrong=code(value=value)).complaint
    expected = f"returned an array of shape {shape}; expected one value for each of 2 topics"
    assert complaint == f"measure 'Mine' of wrong: {expected}"


def test_a_measure_may_return_a_list_of_whole_numbers(ask):
    answer = ask(*EVAL, "-m", "Mine", good=code(value="[int(n) for n in r.retrieved]"))
    assert re.search(r"^Mine +3\.0000$", answer.text, re.MULTILINE)


READER = """
from spanwise.plugins import reader

@reader("odd", holds="run", recognise=lambda head: {recognise})
def read(pieces, file, how):
    '''Odd lines.'''
    return {content}
"""


def test_a_reader_must_return_what_it_promises(ask, folder):  # noqa: F811
    (folder / "odd.txt").write_text("odd\n")
    reader = READER.format(recognise="head.startswith(b'odd')", content="[1, 2]")
    complaint = ask("eval", "qrels.txt", "odd.txt", odd=reader).complaint
    assert complaint == "format 'odd' of odd: its reader returned list; expected Run"


def test_a_recogniser_that_fails_is_a_warning(ask, folder):  # noqa: F811
    (folder / "odd.txt").write_text("odd\n")
    answer = ask("eval", "qrels.txt", "odd.txt", odd=READER.format(recognise="1 / 0", content="{}"))
    warning, error = answer.err.splitlines()
    assert "format 'odd' of odd: recognise failed (ZeroDivisionError: division by zero)" in warning
    assert "odd.txt:1" in error


# Again --------------------------------------------------------------------------------------


def in_a_notebook(program: str) -> str:
    """What a program prints whose module is called __main__."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(program)],
        env={**beside()},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout


def test_a_cell_of_a_notebook_can_run_twice():
    printed = in_a_notebook("""
        import spanwise
        from spanwise.plugins import chunker, engine, measure, reader, writer

        for number in (1, 2):
            @measure("Mine", reference="here, 2024", aliases=(f"mine{number}",))
            def mine(r, *, k: int = 1):
                "A number."
                return r.retrieved * number

            @reader("mine", holds="run")
            def read(pieces, file, how):
                "Nothing."
                return {"t": {"d": number}}

            @writer("mine")
            def write(run):
                yield b"%d" % number

            @chunker("mine")
            def cut(text, size, overlap):
                "One."
                return [(0, number)]

            @engine("mine", title="Mine")
            class Mine:
                "None."
                def __init__(self, power: int = number): ...
                build = open = None

            found = spanwise.evaluate({"t": {"d": 1}}, {"t": {"d": 1.0}}, ["Mine", f"mine{number}"])
            print(found.means)

        from spanwise.formats import FORMATS
        from spanwise.formats.registry import find_format
        from spanwise.measures.names import plain_names
        from spanwise.retrieve.chunkers import find_chunker
        from spanwise.retrieve.registry import find_engine

        print("mine1" in plain_names(), find_chunker("mine")("", 1, 1))
        print(b"".join(FORMATS["mine"].write(None)), find_engine("mine").parameters)

        @reader("mine", holds="run")
        def read_again(pieces, file, how):
            "The writer stays."
        print(find_format("mine", ("run",)).write is not None)
    """)
    assert printed.splitlines() == [
        "{'Mine': 1.0, 'mine1': 1.0}",
        "{'Mine': 2.0, 'mine2': 2.0}",
        "False [(0, 2)]",
        "b'2' {'power': 2}",
        "True",
    ]


def test_another_module_cannot_take_a_name(tmp_path):
    (tmp_path / "one.py").write_text(code())
    (tmp_path / "two.py").write_text(code())
    program = """
        import one
        from spanwise.plugins import UsageError
        try:
            import two
        except UsageError as error:
            print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env=beside(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "measure 'Mine' of two already exists in one; choose another name\n"


# Only when needed ---------------------------------------------------------------------------

SPY = "import sys\nprint('LOADED', file=sys.stderr)\n"
NOT_NEEDED = [
    ("--help",),
    ("--version",),
    ("eval", "qrels.txt", "run.txt"),
    ("eval", "qrels.txt", "run.txt", "-m", "AP", "-m", "P@5", "-m", "ndcg_cut_10"),
    ("compare", "qrels.txt", "run.txt", "-m", "AP"),
    ("trec_eval", "-q", "-m", "all_trec", "qrels.txt", "run.txt"),
    ("explain", "qrels.txt", "run.txt", "--topic", "1", "-m", "AP"),
    ("check", "run.txt"),
    ("convert", "run.txt", "other.jsonl", "--to", "span_run"),
    ("measures", "nDCG"),
    ("formats", "qrels"),
]
NEEDED = [
    ("measures",),
    ("formats",),
    ("engines",),
    ("eval", "qrels.txt", "run.txt", "-m", "Nothing"),
    ("formats", "nothing"),
    ("check", "mystery.txt"),
]


@pytest.mark.parametrize("words", NOT_NEEDED, ids=" ".join)
def test_a_command_that_needs_no_plug_in_imports_none(ask, words):
    answer = ask(*words, spy=SPY)
    assert answer.status == 0, answer.err
    assert "LOADED" not in answer.err


@pytest.mark.parametrize("words", NOT_NEEDED, ids=" ".join)
def test_a_command_that_needs_no_plug_in_looks_for_none(run_command, words):  # noqa: F811
    """To look for entry points takes longer than to start."""
    begun = "getattr(sys.modules.get('spanwise.plugin_loading'), '_begun', False)"
    before = f"import atexit, sys\natexit.register(lambda: print({begun}))"
    assert run_command(*words, before=before).text.splitlines()[-1] == "False"


def test_the_search_for_entry_points_can_be_seen(run_command):  # noqa: F811
    begun = "import atexit, sys\natexit.register(lambda: print(sys.modules["
    before = begun + "'spanwise.plugin_loading']._begun))"
    assert run_command("measures", before=before).text.splitlines()[-1] == "True"


@pytest.mark.parametrize("words", NEEDED, ids=" ".join)
def test_plug_ins_are_loaded_where_their_names_may_be_meant(ask, folder, words):  # noqa: F811
    (folder / "mystery.txt").write_text("mystery\n")
    assert "LOADED" in ask(*words, spy=SPY).err


# What is public -----------------------------------------------------------------------------

DECORATORS = ("measure", "reader", "writer", "engine", "chunker")


def test_the_public_surface_is_complete_and_lazy():
    assert {*DECORATORS, "Law", "Rankings"} <= set(spanwise.plugins.__all__)
    assert dir(spanwise.plugins) == sorted(spanwise.plugins.__all__)
    program = "import sys, json, spanwise.plugins; print(json.dumps(list(sys.modules)))"
    modules = set(json.loads(in_a_notebook(program)))
    assert not modules & {"numpy", "spanwise.measures", "spanwise.formats", "spanwise.errors"}
    with pytest.raises(
        AttributeError, match=r"module 'spanwise.plugins' has no attribute 'mesure'"
    ):
        spanwise.plugins.mesure  # noqa: B018


def test_type_checkers_see_the_same_surface():
    import ast
    from importlib import import_module

    (block,) = [n for n in parsed(ROOT / "plugins.py").body if isinstance(n, ast.If)]
    seen = {alias.asname: node.module for node in block.body for alias in node.names}
    assert set(seen) == set(spanwise.plugins.__all__)
    for name, module in seen.items():
        assert getattr(import_module(module), name) is getattr(spanwise.plugins, name)


@pytest.mark.parametrize("name", DECORATORS)
def test_the_example_in_a_docstring_runs(name):
    described = getdoc(getattr(spanwise.plugins, name))
    after = re.split(r"^For example.*:$", described, flags=re.MULTILINE)[1]
    lines = []
    for line in after.splitlines():
        if line and not line.startswith("    "):
            break
        lines.append(line)
    example = textwrap.dedent("\n".join(lines))
    assert f"@{name}(" in example
    before = "from spanwise.plugins import reader\n@reader('lines', holds='run')\n"
    before += "def read(pieces, file, how):\n  'Lines.'\n"
    in_a_notebook((before if name == "writer" else "") + example + USED[name])


USED = {
    "measure": "import spanwise\nassert spanwise.evaluate({'q': {'a': 1}}, {'q': {'a': 1.0}}, "
    "['FoundAny@5']).means == {'FoundAny@5': 1.0}",
    "reader": "from spanwise.formats import FORMATS, Reading\n"
    "found = FORMATS['pairs'].parse(iter([b'%pairs\\n1 a\\n']), 'x', Reading())\n"
    "assert found.grades.tolist() == [1.0]",
    "writer": "import spanwise\nrun = spanwise.read_run({'q': {'a': 1.5}})\n"
    "assert b''.join(write_lines(run)) == b'q a 1.5\\n'",
    "engine": "import tempfile, pathlib\n"
    "with tempfile.TemporaryDirectory() as name:\n"
    "    made = Counts(power=2)\n"
    "    made.build(['The cap', 'A cap is a cap'], pathlib.Path(name))\n"
    "    with made.open(pathlib.Path(name)) as opened:\n"
    "        best, scores = opened.search(['cap'], 5)\n"
    "assert (best.tolist(), scores.tolist()) == ([1, 0], [4.0, 1.0])",
    "chunker": "assert by_line('a\\nbc', 9, 0) == [(0, 2), (2, 4)]",
}
