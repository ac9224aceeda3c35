"""The public functions that are made of the registry: one for each op with a NumPy function.

A function has every public name that NumPy has for it (`abs` and `absolute`). Those of `np.linalg`
are in `LINALG`.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime import ops
from runtime.graph.opdef import OpDef
from runtime.numpy.face import FUNCTIONS, public


def named_in(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """Return what stands for the functions of a NumPy module, by all their public names there.

    Modules that NumPy loads when they are asked for (`np.f2py`) are not asked for.
    """
    found = {}
    for name, function in sorted(vars(module).items()):
        if callable(function) and not isinstance(function, type) and not name.startswith("_"):
            ours = FUNCTIONS.get(function) if function.__hash__ is not None else None
            if ours is not None:
                found[name] = ours
    return found


def make_functions() -> None:
    """Make a public function of every op that stands for a NumPy function."""
    for family in ops.FAMILIES:
        for op in vars(family).values():
            if isinstance(op, OpDef) and op.functions:
                public(op)


make_functions()
LINALG = {k: v for k, v in named_in(np.linalg).items() if getattr(np, k, None) is None}
globals().update(named_in(np))

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
