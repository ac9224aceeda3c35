"""Loops of numbers, and of elements of arrays, as machine code."""
