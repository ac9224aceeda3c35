"""Kernels over arrays: blocks, rows, columns, and rounds, as machine code."""
