"""The operators, as converted code is given them; and as those call each other that must.

`call` calls methods of lists, and these `call` what they were given. So that no module imports one
that imports it, this one imports none, and the face of the package says what the operators are.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import autograph.operators as operators

__all__ = ["fill", "operators"]


def fill(module: ModuleType) -> None:
    """Say which module has the operators."""
    globals()["operators"] = module
