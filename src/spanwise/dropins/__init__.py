"""Drop-in replacements for trec_eval, inex_eval and EvalJ."""
