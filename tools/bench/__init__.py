"""Benchmarks: times of ours and of others, taken in turns in one process, with their ratios."""
