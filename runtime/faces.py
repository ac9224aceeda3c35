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
    package: str,
    homes: Mapping[str, str],
    exported: Callable[[str, str, Any], Any],
    *but: str,
) -> Callable[[str], Any]:
    """Return a face's `__getattr__`, which takes names from other modules.

    What is imported for one name has the face give all names of modules that are there then: a
    function of it may return an instance of a class of it.

    Args:
        package: the package.
        homes: for each module the names that the face takes from it, `name` or `name=other name`;
            a name of the package itself is a module of it.
        exported: what the face gives, of its own name, the name and what the other module has.
        but: names that the face gives as they are.
    """
    pairs = ((home, *x.partition("=")) for home, text in homes.items() for x in text.split())
    places = {name: (home, other or name) for home, name, _, other in pairs}
    for name, (home, _) in places.items():
        if home.startswith(
            f"{package}.{name}."
        ):  # a package, which would be the name once imported
            importlib.import_module(f"{package}.{name}")
            delattr(sys.modules[package], name)

    def find(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        face = vars(sys.modules[package])

        def give(known: str, value: Any) -> Any:
            face[known] = value if known in but else exported(package, known, value)
            return face[known]

        home, other = places[name]
        if home == package:
            return give(name, importlib.import_module(f"{package}.{other}"))
        found = give(name, getattr(importlib.import_module(home), other))
        for known, (home, other) in places.items():
            held = vars(sys.modules[home]) if home in sys.modules else {}
            if home != package and known not in face and other in held:
                give(known, held[other])
        return found

    return find
