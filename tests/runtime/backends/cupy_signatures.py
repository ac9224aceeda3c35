"""The names and arguments of CuPy's functions: of the CuPy that is installed, and as stored.

line = name parameters?          reshape(a, newshape, order='C', *, copy=None), or a ufunc
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("cupy_signatures.txt")


def stored() -> dict[str, inspect.Signature | None]:
    """Return the stored signatures by the names of functions; None for those of ufuncs."""
    found: dict[str, inspect.Signature | None] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        name, bracket, parameters = line.partition("(")
        found[name] = None
        if bracket:
            namespace: dict[str, Any] = {}
            exec(f"def f({parameters}: ...", namespace)
            found[name] = inspect.signature(namespace["f"])
    return found


def now() -> str:
    """Return the text of the signatures of the CuPy that is installed."""
    import cupy
    import numpy
    import scipy.special
    from cupyx.scipy import special

    pairs = [
        ("", cupy, numpy),
        ("fft.", cupy.fft, numpy.fft),
        ("linalg.", cupy.linalg, numpy.linalg),
        ("lib.stride_tricks.", cupy.lib.stride_tricks, numpy.lib.stride_tricks),
        ("special.", special, scipy.special),
    ]
    return "".join(f"{line}\n" for pair in pairs for line in _lines(*pair))


def _lines(path: str, module: Any, other: Any) -> Iterator[str]:
    """Yield the functions that a module has in common with NumPy or SciPy."""
    for name in sorted(dir(module)):
        found = getattr(module, name)
        is_shared = callable(getattr(other, name, None))
        if callable(found) and is_shared and name[0] != "_" and not isinstance(found, type):
            yield f"{path}{name}{_parameters(found)}"


def _parameters(function: Any) -> str:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    empty = inspect.Parameter.empty
    own = [x.replace(annotation=empty, default=_plain(x)) for x in signature.parameters.values()]
    return str(signature.replace(parameters=own, return_annotation=inspect.Signature.empty))


def _plain(parameter: inspect.Parameter) -> Any:
    """Return a default that has a text; None for other objects."""
    is_plain = isinstance(parameter.default, int | float | str | type(None))
    return parameter.default if is_plain or parameter.default is inspect.Parameter.empty else None
