"""Search of a collection: an engine answers topics, and its results form a run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from spanwise.collection import open_collection, opened
from spanwise.errors import FormatError, InputError, QueryError, UsageError
from spanwise.formats import read_topics
from spanwise.retrieve.expansion import FEEDBACK
from spanwise.retrieve.queries import (
    ALL_RESULTS,
    Hits,
    StructuralSearch,
    Task,
    by_weight,
    content_words,
    filtered_for_task,
    propagated,
    run_of,
    search_weighted,
)
from spanwise.retrieve.registry import find_engine, words_of
from spanwise.retrieve.units import grain_of, indexed, units_of

if TYPE_CHECKING:
    from spanwise.model.documents import Collection
    from spanwise.model.run import Run
    from spanwise.model.topics import Path, Query, Topic, Topics
    from spanwise.retrieve.expansion import Expander
    from spanwise.retrieve.registry import Engine, Entry, Searcher
    from spanwise.retrieve.units import Grain, Units

FIELDS = ("title", "description", "narrative", "keywords", "castitle")


def search(
    collection: Collection | Mapping[Any, str] | str | os.PathLike[str],
    topics: Topics | Mapping[str, str] | str | os.PathLike[str],
    *,
    engine: str = "fts5",
    grain: str = "document",
    top: int = 1000,
    index: str | os.PathLike[str] | None = None,
    query: str = "title",
    structure: Literal["vague", "strict"] | None = None,
    task: Task = "thorough",
    propagate: float = 0.0,
    expand: Literal["rocchio", "rm3", "wordnet"] | None = None,
    settings: Mapping[str, str | float] | None = None,
    topics_format: str | None = None,
    name: str | None = None,
) -> Run:
    """Search a collection for topics and return the run.

    `collection` is a store, a folder of documents, an open collection, or a dict of texts by id.
    `topics` is a file, `Topics`, or a dict of texts by id. `engine` is the name of an engine or
    model, and `settings` are its parameters. `grain` is what is returned: "document", "element",
    "element:TAG,TAG", "chunk:SIZE" or "chunk:SIZE/OVERLAP". `top` is the number of results for each
    topic. `index` is a folder that keeps the index for the next search. `query` names the fields of
    topics to search for, such as "title+description"; "castitle" is a query on structure, and
    `structure` says whether its conditions on elements raise scores, which is the default, or are
    required. `task` is the task whose rules the run keeps. `propagate` is the share of the score of
    an element that is added to the element around it. `expand` is a method that adds words to the
    topics. `name` is the name of the run; it defaults to that of the engine.

    >>> documents = {"d1": "a cat sat on the mat", "d2": "a dog barked"}
    >>> search(documents, {"q1": "cat", "q2": "dog"})
    <Run 'fts5': 2 results for 2 topics, documents>
    """
    if structure is not None and query != "castitle":
        raise UsageError("--structure has no effect without --query castitle, which states it")
    if task != "thorough" and grain == "document":
        raise UsageError(f"--task {task} has no effect on whole documents; choose another --grain")
    wanted = Search(
        "",
        read_topics(topics, topics_format),
        engine,
        grain,
        top,
        None if index is None else os.fspath(index),
        query,
        structure or "vague",
        task,
        propagate,
        expand,
        None,
        name,
        settings or {},
    )
    check_request(wanted)
    if isinstance(collection, (str, os.PathLike)):
        return searched(wanted, open_collection(collection))
    return searched(wanted, opened(collection))


@dataclass(frozen=True, slots=True)
class Search:
    """A request for a search, as the caller stated it."""

    collection: str
    topics: Topics | str
    engine: str = "fts5"
    grain: str = "document"
    top: int = 1000
    index: str | None = None
    query: str = "title"  # fields of topics, with + between them
    structure: str = "vague"  # what castitles demand: strict, or vague
    task: Task = "thorough"
    propagate: float = 0.0
    expand: str | None = None
    topics_format: str | None = None
    name: str | None = None
    settings: Mapping[str, str | float] = field(default_factory=dict)


def searched(search: Search, collection: Collection | None = None) -> Run:
    """Search for all topics with an engine and return its run."""
    topics = read_topics(search.topics, search.topics_format)
    entry, grain, engine = check_request(search)
    questions = list(_questions(topics, search))
    if collection is None:
        collection = open_collection(search.collection)
    units = replace(units_of(collection, grain), own=search.propagate > 0)
    with indexed(engine, entry.name, units, search.index) as searcher:
        expanded = _expander(search, units, searcher.search)

        def find(words: list[str], top: int) -> Hits:
            if expanded is None or not words:
                return Hits(*searcher.search(words, top))
            return search_weighted(searcher, expanded(words), top)

        asking = [(topic, _split(question, searcher)) for topic, question in questions]
        if hasattr(searcher, "prepare"):
            plain = [question for _, question in asking if isinstance(question, list)]
            _prepared(searcher.prepare, plain, expanded, depth(search))
        answers = {topic.id: _answer(search, units, question, find) for topic, question in asking}
    return run_of(answers, units, search.name or entry.name, topics.source)


def check_request(search: Search) -> tuple[Entry, Grain, Engine]:
    """Return the engine with its settings, and the grain; refuse contradictory options."""
    entry = find_engine(search.engine)
    grain = grain_of(search.grain)
    if grain.kind != "element" and (search.query == "castitle" or search.propagate):
        raise UsageError(f"grain {grain}: structural queries and propagation need elements")
    return entry, grain, entry.made(**search.settings)


def _prepared(
    prepare: Callable[[list[list[str]], int], None],
    questions: list[list[str]],
    expanded: Expander | None,
    top: int,
) -> None:
    """Send all questions at once to an engine that is slow to start."""
    if expanded is None:
        prepare(questions, top)
        return
    prepare(questions, FEEDBACK)
    groups = [by_weight(expanded(question)) for question in questions if question]
    prepare([words for some in groups if len(some) > 1 for words in some.values()], ALL_RESULTS)
    prepare([words for some in groups if len(some) == 1 for words in some.values()], top)


def _questions(topics: Topics, search: Search) -> Iterator[tuple[Topic, str | Query]]:
    for topic in topics:
        if search.query == "castitle":
            yield topic, _structured(topic, topics.source)
        else:
            yield topic, " ".join(_text(topic, name, topics) for name in search.query.split("+"))


def _text(topic: Topic, name: str, topics: Topics) -> str:
    if name not in FIELDS:
        raise UsageError(f"--query {name!r}; expected {', '.join(FIELDS)}, with + between several")
    value: str | None = getattr(topic, name)
    if not value:
        stated = [other for other in FIELDS if getattr(topic, other)]
        raise InputError(
            f"{topics.source}: topic {topic.id!r} has no {name}; it has {', '.join(stated)}"
            " (--query)"
        )
    return value


def _structured(topic: Topic, source: str) -> Query:
    from spanwise.formats.topics.nexi import parse

    where = topic.structured
    if where is None:
        raise InputError(f"{source}: topic {topic.id!r} has no query on structure")
    try:
        return parse(getattr(topic, where), legacy=where == "title")
    except QueryError as error:
        raise FormatError(source, topic.line(where), str(error), "") from error


def _split(question: str | Query, searcher: Searcher) -> list[str] | Query:
    """Split a question into words, by the method of the engine if it has one."""
    split: Callable[[str], list[str]] = getattr(searcher, "split", words_of)
    return split(question) if isinstance(question, str) else question


def depth(search: Search) -> int:
    """Return the number of results to ask for: all of them if some will be dropped later."""
    return ALL_RESULTS if search.task != "thorough" or search.propagate > 0 else search.top


def _answer(
    search: Search,
    units: Units,
    question: list[str] | Query,
    find: Callable[[list[str], int], Hits],
) -> Hits:
    """Return the ranking of one topic."""
    if isinstance(question, list):
        hits = find(question, depth(search))
    else:
        hits = _by_structure(search, units, question, find)
    if search.propagate:
        hits = propagated(units, hits, search.propagate)
    return filtered_for_task(units, hits, search.task, search.top)


def _by_structure(
    search: Search, units: Units, query: Query, find: Callable[[list[str], int], Hits]
) -> Hits:
    from spanwise.matching.structure import satisfies
    from spanwise.model.topics import Step, Structured

    def words(some: list[str]) -> Hits:
        return find(words_of(" ".join(some)), ALL_RESULTS)

    def fits(path: str, target: Path) -> bool:
        return satisfies(path, Structured((Step(target),)), strict=True)

    if not isinstance(query, Structured):
        return words(content_words(query))
    asking = StructuralSearch(units, words, fits, lambda unit: _number(units, unit))
    return asking.strictly(query) if search.structure == "strict" else asking.vaguely(query)


def _number(units: Units, unit: int) -> float | None:
    """Return the text of a unit as a number, or None if it is not a number."""
    name = units.names[int(units.document[unit])]
    start, length = int(units.spans.starts[unit]), int(units.spans.lengths[unit])
    try:
        return float(units.collection.text(name, start, length).strip())
    except ValueError:
        return None


def _expander(search: Search, units: Units, find: Callable[..., object]) -> Expander | None:
    """Return the function that expands the words of a question, or None without expansion."""
    if search.expand is None:
        return None
    from spanwise.retrieve.expansion import expander

    return expander(search.expand, units, find)
