"""Write docs/reference from the tables of the package: python docs/generate.py [--check].

Nothing on those pages is written by hand. With --check nothing is written either: the status is 1
if a page differs from what the tables say now.
"""

import ast
import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path

import click

from spanwise import errors
from spanwise.cli import cli
from spanwise.dropins.trec_eval import options as trec_eval_help
from spanwise.dropins.trec_eval import version8, version_two
from spanwise.evaluation import profiles
from spanwise.formats.registry import FORMATS, Format, reader
from spanwise.measures import MEASURES
from spanwise.measures.names import by_stem
from spanwise.model import policy
from spanwise.model.measure import REQUIRED, Measure
from spanwise.report import catalogue
from spanwise.retrieve.engines import load as load_engines
from spanwise.retrieve.registry import ENGINES

REFERENCE = Path(__file__).parent / "reference"
NOTICE = "<!-- Made by docs/generate.py from the tables of the package: edit those, not this. -->"


# Markdown -----------------------------------------------------------------------------------


def page(title: str, opening: str, parts: Iterable[str]) -> str:
    """A whole page."""
    return "\n\n".join([NOTICE, f"# {title}", opening, *parts]) + "\n"


def prose(text: str) -> str:
    """Paragraphs of a docstring, one line each; what Markdown would take for markup is escaped."""
    return "\n\n".join(_escaped(" ".join(p.split())) for p in text.split("\n\n"))


def _escaped(text: str) -> str:
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else re.sub(r"([*<|])", r"\\\1", p) for p in pieces)


def table(header: tuple[str, ...], rows: Iterable[Iterable[str]]) -> str:
    """A table; cells are Markdown already."""
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def code(names: Iterable[object]) -> str:
    """Names in code type, separated by commas."""
    return ", ".join(f"`{name}`" for name in names)


def block(text: str, language: str = "text") -> str:
    """A block of code."""
    return f"```{language}\n{text.strip(chr(10))}\n```"


def commented_fields(owner: type) -> dict[str, str]:
    """The text below each field of a class: Python keeps it in the source only."""
    (tree,) = ast.parse(inspect.getsource(owner)).body
    assert isinstance(tree, ast.ClassDef)
    found = {}
    for field, below in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr):
            assert isinstance(field.target, ast.Name)
            found[field.target.id] = " ".join(str(ast.literal_eval(below.value)).split())
    return found


# Measures -----------------------------------------------------------------------------------


def measures() -> str:
    """Every measure, family by family, and trec_eval's names for them."""
    families: dict[str, list[Measure]] = {name: [] for name in catalogue.FAMILY}
    for measure in MEASURES.values():
        families.setdefault(measure.family, []).append(measure)
    parts: list[str] = []
    for family, members in families.items():
        if members:
            parts += [f"## {catalogue.FAMILY.get(family, family)}", *map(one_measure, members)]
    parts += ["## trec_eval's measures", prose(TREC_OPENING), trec_measures()]
    parts += ["## Nicknames", prose(NICKNAMES_OPENING), nicknames()]
    return page("Measures", MEASURES_OPENING, parts)


MEASURES_OPENING = """\
A measure is asked for by name: `Name`, `Name@10`, `Name(parameter=value)@10`, `Name[0.1]`. Spaces
do not matter. `{...}` in another name stands for a value of that parameter: `ndcg_cut_10`.
`spanwise measures NAME` prints the same text."""
TREC_OPENING = """\
What trec_eval calls its measures, in the order in which it prints them, and the measure that
computes each. Both names work in `spanwise eval` and in Python. The numbers of the last column
are used when none are given."""
NICKNAMES_OPENING = "A nickname stands for several measures at once, in `-m` and in Python."


def one_measure(measure: Measure) -> str:
    """All that the table knows about one."""
    lines = [f"Range: {catalogue.span(measure)}"]
    lines += [f"All topics: {catalogue.AGGREGATES[measure.aggregate]}"]
    if measure.aliases:
        lines += [f"Other names: {code(measure.aliases)}"]
    lines += [f"Law: {law.value}" for law in catalogue.in_order(measure.laws)]
    if measure.expected is not None:
        lines += ["Ties: the expected value over all orders is known"]
    lines += [f"Reference: {_escaped(measure.reference)}"]
    facts = "\n".join(f"- {line}" for line in lines)
    asked = f"Asked for as {code([catalogue.usage(measure)])}."
    heading = f"### {measure.name} {{ #{measure.name} }}"  # RBP and rbp: the case matters
    parts = [heading, prose(measure.definition), asked, parameters(measure), facts]
    return "\n\n".join(part for part in parts if part)


def parameters(measure: Measure) -> str:
    """A table of its parameters; nothing if it has none."""
    texts = catalogue.described_parameters(measure)
    rows = [
        (f"`{name}`", "required" if default is REQUIRED else _escaped(text.partition("=")[2]))
        for (name, default), text in zip(measure.parameters.items(), texts, strict=True)
    ]
    return table(("parameter", "default"), rows) if rows else ""


def trec_measures() -> str:
    """trec_eval's names and ours."""
    rows = []
    for name, entry in profiles.TREC_EVAL.items():
        ours = "the name of the run" if name == "runid" else _link(by_stem(name)[0])
        numbers = ", ".join(f"{value:g}" for value in entry.defaults)
        rows.append((f"`{name}`", ours, str(entry.since), numbers))
    return table(("trec_eval", "measure", "since version", "numbers"), rows)


def _link(measure: Measure) -> str:
    return f"[{measure.name}](#{measure.name})"


def nicknames() -> str:
    """What each nickname stands for."""
    rows = [(f"`{name}`", code(members)) for name, members in profiles.NICKNAMES.items()]
    return table(("nickname", "measures"), rows)


# Formats, policies, errors ------------------------------------------------------------------


def formats() -> str:
    """Every file format."""
    parts = []
    for entry in FORMATS.values():
        facts = f"- Holds: {entry.holds}\n- Recognised from the content: {_recognised(entry)}"
        facts += f"\n- Written by `spanwise convert`: {'no' if entry.write is None else 'yes'}"
        parts += [f"## {entry.name}", prose(entry.description), facts]
    return page("Formats", FORMATS_OPENING, parts)


FORMATS_OPENING = """\
Files are read plain or packed with gzip, xz or zstd, whatever they are called. Columns are
separated by any mix of blanks and tabs. Lines may end in CRLF, the last one in nothing. Blank
lines and lines that begin with `#` are skipped. Ids are bytes and are never decoded.
`spanwise formats NAME` prints the same text. Objects in memory are described in
[the guide to Python](../guide/python.md)."""


def _recognised(entry: Format) -> str:
    never = inspect.signature(reader).parameters["recognise"].default
    return "no, it must be named" if entry.recognise is never else "yes"


def policies() -> str:
    """Every field of a policy, the conventions of programs, and the profiles."""
    texts = commented_fields(policy.Policy)
    parts = ["## Fields of a policy"]
    for field in fields(policy.Policy):
        choices = policy.CHOICES.get(field.name)
        facts = f"- Default: `{field.default}`"
        facts += f"\n- Choices: {code(choices)}" if choices else ""
        parts += [f"### {field.name}", prose(texts[field.name]), facts]
    parts += ["## Profiles", *map(_profile, profiles.PROFILES)]
    parts += ["## What `follow` decides", prose(inspect.getdoc(policy.Conventions) or "")]
    return page("Policies and profiles", POLICIES_OPENING, [*parts, conventions()])


POLICIES_OPENING = """\
A policy holds every choice that changes a number and is not part of a measure's name. In Python
its fields are keyword arguments of `spanwise.evaluate`; a profile is a policy with a name and a
set of measures."""


def _profile(name: str) -> str:
    profile = profiles.PROFILES[name]
    signature = profile.policy.signature().rpartition("|")[0]  # without the version
    return f"### {name}\n\n- Policy: `{signature}`\n- Measures: {code(profile.measures)}"


def conventions() -> str:
    """How each program computes, field by field."""
    texts = commented_fields(policy.Conventions)
    names = list(policy.CONVENTIONS)
    rows = [
        (f"`{field.name}`", *(f"{getattr(policy.CONVENTIONS[n], field.name)}" for n in names))
        for field in fields(policy.Conventions)
    ]
    meanings = [f"- `{name}`: {_escaped(text)}" for name, text in texts.items()]
    return table(("convention", *names), rows) + "\n\n" + "\n".join(meanings)


def error_tree() -> str:
    """Every error and warning."""
    tree = (errors.__doc__ or "").partition("\n\n")[2]
    rows = [
        (f"`{name}`", f"`{found.__bases__[0].__name__}`", prose(inspect.getdoc(found) or ""))
        for name, found in inspect.getmembers(errors, inspect.isclass)
        if found.__module__ == errors.__name__
    ]
    parts = [block(tree), table(("class", "is a", "when"), sorted(rows))]
    return page("Errors", ERRORS_OPENING, parts)


ERRORS_OPENING = """\
Everything that the package raises on purpose, in `spanwise.errors`. The command line prints an
error on one line, `spanwise: error: FILE:LINE: ...`, and ends with status 2; a warning begins
`spanwise: warning: `."""


# Commands -----------------------------------------------------------------------------------


def commands() -> str:
    """Every command with its options."""
    context = click.Context(cli, info_name="spanwise")
    parts = []
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        parts += one_command(command, context)
    return page("Commands", COMMANDS_OPENING, parts)


COMMANDS_OPENING = """\
`spanwise COMMAND --help` prints the same. Exit status: 0 fine, 1 a check failed, 2 bad input or
usage, 3 a defect of spanwise; `trec_eval` has
[trec_eval's own](../guide/trec_eval.md#exit-status)."""


def one_command(command: click.Command, context: click.Context) -> Iterator[str]:
    """Usage, description and options."""
    own = click.Context(command, info_name=command.name, parent=context)
    yield f"## spanwise {command.name}"
    words = " ".join(command.collect_usage_pieces(own)).replace("[OPTIONS] [OPTIONS]", "[OPTIONS]")
    yield block(f"spanwise {command.name} {words}")
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        literal = paragraph.startswith("\b\n")
        yield block(paragraph[2:]) if literal else prose(paragraph)
    options = [option for option in command.params if isinstance(option, click.Option)]
    rows = [_option(option) for option in options if not option.hidden]
    if rows:
        yield table(("option", "values", "meaning"), rows)
    if command.name == "trec_eval":
        for text in (trec_eval_help.GENERAL, version8.HELP, version_two.USAGE):
            yield block(text)


def _option(option: click.Option) -> tuple[str, str, str]:
    kind = option.type
    values = code(kind.choices) if isinstance(kind, click.Choice) else ""
    if not values and not option.is_flag:
        values = kind.name
    return code(option.opts), values, _escaped(option.help or "")


# Engines ------------------------------------------------------------------------------------


def engines() -> str:
    """Every engine and model, with its parameters and what it needs."""
    load_engines()
    rows = (
        (
            f"`{entry.name}`",
            _escaped(entry.title),
            _escaped(" ".join(entry.description.split())),
            code(f"{name}={value}" for name, value in entry.parameters.items()),
            _escaped(entry.install) or "nothing to install",
        )
        for entry in ENGINES.values()
    )
    opening = "What `spanwise search --engine` knows. Parameters are set with `--set NAME=VALUE`."
    return page(
        "Engines and models",
        opening,
        [table(("name", "what it is", "how it ranks", "parameters", "installation"), rows)],
    )


# All of them --------------------------------------------------------------------------------

PAGES = {
    "measures.md": measures,
    "formats.md": formats,
    "engines.md": engines,
    "policies.md": policies,
    "commands.md": commands,
    "errors.md": error_tree,
}


def main(words: list[str]) -> int:
    """Write the pages, or say which of them are stale."""
    stale = []
    for name, make in PAGES.items():
        file, text = REFERENCE / name, make()
        if "--check" not in words:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            stale.append(name)
    if stale:
        print(f"stale: {', '.join(stale)}; run: python docs/generate.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
