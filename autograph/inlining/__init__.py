"""Functions without operators, for where no graph is being built and nothing can be staged.

In: the ast tree of a function made of operator calls, the one that people read. Out: a tree that
means the same, made of Python's own statements. Nothing here knows a value.
"""

from autograph.inlining.plain import plain

__all__ = ["plain"]
