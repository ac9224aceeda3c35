"""The quick way of each operator, written out where the operator is called.

In: the ast tree of a function made of operator calls, the one that people read. Out: a tree that
means the same, which Python runs.

* `guarded`: Python's own `if`, `while`, `for`, `and` and calls serve as long as nothing staged
  turns up; only then are closures made and the operator is called.
* `plain`: for where no graph is being built, and nothing can be staged: no operators at all.

Nothing here knows a value: what guarded code needs at hand (the class of staged values, a cache for
each call) is named by placeholders, see `places`.
"""

from autograph.inlining.guarded import guarded
from autograph.inlining.loops import loop_at
from autograph.inlining.places import placed
from autograph.inlining.plain import plain
from autograph.inlining.template import with_fields

__all__ = ["guarded", "loop_at", "placed", "plain", "with_fields"]
