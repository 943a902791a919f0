"""The questions of the study, answered from values by topic.

A contrast is a mean over pairs of runs that differ in one factor only. Its value for a topic is the
mean of the differences of these pairs, so that each question counts once, however many pairs there
are. Topics are then resampled, all contrasts of a family together.
"""

import json
from dataclasses import dataclass
from itertools import product

import numpy as np
import polars as pl

BUDGETS = (1000, 2000, 8000)
K = 5
SIZES = (200, 400, 800, 1600)
LIBRARIES = ("langchain-recursive", "llamaindex-sentence", "chonkie-token")
SEMANTIC = {
    "chonkie-semantic": "chonkie-recursive",
    "llamaindex-semantic": "llamaindex-sentence",
}
"""The semantic chunkers, and the ones that they are compared with."""
RETRIEVERS = ("bm25", "wordllama")
WORDS = {
    "langchain-recursive": "LangChain recursive",
    "llamaindex-sentence": "LlamaIndex sentence",
    "llamaindex-semantic": "LlamaIndex semantic",
    "chonkie-token": "fixed windows",
    "chonkie-recursive": "Chonkie recursive",
    "chonkie-semantic": "Chonkie semantic",
}
DRAWS = 10_000
CONFIDENCE = 0.95
DIGITS = 4

FAMILIES = {
    "recall": [f"SpanR(budget={budget})" for budget in BUDGETS],
    "complete": [f"FullEvidence(budget={budget})" for budget in BUDGETS],
    "at 5": [f"ChunkHit@{K}", f"ChunkNDCG@{K}", f"SpanR@{K}"],
}
"""The measures of each family; the first family is the one that decides."""
HEADINGS = {
    **{f"SpanR(budget={budget})": f"recall at {budget:,}" for budget in BUDGETS},
    **{f"FullEvidence(budget={budget})": f"complete at {budget:,}" for budget in BUDGETS},
    f"ChunkHit@{K}": f"hit@{K}",
    f"ChunkNDCG@{K}": f"nDCG@{K}",
    f"SpanR@{K}": f"recall@{K}",
}
SHOWN = [
    *FAMILIES["recall"],
    *FAMILIES["complete"],
    *FAMILIES["at 5"],
    f"SpanP@{K}",
    f"SpanIoU@{K}",
    f"Read@{K}",
    *(f"Ceiling(of=chunks,budget={budget})" for budget in BUDGETS),
    *(f"Waste(budget={budget})" for budget in BUDGETS[-1:]),
]
"""The measures of which results.json has the mean of each run."""


@dataclass(frozen=True)
class Contrast:
    """Pairs of runs that differ in one factor."""

    name: str
    pairs: list  # of (run, other run)


def contrasts(facts):
    """Return the contrasts of the study."""

    def named(library, size, share, retriever):
        return f"{library}-{size}/{int(size * share)} {retriever}"

    def pairs(first, second, **free):
        """Return the pairs for all values of the factors that are not compared."""
        every = [dict(zip(free, values, strict=True)) for values in product(*free.values())]
        return [(named(**first, **rest), named(**second, **rest)) for rest in every]

    library, size = {"library": LIBRARIES}, {"size": SIZES}
    share, retriever = {"share": (0, 0.25)}, {"retriever": RETRIEVERS}
    found = [
        Contrast(
            f"{small} characters instead of {large}",
            pairs({"size": small}, {"size": large}, **library, **share, **retriever),
        )
        for small, large in [(200, 400), (400, 800), (800, 1600), (200, 1600)]
    ]
    found.append(
        Contrast(
            "overlap of a quarter instead of none",
            pairs({"share": 0.25}, {"share": 0}, **library, **size, **retriever),
        )
    )
    found += [
        Contrast(
            f"overlap of a quarter: {WORDS[one]}",
            pairs({"share": 0.25}, {"share": 0}, library=(one,), **size, **retriever),
        )
        for one in LIBRARIES
    ]
    for kind, control in SEMANTIC.items():
        runs = [run for run in facts if run.startswith(f"{kind}-")]
        pairs_of = [(run, f"{control}-like-{run}") for run in runs]
        found.append(Contrast(f"{WORDS[kind]} instead of {WORDS[control]}", pairs_of))
    for first, second in [(0, 2), (1, 2), (0, 1)]:
        one, other = LIBRARIES[first], LIBRARIES[second]
        found.append(
            Contrast(
                f"{WORDS[one]} instead of {WORDS[other]}",
                pairs({"library": one}, {"library": other}, **size, **share, **retriever),
            )
        )
    found.append(
        Contrast(
            "BM25 instead of static embeddings",
            pairs({"retriever": "bm25"}, {"retriever": "wordllama"}, **library, **size, **share),
        )
    )
    return found


class Values:
    """The value of each run, measure and topic, as arrays."""

    def __init__(self, frame):
        self.topics = sorted(frame["topic"].unique().to_list(), key=int)
        place = pl.DataFrame({"topic": self.topics, "place": range(len(self.topics))})
        self._columns = {
            key: part.sort("place")["value"].to_numpy()
            for key, part in frame.join(place, on="topic").group_by("run", "measure")
        }
        self.runs = list(dict.fromkeys(frame["run"].to_list()))

    def of(self, run, measure):
        """Return the value of each topic."""
        return self._columns[run, measure]

    def reached(self, run, measure):
        """Return the topics in which a run reaches the budget of a measure."""
        _, found, budget = measure.partition("budget=")
        return self.of(run, f"Reach(budget={budget}") == 1 if found else np.True_


def by_topic(values, contrast, measure):
    """Return the mean difference of the pairs for each topic; undefined if a budget is not reached.

    The second result has the mean over topics of each pair.
    """
    each = np.array([values.of(a, measure) - values.of(b, measure) for a, b in contrast.pairs])
    fair = np.all([values.reached(run, measure) for pair in contrast.pairs for run in pair], axis=0)
    means = np.where(fair, each.mean(axis=0), np.nan)
    return means, np.array([row[np.broadcast_to(fair, row.shape)].mean() for row in each])


def simultaneous(columns, seed=0):
    """Return means, intervals that hold together, and p-values adjusted for all columns.

    This is the bootstrap of the largest absolute t: topics are drawn with replacement, the same
    ones for all columns, and the quantile of the largest deviation in standard errors gives all
    intervals.
    """
    table = np.array(columns).T
    known = ~np.isnan(table)
    filled = np.where(known, table, 0.0)

    def moments(weights):
        counts = weights @ known
        means = weights @ filled / counts
        squares = weights @ filled**2 / counts
        return means, np.sqrt(np.maximum(squares - means**2, 0) / (counts - 1))

    topics = len(table)
    mean, error = (one[0] for one in moments(np.ones((1, topics))))
    random = np.random.default_rng(seed)
    largest = []
    for _ in range(0, DRAWS, 1000):
        drawn = random.multinomial(topics, np.full(topics, 1 / topics), size=1000)
        means, errors = moments(drawn.astype(float))
        largest.append(np.abs((means - mean) / errors).max(axis=1))
    largest = np.concatenate(largest)
    reach = np.quantile(largest, CONFIDENCE) * error
    ratios = np.abs(mean / error)
    p = (1 + (largest[:, None] >= ratios).sum(axis=0)) / (1 + DRAWS)
    return mean, mean - reach, mean + reach, p


def analysed(frame, facts, corpora):
    """Return all results as plain data."""
    values = Values(frame)
    corpus = np.array([corpora[int(topic) - 1] for topic in values.topics])
    every = contrasts(facts)
    rows = []
    for family, measures in FAMILIES.items():
        wanted = [(contrast, measure) for contrast in every for measure in measures]
        found = [by_topic(values, *one) for one in wanted]
        columns = [column for column, _ in found]
        summary = zip(*simultaneous(columns), strict=True)
        rows += [
            {
                "family": family,
                "contrast": contrast.name,
                "measure": measure,
                **rounded(zip(("difference", "low", "high", "p_adjusted"), numbers, strict=True)),
                "topics": int((~np.isnan(column)).sum()),
                "better": int((column > 0).sum()),
                "worse": int((column < 0).sum()),
                "pairs": len(contrast.pairs),
                "pairs_above_0": int((pairs > 0).sum()),
                **rounded((("least_pair", pairs.min()), ("largest_pair", pairs.max()))),
                **rounded(
                    (f"in {name}", np.nanmean(column[corpus == name]))
                    for name in sorted(set(corpora))
                ),
            }
            for (contrast, measure), (column, pairs), numbers in zip(
                wanted, found, summary, strict=True
            )
        ]
    return {
        "questions": {name: int((corpus == name).sum()) for name in sorted(set(corpora))},
        "runs": [
            {
                "run": run,
                "chunks": facts[run]["chunks"],
                "mean_length": round(facts[run]["mean_length"], 1),
                **rounded((measure, np.nanmean(values.of(run, measure))) for measure in SHOWN),
                **{
                    f"topics reaching {budget}": int(
                        np.sum(values.of(run, f"Reach(budget={budget})"))
                    )
                    for budget in BUDGETS
                },
            }
            for run in sorted(values.runs)
        ],
        "contrasts": rows,
        "best": {measure: best(values, measure) for measure in SHOWN[:3]},
    }


def rounded(pairs):
    """Return names and numbers with the digits that results.json keeps."""
    return {name: round(float(number), DIGITS) for name, number in pairs}


def best(values, measure, seed=0):
    """Return the run with the highest mean, and those that cannot be told from it.

    The bound is that of the largest difference of all pairs of runs, because the best run is known
    only from the same data.
    """
    table = np.array([values.of(run, measure) for run in values.runs]).T
    means, (topics, runs) = table.mean(axis=0), table.shape
    errors = np.sqrt(
        [(table - table[:, [run]]).var(axis=0, ddof=1) / topics for run in range(runs)]
    )
    errors[errors < 1e-9] = np.inf
    random = np.random.default_rng(seed)
    largest = []
    for _ in range(0, DRAWS, 1000):
        drawn = random.multinomial(topics, np.full(topics, 1 / topics), size=1000)
        shifted = drawn @ table / topics - means
        of_runs = [(np.abs(shifted - shifted[:, [n]]) / errors[n]).max(axis=1) for n in range(runs)]
        largest.append(np.max(of_runs, axis=0))
    bound = np.quantile(np.concatenate(largest), CONFIDENCE)
    first = int(means.argmax())
    close = means[first] - means <= bound * np.where(np.isinf(errors[first]), 0, errors[first])
    return {
        "run": values.runs[first],
        "mean": round(float(means[first]), DIGITS),
        "not told apart": [
            values.runs[n] for n in np.argsort(-means, kind="stable") if close[n] and n != first
        ],
    }


# Files --------------------------------------------------------------------------------------------


def write(results, folder):
    """Write results to a folder: two tables, and the rest as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("runs", "contrasts"):
        pl.DataFrame(results[name]).write_csv(folder / f"{name}.csv")
    rest = {name: part for name, part in results.items() if name not in ("runs", "contrasts")}
    text = json.dumps(rest, indent=1) + "\n"
    (folder / "study.json").write_text(text, encoding="utf-8")


def read(folder):
    """Read the results in a folder."""
    results = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    for name in ("runs", "contrasts"):
        results[name] = pl.read_csv(folder / f"{name}.csv", infer_schema_length=None).to_dicts()
    return results


def tables(results):
    """Return the tables of the text, in Markdown: one for each family, and the best runs."""
    parts = []
    for family, measures in FAMILIES.items():
        rows = [row for row in results["contrasts"] if row["family"] == family]
        lines = [
            f"### {family}",
            "",
            f"| | {' | '.join(HEADINGS[measure] for measure in measures)} |",
            "|---" * (1 + len(measures)) + "|",
        ]
        for name in dict.fromkeys(row["contrast"] for row in rows):
            cells = [cell(row) for row in rows if row["contrast"] == name]
            lines.append(f"| {name} | {' | '.join(cells)} |")
        parts.append("\n".join(lines))
    for measure, one in results["best"].items():
        parts.append(
            f"{HEADINGS[measure]}: {one['run']}, {one['mean']:.3f}; not told apart:"
            f" {len(one['not told apart'])} of the {len(results['runs']) - 1} others"
        )
    return "\n\n".join(parts) + "\n"


def cell(row):
    """Return a difference with its interval; bold where the interval excludes 0."""
    mark = "**" if row["low"] > 0 or row["high"] < 0 else ""
    return f"{mark}{row['difference']:+.3f}{mark} ({row['low']:+.3f} to {row['high']:+.3f})"
