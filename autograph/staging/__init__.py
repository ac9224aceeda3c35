"""Staged control flow: tracing branches and loops into regions, and the functions for it."""
