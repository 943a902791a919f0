"""What was returned, turned into what it is worth: order, ties, grades."""
