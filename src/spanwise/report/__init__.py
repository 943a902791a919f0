"""Reports: results as tables, pictures and pages."""
