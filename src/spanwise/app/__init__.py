"""The ways in: command line and drop-in programs. Nothing is computed here."""
