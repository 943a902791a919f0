"""Executors of work: processes of this machine and cluster engines."""

from spanwise.executors.engines import Map, Place, place, workers

__all__ = ["Map", "Place", "place", "workers"]
