"""The measures of chunks straight from their definitions, character by character.

Gold is a list of dicts with doc, s, e, and perhaps g, set, aspect; results are (doc, s, e), in the
order in which they are read.
"""


def relevant(gold):
    """Every relevant character."""
    return {(x["doc"], at) for x in gold if x.get("g", 1) > 0 for at in range(x["s"], x["e"])}


def reading(results, budget=None, k=None):
    """Every character as it is read."""
    read = [(doc, at) for doc, s, e in results[:k] for at in range(s, e)]
    return read[:budget]


def counts(gold, results, budget, k):
    """Characters read, different relevant ones among them, all relevant ones."""
    read, needed = reading(results, budget, k), relevant(gold)
    return len(read), len(needed & set(read)), len(needed)


def recall(gold, results, budget=None, k=None):
    _, hit, needed = counts(gold, results, budget, k)
    return hit / needed


def precision(gold, results, budget=None, k=None):
    read, hit, _ = counts(gold, results, budget, k)
    return hit / read if read else 0.0


def f_measure(gold, results, budget=None, k=None):
    p, r = precision(gold, results, budget, k), recall(gold, results, budget, k)
    return 2 * p * r / (p + r) if p + r else 0.0


def iou(gold, results, budget=None, k=None):
    read, hit, needed = counts(gold, results, budget, k)
    return hit / (read + needed - hit)


def waste(gold, results, budget=None, k=None):
    read = reading(results, budget, k)
    return 1 - len(set(read)) / len(read) if read else 0.0


def full_evidence(gold, results, budget=None, k=None):
    read = set(reading(results, budget, k))
    sets = {x.get("set", 0) for x in gold if x.get("g", 1) > 0}
    each = [relevant([x for x in gold if x.get("set", 0) == one]) for one in sets]
    return float(any(one <= read for one in each))


def aspect_recall(gold, results, budget=None, k=None):
    read, aspects = set(reading(results, budget, k)), aspects_of(gold)
    touched = {aspect for x in gold if relevant([x]) & read for aspect in x.get("aspect", ())}
    return len(touched) / len(aspects) if aspects else None


def aspects_of(gold):
    return {aspect for x in gold if x.get("g", 1) > 0 for aspect in x.get("aspect", ())}


def first_evidence(gold, results):
    needed = relevant(gold)
    return next((float(n) for n, at in enumerate(reading(results)) if at in needed), None)


def mean_interpolated_precision(gold, results):
    points, needed, seen, read = [], relevant(gold), set(), 0
    for doc, s, e in results:
        seen |= {(doc, at) for at in range(s, e)}
        read += e - s
        hit = len(seen & needed)
        points.append((hit / len(needed), hit / read if read else 0.0))
    levels = [max([p for r, p in points if r >= n / 100 - 1e-12], default=0) for n in range(101)]
    return sum(levels) / 101


def met(passages, result):
    """The first passage in file order that shares a character."""
    doc, s, e = result
    return next((x for x in passages if x["doc"] == doc and min(e, x["e"]) > max(s, x["s"])), None)


def passage_ap(gold, results):
    passages = [x for x in gold if x.get("g", 1) > 0]
    never = {(x["doc"], x["s"], x["e"]) for x in passages}
    shown = shared = matches = total = 0
    for n, (doc, s, e) in enumerate(results):
        shown += e - s
        x = met(passages, (doc, s, e))
        if x is not None and (doc, s, e) not in results[:n]:
            shared += min(e, x["e"]) - max(s, x["s"])
            matches += 1
            total += shared / shown
            never.discard((doc, x["s"], x["e"]))
    return total / (matches + len(never))


def aspect_ap(gold, results):
    passages, seen, aspects = [x for x in gold if x.get("g", 1) > 0], set(), aspects_of(gold)
    hits = counted = total = 0
    for result in results:
        x = met(passages, result)
        new = set() if x is None else {*x.get("aspect", ())} - seen
        if x is None or new:
            counted += 1
            hits += bool(new)
            total += len(new) * hits / counted
            seen |= new
    return total / len(aspects) if aspects else None


def passage2_ap(gold, results):
    needed, seen, counted, total = relevant(gold), set(), 0, 0.0
    for at in reading(results):
        if at not in seen:
            counted += 1
        if at in needed and at not in seen:
            seen.add(at)
            total += len(seen) / counted
    return total / len(needed)


def document_ap(gold, results):
    needed = {x["doc"] for x in gold if relevant([x])}
    different = list(dict.fromkeys(doc for doc, _, _ in results))
    hits = [n for n, doc in enumerate(different, start=1) if doc in needed]
    return sum(found / n for found, n in enumerate(hits, start=1)) / len(needed)


READ = {
    "SpanR": recall,
    "SpanP": precision,
    "SpanF": f_measure,
    "SpanIoU": iou,
    "Waste": waste,
    "FullEvidence": full_evidence,
    "AspectR": aspect_recall,
}
"""Measures that stop reading at a budget, or after k results."""
WHOLE = {
    "FirstEvidence": first_evidence,
    "MAiP": mean_interpolated_precision,
    "PassageAP": passage_ap,
    "AspectAP": aspect_ap,
    "Passage2AP": passage2_ap,
    "DocumentAP": document_ap,
}
"""Measures of everything that was returned."""
