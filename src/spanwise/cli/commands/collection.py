"""spanwise collection: build a store of documents, and look into one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from spanwise.cli.options import RUNNING, Group, option, printed_as, reported

if TYPE_CHECKING:
    from spanwise.collection.shards import OnError
    from spanwise.model.documents import BlankNodes, Unit, WhiteSpace

COUNTING = "Counting characters"


@click.group("collection", cls=Group)
def command() -> None:
    """Build or show a store of documents and their elements.

    \b
    Examples:
      spanwise collection build articles/ -o articles.store
      spanwise collection show articles.store 12345 '/article[1]/sec[2]'
    """


@command.command("build")
@click.argument("paths", nargs=-1, required=True)
@option("-o", "--output", required=True, metavar="STORE", help="Folder of the store.")
@option("--fresh", is_flag=True, help="Replace the store; use nothing of an earlier build.")
@option(
    "--on-error",
    type=click.Choice(["stop", "skip"]),
    default="stop",
    help="Broken documents: stop the build, or report and skip them. [default: stop]",
)
@option(
    "--characters",
    type=click.Choice(["codepoints", "bytes"]),
    default="codepoints",
    section=COUNTING,
    help="Characters: code points, or bytes of UTF-8. [default: codepoints]",
)
@option(
    "--whitespace",
    type=click.Choice(["keep", "collapse"]),
    default="keep",
    section=COUNTING,
    help="Runs of white space: all of it counts, or one character. [default: keep]",
)
@option(
    "--blank-nodes",
    type=click.Choice(["keep", "strip"]),
    default="keep",
    section=COUNTING,
    help="Text nodes of only white space: count, or not. [default: keep]",
)
@option(
    "--workers",
    type=click.IntRange(1),
    metavar="N",
    section=RUNNING,
    help="Number of worker processes. [default: number of processors]",
)
@reported
def build_command(
    paths: tuple[str, ...],
    output: str,
    characters: Unit,
    whitespace: WhiteSpace,
    blank_nodes: BlankNodes,
    on_error: OnError,
    fresh: bool,
    workers: int | None,
) -> tuple[dict[str, Any], str]:
    """Read documents and write a store.

    PATHS are folders, archives (tar, zip), XML or plain text files, or text files that name files.
    Each may be compressed by gzip, xz, bzip2 or zstd; - is a list of files on standard input. The
    id of a document is its file name or path, with or without extension. A plain text has one
    element, /document[1]. After an interruption, the same command continues the build.

    White space is collapsed also across tags.

    \b
    Examples:
      spanwise collection build articles/ -o articles.store
      spanwise collection build part-*.tar.gz -o wiki.store --on-error skip
      spanwise collection build ieee/ -o ieee.store --characters bytes --whitespace collapse
      find . -name '*.xml' | spanwise collection build - -o all.store
    """
    from spanwise.workflows.collection import build_collection

    built = build_collection(
        paths,
        output,
        characters=characters,
        whitespace=whitespace,
        blank_nodes=blank_nodes,
        on_error=on_error,
        fresh=fresh,
        workers=workers or _processors(),
        progress=True,
    )
    return built.to_dict(), built.to_text()


def _processors() -> int:
    import os

    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@command.command("show")
@click.argument("store")
@click.argument("document", required=False)
@click.argument("path", required=False)
@option(
    *("--levels", "depth"),
    type=click.IntRange(1),
    metavar="N",
    help="Maximum number of levels of the tree. [default: all]",
)
@printed_as("text", "json")
def show_command(
    store: str,
    document: str | None,
    path: str | None,
    depth: int | None,
    layout: str,
    output: str | None,
) -> None:
    """List the documents of a store, draw one document's tree, or print an element's text.

    STORE may also be a folder of documents. Sizes are characters as the store counts them. An
    entity whose character is unknown is printed by its name.

    \b
    Examples:
      spanwise collection show articles.store
      spanwise collection show articles.store 12345 --levels 3
      spanwise collection show articles.store 12345 '/article[1]/sec[2]'
      spanwise collection show articles.store 12345 '/article[1]/p[1]/text()[2]'
    """
    import json

    from spanwise.collection import open_collection
    from spanwise.console import emit
    from spanwise.workflows.collection import collection_record, refuse_idle_depth, show_collection

    refuse_idle_depth(document, path, depth)
    opened = open_collection(store)
    if layout == "json":
        found = collection_record(opened, document, path, depth=depth)
        emit(json.dumps(found, indent=1) + "\n", output)
        return
    pieces = show_collection(opened, document, path, depth=depth)
    if output is not None:
        emit("".join(pieces), output)
        return
    for text in pieces:
        emit(text)
