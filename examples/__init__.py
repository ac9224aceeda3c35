"""Plain NumPy functions, staged: one idea in each file, each a program of its own."""
