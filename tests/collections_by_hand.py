"""Small collections for tests, and a slow, plain account of where elements lie."""

from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from spanwise.collection.building import Plan, build
from spanwise.collection.store import Store
from spanwise.model.documents import CharacterPolicy


def stored(folder: Path, documents, policy=None, **plan):
    """A store of documents given as a dictionary of names and contents."""
    source = folder / "source"
    for name, content in documents.items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    build([str(source)], str(folder / "store"), Plan(policy or CharacterPolicy(), **plan))
    return Store(str(folder / "store"))


def one(folder: Path, xml, policy=None):
    """A store of one document called d."""
    return stored(folder, {"d.xml": xml}, policy)


def spans_of(store, document="d"):
    """Every element of a document: path to start and length."""
    return {e.path: (e.start, e.length) for e in store.elements(document)}


def events(element, prefixes):
    """Start tags (True, name), end tags (False, name) and text nodes, in order."""
    name = element.tag
    for uri, prefix in prefixes.items():
        name = name.replace(f"{{{uri}}}", f"{prefix}:" if prefix else "")
    yield True, name
    if element.text:
        yield element.text
    for child in element:
        yield from events(child, prefixes)
        if child.tail:
            yield child.tail
    yield False, name


def called_back(xml):
    """The same from expat, one call per tag, with names as written."""
    found = []

    def add(text):
        if found and isinstance(found[-1], str):
            found[-1] += text
        else:
            found.append(text)

    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, _: found.append((True, name))
    parser.EndElementHandler = lambda name: found.append((False, name))
    parser.CharacterDataHandler = add
    parser.Parse(xml, True)
    return found


class Account:
    """What a plain parser and counting by hand say of a document under a policy."""

    def __init__(self, xml: bytes, policy: CharacterPolicy, prefixes=None):
        self.policy, self.pieces, self.count, self.blank = policy, [], 0, False
        self.spans, self.nodes = {}, {}
        self.stack = []  # path, start, counters of children, text nodes seen
        walk = (
            called_back(xml) if prefixes is None else events(ElementTree.fromstring(xml), prefixes)
        )
        for event in walk:
            if isinstance(event, str):
                self.add_text(event)
            elif event[0]:
                self.begin(event[1])
            else:
                path, start, _, _ = self.stack.pop()
                self.spans[path] = (start, self.count - start)

    def begin(self, name):
        path, counters = ("", {}) if not self.stack else (self.stack[-1][0], self.stack[-1][2])
        counters[name] = counters.get(name, 0) + 1
        self.stack.append([f"{path}/{name}[{counters[name]}]", self.count, {}, 0])

    def add_text(self, text):
        if self.policy.blank_nodes == "strip" and not text.strip(" \t\n\r"):
            return
        start = self.count
        for character in text:
            is_blank = character in " \t\n\r"
            if self.policy.white_space == "collapse" and is_blank:
                if self.blank:
                    continue
                character = " "
            self.blank = is_blank
            self.pieces.append(character)
            self.count += 1 if self.policy.unit == "codepoints" else len(character.encode())
        self.stack[-1][3] += 1
        node = f"{self.stack[-1][0]}/text()[{self.stack[-1][3]}]"
        self.nodes[node] = (start, self.count - start)

    @property
    def text(self):
        return "".join(self.pieces)
