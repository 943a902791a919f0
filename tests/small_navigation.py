"""Small files of results and of what readers are after."""

QRELS = [
    "1 Q0 a 60 200 100 100:50 180:10",
    "1 Q0 b 20 100 0 0:20",
    "1 Q0 c 40 150 50 40:40",
    "1 Q0 z 0 100",
]
ASSESSED = """<assessments pool='1' topic='1'>
  <file file='a'>
    <path path='/article[1]' exhaustiveness='2' specificity='1'/>
    <path path='/article[1]/sec[1]' exhaustiveness='3' specificity='3'/>
    <path path='/article[1]/sec[1]/p[1]' exhaustiveness='1' specificity='3'/>
    <path path='/article[1]/sec[2]' exhaustiveness='3' specificity='2'/>
  </file>
  <file file='b'>
    <path path='/article[1]' exhaustiveness='1' specificity='1'/>
  </file>
</assessments>"""


def write(folder, name, lines):
    """A file of lines; its name."""
    file = folder / name
    file.write_text("".join(line + "\n" for line in lines))
    return str(file)


def spans_run(places, topic="1"):
    """Results of one topic, each a document and a start, ten characters long."""
    return [
        f"{topic} Q0 {document} {rank} {100 - rank} mine {start} 10"
        for rank, (document, start) in enumerate(places, start=1)
    ]


def paths_run(places, topic="1"):
    """A submission of elements, each a document and a path."""
    results = "".join(
        f"<result><file>{document}</file><path>{path}</path></result>" for document, path in places
    )
    return (
        '<inex-submission participant-id="1" run-id="mine" task="Thorough" query="automatic">'
        '<topic-fields title="yes" castitle="no" description="no" narrative="no"/>'
        "<description>d</description><collections><collection>c</collection></collections>"
        f'<topic topic-id="{topic}">{results}</topic></inex-submission>'
    )
