"""Branches, loops, `try`, `with`, `match` and logic."""
