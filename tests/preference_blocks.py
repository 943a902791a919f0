"""Preferences and a run, given as text, as measures see them."""

from typing import get_args

from spanwise.formats.registry import Reading
from spanwise.formats.trec.columns import parse_prefs, parse_qrels_prefs, parse_run
from spanwise.matching.preferences import preference_rankings
from spanwise.measures import MEASURES
from spanwise.model.measure import MeasureRequest
from spanwise.model.policy import Policy
from spanwise.model.rankings import PreferenceRankings

TREC_EVAL_NAMES = (
    "prefs_num_prefs_poss",
    "prefs_num_prefs_ful",
    "prefs_num_prefs_ful_ret",
    "prefs_simp",
    "prefs_pair",
    "prefs_avgjg",
    "prefs_avgjg_Rnonrel",
    "prefs_simp_ret",
    "prefs_pair_ret",
    "prefs_avgjg_ret",
    "prefs_avgjg_Rnonrel_ret",
    "prefs_simp_imp",
    "prefs_pair_imp",
    "prefs_avgjg_imp",
)


def read_preferences(text: str):
    """Lines of 5 columns are preferences with sub-groups, of 4 such without."""
    with_subgroups = len(text.splitlines()[0].split()) == 5
    parse = parse_prefs if with_subgroups else parse_qrels_prefs
    return parse(iter([text.encode()]), "prefs", Reading())


def read_run(text: str):
    """Lines of `topic document score` as a run."""
    fields = [line.split() for line in text.splitlines()]
    lines = [f"{topic} Q0 {document} 0 {score} tag\n" for topic, document, score in fields]
    return parse_run(iter(["".join(lines).encode()]), "run", Reading(ranks=True))


def block(
    preferences: str, run: str, policy: Policy | None = None, *, topics: list[str] | None = None
) -> PreferenceRankings:
    """The one block of these topics, by default of all that have preferences."""
    known = read_preferences(preferences)
    wanted = [t.encode() for t in topics] if topics else sorted(known.rows.topics)
    (only,) = preference_rankings(read_run(run), known, wanted, policy or Policy())
    return only


def asked(name: str) -> MeasureRequest:
    """The measure and parameters that a trec_eval name stands for; there must be exactly one."""
    found = []
    for measure in MEASURES.values():
        if measure.reads != "preferences":
            continue
        values = get_args(measure.parameter_type("pairs")) if measure.parameters else ()
        for alias in measure.aliases:
            if alias == name:
                found.append(MeasureRequest(name, measure))
            found += [
                MeasureRequest(name, measure, {"pairs": value})
                for value in values
                if "{pairs}" in alias and alias.replace("{pairs}", value) == name
            ]
    assert len(found) == 1, (name, found)
    return found[0]
