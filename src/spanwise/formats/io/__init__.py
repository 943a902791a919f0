"""Files as such: opening them, cutting them in pieces, columns, JSON lines and XML."""
