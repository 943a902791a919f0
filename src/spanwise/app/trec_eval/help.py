"""What `-h` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanwise.app.trec_eval.options import JUDGEMENT_FORMATS
from spanwise.formats import FORMATS
from spanwise.measure.names import by_stem
from spanwise.profiles import TREC_EVAL

if TYPE_CHECKING:
    from spanwise.app.trec_eval.options import Options

GENERAL = """\
spanwise trec_eval [options] JUDGEMENTS RESULTS

Scores a ranked run against judgements, as trec_eval does.

  -q            also print every topic
  -m NAME       a measure or a nickname: official (default), set, all_trec, prefs, all_prefs,
                qrels_jg; parameters follow a dot: P.5,10  ndcg.1=1,2=3  utility.1,-1,0,0
  -c            average over all judged topics; those missing from the run count 0
  -l N          smallest grade that is relevant (1)
  -n            no summary
  -J            only judged documents
  -M N          only the first N results of each topic
  -N N          number of documents in the collection
  -R FORMAT     qrels, qrels_jg, prefs, qrels_prefs
  -T FORMAT     trec_results
  -D N.TOPIC    only this topic
  -Z FILE       print z-scores against these means and deviations
  -h            this text; with -m also what the measures mean
  -v            the version
  --compat V    as version II, 8, 9 or 10 (default)

Example:
  spanwise trec_eval -q -m map -m P.5,10 qrels.txt run.txt
"""
RULE = "-" * 23


def help_text(options: Options) -> str:
    """General help, the formats, and the measures that were asked for."""
    parts = [GENERAL, RULE]
    if options.results_format == "trec_results":
        parts += [FORMATS["trec_run"].description, RULE]
    if options.judgement_format in JUDGEMENT_FORMATS:
        parts += [FORMATS[options.judgement_format].description, RULE]
    parts += ["Measures", ""]
    if not options.marked:
        parts.append("None was asked for; name one with -m, such as -m map.")
    for name in TREC_EVAL:
        if name in options.marked:
            parts += [name, _described(name), ""]
    return "\n".join(parts) + "\n"


def _described(name: str) -> str:
    if name == "runid":
        return "    The name of the run: the tag on the last line of its file."
    measure = by_stem(name)[0]
    text = "\n".join(f"    {line}".rstrip() for line in measure.definition.splitlines())
    return f"{text}\n    Reference: {measure.reference}"
