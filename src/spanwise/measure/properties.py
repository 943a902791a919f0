"""What measures do for the retrieval of elements: the answers that several of them share."""

from dataclasses import replace

from spanwise.model.measures import Properties

BY_GAIN = Properties(
    recall="yes",
    precision="yes",
    near_misses="yes",
    overlap="neutral",
    ideality="yes",
    graded_ideality="yes",
    user_model="no",
    thorough="yes",
    focused="yes",
    relevant_in_context="indirect",
    best_in_context="indirect",
)
"""Effort-precision and gain-recall; HiXEval and what came of it, whose ideal units are the
highlighted passages."""
BY_RANK = replace(BY_GAIN, precision="no")
"""Cumulated gain at a rank."""
BY_CHANCE = replace(
    BY_GAIN,
    near_misses="indirect",
    overlap="rewarded",
    ideality="no",
    graded_ideality="-",
    focused="unclear",
)
"""inex_eval: near misses count only as the quantisation has it."""
BY_SIZE = replace(BY_CHANCE, overlap="penalised")
"""inex_eval_ng."""
BY_DOCUMENT = replace(
    BY_GAIN,
    thorough="no",
    focused="no",
    relevant_in_context="yes",
    best_in_context="yes",
)
"""The tasks in context."""
BY_READER = replace(BY_GAIN, user_model="yes", relevant_in_context="yes", best_in_context="yes")
"""GR and EPRUM."""
BY_READER_BINARY = replace(BY_READER, graded_ideality="no")
"""PRUM."""
BY_TOLERANCE = replace(
    BY_READER_BINARY,
    thorough="unclear",
    relevant_in_context="indirect",
    best_in_context="indirect",
)
"""Tolerance to irrelevance."""
BY_ENTRY_POINT = replace(
    BY_READER_BINARY, precision="no", thorough="no", focused="no", relevant_in_context="no"
)
"""The distance to the best entry point."""
