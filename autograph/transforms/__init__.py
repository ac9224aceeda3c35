"""Functions of functions: derivatives of plain or staged Python functions."""
