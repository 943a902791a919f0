"""Drop-in programs: trec_eval in its versions. Nothing is computed here."""
