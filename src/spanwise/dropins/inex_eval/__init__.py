"""The drop-in for inex_eval 3.1, the official program of INEX 2008-2010: same options, same lines.

A run that breaks the rules of its task is rejected with the original's words on standard output
and exit status 0, as the original does it; standard error says so in our own words, and also where
the numbers are odd.
"""
