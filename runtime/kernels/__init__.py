"""Kernels: loop nests of scalar arithmetic, and the machine code that is made of them."""
