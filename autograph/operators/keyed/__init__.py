"""Dicts, sets and counters with staged keys or items: tables, order and methods."""
