"""Which functions are converted when staged code calls them, by the modules that they are of.

Comes in: prefixes of module names, from the user. Goes out: whether a module's functions are left
as they are. Of several prefixes the longest decides.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_LEFT = ("autograph", "runtime", "numpy", "scipy", "cupy", "pytest", "_pytest", "sklearn")
_OURS = (
    "autograph.operators.builtins.decompositions",
    "autograph.operators.builtins.heapq_bisect",
    "autograph.operators.keyed.hash_tables",
    "autograph.operators.keyed.python_hashes",
    "autograph.operators.keyed.set_tables",
    "autograph.operators.containers.item_loops",
    "autograph.nn",
    "autograph.tf.keras",
)
"""What of our own is plain Python that is converted, as a program is."""

PLAIN = "__autograph_do_not_convert__"
"""The attribute that marks functions that are not converted."""
_NOW: ContextVar[bool] = ContextVar("converting", default=True)


class Rules:
    """Rules for modules, by prefix: whether their functions are converted.

    A rule holds for calls that are traced after it was made; what was traced stays as it is.

    >>> rules = Rules()
    >>> rules.leave("company.io")
    >>> rules.convert("company.io.filters")
    >>> [rules.are_left(name) for name in ("company.io.files", "company.io.filters", "company")]
    [True, False, False]
    """

    def __init__(self) -> None:
        names = sys.stdlib_module_names - {"__main__"}
        self._fixed = {**dict.fromkeys((*_LEFT, *names), True), **dict.fromkeys(_OURS, False)}
        self._own: dict[str, bool] = {}

    def convert(self, prefix: str) -> None:
        """Convert the functions of a module, and of those below it."""
        self._own[_checked(prefix)] = False

    def leave(self, prefix: str) -> None:
        """Leave the functions of a module as they are, and of those below it."""
        self._own[_checked(prefix)] = True

    def forget(self, prefix: str) -> None:
        """Take a rule back; KeyError when there is none."""
        del self._own[prefix]

    def are_left(self, module: str) -> bool:
        """Tell whether the functions of a module are left as they are."""
        name = module
        while name:
            found = self._own.get(name, self._fixed.get(name))
            if found is not None:
                return found
            name = name.rpartition(".")[0]
        return False

    def __repr__(self) -> str:
        words = {True: "leave", False: "convert"}
        return "\n".join(f"{words[left]} {name}" for name, left in sorted(self._own.items()))


def module_of(x: Any) -> str:
    """Return the name of the module that a class or function is of; of some of C it is no text."""
    name = getattr(x, "__module__", None)
    return name if isinstance(name, str) else ""


def _checked(prefix: str) -> str:
    if not all(map(str.isidentifier, str(prefix).split("."))):
        raise ValueError(f"a rule is for a module, such as 'company.kernels', not {prefix!r}")
    return prefix


rules = Rules()
"""The rules that hold for all staged functions."""


def is_converting() -> bool:
    """Tell whether functions that are called now are converted."""
    return _NOW.get()


@contextmanager
def not_converting() -> Iterator[None]:
    """Leave functions that are called in the `with` block as they are."""
    token = _NOW.set(False)
    try:
        yield
    finally:
        _NOW.reset(token)
