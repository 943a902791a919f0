"""Small documents, judgements of their elements and runs, made at random or by hand."""

from hypothesis import strategies as st

from naive_elements import Node, Passage
from spanwise.formats.inex.assessments import read_assessments
from spanwise.formats.inex.submissions import read_submission as parsed_run
from spanwise.formats.registry import Reading

shapes = st.lists(
    st.recursive(
        st.integers(0, 3), lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=6
    ),
    min_size=1,
    max_size=4,
)
"""A document: numbers are text, lists are elements."""


def document(name, shape):
    """The elements of a document, outermost first, and its XML."""
    nodes: list[Node] = []

    def grow(shape, tag, parent, start):
        counts: dict[str, int] = {}
        path = f"{parent.path if parent else ''}/{tag}"
        node = Node(name, path, parent, start)
        nodes.append(node)
        xml = ""
        for number, part in enumerate(shape):
            if isinstance(part, int):
                start += part
                xml += "x" * part
                continue
            child = "ab"[number % 2]
            counts[child] = counts.get(child, 0) + 1
            inner, text, start = grow(part, f"{child}[{counts[child]}]", node, start)
            node.children.append(inner)
            xml += text
        node.end = start
        name_ = tag.partition("[")[0]
        return node, f"<{name_}>{xml}</{name_}>", start

    _, xml, _ = grow(shape, "doc[1]", None, 0)
    return nodes, xml


def highlighted_assessments(documents, exhaustivity="2", all_listed=True):
    """Judgements of 2005 or 2006 that list the size of every element, or of those with some."""
    lines = ['<assessments topic="1" version="2">']
    for name, nodes, lit in documents:
        lines.append(f'<file collection="c" name="{name}">')
        for node in nodes:
            count = len(node.characters() & lit)
            if not (count or all_listed):
                continue
            grade = "?" if node.exhaustivity < 0 else node.exhaustivity
            said = f'exhaustivity="{grade if exhaustivity is None else exhaustivity}"'
            lines.append(f'<element path="{node.path}" {said} size="{node.size}" rsize="{count}"/>')
        lines.append("</file>")
    lines.append("</assessments>")
    return read_assessments(iter(["\n".join(lines).encode()]), "judged", Reading())


def graded_assessments(documents):
    """Judgements of 2003."""
    lines = ['<assessments topic="1">']
    for name, nodes, _ in documents:
        lines.append(f'<file file="{name}">')
        lines += [
            f'<path path="{n.path}" exhaustiveness="{n.exhaustivity}"'
            f' specificity="{n.specificity}"/>'
            for n in nodes
            if n.exhaustivity
        ]
        lines.append("</file>")
    lines.append("</assessments>")
    return read_assessments(iter(["\n".join(lines).encode()]), "judged", Reading())


def submission(results, topic="1", scores=None):
    """A run of elements and passages in XML."""
    lines = ['<inex-submission participant-id="1" run-id="mine" task="Thorough">']
    lines.append(f'<topic topic-id="{topic}">')
    for number, one in enumerate(results):
        place = f"<path>{one.path}</path>"
        if isinstance(one, Passage):
            place = f'<fol offset="{one.start}" length="{one.size}"/>'
        rsv = "" if scores is None else f"<rsv>{scores[number]}</rsv>"
        lines.append(f"<result><file>{one.document}</file>{place}{rsv}</result>")
    lines.append("</topic></inex-submission>")
    return parsed_run(iter(["\n".join(lines).encode()]), "mine", Reading())
