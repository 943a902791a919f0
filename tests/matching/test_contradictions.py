"""Grades that cannot be meant."""

from same_content import parsed
from spanwise.matching.trees import contradictions

PAIRS = """<assessments pool='1' topic='1'>
 <file file='a'>
  <path path='/article[1]' exhaustiveness='1' specificity='1'/>
  <path path='/article[1]/bdy[1]' exhaustiveness='U' specificity='U'/>
  <path path='/article[1]/bdy[1]/sec[1]' exhaustiveness='3' specificity='0'/>
  <path path='/article[1]/bdy[1]/sec[10]' exhaustiveness='0' specificity='0'/>
 </file>
 <file file='b'>
  <path path='/article[1]' exhaustiveness='3' specificity='1'/>
  <path path='/article[1]/bdy[1]' exhaustiveness='3' specificity='2'/>
 </file>
</assessments>"""
TEXT = """<assessments pool="1" topic="1" version="2">
 <file collection="w" name="a">
  <passage start="/article[1]" end="/article[1]" size="10"/>
  <element path="/article[1]" exhaustivity="2" size="10" rsize="11"/>
  <element path="/article[1]/p[1]" exhaustivity="?" size="10" rsize="10"/>
 </file>
</assessments>"""
LETTERS = """<assessments topic="1">
 <file file="a">
  <path path="/article[1]" relevance="1" coverage="L"/>
  <path path="/article[1]/p[1]" relevance="3" coverage="E"/>
 </file>
</assessments>"""


def odd(content):
    return contradictions(parsed(content, "inex_assessments_2004").elements.elements)


def test_pairs():
    assert odd(PAIRS) == {
        "elements of which one grade is 0 and the other is not": 1,
        "elements less exhaustive than one inside them": 1,
    }


def test_highlighted_text():
    assert odd(TEXT) == {"elements with more highlighted characters than they have": 1}


def test_letters_keep_no_such_rules():
    assert odd(LETTERS) == {}
