"""Objects in memory: mappings, data frames, chunks of frameworks."""
