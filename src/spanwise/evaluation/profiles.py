"""Profiles: the policies, measures and parameters that a program or a campaign stands for.

`PROFILES` has the profiles by name and `TASKS` those of tasks; `find_profile` combines them.
`TREC_EVAL` and `NICKNAMES` hold trec_eval's names of measures, which `measure_names` replaces by
those of single measures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from spanwise.errors import UnknownName, UsageError
from spanwise.model.policy import Policy

# Measures of trec_eval --------------------------------------------------------------------------

Kind = Literal["plain", "whole cut-offs", "real cut-offs", "real values", "pairs"]
NINE = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TENTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
FIFTHS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


@dataclass(frozen=True, slots=True)
class TrecMeasure:
    """A measure of trec_eval, whose name often stands for several numbers."""

    name: str
    kind: Kind = "plain"
    defaults: tuple[float, ...] = ()
    since: Literal[9, 10] = 9
    needs: Literal["any", "qrels", "qrels_jg", "prefs"] = "qrels"

    def spelled(self, value: float) -> str:
        """Return the printed name of one of its numbers; trec_eval truncates real cut-offs."""
        if self.kind == "whole cut-offs":
            return f"{self.name}_{int(value)}"
        return f"{self.name}_{value:.2f}"[: len(self.name) + 9]


TREC_EVAL: dict[str, TrecMeasure] = {
    entry.name: entry
    for entry in (
        TrecMeasure("runid", needs="any"),
        TrecMeasure("num_q", needs="any"),
        *map(TrecMeasure, ("num_ret", "num_rel", "num_rel_ret", "map", "gm_map")),
        *map(TrecMeasure, ("Rprec", "bpref", "recip_rank")),
        TrecMeasure("iprec_at_recall", "real cut-offs", TENTHS),
        TrecMeasure("P", "whole cut-offs", NINE),
        TrecMeasure("relstring", "real values"),
        TrecMeasure("recall", "whole cut-offs", NINE),
        *map(TrecMeasure, ("infAP", "gm_bpref")),
        TrecMeasure("Rprec_mult", "real cut-offs", FIFTHS),
        TrecMeasure("utility", "real values"),
        TrecMeasure("11pt_avg", "real values"),
        TrecMeasure("binG"),
        TrecMeasure("G", "pairs"),
        TrecMeasure("dcg", "pairs", since=10),
        TrecMeasure("ideal_dcg", "pairs", since=10),
        *(TrecMeasure(name, "pairs") for name in ("ndcg", "ndcg_rel", "Rndcg")),
        TrecMeasure("ndcg_cut", "whole cut-offs", NINE),
        TrecMeasure("map_cut", "whole cut-offs", NINE),
        TrecMeasure("relative_P", "whole cut-offs", NINE),
        TrecMeasure("success", "whole cut-offs", (1, 5, 10)),
        *map(TrecMeasure, ("set_P", "set_relative_P", "set_recall", "set_map")),
        TrecMeasure("set_F", "real values"),
        TrecMeasure("num_nonrel_judged_ret"),
        *(
            TrecMeasure(f"prefs_{name}", needs="prefs")
            for name in (
                *("num_prefs_poss", "num_prefs_ful", "num_prefs_ful_ret"),
                *("simp", "pair", "avgjg", "avgjg_Rnonrel"),
                *("simp_ret", "pair_ret", "avgjg_ret", "avgjg_Rnonrel_ret"),
                *("simp_imp", "pair_imp", "avgjg_imp"),
            )
        ),
        TrecMeasure("map_avgjg", needs="qrels_jg"),
        TrecMeasure("P_avgjg", "whole cut-offs", NINE, needs="qrels_jg"),
        TrecMeasure("Rprec_mult_avgjg", "real cut-offs", FIFTHS, needs="qrels_jg"),
        TrecMeasure("yaap"),
        TrecMeasure("rbp", "pairs", since=10),
        TrecMeasure("rbp_resid", "pairs", since=10),
        TrecMeasure("unj", "whole cut-offs", (5, 10, 20), since=10),
    )
}
"""Every measure of trec_eval 10, in the order in which it prints them."""

_COUNTS = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret")
_SETS = ("set_P", "set_recall", "set_relative_P", "set_map", "set_F")
_OFFICIAL = (
    *_COUNTS,
    *("map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"),
)
_PREFS = tuple(name for name in TREC_EVAL if name.startswith("prefs_"))

NICKNAMES: dict[str, tuple[str, ...]] = {
    "official": _OFFICIAL,
    "set": (*_COUNTS, "utility", *_SETS),
    "all_trec": (
        *_OFFICIAL,
        *("relstring", "recall", "infAP", "gm_bpref", "utility", "11pt_avg", "ndcg", "relative_P"),
        *("Rprec_mult", "success", "map_cut", "ndcg_cut", "ndcg_rel", "Rndcg", "binG", "G"),
        *(*_SETS, "num_nonrel_judged_ret", "unj", "rbp", "rbp_resid"),
    ),
    "prefs": ("runid", "num_q", *_PREFS[:6]),
    "all_prefs": ("runid", "num_q", *_PREFS),
    "qrels_jg": ("runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}

# Profiles ---------------------------------------------------------------------------------------


PLAIN = Policy()
AS_IT_STANDS = Policy(ties="file")
AS_INEX = Policy(ties="file", follow="INEX 2007-2010")
AS_EVALJ = Policy(ties="file", average_over="run")
"""The campaigns of 2002 to 2006 used EvalJ, which averages over the topics of the run."""
AS_TREC_EVAL = Policy(average_over="both", empty="as-is", follow="trec_eval 10")
AS_TREC_EVAL_9 = Policy(average_over="both", empty="as-is", follow="trec_eval 9")
BY_RANK = Policy(ties="rank")


@dataclass(frozen=True, slots=True)
class Profile:
    """A policy with default measures, and default values of their parameters."""

    policy: Policy = PLAIN
    measures: tuple[str, ...] = ("nDCG@10", "AP", "RR", "P@10", "R@100", "Judged@10")
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # of each family
    tasks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # measures of its own tasks
    limit: int | None = None  # most results that a submission could have for a topic

    def with_task(self, task: Profile) -> Profile:
        """Return the profile for a task, whose measures and defaults replace its own."""
        families = {*self.defaults, *task.defaults}
        return replace(
            self,
            measures=task.measures,
            defaults={
                family: {**self.defaults.get(family, {}), **task.defaults.get(family, {})}
                for family in families
            },
        )


_FOCUSED = ("iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]", "MAiP")
_IN_CONTEXT = ("MAgP", "gP@5", "gP@10", "gP@25", "gP@50")

TASKS: dict[str, Profile] = {
    "documents": Profile(),
    "thorough": Profile(AS_IT_STANDS, _FOCUSED, {"highlight": {"repeats": "skip"}}),
    "focused": Profile(AS_IT_STANDS, _FOCUSED),
    "ric": Profile(AS_IT_STANDS, _IN_CONTEXT),
    "bic": Profile(AS_IT_STANDS, _IN_CONTEXT, {"context": {"score": "bep"}}),
    "passages": Profile(
        AS_IT_STANDS,
        ("iP[0.01]", "MAiP", "char_prec", "char_rec", "char_f1", "art_prec", "art_rec", "MAgP"),
    ),
}
"""Profiles by task. Results may overlap in `thorough` but not in `focused`; `ric` (relevant in
context) and `bic` (best in context) ask for the relevant parts, or the best entry point, of
documents."""


SUBMITTED = 1500
"""Most results that a submission of INEX could have for a topic. Programs did not cut longer ones,
so no profile does; they are reported."""


def _inex(**context: Any) -> Profile:
    """Return the profile of a campaign of 2007 to 2010, with its parameters of context."""
    measures = (*_FOCUSED, *_IN_CONTEXT)
    return Profile(AS_INEX, measures, {"context": {"past": "last", **context}}, limit=SUBMITTED)


ELEMENTS = Profile(AS_IT_STANDS, ("nxCG@10", "nxCG@50", "MAep", "Overlap"))
"""Profile of runs of elements with judged elements, used when none is named."""

_TENTHS = tuple(f"{level / 10}" for level in range(1, 11))
_A = ("0.01", "0.1", "1", "10", "100")


def _precall(*quants: str) -> tuple[str, ...]:
    return tuple(f"inex_eval(quant={quant})" for quant in quants)


def _year(tasks: Mapping[str, tuple[str, ...]], **rules: Any) -> Profile:
    """Return the profile of a campaign, with measures by task and parameters of families."""
    plain = (name for task in ("thorough", "focused") for name in tasks.get(task, ()))
    families = ("cumulated", "precall", "navigation", "context")
    measures = tuple(dict.fromkeys(plain))
    return Profile(AS_EVALJ, measures, dict.fromkeys(families, rules), tasks, SUBMITTED)


_2005 = ("strict5", "gen5", "genLifted")
INEX_2005 = {
    "thorough": tuple(f"MAep(quant={quant})" for quant in _2005),
    "focused": tuple(
        name
        for quant in _2005
        for name in (
            *(f"nxCG(quant={quant})@{k}" for k in (10, 25, 50)),
            f"MAep(overlap=on,quant={quant})",
        )
    ),
}
INEX_2006 = {
    "thorough": ("MAep", *(f"ep[{level}]" for level in _TENTHS)),
    "focused": (
        *(f"nxCG@{k}" for k in (5, 10, 25, 50)),
        *(f"nxCG(overlap=off,recallbase=ideal)@{k}" for k in (5, 10, 25, 50)),
    ),
    "ric": _IN_CONTEXT,
    "bic": (*(f"BEPD(A={a})" for a in _A), *(f"EPRUM(A={a})" for a in _A)),
}


PROFILES: dict[str, Profile] = {
    "documents": Profile(),
    "trec_eval": Profile(AS_TREC_EVAL, ("official",)),
    "trec_eval9": Profile(AS_TREC_EVAL_9, ("official",)),
    "chunks": Profile(
        BY_RANK,
        (
            *("SpanR(budget=500)", "SpanR(budget=2000)", "SpanR(budget=8000)"),
            *("SpanP(budget=2000)", "FullEvidence(budget=2000)", "Waste(budget=2000)"),
            *("FirstEvidence(budget=8000)", "MAiP", "JudgedText(budget=2000)"),
        ),
    ),
    "inex2002": _year({"thorough": _precall("strict", "gen")}, quant="gen"),
    "inex2003": _year({"thorough": _precall("strict", "gen")}, quant="gen"),
    "inex2004": _year({"thorough": _precall("strict", "gen", "sog")}, quant="gen", ideal="deeper"),
    "inex2005": _year(INEX_2005, quant="gen5", ideal="deeper"),
    "inex2006": _year(INEX_2006, beta=1),
    "inex2007": _inex(beta=1, n=1000),
    "inex2008": _inex(),
    "inex2009": _inex(),
    "inex2010": _inex(score="t2i"),
}


def find_profile(name: str | None, task: str | None = None) -> Profile:
    """Return the profile of a name, adapted to a task; without a name, that of the task."""
    if task is not None and task not in TASKS:
        raise UnknownName("task", task, list(TASKS))
    if name is None:
        return TASKS[task or "documents"]
    if name not in PROFILES:
        raise UnknownName("profile", name, sorted(PROFILES))
    profile = PROFILES[name]
    if task is None:
        return profile
    if not profile.tasks:
        return profile.with_task(TASKS[task])
    if task not in profile.tasks:
        raise UsageError(
            f"profile {name} has no task {task!r}; expected one of {', '.join(profile.tasks)}"
        )
    return replace(profile, measures=profile.tasks[task])


def measure_names(asked: list[str]) -> list[str]:
    """Return names of single measures: nicknames and families of trec_eval are expanded.

    >>> measure_names(["success", "P.5,10", "nDCG@10"])
    ['success_1', 'success_5', 'success_10', 'P_5', 'P_10', 'nDCG@10']
    """
    names: list[str] = []
    for name in asked:
        members = NICKNAMES.get(name, (name,))
        for member in members:
            names += _spelled_out(member)
    return list(dict.fromkeys(names))


def _spelled_out(name: str) -> list[str]:
    if name == "runid":
        return []  # every score is printed with the name of its run
    if name in TREC_EVAL:
        entry = TREC_EVAL[name]
        return [entry.spelled(value) for value in entry.defaults] or [name]
    stem, dot, text = name.partition(".")
    if not dot or stem not in TREC_EVAL:
        return [name]
    kind = TREC_EVAL[stem].kind
    if kind not in ("whole cut-offs", "real cut-offs"):
        return [f"{stem}_{text}"]
    read = int if kind == "whole cut-offs" else float
    for part in text.split(","):
        try:
            read(part)
        except ValueError:
            due = "whole numbers" if read is int else "numbers"
            raise UsageError(f"measure {name!r}: found {part!r}; expected {due}") from None
    return [f"{stem}_{part}" for part in text.split(",")]
