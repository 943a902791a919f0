"""Topics and the queries in them."""
