"""Calls: what is called is converted, left for the run, or called as it is."""
