"""The flow from a request to scores. Whatever scores a run goes through it.

    Request          what was asked: judgements, runs, measures, policy, profile, collection, topics
      prepare        read judgements and documents, choose measures and policy        `prepare`
      plan           cut the runs into shards: a run, or some topics of one           `plan`
      score          match a shard's results with judgements, measure each topic      `score`
      merge          put the values of all shards together: Scores                    `merge`

`run` in `evaluate` does these steps one after the other, here, on several processes or on a
cluster: a shard and what comes of it are plain data. However a run is cut and wherever its shards
are scored, the scores and all notes are the same.

A request is plain data too (`request`). Named choices of policy and measures are in `profiles`; how
results meet judgements for each kind of measure is in `kinds`. `compare` makes statements of
scores, also at equal reading.

To follow one run: `prepare.Prepared` reads the judgements once. `plan.plan` makes one shard of a
small run. `score.score_shard` reads the run, `score.match` finds the place of each result and what
of it is relevant, `kinds` hands blocks of topics to the measures. `merge.merge` forms the means.
"""
