"""Derivatives of graphs: from graphs to graphs.

`reverse` goes back through a graph, `forward` goes along it with tangents; both ask ops for their
rules (`runtime.ops.derivatives`), and have one file for each kind of region. What they make are
ordinary nodes: a derivative prints, is verified, optimised, lowered, and has derivatives.
"""
