"""Formats of INEX: assessments, submissions, and the text forms of 2008 to 2010."""
