"""The drop-in for inex_eval 3.1, the program of INEX 2008-2010: same options and lines.

A run that breaks the rules of its task is rejected as by the original: with its message on standard
output and exit status 0. Standard error explains the rejection, and any numbers that are unusual,
in spanwise's own words.
"""
