"""Batches: a graph that works on one element becomes one that works on many at once."""
