"""The judging server: a store of gestures, a local web server, and a page for assessors."""
