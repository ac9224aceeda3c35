"""Iterables, iterators and the user's generators; `protocol` says what is next."""
