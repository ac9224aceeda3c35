"""Faces of packages that import on demand (PEP 562), so that `import` costs what is used.

    __getattr__ = submodules(__name__)

at the end of a package's `__init__` imports a module of it when it is first asked for.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping
from typing import Any


def submodules(package: str) -> Callable[[str], Any]:
    """Return a face's `__getattr__`, which imports its modules."""

    def find(name: str) -> Any:
        full = f"{package}.{name}"
        if name.startswith("__") or importlib.util.find_spec(full) is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return importlib.import_module(full)

    return find


def names(
    package: str, homes: Mapping[str, str], exported: Callable[[str, str, Any], Any]
) -> Callable[[str], Any]:
    """Return a face's `__getattr__`, which takes names from other modules.

    Args:
        package: the package.
        homes: for each name the module that has it, or that it is.
        exported: what the face gives, of its own name, the name and what the other module has.
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = importlib.import_module(homes[name])
        found = home if homes[name] == f"{package}.{name}" else getattr(home, name)
        found = exported(package, name, found)
        setattr(sys.modules[package], name, found)
        return found

    return find
