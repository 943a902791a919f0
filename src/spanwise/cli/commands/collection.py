"""spanwise collection: build a store of documents, and look into one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanwise.cli.command import Group

if TYPE_CHECKING:
    from spanwise.collection.shards import OnError
    from spanwise.model.documents import BlankNodes, Unit, WhiteSpace


@click.group("collection", cls=Group)
def command() -> None:
    """Build or show a store that knows where every element lies.

    \b
    Examples:
      spanwise collection build articles/ -o articles.store
      spanwise collection show articles.store 12345 '/article[1]/sec[2]'
    """


@command.command("build")
@click.argument("paths", nargs=-1, required=True)
@click.option("-o", "--output", required=True, metavar="STORE", help="The folder to write.")
@click.option(
    "--characters",
    type=click.Choice(["codepoints", "bytes"]),
    default="codepoints",
    help="What counts as a character: a code point, or a byte of UTF-8.",
)
@click.option(
    "--whitespace",
    type=click.Choice(["keep", "collapse"]),
    default="keep",
    help="`collapse`: a run of white space counts one, also across tags.",
)
@click.option(
    "--blank-nodes",
    type=click.Choice(["keep", "strip"]),
    default="keep",
    help="`strip`: text nodes of white space only do not count.",
)
@click.option(
    "--on-error",
    type=click.Choice(["stop", "skip"]),
    default="stop",
    help="A broken document stops the build, or is reported, skipped and counted.",
)
@click.option("--fresh", is_flag=True, help="Use nothing of an earlier build; replace the store.")
@click.option(
    "--workers", type=click.IntRange(1), help="Processes; as many as processors if not given."
)
def build_command(
    paths: tuple[str, ...],
    output: str,
    characters: Unit,
    whitespace: WhiteSpace,
    blank_nodes: BlankNodes,
    on_error: OnError,
    fresh: bool,
    workers: int | None,
) -> None:
    """Read documents and write a store.

    PATHS are folders, archives (tar, zip), XML or plain text files (each also packed with gzip,
    xz, bzip2 or zstd), text files that name files, or - for such a list on standard input. A
    document is known by its file name or path, with or without extension. A plain text has the one
    element /document[1]. If a build is interrupted, the same command goes on where it stopped.

    \b
    Examples:
      spanwise collection build articles/ -o articles.store
      spanwise collection build part-*.tar.gz -o wiki.store --on-error skip
      spanwise collection build ieee/ -o ieee.store --characters bytes --whitespace collapse
      find . -name '*.xml' | spanwise collection build - -o all.store
    """
    from spanwise.console import emit
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
    emit(built.to_text())


def _processors() -> int:
    import os

    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@command.command("show")
@click.argument("store")
@click.argument("document", required=False)
@click.argument("path", required=False)
@click.option("--depth", type=click.IntRange(1), help="Show a tree only so deep.")
def show_command(store: str, document: str | None, path: str | None, depth: int | None) -> None:
    """List the documents of a store, draw one document's tree, or print an element's text.

    STORE may also be a folder of documents. Sizes are characters as the store counts them. An
    entity whose character is not known is printed by its name.

    \b
    Examples:
      spanwise collection show articles.store
      spanwise collection show articles.store 12345 --depth 3
      spanwise collection show articles.store 12345 '/article[1]/sec[2]'
      spanwise collection show articles.store 12345 '/article[1]/p[1]/text()[2]'
    """
    from spanwise.collection import open_collection
    from spanwise.console import emit
    from spanwise.workflows.collection import show_collection

    for text in show_collection(open_collection(store), document, path, depth=depth):
        emit(text)
