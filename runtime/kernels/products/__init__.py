"""Products of matrices as machine code."""
