"""spanwise judge: highlight what is relevant, in the browser."""

from __future__ import annotations

import click

from spanwise.cli.groups import DefaultGroup

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
MERGES = ("union", "intersection", "majority", "adjudicated")


@click.group("judge", cls=DefaultGroup, default="serve")
def command() -> None:
    """Judge a pool in the browser.

    A page is served on this machine only; a link is printed for every judge. Each gesture is kept
    at once, in one file; nothing is lost if browser or server stop.

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
@click.option("--collection", metavar="STORE", help="The documents; a store or a folder.")
@click.option("--topics", metavar="FILE", help="What is asked.")
@click.option("--store", metavar="FILE", help="Where to keep judgements; POOL.judged if not given.")
@click.option("--judge", "judges", multiple=True, metavar="NAME", help="Who judges; repeatable.")
@click.option("--adjudicate", is_flag=True, help="Also a link for who merges the judges.")
@click.option("--desk", is_flag=True, help="Also a link for who runs it: topics, speed, agreement.")
@click.option("--mode", type=click.Choice(MODES), default="highlight", help="What judges say.")
@click.option("--aspect", "aspects", multiple=True, metavar="NAME", help="For mode aspects.")
@click.option(
    "--order",
    type=click.Choice(["shuffle", "pool", "id"]),
    help="In which order documents are shown; as the pool says, else shuffle.",
)
@click.option(
    "--support",
    type=click.Choice(["on", "off"]),
    default="on",
    help="Whether judges may look at what systems returned.",
)
@click.option("--guidelines", metavar="FILE", help="A text that judges see beside the topic.")
@click.option("--seed", type=int, default=1, help="Of the order of documents.")
@click.option("--port", type=click.IntRange(0, 65535), default=7878, help="0: any that is free.")
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
@click.option("--prepare", is_flag=True, help="Make the store and stop; serve it later.")
@click.option("--demo", is_flag=True, help="Judge the handbook that comes with the package.")
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
) -> None:
    """Make or open a store and serve the page.

    \b
    Example:
      spanwise judge serve pool.jsonl --collection articles/ --topics topics.xml --judge anna
    """
    from spanwise.collection import open_collection
    from spanwise.console import emit
    from spanwise.errors import UsageError
    from spanwise.formats import read_pool, read_topics
    from spanwise.judge.server import refuse_without_extra, serve
    from spanwise.judge.service import NAME, OWNER
    from spanwise.judge.setup import Campaign, guidelines_of, open_or_create

    refuse_without_extra()
    if demo and (pool is not None or collection is not None or topics is not None):
        raise UsageError("--demo brings its own pool, collection and topics; give none")
    if demo:
        from spanwise.judge.setup import demo_files

        pool, collection, topics, store = demo_files(store)
    if pool is None or collection is None or topics is None:
        raise UsageError("give POOL --collection STORE --topics FILE, or --demo")
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
        emit(f"{place}: {len(kept.topics())} topics, assessors: {', '.join(kept.assessors())}\n")
        return
    serve(kept, documents, port, browse=not no_open)


@command.command("status")
@click.argument("store")
@click.option(
    "--format",
    "layout",
    type=click.Choice(["table", "json"]),
    default="table",
    help="How to print.",
)
def status_command(store: str, layout: str) -> None:
    """How far every judge is with every topic.

    \b
    Example:
      spanwise judge status pool.judged
    """
    from spanwise.console import emit
    from spanwise.judge.status import status

    emit(status(store, layout))


@command.command("verify")
@click.argument("store")
@click.option("--collection", metavar="STORE", help="Also compare the texts of the documents.")
@click.option("--head", metavar="HASH", help="That an export names: is it of this log?")
def verify_command(store: str, collection: str | None, head: str | None) -> int:
    """Check the file, the chain of the log, and the texts; the status is 1 if anything is wrong.

    \b
    Example:
      spanwise judge verify pool.judged
    """
    from spanwise.console import emit
    from spanwise.judge.status import verified

    text, fine = verified(store, collection, head)
    emit(text)
    return 0 if fine else 1


@command.command("log")
@click.argument("store")
@click.option("--judge", metavar="NAME", help="Only this judge.")
def log_command(store: str, judge: str | None) -> None:
    """Print every gesture, one JSON object a line.

    \b
    Example:
      spanwise judge log pool.judged
    """
    from spanwise.console import emit
    from spanwise.judge.status import log

    for line in log(store, judge):
        emit(line)


@command.command("revoke")
@click.argument("store")
@click.argument("judge")
def revoke_command(store: str, judge: str) -> None:
    """Make all links of a judge worthless; the next start prints a new one.

    \b
    Example:
      spanwise judge revoke pool.judged anna
    """
    from spanwise.console import emit
    from spanwise.judge.store import Store
    from spanwise.judge.verdicts import chosen_assessors

    kept = Store(store)
    (name,) = chosen_assessors(kept, judge, None, machines=True)
    emit(f"{name}: {kept.revoke(name)} links revoked\n")


@command.command("export")
@click.argument("store")
@click.option("-o", "--output", required=True, metavar="OUT", help="A file, or a folder for XML.")
@click.option("--to", type=click.Choice(FORMATS), default="span_qrels", help="The format.")
@click.option("--judge", metavar="NAME", help="Only this judge.")
@click.option("--merge", type=click.Choice(MERGES), help="All judges as one.")
@click.option("--state", type=click.Choice(STATES), default="done", help="Only finished documents?")
@click.option("--collection", metavar="STORE", help="The documents, where the format needs them.")
@click.option("--include-machine", is_flag=True, help="Also judges whose names begin machine: .")
def export_command(
    store: str,
    output: str,
    to: str,
    judge: str | None,
    merge: str | None,
    state: str,
    collection: str | None,
    include_machine: bool,
) -> None:
    """Write judgements that `spanwise eval` and others read.

    \b
    Example:
      spanwise judge export pool.judged -o judged.jsonl --merge union
    """
    from spanwise.console import tell
    from spanwise.judge.exchange import ExportOptions, exported

    wanted = ExportOptions(to, judge, merge, state, collection, include_machine)
    tell(exported(store, output, wanted), output)


@command.command("import")
@click.argument("store")
@click.argument("judgements")
@click.option("--judge", required=True, metavar="NAME", help="Whose judgements they are.")
@click.option("--collection", required=True, metavar="STORE", help="The documents.")
@click.option("--from", "form", metavar="FORMAT", help="Else recognised; w3c must be named.")
def import_command(
    store: str, judgements: str, judge: str, collection: str, form: str | None
) -> None:
    """Put judgements from a file into the log, as those of a judge who has none yet.

    \b
    Example:
      spanwise judge import pool.judged old.jsonl --judge ben --collection articles/
    """
    from spanwise.console import emit
    from spanwise.judge.exchange import imported

    emit(imported(store, judgements, judge, collection, form))
