"""Random judgements and runs that two programs can both read."""

import random

Judged = dict[str, dict[str, int]]
Scored = dict[str, dict[str, float]]


def random_pair(
    seed: int, *, topics: int = 12, depth: int = 40, ties: bool = True, lowest: int = 0
) -> tuple[Judged, Scored]:
    """Judgements with grades up to 4 and a run: unjudged results, topics that only one side has.

    Scores are quarters, so that 32 bits hold them exactly; with `ties` there are few different
    ones, some of them negative.
    """
    chance = random.Random(seed)
    qrels: Judged = {}
    run: Scored = {}
    for number in range(1, topics + 1):
        name = str(number)
        documents = [f"doc{n}" for n in range(chance.randint(1, 2 * depth))]
        if chance.random() < 0.9 or number == 1:
            some = chance.sample(documents, chance.randint(1, len(documents)))
            qrels[name] = {d: chance.choice([lowest, 0, 0, 0, 1, 1, 2, 3, 4]) for d in some}
            if max(qrels[name].values()) < 0:
                qrels[name][some[0]] = 0  # trec_eval 9 may hang on a topic without any judgement
        if chance.random() < 0.9 or number == 1:
            some = chance.sample(documents, min(depth, chance.randint(1, len(documents))))
            values = _scores(chance, len(some), ties)
            run[name] = dict(zip(some, values, strict=True))
    return qrels, run


def _scores(chance: random.Random, count: int, ties: bool) -> list[float]:
    if ties:
        return [chance.randint(-8, 24) / 4 for _ in range(count)]
    return [n / 4 for n in chance.sample(range(1, 8000), count)]


def in_both(qrels: Judged, run: Scored) -> set[str]:
    return qrels.keys() & run.keys()
