"""The article of the reliability study's first figure, judged for one topic: ten relevant nodes.

Grades are the study's; sizes are our own, each section holding just its paragraphs.
"""

GRADES = {
    "/article[1]": "3 1",
    "/article[1]/bdy[1]": "3 1",
    "/article[1]/bdy[1]/sec[4]": "2 2",
    "/article[1]/bdy[1]/sec[4]/p[1]": "2 3",
    "/article[1]/bdy[1]/sec[4]/p[2]": "1 2",
    "/article[1]/bdy[1]/sec[4]/ip1[2]": "2 3",
    "/article[1]/bdy[1]/sec[6]": "3 3",
    "/article[1]/bdy[1]/sec[6]/p[1]": "3 3",
    "/article[1]/bdy[1]/sec[6]/p[2]": "2 3",
    "/article[1]/bdy[1]/sec[6]/ip1[2]": "2 3",
}
SEC4, SEC6 = "/article[1]/bdy[1]/sec[4]", "/article[1]/bdy[1]/sec[6]"
TOPICS = """<inex-topic-file>
<topic id="163" ct_no="1"><title>t</title>
<castitle>//article[about(., x)]//sec[about(., y)]</castitle></topic>
</inex-topic-file>
"""
EMPTY = "<sec/>"
ARTICLE = (
    f"<article><bdy>{EMPTY * 3}<sec><p>{'x' * 40}</p><p>{'x' * 20}</p>"
    f"<ip1></ip1><ip1>{'x' * 20}</ip1>"
    f"</sec>{EMPTY}<sec><p>{'x' * 30}</p><p>{'x' * 10}</p><ip1></ip1><ip1>{'x' * 10}</ip1></sec>"
    f"{'y' * 20}</bdy></article>"
)
"""sec[4] has 80 characters: 40, 20 and 20; sec[6] has 50: 30, 10 and 10; bdy has 150."""
HIGHLIGHTED = """<assessments pool="1" topic="7" version="2">
<file collection="c" name="d">
<best-entry-point path="/a[1]/s[1]"/>
<passage start="/a[1]/s[1]" end="/a[1]/s[1]" size="40"/>
<element path="/a[1]" exhaustivity="2" size="100" rsize="40"/>
<element path="/a[1]/s[1]" exhaustivity="2" size="40" rsize="40"/>
</file>
<file collection="c" name="e"></file>
</assessments>
"""
"""Something else: a document of a hundred characters, forty of them highlighted; and a second."""


def assessments():
    """The judgements as an INEX file of 2003."""
    lines = ['<assessments topic="163">', '<file file="r7022">']
    for path, grades in GRADES.items():
        e, s = grades.split()
        lines.append(f'<path path="{path}" exhaustiveness="{e}" specificity="{s}"/>')
    return "\n".join([*lines, "</file>", "</assessments>"]) + "\n"


def submission(paths, name="mine", topic="163"):
    """A run of elements of the article."""
    results = "".join(f"<result><file>r7022</file><path>{path}</path></result>\n" for path in paths)
    return (
        f'<inex-submission participant-id="1" run-id="{name}" task="CO">\n'
        f'<topic topic-id="{topic}">\n{results}</topic></inex-submission>\n'
    )


def lay_out(folder):
    """The article, its topic and judgements, and a run of a section, a paragraph of it, another."""
    (folder / "docs").mkdir()
    (folder / "docs" / "r7022.xml").write_text(ARTICLE)
    (folder / "judged.xml").write_text(assessments())
    (folder / "run.xml").write_text(submission([SEC6, f"{SEC6}/p[1]", SEC4]))
    (folder / "topics.xml").write_text(TOPICS)
    return folder
