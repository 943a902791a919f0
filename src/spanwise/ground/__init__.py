"""What was returned, turned into what it is worth: order, ties, grades, preferences."""

from spanwise.ground.align import Aligned, align, refuse_duplicate_judgements
from spanwise.ground.preferences import fulfilments

__all__ = ["Aligned", "align", "fulfilments", "refuse_duplicate_judgements"]
