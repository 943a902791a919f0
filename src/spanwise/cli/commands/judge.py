"""spanwise judge: highlight what is relevant, in the browser."""

from __future__ import annotations

from typing import Any

import click

from spanwise.cli.options import (
    DefaultGroup,
    format_names,
    option,
    printed_as,
    reported,
    seed_option,
)

MODES = ("highlight", "grades", "aspects", "exhaustivity", "document")
FORMATS = (
    "span_qrels",
    "inex_assessments_2006",
    "inex_assessments_2007",
    "inex_qrels",
    "qrels",
    "w3c",
)
STATES = ("done", "all")
Report = tuple[dict[str, Any], str]
MERGES = ("union", "intersection", "majority", "adjudicated")
ASSESSORS, PAGE = "Assessors", "Page and server"


@click.group("judge", cls=DefaultGroup, default="serve")
def command() -> None:
    """Judge a pool in the browser.

    A page is served on this machine only, with a link for each assessor. Every judgement is saved
    at once in one file; nothing is lost if the browser or the server stops.

    \b
    Examples:
      spanwise judge --demo
      spanwise judge pool.jsonl --collection articles/ --topics topics.xml
      spanwise judge pool.jsonl --collection articles/ --topics topics.xml --judge anna --judge ben
      spanwise judge status pool.judged
      spanwise judge export pool.judged -o judged.jsonl
    """


@command.command("serve")
@click.argument("pool", required=False)
@option("--collection", metavar="PATH", help="Store or folder of the documents.")
@option("--topics", metavar="FILE", help="Topics to judge.")
@option("--store", metavar="FILE", help="File of the judgements. [default: POOL.judged]")
@option("--demo", is_flag=True, help="Judge the handbook that is part of the package.")
@option("--prepare", is_flag=True, help="Make the store and stop; serve it later.")
@option(
    *("--judge", "judges"),
    multiple=True,
    metavar="NAME",
    section=ASSESSORS,
    help="Assessor, repeated for several. [default: judge]",
)
@option("--adjudicate", is_flag=True, section=ASSESSORS, help="Add a link for the adjudicator.")
@option(
    "--desk",
    is_flag=True,
    section=ASSESSORS,
    help="Add a link for the organiser: topics, speed, agreement.",
)
@option(
    "--mode",
    type=click.Choice(MODES),
    default="highlight",
    section=PAGE,
    help="Kind of judgement. [default: highlight]",
)
@option(
    *("--aspect", "aspects"),
    multiple=True,
    metavar="NAME",
    section=PAGE,
    help="Aspect of mode aspects, repeated for several.",
)
@option(
    "--order",
    type=click.Choice(["shuffle", "pool", "id"]),
    section=PAGE,
    help="Order of documents. [default: that of the pool, or shuffle]",
)
@option(
    "--support",
    type=click.Choice(["on", "off"]),
    default="on",
    section=PAGE,
    help="Show what systems returned. [default: on]",
)
@option("--guidelines", metavar="FILE", section=PAGE, help="Text that is shown beside the topic.")
@option(
    "--port",
    type=click.IntRange(0, 65535),
    default=7878,
    metavar="N",
    section=PAGE,
    help="Port of the server; 0 chooses a free one. [default: 7878]",
)
@option("--no-open", is_flag=True, section=PAGE, help="Do not open the browser.")
@seed_option
@printed_as("text", "json", output=False)
def serve_command(
    pool: str | None,
    collection: str | None,
    topics: str | None,
    store: str | None,
    judges: tuple[str, ...],
    adjudicate: bool,
    desk: bool,
    mode: str,
    aspects: tuple[str, ...],
    order: str | None,
    support: str,
    guidelines: str | None,
    seed: int,
    port: int,
    no_open: bool,
    prepare: bool,
    demo: bool,
    layout: str,
) -> None:
    """Make or open a store and serve the page.

    \b
    Examples:
      spanwise judge serve --demo
      spanwise judge serve pool.jsonl --collection articles/ --topics topics.xml --judge anna
    """
    import json

    from spanwise.collection import open_collection
    from spanwise.console import emit
    from spanwise.errors import UsageError
    from spanwise.formats import read_pool, read_topics
    from spanwise.judge.server import refuse_without_extra, serve
    from spanwise.judge.service import NAME, OWNER
    from spanwise.judge.setup import Campaign, guidelines_of, open_or_create

    refuse_without_extra()
    if prepare and no_open:
        raise UsageError("--no-open has no effect with --prepare, which opens nothing")
    if layout == "json" and not prepare:
        raise UsageError("--json has no effect without --prepare, which reports the store")
    if demo and (pool is not None or collection is not None or topics is not None):
        raise UsageError("--demo has its own pool, collection and topics; expected none of them")
    if demo:
        from spanwise.judge.setup import demo_files

        pool, collection, topics, store = demo_files(store)
    if pool is None or collection is None or topics is None:
        raise UsageError(
            "nothing to judge; expected POOL --collection PATH --topics FILE, or --demo"
        )
    text = guidelines_of(guidelines) if guidelines is not None else ""
    drawn = read_pool(pool)
    order = order or str(drawn.about.get("order", "shuffle"))
    plan = Campaign(mode, aspects, order, seed, support == "on", text)
    documents = open_collection(collection)
    place = store or f"{pool.rstrip('/')}.judged"
    kept = open_or_create(place, drawn, read_topics(topics), documents, plan)
    for name in judges or (() if kept.assessors() else ("judge",)):
        kept.add_assessor(name)
    if adjudicate:
        kept.add_assessor("adjudicated", "adjudicator")
    if desk:
        kept.add_assessor(NAME, OWNER)
    if prepare:
        names, count = list(kept.assessors()), len(kept.topics())
        about = json.dumps({"store": place, "topics": count, "assessors": names}, indent=1)
        text = f"{place}: {count} topics, assessors: {', '.join(names)}"
        emit(f"{about if layout == 'json' else text}\n")
        return
    serve(kept, documents, port, browse=not no_open)


@command.command("status")
@click.argument("store")
@printed_as("table", "json")
def status_command(store: str, layout: str, output: str | None) -> None:
    """Show the progress of every assessor with every topic.

    \b
    Example:
      spanwise judge status pool.judged
    """
    from spanwise.console import emit
    from spanwise.judge.service import status

    emit(status(store, layout), output)


@command.command("verify")
@click.argument("store")
@option("--collection", metavar="PATH", help="Documents whose texts are compared too.")
@option("--head", metavar="HASH", help="Hash in an export, to be found in this log.")
@printed_as("text", "json", output=False)
def verify_command(store: str, collection: str | None, head: str | None, layout: str) -> int:
    """Check the file, the chain of its log, and the texts.

    The exit status is 1 if something is wrong.

    \b
    Example:
      spanwise judge verify pool.judged
    """
    import json

    from spanwise.console import emit
    from spanwise.judge.service import verified

    text, fine = verified(store, collection, head)
    if layout == "json":
        text = json.dumps({"valid": fine, "messages": text.splitlines()}, indent=1) + "\n"
    emit(text)
    return 0 if fine else 1


@command.command("log")
@click.argument("store")
@option("--judge", metavar="NAME", help="Assessor. [default: all]")
def log_command(store: str, judge: str | None) -> None:
    """Print every recorded action, one JSON object per line.

    \b
    Example:
      spanwise judge log pool.judged
    """
    from spanwise.console import emit
    from spanwise.judge.service import log

    for line in log(store, judge):
        emit(line)


@command.command("revoke")
@click.argument("store")
@click.argument("judge", metavar="ASSESSOR")
@reported
def revoke_command(store: str, judge: str) -> Report:
    """Revoke all links of an assessor; the next start prints a new one.

    \b
    Example:
      spanwise judge revoke pool.judged anna
    """
    from spanwise.judge.store import Store
    from spanwise.judge.verdicts import chosen_assessors

    kept = Store(store)
    (name,) = chosen_assessors(kept, judge, None, machines=True)
    count = kept.revoke(name)
    return {"store": store, "assessor": name, "revoked": count}, f"{name}: {count} links revoked\n"


@command.command("export")
@click.argument("store")
@option("-o", "--output", required=True, metavar="OUT", help="File, or folder for XML.")
@option(
    "--to",
    type=click.Choice(FORMATS),
    default="span_qrels",
    metavar="FORMAT",
    help=f"File format: {', '.join(FORMATS)}. [default: span_qrels]",
)
@option("--judge", metavar="NAME", help="Assessor. [default: all]")
@option(
    "--merge",
    type=click.Choice(MERGES),
    metavar="HOW",
    help=f"Merge all assessors into one: {', '.join(MERGES)}.",
)
@option(
    "--state",
    type=click.Choice(STATES),
    default="done",
    help="Documents: finished ones or all. [default: done]",
)
@option("--collection", metavar="PATH", help="Documents, if the format needs them.")
@option("--include-machine", is_flag=True, help="Include assessors named `machine:...`.")
@reported
def export_command(
    store: str,
    output: str,
    to: str,
    judge: str | None,
    merge: str | None,
    state: str,
    collection: str | None,
    include_machine: bool,
) -> Report:
    """Write the judgements to a file that other programs read.

    \b
    Example:
      spanwise judge export pool.judged -o judged.jsonl --merge union
    """
    from spanwise.judge.exchange import ExportOptions, exported

    wanted = ExportOptions(to, judge, merge, state, collection, include_machine)
    found = exported(store, output, wanted)
    return found.to_dict(), str(found)


@command.command("import")
@click.argument("store")
@click.argument("judgements")
@option("--judge", required=True, metavar="NAME", help="Assessor of these judgements.")
@option("--collection", required=True, metavar="PATH", help="Store or folder of the documents.")
@option(
    *("--from", "form"),
    metavar="FORMAT",
    names=format_names("judgements"),
    help="File format; w3c must be given. [default: recognised]",
)
@reported
def import_command(
    store: str, judgements: str, judge: str, collection: str, form: str | None
) -> Report:
    """Import judgements from a file as those of a new assessor.

    \b
    Example:
      spanwise judge import pool.judged old.jsonl --judge ben --collection articles/
    """
    from spanwise.judge.exchange import imported

    found = imported(store, judgements, judge, collection, form)
    return found.to_dict(), str(found)
