"""Passes: graph to graph, with the same meaning and less work."""
