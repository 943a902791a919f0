"""Work on other machines, or on other processes of this one: one adapter for each engine."""

from spanwise.executors.engines import Map, Place, place, workers

__all__ = ["Map", "Place", "place", "workers"]
