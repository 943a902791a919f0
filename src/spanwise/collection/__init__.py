"""Documents and their elements: building, storing, looking up spans."""
