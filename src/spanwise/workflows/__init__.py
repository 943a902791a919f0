"""What people do with evaluations: explain, check, convert, pool, estimate, agree and more."""
