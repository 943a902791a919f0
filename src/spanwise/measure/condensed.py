"""Lists without the results that nobody judged, for measures that take them as not relevant."""

from spanwise.model.rankings import Rankings


def condensed(r: Rankings, *, judged_only: bool = False) -> Rankings:
    """The rankings as they are, or closed up where nobody judged a result.

    Sakai: Alternatives to Bpref. SIGIR 2007 calls them condensed lists.
    """
    return r.condensed() if judged_only else r
