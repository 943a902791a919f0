"""What measures do for the retrieval of elements: the answers that several of them share."""

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
BY_RANK = Properties(
    recall="yes",
    precision="no",
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
"""Cumulated gain at a rank."""
BY_CHANCE = Properties(
    recall="yes",
    precision="yes",
    near_misses="indirect",
    overlap="rewarded",
    ideality="no",
    user_model="no",
    thorough="yes",
    focused="unclear",
    relevant_in_context="indirect",
    best_in_context="indirect",
)
"""inex_eval: near misses count only as the quantisation has it."""
BY_SIZE = Properties(
    recall="yes",
    precision="yes",
    near_misses="indirect",
    overlap="penalised",
    ideality="no",
    user_model="no",
    thorough="yes",
    focused="unclear",
    relevant_in_context="indirect",
    best_in_context="indirect",
)
"""inex_eval_ng."""
BY_DOCUMENT = Properties(
    recall="yes",
    precision="yes",
    near_misses="yes",
    overlap="neutral",
    ideality="yes",
    graded_ideality="yes",
    user_model="no",
    thorough="no",
    focused="no",
    relevant_in_context="yes",
    best_in_context="yes",
)
"""The tasks in context."""
BY_READER = Properties(
    recall="yes",
    precision="yes",
    near_misses="yes",
    overlap="neutral",
    ideality="yes",
    graded_ideality="yes",
    user_model="yes",
    thorough="yes",
    focused="yes",
    relevant_in_context="yes",
    best_in_context="yes",
)
"""GR and EPRUM."""
BY_READER_BINARY = Properties(
    recall="yes",
    precision="yes",
    near_misses="yes",
    overlap="neutral",
    ideality="yes",
    graded_ideality="no",
    user_model="yes",
    thorough="yes",
    focused="yes",
    relevant_in_context="yes",
    best_in_context="yes",
)
"""PRUM."""
BY_TOLERANCE = Properties(
    recall="yes",
    precision="yes",
    near_misses="yes",
    overlap="neutral",
    ideality="yes",
    graded_ideality="no",
    user_model="yes",
    thorough="unclear",
    focused="yes",
    relevant_in_context="indirect",
    best_in_context="indirect",
)
"""Tolerance to irrelevance."""
BY_ENTRY_POINT = Properties(
    recall="yes",
    precision="no",
    near_misses="yes",
    overlap="neutral",
    ideality="yes",
    graded_ideality="no",
    user_model="yes",
    thorough="no",
    focused="no",
    relevant_in_context="no",
    best_in_context="yes",
)
"""The distance to the best entry point."""
