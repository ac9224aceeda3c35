"""Facts about a tree: asked for by node, computed once, kept outside the tree.

In: gast nodes. Out: their `Uses`, `Scope` and `Liveness`. A node must not change between the first
question about it and the last; the pipeline asks about a function only after its jumps are lowered,
except for its scope, which lowering does not change.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

import gast

from autograph.analysis.liveness import Liveness
from autograph.analysis.scopes import Scope, scope_of
from autograph.analysis.uses import Uses, uses_of


class Facts:
    """All that is known of one tree.

    Example:
        >>> import gast
        >>> function = gast.parse("def f(x):\\n    y = x + z\\n    return y").body[0]
        >>> print(Facts().scope(function))
        bound: x, y
        free: z
    """

    def __init__(self) -> None:
        self._uses: dict[gast.AST, Uses] = {}
        self._scopes: dict[gast.AST, Scope] = {}

    def uses(self, node: gast.AST) -> Uses:
        """Return what a node does with names, blocks inside it left out."""
        known = self._uses.get(node)
        if known is None:
            known = self._uses[node] = uses_of(node)
        return known

    def scope(self, function: gast.AST) -> Scope:
        """Return the names of a function or lambda."""
        known = self._scopes.get(function)
        if known is None:
            known = self._scopes[function] = scope_of(function, self.uses, self.scope)
        return known

    def liveness(
        self,
        function: gast.AST,
        staged: Set[gast.AST],
        until: Mapping[gast.AST, str],
        swallows: bool = True,
    ) -> Liveness:
        """Return which names are still needed, for each statement of a function as it is now.

        Args:
            function: the function, its jumps lowered.
            staged: the statements that will be converted.
            until: the flags that loops among them ask after each round.
            swallows: whether a `with` may go on after what its block raises.
        """
        return Liveness(function, self.uses, staged, until, swallows)
