"""Documents and topics to runs, with real engines."""
