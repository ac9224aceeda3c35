"""Kernels: loop nests of scalar arithmetic, and the machine code that is made of them.

`kernel` and `maps` are the languages: of loops over numbers, and of work on whole arrays. `scalar`
says what operators mean in them. `loops`, `arrays` and `products` write LLVM text, `entry` what is
around it, and `load` and `machine` make functions that Python calls.
"""
