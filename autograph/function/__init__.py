"""Staged functions: tracing, caching and calling."""
