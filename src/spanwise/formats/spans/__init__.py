"""Our own formats, in which everything is a span: JSON lines and Parquet."""
