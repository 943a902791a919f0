"""Files and foreign objects to model and back, one module per family."""

from spanwise.formats import trec
from spanwise.formats.registry import FORMATS, Format, Reading, expanded, read

__all__ = ["FORMATS", "Format", "Reading", "expanded", "read", "trec"]
