"""The drop-in for EvalJ and XCGEval, the programs of INEX 2005 and 2006.

It reads their configurations and computes the same numbers. The layout of their output is not
known.
"""
