"""EvalJ and XCGEval, the programs of INEX 2005 and 2006: their configurations, our measures.

What their output looked like is not known; only what was computed is the same.
"""
