"""Data classes for what is retrieved, what is relevant, what measures take and what they give."""
