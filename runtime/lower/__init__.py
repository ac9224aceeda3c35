"""From graphs to what runs: expressions, plans over slots, and a Python driver."""

from typing import TYPE_CHECKING

from runtime.faces import submodules

if TYPE_CHECKING:
    from runtime.lower import alias as alias
    from runtime.lower import compile as compile
    from runtime.lower import show as show
    from runtime.lower import whole_graph as whole_graph

__getattr__ = submodules(__name__)
